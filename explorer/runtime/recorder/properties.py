"""Read properties of a tensor, also where torch refuses to give them.

torch refuses the history of a view written to without gradients, the version of an inference tensor, the shape of a
nested one, and almost everything of an uninitialised parameter. None of that may end the program.
"""

import torch
from torch.autograd.graph import Node

from explorer.runtime.recorder.faults import raise_if_own_fault


def grad_fn(tensor: torch.Tensor) -> Node | None:
    """The grad_fn of a tensor, None if there is none or torch refuses."""
    try:
        return tensor.grad_fn
    except Exception as problem:
        raise_if_own_fault(problem)
        return None


def is_leaf(tensor: torch.Tensor) -> bool:
    """Whether a tensor is a leaf; False for a view that torch no longer allows to be used."""
    try:
        return tensor.is_leaf
    except Exception as problem:
        raise_if_own_fault(problem)
        return False


def version(tensor: torch.Tensor) -> int:
    """torch's version counter, or -1."""
    try:
        return tensor._version
    except Exception as problem:
        raise_if_own_fault(problem)
        return -1


def gradient(tensor: torch.Tensor) -> torch.Tensor | None:
    """`.grad` of a tensor that keeps one; reading it on any other would warn."""
    try:
        return tensor.grad if tensor.is_leaf or tensor.retains_grad else None
    except Exception as problem:
        raise_if_own_fault(problem)
        return None
