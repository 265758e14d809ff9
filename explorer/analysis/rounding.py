"""How far rounding takes apart what is equal in exact arithmetic: sums in another order, formulas in other steps."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from explorer.trace import Number

# Relative to the parts: a few hundred units in the last place, of long sums in half precision a few.
_LOOSE = {"float16": 2e-2, "bfloat16": 6e-2}
_SUMS = 3e-4  # float32 and more precise types: sums of thousands; what a hook adds, as a decay, is more
_SINGLE = 2e-3  # the same of formulas, which cannot say how large their parts are
_SUBTRACTED = 1e-2  # share of that for what is left where large numbers cancel
_SMALL = 1e-6  # what is left of single precision where the numbers that cancelled are unknown


def adds_up(parts: Sequence[Number] | np.ndarray, total: Number | np.ndarray, dtype: str) -> bool:
    """Whether parts, along the first axis, add up to a total; NaN and infinities only where the total has them too.

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
    """Whether a formula gives what torch computed, entry by entry.

    Args:
        read: numbers that the formula read, where they may cancel: what is left is less precise.
    """
    loose, scale = _LOOSE.get(dtype, _SINGLE), max(map(_largest, (expected, *read)))
    return bool(np.allclose(computed, expected, loose, _SMALL + _SUBTRACTED * loose * scale, equal_nan=True))


def _largest(numbers: Any) -> float:
    """The largest finite absolute entry, 0 for none."""
    sizes = np.abs(np.asarray(numbers))
    return float(sizes[np.isfinite(sizes)].max(initial=0))
