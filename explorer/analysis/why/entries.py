"""One entry of a tensor, by its row-major position, and sums of such entries."""

import math
from collections.abc import Sequence

from explorer.analysis.autograd.entry_texts import index_of
from explorer.trace import Number, Trace, Value

CLOSE = {"float16": 2e-2, "bfloat16": 5e-2}  # relative to the sum; for other types 1e-3


def entry_at(value: Value | None, place: int) -> Number | None:
    """The entry at a position, None if it was not recorded: large values only have a sample.

    >>> entry_at(Value((2, 2), "float32", (1.0, 2.0, 3.0, 4.0), (), 1, 4, 1, 1, 0), 2)
    3.0
    """
    if value is None or place < 0:
        return None
    if value.data is not None:
        return value.data[place] if place < len(value.data) else None
    for at, entry in value.asked:
        if at == place:
            return entry
    for position in range(len(value.sample)):
        if place_of(index_of(value, position), value.shape) == place:
            return value.sample[position]
    return None


def place_of(index: Sequence[int], shape: Sequence[int]) -> int:
    """The row-major position of an entry.

    >>> place_of((1, 2), (2, 3))
    5
    """
    place = 0
    for at, size in zip(index, shape, strict=True):
        place = place * size + at
    return place


def most_informative_entry(value: Value | None) -> int:
    """The position of the entry to talk about: the first non-finite, otherwise the largest; -1 for no entry."""
    if value is None or not value.entries:
        return -1
    sizes = [abs(entry) if math.isfinite(abs(entry)) else math.inf for entry in value.entries]
    position = max(range(len(sizes)), key=sizes.__getitem__)
    return position if value.data is not None else place_of(index_of(value, position), value.shape)


def adds_up(parts: Sequence[Number], total: Number, dtype: str) -> bool:
    """Whether parts add up to a total, with the precision of a dtype; NaN and infinities only if the sum has them
    too.
    """
    found = sum(parts)
    if not math.isfinite(abs(total)) or not math.isfinite(abs(found)):
        return _same_infinity(found, total)
    return abs(found - total) <= 1e-12 + CLOSE.get(dtype, 1e-3) * sum(abs(part) for part in parts)


def _same_infinity(found: Number, total: Number) -> bool:
    return found == total or (found != found and total != total)


def same_entries(trace: Trace, first: int, other: int) -> bool:
    """Whether two values, by id, have the same recorded numbers; -1 equals only itself."""
    if first == other:
        return True
    a, b = trace.value(first), trace.value(other)
    if a is None or b is None or a.shape != b.shape or len(a.entries) != len(b.entries):
        return False
    return all(x == y or (x != x and y != y) for x, y in zip(a.entries, b.entries, strict=True))
