"""Entries and values explained by a second run.

Also the tensors that `record(full=…)` keeps with all their entries.
"""

import math
from typing import Annotated

import numpy as np
from msgspec import Meta, Struct, field

from explorer.trace.columns import Along, Columns, Ids
from explorer.trace.values import STORED

FULL_BYTES = 1_000_000_000  # most bytes of one recording
AT_END, GRAD_AT_END = -1, -2  # used instead of a backward: the last value, and `.grad` at the end
_LAST_BEGIN = -1_000_000_000


def at_begin(backward: int) -> int:
    """Return the number that represents the state before a backward. It is its own inverse."""
    return GRAD_AT_END - 1 - backward


_FullColumn = Annotated[list[int], Meta(max_length=1_000_000), Along("rows")]


class Entries(Struct, frozen=True, array_like=True):
    """All entries of one tensor in row-major order, little-endian.

    Attributes:
        dtype: torch's name. bfloat16 is stored as float32.
    """

    dtype: Annotated[str, Meta(max_length=40)]
    shape: Annotated[tuple[int, ...], Meta(max_length=64)]
    data: Annotated[bytes, Meta(max_length=FULL_BYTES)]

    def numpy(self) -> np.ndarray:
        """Return the entries in their shape, read-only."""
        return np.frombuffer(self.data, STORED[self.dtype]).reshape(self.shape)


class FullTensors(Columns, Struct, frozen=True):
    """Columns: tensors with all entries, and their time.

    Attributes:
        tensor: rows of tensors.
        backward: backward whose gradient it is, or AT_END, or GRAD_AT_END, or `at_begin(backward)`.
        entry: index into `entries`, shared by equal tensors.
    """

    tensor: Annotated[_FullColumn, Ids("tensors", 0)] = []
    backward: Annotated[_FullColumn, Ids("backwards", _LAST_BEGIN)] = []
    entry: Annotated[_FullColumn, Ids("full.entries", 0)] = []
    entries: Annotated[list[Entries], Meta(max_length=1_000_000)] = field(default_factory=list)

    def find(self, tensor: int, backward: int) -> Entries | None:
        """Return a tensor's entries in a backward, None if not kept."""
        rows = zip(self.tensor, self.backward, self.entry, strict=True)
        return next((self.entries[entry] for of, when, entry in rows if (of, when) == (tensor, backward)), None)

    @property
    def size(self) -> int:
        """Bytes of all entries."""
        return sum(len(entries.data) for entries in self.entries)


def faulty_full(full: FullTensors) -> str:
    """Return the first fault of the columns, or ""."""
    for entries in full.entries:
        if entries.dtype not in STORED or any(size < 0 for size in entries.shape):
            return "full tensors: an unknown dtype or a negative size"
        if math.prod(entries.shape) * np.dtype(STORED[entries.dtype]).itemsize != len(entries.data):
            return "full tensors: entries that do not fill their shape"
    return "full tensors: too many bytes" if full.size > FULL_BYTES else ""


LISTED = 8  # most listed products of one gradient
MOST_ASKED = 64  # most entries of one request
MOST_WHOLE = 500  # most values of one request
WHOLE_BYTES = 3_000_000

_Column = Annotated[list[int], Meta(max_length=100_000)]
_Numbers = Annotated[list[float], Meta(max_length=100_000)]
_ENTRIES, _SUMS, _PRODUCTS = Along("entries"), Along("sums"), Along("products")


class EntryAsked(Struct, frozen=True, array_like=True):
    """Address of a gradient entry that a second run can find again.

    Attributes:
        call: number of the backward among the recorded calls.
        step: position of its node in the backward's order.
        output: node output at which the gradient arrived.
        shape: shape of the gradient. place: row-major index of the entry.
        edge: edge over which the node passed the gradient on. -1: the gradient that arrived.
    """

    call: int
    step: int
    output: int
    shape: Annotated[tuple[int, ...], Meta(max_length=64)]
    place: int
    edge: int = -1


class AskedEntries(Columns, Struct, frozen=True):
    """Entries of large values, and gradients as sums of listed products.

    Attributes:
        whole, data: ids of large values and all their entries, as in `Values.data`.
        value, place, entry: entries of values outside their samples.
        backward, passer, edge, at: gradients passed on over edges, at an entry of the receiver.
        listed: number of listed products, largest first.
        left, rest: number of further products, and their sum.
        node, output, index: for each product, the multiplied gradient: node, output and entry.
        gradient, factor: the two factors.
    """

    whole: Annotated[list[int], Meta(max_length=MOST_WHOLE), Along("whole"), Ids("values", 0)] = []
    data: Annotated[
        list[Annotated[bytes, Meta(max_length=WHOLE_BYTES)]], Meta(max_length=MOST_WHOLE), Along("whole")
    ] = []
    value: Annotated[_Column, _ENTRIES, Ids("values", 0)] = []
    place: Annotated[_Column, _ENTRIES] = []
    entry: Annotated[_Numbers, _ENTRIES] = []
    backward: Annotated[_Column, _SUMS, Ids("backwards", 0)] = []
    passer: Annotated[_Column, _SUMS, Ids("nodes", 0)] = []
    edge: Annotated[_Column, _SUMS] = []
    at: Annotated[_Column, _SUMS, Ids(1 << 64, 0)] = []
    listed: Annotated[_Column, _SUMS, Ids(LISTED + 1, 0)] = []
    left: Annotated[_Column, _SUMS, Ids(1 << 64, 0)] = []
    rest: Annotated[_Numbers, _SUMS] = []
    node: Annotated[_Column, _PRODUCTS, Ids("nodes", 0)] = []
    output: Annotated[_Column, _PRODUCTS, Ids(1 << 64, 0)] = []
    index: Annotated[_Column, _PRODUCTS, Ids(1 << 64, 0)] = []
    gradient: Annotated[_Numbers, _PRODUCTS] = []
    factor: Annotated[_Numbers, _PRODUCTS] = []


def faulty_asked(asked: AskedEntries, values: list[tuple[int, ...]], sizes: dict[int, int], edges: list[int]) -> str:
    """Return the first fault of the columns, or "".

    Args:
        values: shapes. sizes: bytes of the values kept whole.
        edges: number of edges of each node.
    """
    if sum(map(len, asked.data)) > WHOLE_BYTES:
        return "asked values: too many bytes"
    if any(sizes.get(value) != len(data) for value, data in zip(asked.whole, asked.data, strict=True)):
        return "asked values: entries that do not fill their shape"
    if sum(asked.listed) != len(asked.node):
        return "asked products: more or fewer than are listed"
    for value, place in zip(asked.value, asked.place, strict=True):
        if not 0 <= place < math.prod(values[value]):
            return "asked entries: an entry that does not exist"
    if any(not 0 <= edge < edges[node] for node, edge in zip(asked.passer, asked.edge, strict=True)):
        return "asked products: no such edge"
    return ""
