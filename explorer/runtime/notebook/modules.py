"""Which nn.Module's forward runs: followed through torch's own global hooks."""

from contextlib import contextmanager

import torch
from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook


@contextmanager
def followed_modules(stack: list[torch.nn.Module]):
    """Keep `stack` the modules whose forward runs, innermost last."""

    def enter(module, _inputs) -> None:
        stack.append(module)

    def leave(module, _inputs, _output) -> None:
        while stack and stack.pop() is not module:
            pass

    hooks = [register_module_forward_pre_hook(enter), register_module_forward_hook(leave, always_call=True)]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()
        stack.clear()
