"""Difference quotients against the derivative: errors by h and by dtype, and the best h."""

from dataclasses import dataclass

import numpy as np

from explorer.analysis.calculus.curve import Curve

DTYPES = ("float16", "float32", "float64")
KINDS = ("forward", "central")


@dataclass(frozen=True)
class Errors:
    """One curve of the plot.

    Attributes:
        dtype, kind: of the computation, and the kind of quotient.
        h, quotient: (17,): 1 … 1e-16, and the quotient for each, NaN where it cannot be computed.
        error: |quotient − f′|.
        best: index of the smallest error, None if no quotient is finite.
    """

    dtype: str
    kind: str
    h: np.ndarray
    quotient: np.ndarray
    error: np.ndarray
    best: int | None


def errors(curve: Curve) -> list[Errors]:
    """Dtypes from the shortest to the longest, for each the forward and the central quotient.

    Raises ValueError if the run did not compute them.
    """
    if curve.precision is None:
        raise ValueError("no quotients in several dtypes: ask for the section 'precision'")
    h = 10.0 ** -np.arange(curve.precision.shape[-1])
    found = []
    for i, dtype in enumerate(DTYPES):
        for k, kind in enumerate(KINDS):
            quotient = curve.precision[i, k]
            with np.errstate(invalid="ignore"):
                error = np.abs(quotient - curve.slope)
            finite = np.isfinite(error)
            best = int(np.nanargmin(np.where(finite, error, np.nan))) if finite.any() else None
            found.append(Errors(dtype, kind, h, quotient, error, best))
    return found
