"""Read properties and entries of a tensor, also where torch refuses to give them.

torch refuses the history of a view written to without gradients, the version of an inference tensor, the shape of a
nested one, and almost everything of an uninitialised parameter. None of that may end the program, and neither may an
error of the program's own objects, which may raise anything when they are read, or of the recorder itself.

Entries are read by the methods of `TensorBase` and by `_VariableFunctions`. A program may replace what stands under
torch's public names, to count calls or to change what they do; these two classes nobody can change.
"""

import os

import torch
from torch._C import TensorBase
from torch.autograd.graph import Node

from explorer.runtime.signals import raised_by_handler

STRICT = bool(os.environ.get("EXPLORER_STRICT"))  # set by the tests
_RUNTIME = os.path.dirname(os.path.dirname(__file__))
_OF_TORCH = (RuntimeError, MemoryError)  # what torch raises, seen from Python, in the line that calls it
_vector_norm = vars(torch._C)["_linalg"].linalg_vector_norm


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


class Fault(Exception):
    """Raised for an error of the recorder itself, in strict mode."""


def raise_if_own_fault(problem: BaseException) -> None:
    """Accept an error of the program's objects or of torch. In strict mode an error of the recorder raises Fault.

    What a handler of the program's signals raises is no error of the recorder: it goes on.

    Every `except Exception` of the recorder ends here. An error is the recorder's own if it was raised in its code.
    """
    if raised_by_handler(problem):
        raise problem
    if STRICT and not isinstance(problem, _OF_TORCH) and _raised_in(problem).startswith(_RUNTIME):
        raise Fault(repr(problem)) from problem


def _raised_in(problem: BaseException) -> str:
    """The file that raised an error."""
    traceback, file = problem.__traceback__, ""
    while traceback is not None:
        file, traceback = traceback.tb_frame.f_code.co_filename, traceback.tb_next
    return file


def is_row_major(tensor: torch.Tensor) -> bool:
    """Whether the entries lie in this process's memory as they are, one after the other."""
    return tensor.is_cpu and TensorBase.is_contiguous(tensor) and not TensorBase.is_neg(tensor)


def single(tensor: torch.Tensor) -> float:
    """The entry of a tensor that has one."""
    return float(TensorBase.item(tensor))


def flat(tensor: torch.Tensor) -> torch.Tensor:
    """All entries as one axis, without history."""
    return TensorBase.reshape(TensorBase.detach(tensor), -1)


def row_norms(rows: torch.Tensor) -> torch.Tensor:
    """The norm of each row of a matrix, in its own precision."""
    return _vector_norm(rows, dim=(1,))


def entries_norm(entries: torch.Tensor) -> float:
    """The square root of the sum of the squares, in double precision."""
    return single(_vector_norm(entries, dtype=torch.float64))
