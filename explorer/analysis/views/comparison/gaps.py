"""Distance between two values, and whether it exceeds their dtypes' rounding."""

import math
from dataclasses import dataclass

import numpy as np

from explorer.analysis.explain.autograd.entry_texts import index_of
from explorer.trace import Trace

# dtype → relative and absolute tolerance of torch.testing.assert_close.
TOLERANCES = {
    "float64": (1e-7, 1e-7),
    "float32": (1.3e-6, 1e-5),
    "float16": (1e-3, 1e-5),
    "bfloat16": (1.6e-2, 1e-5),
    "complex64": (1.3e-6, 1e-5),
    "complex128": (1e-7, 1e-7),
}
EXACT = (0.0, 0.0)  # equal bits
_SAMPLED = 1e-4  # relative tolerance of a sampled value's norm


@dataclass(frozen=True)
class ValueGap:
    """Two values that differ.

    Attributes:
        kind: entries, shape, dtype (only for equal bits) or summary (a large value's minimum, maximum or norm).
        left, right: entries that are farthest apart, or norms. None for shapes and dtypes.
        index: index of those entries, None if unknown.
        absolute, relative: |left − right|, and that over |right|. inf if only one is finite.
        shapes, dtypes: of the two.
    """

    kind: str
    left: float | complex | None
    right: float | complex | None
    index: tuple[int, ...] | None
    absolute: float
    relative: float
    shapes: tuple[tuple[int, ...], tuple[int, ...]]
    dtypes: tuple[str, str] = ("", "")


def tolerance(left: str, right: str, rtol: float | None, atol: float | None) -> tuple[float, float]:
    """Return the tolerance for the coarser dtype, or explicit values.

    >>> tolerance("float32", "bfloat16", None, 0.0)
    (0.016, 0.0)
    """
    pairs = [TOLERANCES.get(dtype, (0.0, 0.0)) for dtype in (left, right)]
    relative, absolute = map(max, zip(*pairs, strict=True))
    return relative if rtol is None else rtol, absolute if atol is None else atol


def gap(
    traces: tuple[Trace, Trace], values: tuple[int, int], rtol: float | None, atol: float | None
) -> ValueGap | None:
    """Return the difference between two values, None if equal or unrecorded."""
    if min(values) < 0:
        return None
    mine, other = (tuple(trace.shapes[trace.values.shape[at]]) for trace, at in zip(traces, values, strict=True))
    left_dtype, right_dtype = (trace.strings[trace.values.dtype[at]] for trace, at in zip(traces, values, strict=True))
    shapes, dtypes = (mine, other), (left_dtype, right_dtype)
    if mine != other:
        return ValueGap("shape", None, None, None, math.inf, math.inf, shapes, dtypes)
    left, right = (trace.entries(at) for trace, at in zip(traces, values, strict=True))
    if left is None or right is None or left.shape != right.shape:
        return None
    within = tolerance(*dtypes, rtol, atol)
    apart = farthest_apart(left, right, within)
    if apart is not None:
        at, absolute, relative = apart
        value = traces[0].value(values[0])
        index = None if value is None else index_of(value, at)
        return ValueGap("entries", left[at].item(), right[at].item(), index, absolute, relative, shapes, dtypes)
    if within == EXACT and left_dtype != right_dtype:
        return ValueGap("dtype", None, None, None, 0.0, 0.0, shapes, dtypes)
    return _summaries(traces, values, within, shapes, dtypes)


def farthest_apart(left: np.ndarray, right: np.ndarray, within: tuple[float, float]) -> tuple[int, float, float] | None:
    """Return place, size and relative size of the largest difference."""
    with np.errstate(all="ignore"):
        same = (left == right) | (np.isnan(left) & np.isnan(right))
        wide = np.complex128 if left.dtype.kind == "c" else np.longdouble  # it holds every 64-bit integer
        apart = np.abs(left.astype(wide) - right)
        apart = np.where(same, 0.0, np.where(np.isfinite(apart), apart, math.inf))
        size = np.where(np.isfinite(right), np.abs(right), 0.0)
        wrong = ~same & (apart > within[1] + within[0] * size)
    if within == EXACT:  # 0 and -0 are equal but have different bits
        wrong |= same & (left == 0) & (_signs(left) != _signs(right))
    if not wrong.any():
        return None
    at = int(np.argmax(np.where(wrong, apart, -1.0)))
    absolute = float(apart[at])
    return at, absolute, absolute / float(size[at]) if size[at] else math.inf


def _signs(entries: np.ndarray) -> np.ndarray:
    """Return entries' sign bits, both parts combined for complex numbers."""
    if entries.dtype.kind == "c":
        return np.signbit(entries.real) + 2 * np.signbit(entries.imag)
    return np.signbit(entries)


def _summaries(
    traces: tuple[Trace, Trace], values: tuple[int, int], within: tuple[float, float], shapes: tuple, dtypes: tuple
) -> ValueGap | None:
    """Compare large values with agreeing samples by minimum, maximum and norm.

    Minimum and maximum of different samples may differ, and a sampled value's norm is less precise.
    """
    left, right = (trace.value(at) for trace, at in zip(traces, values, strict=True))
    if left is None or right is None or left.data is not None:
        return None
    relative = max(within[0], _SAMPLED) if left.sampled or right.sampled else within[0]
    compared = [(left.norm, right.norm, relative)]
    if left.sampled == right.sampled:
        compared += [(left.minimum, right.minimum, within[0]), (left.maximum, right.maximum, within[0])]
    for first, other, rtol in compared:
        if first is not None and other is not None and abs(first - other) > within[1] + rtol * abs(other):
            absolute = abs(first - other)
            relative = absolute / abs(other) if other else math.inf
            return ValueGap("summary", first, other, None, absolute, relative, shapes, dtypes)
    if left.nonfinite != right.nonfinite:
        return ValueGap("summary", left.nonfinite, right.nonfinite, None, math.inf, math.inf, shapes, dtypes)
    return None
