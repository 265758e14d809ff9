"""Tolerances for rounding: sums in another order, formulas in other steps."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from explorer.trace import Number, Value

# Relative distance to the next number, by real floating dtype.
EPS = {"float64": 2.0**-52, "float32": 2.0**-23, "float16": 2.0**-10, "bfloat16": 2.0**-7}
# Relative to the parts: a few hundred units in the last place, of long sums in half precision a few.
_LOOSE = {"float16": 2e-2, "bfloat16": 6e-2}
_SUMS = 3e-4  # float32 and more precise types: sums of thousands; a hook's addition, such as weight decay, is larger
_SINGLE = 2e-3  # formulas, whose terms have unknown sizes
_SUBTRACTED = 1e-2  # share of that tolerance for cancelled results
_SMALL = 1e-6  # float32 residue of cancelled numbers of unknown size


_NORM = 3e-4  # relative difference of equal norms: a light recording's have few digits


def same_value(value: Value, other: Value) -> bool:
    """Return whether two values have the same entries, large ones by their samples, limits and norms."""
    if value.shape != other.shape or (value.nonfinite, value.nans) != (other.nonfinite, other.nans):
        return False
    for mine, its in ((value.data, other.data), (value.sample, other.sample)):
        if mine and its and len(mine) == len(its) and not np.array_equal(mine, its, equal_nan=value.nonfinite > 0):
            return False
    if value.data is not None and other.data is not None:
        return True
    limits = value.sampled != other.sampled or (value.minimum, value.maximum) == (other.minimum, other.maximum)
    return limits and math.isclose(value.finite_norm or 0.0, other.finite_norm or 0.0, rel_tol=_NORM, abs_tol=1e-12)


def adds_up(parts: Sequence[Number] | np.ndarray, total: Number | np.ndarray, dtype: str) -> bool:
    """Return whether parts add up to a total, entry by entry.

    >>> adds_up([1.0, 2.0], 3.0001, "float32"), adds_up([1.0, 2.0], 3.1, "float32")
    (True, False)
    """
    given, whole = np.asarray(parts), np.asarray(total)
    with np.errstate(all="ignore"):
        sums = given.sum(0)
        near = np.abs(sums - whole) <= 1e-12 + _LOOSE.get(dtype, _SUMS) * np.abs(given).sum(0)
    finite = np.isfinite(sums) & np.isfinite(whole)
    return bool(np.where(finite, near, (sums == whole) | (np.isnan(sums) & np.isnan(whole))).all())


def agrees(computed: Any, expected: Any, dtype: str = "float32", read: Sequence[Any] = ()) -> bool:
    """Return whether a formula agrees with torch at each entry, less closely if inputs (`read`) may cancel."""
    loose, scale = _LOOSE.get(dtype, _SINGLE), max(map(_largest, (expected, *read)))
    return bool(np.allclose(computed, expected, loose, _SMALL + _SUBTRACTED * loose * scale, equal_nan=True))


def _largest(numbers: Any) -> float:
    """Return the largest finite absolute entry, or 0."""
    sizes = np.abs(np.asarray(numbers))
    return float(sizes[np.isfinite(sizes)].max(initial=0))
