"""One entry of a tensor, by its place in row-major order, and lists of amounts put together from such entries."""

import math
from collections.abc import Sequence

from explorer.autograd.amounts import index_of
from explorer.trace import Number, Trace, Value

CLOSE = {"float16": 2e-2, "bfloat16": 5e-2}  # relative to what was added; of other types 1e-3


def entry_at(value: Value | None, place: int) -> Number | None:
    """The entry at a place, None where it is not at hand: of a large value only a sample is.

    >>> entry_at(Value((2, 2), "float32", (1.0, 2.0, 3.0, 4.0), (), 1, 4, 1, 1, 0), 2)
    3.0
    """
    if value is None or place < 0:
        return None
    if value.data is not None:
        return value.data[place] if place < len(value.data) else None
    for position in range(len(value.sample)):
        if place_of(index_of(value, position), value.shape) == place:
            return value.sample[position]
    return None


def place_of(index: Sequence[int], shape: Sequence[int]) -> int:
    """The place of an entry in row-major order.

    >>> place_of((1, 2), (2, 3))
    5
    """
    place = 0
    for at, size in zip(index, shape, strict=True):
        place = place * size + at
    return place


def telling_place(value: Value | None) -> int:
    """The place of the entry to speak of: the first that is not finite, otherwise the largest; -1 for no entry."""
    if value is None or not value.entries:
        return -1
    sizes = [abs(entry) if math.isfinite(abs(entry)) else math.inf for entry in value.entries]
    position = max(range(len(sizes)), key=sizes.__getitem__)
    return position if value.data is not None else place_of(index_of(value, position), value.shape)


def adds_up(parts: Sequence[Number], total: Number, dtype: str) -> bool:
    """Whether parts give a total, as exactly as a dtype adds; NaN and infinities only where the sum has them too."""
    found = sum(parts)
    if not math.isfinite(abs(total)) or not math.isfinite(abs(found)):
        return _same_infinity(found, total)
    return abs(found - total) <= 1e-12 + CLOSE.get(dtype, 1e-3) * sum(abs(part) for part in parts)


def _same_infinity(found: Number, total: Number) -> bool:
    return found == total or (found != found and total != total)


def same_entries(trace: Trace, one: int, other: int) -> bool:
    """Whether two values, by their ids, hold the same numbers as far as they were kept; -1 is only itself."""
    if one == other:
        return True
    a, b = trace.value(one), trace.value(other)
    if a is None or b is None or a.shape != b.shape or len(a.entries) != len(b.entries):
        return False
    return all(x == y or (x != x and y != y) for x, y in zip(a.entries, b.entries, strict=True))
