"""Cache summaries of unchanged memory: a view, a gradient seen again, a weight at the end of the run.

A summary is dropped as soon as something may have written past torch's version counter.
"""

import weakref
from collections.abc import Iterable

import torch
from msgspec import Struct

from explorer.runtime.recorder.memory import plain_tensor

Summary = tuple[float, float, float, float, int, int, int]
_MOST = 4_096  # summaries before the cache is emptied


class _Seen(Struct, gc=False):
    """A tensor that fills its memory, with the summary of its entries."""

    ref: weakref.ref
    dtype: torch.dtype
    entries: int
    version: int
    moment: int
    writes: int
    summary: Summary


class SummaryCache:
    """Summaries by memory address.

    Attributes:
        moment: counts possible writes past torch's version counter to any memory.
        off: whether other code may write at any time.
        light: whether large tensors are summarised from a sample.
    """

    def __init__(self, light: bool = False) -> None:
        self.light = light
        self.moment = 0
        self.off = False
        self._at: dict[int, _Seen] = {}
        self._writes = 0  # calls of `wrote`
        self._wrote: dict[int, int] = {}  # the last of them by address of a storage

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
        storage = tensor.untyped_storage()
        if self._wrote.get(storage.data_ptr(), 0) > seen.writes:
            return None
        return seen.summary if storage.resizable() else None  # shared memory may change unseen

    def wrote(self, tensors: Iterable[torch.Tensor] | None) -> None:
        """A call may have written to the memory of these tensors, past the counters of others there; None: to any."""
        self._writes += 1
        if tensors is None:
            self.moment += 1
            return
        try:
            for tensor in tensors:
                self._wrote[plain_tensor(tensor).untyped_storage().data_ptr()] = self._writes
        except RuntimeError:  # sparse, nested, wrappers of torch.func
            self.moment += 1

    def keep(self, tensor: torch.Tensor, summary: Summary) -> None:
        """Cache the summary of a tensor that fills its memory."""
        if len(self._at) >= _MOST:
            self._at.clear()
            self._wrote.clear()
        now = tensor._version, self.moment, self._writes
        self._at[tensor.data_ptr()] = _Seen(weakref.ref(tensor), tensor.dtype, tensor.numel(), *now, summary)
