"""Sums of gradients as text: all entries if few, otherwise one followed entry.

Numbers are the program's own: x = 1.23456 is kept as 1.2345600128173828, 1.1 in half precision as 1.0996.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import mul

import numpy as np
from msgspec.structs import replace

from explorer.safe_regex import plain
from explorer.text.numbers import (
    DIGITS,
    MINUS,
    Write,
    are_exact,
    number,
    numbers,
    precision,
    shape_text,
    without_number,
)
from explorer.trace import Number, Trace, Value, index_at, sample_shape, sample_steps

LISTED = 8  # entries listed
FEW = 4  # complex numbers have no range; list this many entries
MOST = 5_000  # most numbers read per program
_LITERAL = plain(r"(?:\d+\.\d*|\.\d+|\d+)(?:[eE][+-]?\d{1,3})?")


def is_listed(value: Value | None) -> bool:
    """Return whether all entries are listed."""
    return value is None or (value.data is not None and 0 < len(value.data) <= LISTED)


def listed(value: Value, digits: int = DIGITS, entries: Sequence[Number] | None = None, signed: bool = True) -> str:
    """Write all entries of a value that `is_listed`, or other entries in its shape.

    >>> listed(Value((2,), "float32", (1.0, -2.0), (), 1, 1, 1, 1, 0))
    '[+1, −2]'
    """
    exact, given = are_exact(value.entries), value.data if entries is None else entries
    texts = [str(entry) if isinstance(entry, bool) else number(entry, signed, digits, exact) for entry in given]
    return nested(texts, value.shape)


def amount_text(value: Value, digits: int = DIGITS, signed: bool = True, most: int = LISTED) -> str:
    """Write a value for a sentence: number, few entries, or range."""
    if value.data is not None and 0 < len(value.data) <= most:
        return listed(value, digits, signed=signed)
    ends = range_text(value, signed)
    if value.dtype == "bool":
        ends = " … ".join({"0": "False", "1": "True"}.get(end, end) for end in ends.split(" … "))
    return f"{ends} {shape_text(value.shape)}".strip()


def few(value: Value, most: int, signed: bool, digits: int = DIGITS) -> str:
    """Write up to `most` entries side by side, otherwise ""."""
    whole = value.data is not None and len(value.data) <= most
    return " ".join(numbers(value.data, signed, digits)) if whole else ""


def nested(entries: Sequence[str], shape: Sequence[int]) -> str:
    """Write entries in nested brackets.

    >>> nested(["1", "2"], (1, 2))
    '[[1, 2]]'
    """
    if not shape:
        return entries[0]
    size = len(entries) // shape[0]
    return f"[{', '.join(nested(entries[i : i + size], shape[1:]) for i in range(0, len(entries), size))}]"


def range_text(value: Value, signed: bool) -> str:
    """Write the smallest and largest entry with infinities and NaN, "" if empty.

    Complex numbers have no order, so a few are written in full.

    >>> range_text(Value((3,), "float32", (1.0, -math.inf, math.nan), (), 1, 1, 1, 1, 2, 1), False)
    '−∞ … 1, NaN'
    """
    if any(isinstance(entry, complex) for entry in value.entries):
        return _complex_text(value, signed)
    if value.minimum is None:
        return without_number(value.entries, value.nans) if value.nonfinite else ""
    low, high = ends(value, signed)
    rest = ["±∞"] if value.data is None and value.nonfinite > value.nans else []
    rest += ["NaN"] if value.nans else []
    return ", ".join([low if low == high else f"{about(value)}{low} … {high}", *rest])


def _complex_text(value: Value, signed: bool) -> str:
    """Write a few complex numbers in full, for more the smallest and largest magnitude."""
    if value.data is not None and len(value.data) <= FEW:
        return ", ".join(numbers(value.data, signed))
    sizes = [size for size in map(abs, value.entries) if math.isfinite(size)]
    rest = [word for word, count in (("∞", value.nonfinite - value.nans), ("NaN", value.nans)) if count]
    ends = " … ".join(dict.fromkeys((number(min(sizes)), number(max(sizes))))) if sizes else ""
    whole = f"{'≈ ' if value.data is None else ''}|z| {ends}"
    return ", ".join([whole, *rest] if ends else rest)


def about(value: Value) -> str:
    """Return the prefix before range and mean of a sample."""
    return "≈ " if value.sampled else ""


def ends(value: Value, signed: bool = False) -> tuple[str, str]:
    """Write the smallest and largest finite entry (of the sample, if sampled)."""
    exact = are_exact(value.entries)
    low, high = number(value.minimum, signed, exact=exact), number(value.maximum, signed, exact=exact)
    if value.data is None or value.nonfinite == value.nans:
        return low, high
    infinite = {math.inf, -math.inf}.intersection(value.data)
    return (f"{MINUS}∞" if -math.inf in infinite else low, number(math.inf, signed) if math.inf in infinite else high)


def followed(total: Value | None, parts: Sequence[Value | None]) -> int | None:
    """Return the position in `entries` to follow through a sum: the largest, or None."""
    if total is None or not total.entries or any(part is None or part.shape != total.shape for part in parts):
        return None
    sizes = [abs(entry) if math.isfinite(abs(entry)) else math.inf for entry in total.entries]
    return max(range(len(sizes)), key=sizes.__getitem__)


def sum_precision(parts: Sequence[Value | None], total: Value | None, at: int | None = None) -> tuple[int, str, Write]:
    """Find one precision with which parts add up: digits, = or ≈, and the function that writes each number."""
    if total is None or any(part is None or len(part.entries) != len(total.entries) for part in parts):
        return DIGITS, "=", number
    places = range(len(total.entries)) if at is None else (at,)
    return precision((sum, [part.entries[i] for part in parts], total.entries[i]) for i in places)


def index_of(value: Value, position: int) -> tuple[int, ...]:
    """Return the tensor index of a recorded entry.

    >>> index_of(Value((2, 3), "float32", (0.0,) * 6, (), 0, 0, 0, 0, 0), 4)
    (1, 1)
    """
    return indices_of(value, (position,))[0]


def indices_of(value: Value, positions: Iterable[int]) -> list[tuple[int, ...]]:
    """Return the tensor indices of several recorded entries."""
    shape = value.shape if value.data is not None else sample_shape(value.shape)
    steps = (1,) * len(shape) if value.data is not None else sample_steps(value.shape)
    before = (0,) * (len(value.shape) - len(shape))
    return [before + tuple(map(mul, index_at(position, shape), steps)) for position in positions]


def place_of(index: Sequence[int], shape: Sequence[int]) -> int:
    """Return the row-major position of an entry.

    >>> place_of((1, 2), (2, 3))
    5
    """
    place = 0
    for at, size in zip(index, shape, strict=True):
        place = place * size + at
    return place


def entry_text(value: Value, position: int) -> str:
    """Write a recorded entry with its index: "[1, 2] +3"."""
    return f"{index_text(index_of(value, position))} {entry_number(value, position)}".strip()


def entry_number(value: Value, position: int) -> str:
    """Write a recorded gradient entry as precisely as the others.

    >>> entry_number(Value((2,), "float32", (0.015625, 1 / 3), (), 1, 1, 1, 1, 0), 0)
    '+0.0156'
    """
    return number(value.entries[position], True, exact=are_exact(value.entries))


def place_text(shape: tuple[int, ...], place: int) -> str:
    """Write a position's index, "" in a one-entry tensor or for -1.

    >>> place_text((2, 3), 4), place_text((1, 1), 0)
    ('[1, 1]', '')
    """
    return "" if place < 0 or math.prod(shape) == 1 else index_text(index_at(place, shape))


def entry_index(value: Value, position: int | None) -> str:
    """Write [1, 2], "" in a one-entry tensor or for None."""
    return "" if position is None or math.prod(value.shape) == 1 else index_text(index_of(value, position))


def index_text(index: tuple[int, ...]) -> str:
    """Write [1, 2], or "" for a scalar."""
    return f"[{', '.join(map(str, index))}]" if index else ""


def as_written(trace: Trace, value: Value | None) -> Value | None:
    """Return a value with the program's literals for rounded entries."""
    if value is None or not value.data or value.dtype not in _ROUNDED:
        return value
    literals = trace.index.memoize(("written", value.dtype), lambda: _written(trace, _ROUNDED[value.dtype]))

    def number(entry: Number) -> Number:
        return literals.get(entry, entry) if isinstance(entry, float) else entry

    data = tuple(map(number, value.data))
    if data == value.data:
        return value
    ends = (None if end is None else number(end) for end in (value.minimum, value.maximum))
    return replace(value, data=data, **dict(zip(("minimum", "maximum"), ends, strict=True)))


def _written(trace: Trace, rounded: Callable[[np.ndarray], np.ndarray]) -> Mapping[float, float]:
    """Map rounded entries to the program's literals."""
    texts = [text for cell in trace.cells for text in _LITERAL.findall(cell.source)][:MOST]
    numbers = np.array(sorted({float(text) for text in texts}), float)
    with np.errstate(all="ignore"):
        entries = rounded(numbers).astype(float)
    times = Counter(entries.tolist())
    pairs = zip(entries.tolist(), numbers.tolist(), strict=True)
    sources = {entry: number for entry, number in pairs if entry != number and np.isfinite(entry) and times[entry] == 1}
    return sources | {-entry: -number for entry, number in sources.items()}


def _as_bfloat16(numbers: np.ndarray) -> np.ndarray:
    bits = numbers.astype(np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + ((bits >> 16) & 1) >> 16) << 16).astype(np.uint32).view(np.float32)


_ROUNDED: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "float32": lambda numbers: numbers.astype(np.float32),
    "float16": lambda numbers: numbers.astype(np.float16),
    "bfloat16": _as_bfloat16,
}
