"""Reading of tensors' entries.

The recorder reads by the methods of `TensorBase` and by `_VariableFunctions`. A program may replace torch's public
names, to count calls or to change their effect, but nobody can change these two classes.
"""

import torch
from torch._C import TensorBase

_vector_norm = vars(torch._C)["_linalg"].linalg_vector_norm


def is_row_major(tensor: torch.Tensor) -> bool:
    """Return whether the entries are plain and consecutive in our memory."""
    return tensor.is_cpu and TensorBase.is_contiguous(tensor) and not TensorBase.is_neg(tensor)


def single(tensor: torch.Tensor) -> float:
    """Return the entry of a tensor that has one."""
    return float(TensorBase.item(tensor))


def flat(tensor: torch.Tensor) -> torch.Tensor:
    """Return all entries as a flat tensor, without history."""
    return TensorBase.reshape(TensorBase.detach(tensor), -1)


def row_norms(rows: torch.Tensor) -> torch.Tensor:
    """Return the norm of each row of a matrix, in its own precision."""
    return _vector_norm(rows, dim=(1,))


def entries_norm(entries: torch.Tensor) -> float:
    """Return the square root of the sum of squares, in double precision."""
    return single(_vector_norm(entries, dtype=torch.float64))
