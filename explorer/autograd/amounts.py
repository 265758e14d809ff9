"""Gradients that are added, told in numbers: all entries where there are few, otherwise one entry followed through."""

import math
from collections.abc import Sequence

from explorer.text.numbers import number, shape_text
from explorer.trace import Value, sample_shape, sample_steps

LISTED = 8  # entries told one by one


def is_listed(value: Value | None) -> bool:
    """Whether every entry is told; what is not there needs no telling."""
    return value is None or (value.data is not None and 0 < len(value.data) <= LISTED)


def listed(value: Value) -> str:
    """All entries of a value that `is_listed`.

    >>> listed(Value((2,), "float32", (1.0, -2.0), (), 1, 1, 1, 1, 0))
    '[+1, −2]'
    """
    entries = ", ".join(number(entry, True) for entry in value.data)
    return entries if not value.shape else f"[{entries}]"


def ranged(value: Value) -> str:
    """The smallest and the largest entry with the shape: for values that are not `is_listed`."""
    shape = shape_text(value.shape)
    if value.minimum is None or value.nonfinite:
        return shape
    low, high = number(value.minimum, True), number(value.maximum, True)
    return f"{low if low == high else f'{low} … {high}'} {shape}"


def followed(total: Value | None, parts: Sequence[Value | None]) -> int | None:
    """The position in `entries` to follow through a sum: where it is largest. None where the parts do not show it."""
    if total is None or not total.entries or any(part is None or part.shape != total.shape for part in parts):
        return None
    sizes = [abs(entry) if math.isfinite(abs(entry)) else math.inf for entry in total.entries]
    return max(range(len(sizes)), key=sizes.__getitem__)


def index_of(value: Value, position: int) -> tuple[int, ...]:
    """The index in the tensor of one of the entries at hand.

    >>> index_of(Value((2, 3), "float32", (0.0,) * 6, (), 0, 0, 0, 0, 0), 4)
    (1, 1)
    """
    shape = value.shape if value.data is not None else sample_shape(value.shape)
    steps = (1,) * len(shape) if value.data is not None else sample_steps(value.shape)
    index = []
    for size, step in zip(reversed(shape), reversed(steps), strict=True):
        position, place = divmod(position, size)
        index.append(place * step)
    return (0,) * (len(value.shape) - len(index)) + tuple(reversed(index))


def index_text(index: tuple[int, ...]) -> str:
    """[1, 2], and nothing for a scalar."""
    return f"[{', '.join(map(str, index))}]" if index else ""
