"""Track which nn.Module's forward runs, with torch's own global hooks."""

import threading
from collections.abc import Callable
from contextlib import ExitStack, contextmanager

import torch
from torch.compiler import is_compiling
from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook

from explorer.runtime.recorder.own_hooks import registered


@contextmanager
def followed_modules(stack: list[torch.nn.Module], called: Callable[[torch.nn.Module], None]):
    """Keep in `stack` the modules whose forward runs in this thread, innermost last; call `called` for the
    outermost.
    """
    thread = threading.get_ident()

    def enter(module, _inputs) -> None:
        if not is_compiling() and threading.get_ident() == thread:  # the compiler reads this first and stops here
            stack.append(module)

    def leave(module, _inputs, _output) -> None:
        if is_compiling() or threading.get_ident() != thread:
            return
        while stack and stack.pop() is not module:
            pass
        if not stack:
            called(module)

    with ExitStack() as hooks:
        hooks.callback(stack.clear)
        hooks.callback(registered(register_module_forward_pre_hook, enter).remove)
        hooks.callback(registered(register_module_forward_hook, leave, always_call=True).remove)
        yield
