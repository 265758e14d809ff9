"""Tensors inside torch.func: wrappers without entries, around the tensor that torch computes with."""

import torch
from torch._functorch.pyfunctorch import temporarily_clear_interpreter_stack

_functorch = torch._C._functorch


def is_wrapped(tensor: torch.Tensor) -> bool:
    """Whether a tensor is a wrapper that vmap or grad passes to its function."""
    return _functorch.is_functorch_wrapped_tensor(tensor)


def inside(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor inside all wrappers: its `grad_fn` is a node of the outer graph."""
    while is_wrapped(tensor):
        tensor = _functorch.get_unwrapped(tensor)
    return tensor


def with_history(tensor: torch.Tensor) -> torch.Tensor:
    """The layer of a tensor whose history is recorded: of the innermost transform, without one the program's own."""
    return tensor if tensor.grad_fn is not None else inside(tensor)


def batched(tensor: torch.Tensor) -> torch.Tensor:
    """The entries of all examples: one leading axis for each vmap, the outermost first. Not part of any graph."""
    with temporarily_clear_interpreter_stack(), torch.no_grad():
        return _batched(tensor)[0].detach().contiguous()


def _batched(tensor: torch.Tensor) -> tuple[torch.Tensor, int]:
    """A wrapped tensor's entries, and how many of their leading axes belong to a vmap."""
    if not is_wrapped(tensor):
        return tensor, 0
    within, leading = _batched(_functorch.get_unwrapped(tensor))
    if not _functorch.is_batchedtensor(tensor):
        return within, leading
    return within.movedim(_functorch.maybe_get_bdim(tensor) + leading, leading), leading + 1
