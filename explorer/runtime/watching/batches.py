"""Record which samples a DataLoader's batches contain."""

import weakref
from collections import deque
from collections.abc import Callable
from contextlib import ExitStack
from functools import wraps
from typing import Any

from torch.utils.data import dataloader

from explorer.runtime.replacements import replace

MOST = 100_000  # most indices of a batch


class BatchIndices:
    """Knows the indices of the last batch that a DataLoader returned, until `close()`.

    The indices come from the sampler, because workers return batches in order. They stay unknown for a loader with
    `in_order=False` and for an `IterableDataset`, which has no indices.
    """

    def __init__(self) -> None:
        self.last: list[int] = []
        self._asked: weakref.WeakKeyDictionary[Any, deque[Any]] = weakref.WeakKeyDictionary()
        self._ended = ExitStack()
        owner: Any = dataloader._BaseDataLoaderIter
        replace(
            self._ended,
            (owner, "_next_index", self._noting(owner._next_index)),
            (owner, "__next__", self._returning(owner.__next__)),
        )

    def close(self) -> None:
        """Restore torch's own methods."""
        self._ended.close()

    def _noting(self, original: Callable) -> Callable:
        @wraps(original)
        def next_index(iterator: Any) -> Any:
            index = original(iterator)
            self._asked.setdefault(iterator, deque()).append(index)
            return index

        return next_index

    def _returning(self, original: Callable) -> Callable:
        @wraps(original)
        def following(iterator: Any) -> Any:
            try:
                batch = original(iterator)
            except StopIteration:
                self._asked.pop(iterator, None)
                raise
            asked = self._asked.get(iterator)
            self.last = indices(asked.popleft()) if asked and getattr(iterator, "_in_order", True) else []
            return batch

        return following


def indices(index: Any) -> list[int]:
    """Return a sampler's answer, or a tensor of indices, as numbers. Return none if it is something else."""
    found = index.tolist() if hasattr(index, "tolist") else index
    found = found if isinstance(found, list | tuple) else [found]
    return [int(one) for one in found[:MOST]] if all(isinstance(one, int) for one in found[:MOST]) else []
