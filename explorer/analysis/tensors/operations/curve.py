"""A function of one entry as a curve, with the call's entries on it."""

import math
from dataclasses import dataclass

import numpy as np

from explorer.analysis.operations.rules import function_of, valued
from explorer.analysis.tensors.operations.view import OperationView

POINTS = 181  # of the curve
DOTS = 400  # entries drawn on it


@dataclass(frozen=True)
class EntryCurve:
    """A function of one entry. Attributes: xs, ys: the function; dots_x, dots_y: entries before and after; places:
    their positions.
    """

    xs: tuple[float, ...]
    ys: tuple[float, ...]
    dots_x: tuple[float, ...]
    dots_y: tuple[float, ...]
    places: tuple[int, ...]


def curve(view: OperationView) -> EntryCurve | None:
    """The curve of an elementwise call with one tensor, the other operands being numbers; None for other calls."""
    reading = view.outcomes[0].reading if view.outcomes else None
    if reading is None or view.outcomes[0].part.dtype == "bool":
        return None
    function = function_of(reading.rule)
    tensors = [k for k, part in enumerate(view.operands) if part.tensor >= 0]
    if not function.forward or len(tensors) != 1 or function.straight:
        return None
    numbers = [part.numbers for part in view.operands]
    made = view.outcomes[0].part.numbers
    if made is None or any(flat is None or flat.dtype.kind not in "fiu" for flat in numbers):
        return None
    x, y = numbers[tensors[0]].astype(float), made.astype(float)
    good = np.flatnonzero(np.isfinite(x) & np.isfinite(y))[:DOTS]
    if not len(good):
        return None
    low, high = float(x[good].min()), float(x[good].max())
    around = max(0.15 * (high - low), 0.5)
    low, high = min(low, 0.0) - around, max(high, 0.0) + around
    constants = dict(reading.constants)
    # include the corners of the function itself
    xs = np.unique([*np.linspace(low, high, POINTS), *(b for b in (0.0, *constants.values()) if low < b < high)])
    given = [xs if k == tensors[0] else np.full(xs.shape, flat[0]) for k, flat in enumerate(numbers)]
    ys = valued(function, given, **constants).astype(float)
    ys = np.where(np.isfinite(ys), ys, math.nan)
    drawn, dots_x, dots_y, places = (tuple(part.tolist()) for part in (ys, x[good], y[good], good))
    return EntryCurve(tuple(xs.tolist()), drawn, dots_x, dots_y, places)
