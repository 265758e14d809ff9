"""Cache summaries of unchanged memory: a view, a gradient seen again, a weight at the end of the run.

A summary is dropped as soon as something may have written past torch's version counter.
"""

import weakref

import torch
from msgspec import Struct

Summary = tuple[float, float, float, float, int, int]
_MOST = 4_096  # summaries before the cache is emptied


class _Seen(Struct, gc=False):
    """A tensor that fills its memory, with the summary of its entries."""

    ref: weakref.ref
    dtype: torch.dtype
    entries: int
    version: int
    moment: int
    summary: Summary


class SummaryCache:
    """Summaries by memory address.

    Attributes:
        moment: counts possible writes past torch's version counter.
        off: whether other code may write at any time.
    """

    def __init__(self) -> None:
        self.moment = 0
        self.off = False
        self._at: dict[int, _Seen] = {}

    def find(self, tensor: torch.Tensor) -> Summary | None:
        """The cached summary of a tensor that fills its memory, if the entries are unchanged."""
        seen = self._at.get(tensor.data_ptr())
        if seen is None or self.off or seen.moment != self.moment or seen.version != tensor._version:
            return None
        if seen.dtype is not tensor.dtype or seen.entries != tensor.numel():
            return None
        before = seen.ref()  # while it lives its memory is not reused
        if before is None or before.data_ptr() != tensor.data_ptr():
            return None
        return seen.summary if tensor.untyped_storage().resizable() else None  # shared memory may change unseen

    def keep(self, tensor: torch.Tensor, summary: Summary) -> None:
        """Cache the summary of a tensor that fills its memory."""
        if len(self._at) >= _MOST:
            self._at.clear()
        seen = _Seen(weakref.ref(tensor), tensor.dtype, tensor.numel(), tensor._version, self.moment, summary)
        self._at[tensor.data_ptr()] = seen
