"""Which nn.Module's forward runs: followed through torch's own global hooks."""

import threading
from collections.abc import Callable
from contextlib import ExitStack, contextmanager

import torch
from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook


@contextmanager
def followed_modules(stack: list[torch.nn.Module], called: Callable[[torch.nn.Module], None]):
    """Keep `stack` the modules whose forward runs in this thread, innermost last; `called` hears of the outermost."""
    thread = threading.get_ident()

    def enter(module, _inputs) -> None:
        if threading.get_ident() == thread:
            stack.append(module)

    def leave(module, _inputs, _output) -> None:
        if threading.get_ident() != thread:
            return
        while stack and stack.pop() is not module:
            pass
        if not stack:
            called(module)

    with ExitStack() as hooks:
        hooks.callback(stack.clear)
        hooks.callback(register_module_forward_pre_hook(enter).remove)
        hooks.callback(register_module_forward_hook(leave, always_call=True).remove)
        yield
