"""Read the entries of tensors.

The recorder reads by the methods of `TensorBase` and by `_VariableFunctions`. A program may replace what stands under
torch's public names, to count calls or to change what they do; these two classes nobody can change.
"""

import torch
from torch._C import TensorBase

_vector_norm = vars(torch._C)["_linalg"].linalg_vector_norm


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
