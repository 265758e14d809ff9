"""What a tensor says of itself, also where torch refuses to say it.

A view made or written to without gradients has no history that torch would show, an inference tensor no version, a
nested one no shape, a parameter not yet initialised hardly anything. None of that may end a program that never asked.
"""

import torch
from torch.autograd.graph import Node


def grad_fn(tensor: torch.Tensor) -> Node | None:
    """The node a tensor came from, None where there is none or torch forbids to ask."""
    try:
        return tensor.grad_fn
    except Exception:
        return None


def is_leaf(tensor: torch.Tensor) -> bool:
    """Whether a tensor begins a graph; a view that torch no longer allows to be used does not."""
    try:
        return tensor.is_leaf
    except Exception:
        return False


def version(tensor: torch.Tensor) -> int:
    """torch's version counter, -1 where there is none."""
    try:
        return tensor._version
    except Exception:
        return -1


def has_own_memory(tensor: torch.Tensor) -> bool:
    """Whether a tensor that was just made can share its memory with no other."""
    try:
        return not (tensor._is_view() or tensor.is_inference())
    except Exception:
        return False


def gradient(tensor: torch.Tensor) -> torch.Tensor | None:
    """`.grad` where a tensor keeps one; asking any other for it would warn."""
    try:
        return tensor.grad if tensor.is_leaf or tensor.retains_grad else None
    except Exception:
        return None
