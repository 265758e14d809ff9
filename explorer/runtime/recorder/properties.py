"""Properties of a tensor, even if torch refuses them.

torch refuses the history of a view written to without gradients, the version of an inference tensor, the shape of a
nested tensor, and almost everything of an uninitialized parameter. None of that may end the program.
"""

import torch
from torch.autograd.graph import Node

from explorer.runtime.recorder.faults import reraise_recorder_error


def grad_fn(tensor: torch.Tensor) -> Node | None:
    """Return a tensor's grad_fn, None if missing or refused."""
    try:
        return tensor.grad_fn
    except Exception as problem:
        reraise_recorder_error(problem)
        return None


def is_leaf(tensor: torch.Tensor) -> bool:
    """Return whether a tensor is a leaf, False for an invalidated view."""
    try:
        return tensor.is_leaf
    except Exception as problem:
        reraise_recorder_error(problem)
        return False


def version(tensor: torch.Tensor) -> int:
    """Return torch's version counter, or -1."""
    try:
        return tensor._version
    except Exception as problem:
        reraise_recorder_error(problem)
        return -1


def gradient(tensor: torch.Tensor) -> torch.Tensor | None:
    """Return `.grad` of a tensor that keeps it.

    Reading another tensor's would warn.
    """
    try:
        return tensor.grad if tensor.is_leaf or tensor.retains_grad else None
    except Exception as problem:
        reraise_recorder_error(problem)
        return None
