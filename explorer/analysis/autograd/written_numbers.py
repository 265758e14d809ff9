"""Numbers as the program writes them: x = 1.23456 is kept as 1.2345600128173828, 1.1 in half precision as 1.0996."""

from collections import Counter
from collections.abc import Callable, Mapping

import numpy as np
from msgspec.structs import replace

from explorer.safe_regex import plain
from explorer.trace import Number, Trace, Value

MOST = 5_000  # numbers of a program that are read
_LITERAL = plain(r"(?:\d+\.\d*|\.\d+|\d+)(?:[eE][+-]?\d{1,3})?")


def as_written(trace: Trace, value: Value | None) -> Value | None:
    """A value whose entries are the program's own numbers where its dtype keeps those as these entries."""
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
    """By entry the number that is written for it."""
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
