"""Summaries of memory that lies there unchanged: a view, a gradient met again, a weight at the end of the run.

What was summed up is looked at anew as soon as anything may have written without torch's counter of versions.
"""

import weakref

import torch
from msgspec import Struct

Summary = tuple[float, float, float, float, int, int]
_MOST = 4_096  # summaries before all are let go of


class _Seen(Struct, gc=False):
    """A tensor that fills its memory, and what its entries were."""

    ref: weakref.ref
    dtype: torch.dtype
    entries: int
    version: int
    moment: int
    summary: Summary


class Remembered:
    """Summaries by the address of the memory.

    Attributes:
        moment: counts what may have written past torch's counter of versions.
        off: whether somebody else may write at any time.
    """

    def __init__(self) -> None:
        self.moment = 0
        self.off = False
        self._at: dict[int, _Seen] = {}

    def find(self, tensor: torch.Tensor) -> Summary | None:
        """The summary of a tensor that fills its memory, where the same entries were summed up before."""
        seen = self._at.get(tensor.data_ptr())
        if seen is None or self.off or seen.moment != self.moment or seen.version != tensor._version:
            return None
        if seen.dtype is not tensor.dtype or seen.entries != tensor.numel():
            return None
        before = seen.ref()  # while it lives its memory is given to nobody else
        if before is None or before.data_ptr() != tensor.data_ptr():
            return None
        return seen.summary if tensor.untyped_storage().resizable() else None  # others share what is not

    def keep(self, tensor: torch.Tensor, summary: Summary) -> None:
        """Remember the summary of a tensor that fills its memory."""
        if len(self._at) >= _MOST:
            self._at.clear()
        seen = _Seen(weakref.ref(tensor), tensor.dtype, tensor.numel(), tensor._version, self.moment, summary)
        self._at[tensor.data_ptr()] = seen
