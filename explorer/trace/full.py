"""Tensors that `record(full=…)` keeps with all their entries, beside the samples of `Values`."""

import math
from typing import Annotated

import numpy as np
from msgspec import Meta, Struct, field

from explorer.trace.columns import Along, Ids
from explorer.trace.values import STORED

FULL_BYTES = 1_000_000_000  # of all of them in one recording
AT_END, GRAD_AT_END = -1, -2  # in place of a backward: the last value, and what `.grad` holds at the end

_Column = Annotated[list[int], Meta(max_length=1_000_000), Along("rows")]


class Entries(Struct, frozen=True, array_like=True):
    """All entries of one tensor in row-major order, little-endian.

    Attributes:
        dtype: torch's name for it; bfloat16 is stored as float32.
    """

    dtype: Annotated[str, Meta(max_length=40)]
    shape: Annotated[tuple[int, ...], Meta(max_length=64)]
    data: Annotated[bytes, Meta(max_length=FULL_BYTES)]

    def numpy(self) -> np.ndarray:
        """The entries in their shape, read-only."""
        return np.frombuffer(self.data, STORED[self.dtype]).reshape(self.shape)


class FullTensors(Struct, frozen=True):
    """Columns: the entries of which tensor, and when.

    Attributes:
        tensor: whose (tensors).
        backward: the gradient that arrived in this backward, or AT_END, or GRAD_AT_END.
        entry: index into `entries`; equal tensors share one.
    """

    tensor: Annotated[_Column, Ids("tensors", 0)] = []
    backward: Annotated[_Column, Ids("backwards", GRAD_AT_END)] = []
    entry: Annotated[_Column, Ids("full.entries", 0)] = []
    entries: Annotated[list[Entries], Meta(max_length=1_000_000)] = field(default_factory=list)

    def find(self, tensor: int, backward: int) -> Entries | None:
        """The entries of a tensor in a backward, None where they were not kept."""
        rows = zip(self.tensor, self.backward, self.entry, strict=True)
        return next((self.entries[entry] for of, when, entry in rows if (of, when) == (tensor, backward)), None)

    @property
    def size(self) -> int:
        """Bytes of all entries."""
        return sum(len(entries.data) for entries in self.entries)


def faulty_full(full: FullTensors) -> str:
    """What is wrong with the columns, "" if nothing."""
    for entries in full.entries:
        if entries.dtype not in STORED or any(size < 0 for size in entries.shape):
            return "full tensors: an unknown dtype or a negative size"
        if math.prod(entries.shape) * np.dtype(STORED[entries.dtype]).itemsize != len(entries.data):
            return "full tensors: entries that do not fill their shape"
    return "full tensors: too many bytes" if full.size > FULL_BYTES else ""
