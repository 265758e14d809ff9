"""A function of one variable from its Trace: curve pieces, marks, slope and quotients."""

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from explorer.analysis.views.calculus.function import Function, FunctionProblem
from explorer.analysis.views.calculus.programs import AxisWindow
from explorer.analysis.views.calculus.run_check import entries, judge, judge_run, troubles
from explorer.analysis.views.calculus.sides import Beside, beside
from explorer.trace import Trace, real

Points = tuple[np.ndarray, np.ndarray]


Kind = Literal["jump", "pole", "hole", "end", "kink"]
_JUMPS, _TURNS, _EDGES = range(3)  # kinds of points that the program searched for


@dataclass(frozen=True)
class CurveMark:
    """A special point of a curve.

    Attributes:
        kind: jump, pole, hole (one point missing), end (of the domain), kink.
        x: position.
        left, right: f right next to it (1e-6 of the largest h), NaN without a value.
        left_slope, right_slope: f′ there, infinite if unbounded.
        value: f at x, NaN without a value, infinite if x is not known exactly.
    """

    kind: Kind
    x: float
    left: float
    right: float
    left_slope: float
    right_slope: float
    value: float = math.inf


@dataclass(frozen=True)
class Sweep:
    """f along a window, from one run.

    Attributes:
        x, y, slopes: the grid (n,), f and f′ on it.
        marks: jumps, poles, holes, kinks, from left to right.
        elementwise: whether f took the whole grid at once rather than point by point.
        trouble: (position, Python's message) for points where f raised.
    """

    f: Function
    window: AxisWindow
    x: np.ndarray
    y: np.ndarray
    slopes: np.ndarray
    marks: tuple[CurveMark, ...]
    elementwise: bool
    trouble: tuple[tuple[str, str], ...]

    @property
    def constant(self) -> bool:
        """Return whether f is constant in the window."""
        return bool((self.y == self.y[0]).all())

    def pieces(self) -> list[Points]:
        """Cut the curve at gaps, jumps and poles, with a corner at each kink."""
        return pieces(self.x, self.y, self.marks)


@dataclass(frozen=True)
class Curve:
    """f around a point.

    Attributes:
        sweep: f along the window.
        at, value, slope: point, f there, and autograd's derivative, which may be NaN or infinite.
        connected: whether f depends on x for autograd, which a constant may not.
        beside: limits of the quotients on each side.
        h, rise, quotient: (101,): second points, f(at + h) − f(at), and rise over run.
        behind: (6,): (f(at) − f(at − h)) / h for every twentieth h.
        precision: quotients (dtype: float16, float32, float64. H = 1 … 1e-16).
    """

    sweep: Sweep
    at: float
    value: float
    slope: float
    connected: bool
    beside: Beside
    h: np.ndarray
    rise: np.ndarray
    quotient: np.ndarray
    behind: np.ndarray
    precision: np.ndarray

    @property
    def intercept(self) -> float:
        """b of the tangent y = slope · x + b."""
        return self.value - self.slope * self.at


def sweep(trace: Trace, f: Function, window: AxisWindow) -> Sweep:
    """Read a run of `sweep_program`. Raises FunctionProblem."""
    judge_run(trace, f)
    x, y, slopes = (entries(trace, name) for name in ("curve_x", "curve_y", "curve_slope"))
    last = next(i for i, cell in enumerate(trace.cells) if "trouble_met.items()" in cell.source)
    trouble = troubles(trace, last)
    if not np.isfinite(y).any():
        values = (("low", window.low), ("high", window.high))
        raise FunctionProblem("nowhere", values, message=trouble[0][1] if trouble else "")
    marks = marks_of(trace, x, y, slopes, window.wide)
    return Sweep(f, window, x, y, slopes, marks, elementwise=len(x) > 200, trouble=trouble)


def curve(trace: Trace, along: Sweep) -> Curve:
    """Read a run of `point_program` on its curve. Raises FunctionProblem."""
    judge(trace, along.f)
    at, value, slope = (float(real(trace[f"point_{name}"].entries[0])) for name in ("at", "value", "slope"))
    connected = trace.tensors.requires_grad[trace.bound("point_value")]
    names = ("quotient_h", "quotient_rise", "quotient", "behind", "precision")
    quotients = (entries(trace, name) for name in names)
    return Curve(along, at, value, slope, connected, beside(trace, at, value, slope), *quotients)


def pieces(x: np.ndarray, y: np.ndarray, marks: tuple[CurveMark, ...]) -> list[Points]:
    """Cut a curve at jumps and non-finite points, inserting kinks and end points."""
    cuts = [mark for mark in marks if mark.kind != "kink"]
    corners = [mark for mark in marks if mark.kind == "kink"]
    more = [(mark.x, mark.left, -1) for mark in cuts] + [(mark.x, mark.right, 1) for mark in cuts]
    more += [(mark.x, (mark.left + mark.right) / 2, 0) for mark in corners]
    keep = np.isfinite(y)
    for mark in cuts:
        keep &= np.abs(x - mark.x) > 1e-9 * (x[-1] - x[0])
    rows = [(a, b, 0) for a, b in zip(x[keep].tolist(), y[keep].tolist(), strict=True)]
    gaps = [(float(a), float("nan"), 0) for a in x[~np.isfinite(y)]]
    rows = sorted(rows + gaps + more, key=lambda row: (row[0], row[2]))
    runs: list[list[tuple[float, float]]] = [[]]
    for a, b, side in rows:
        if side == 1 or b != b:
            runs.append([])
        if b == b and abs(b) != float("inf"):
            runs[-1].append((a, b))
        if side == -1:
            runs.append([])
    return [tuple(np.array(piece).T) for piece in runs if len(piece) > 1]


def height(along: Sweep) -> tuple[float, float]:
    """Return the visible y range of a curve, with tangent room.

    It does not depend on the point, so the picture stays while the point is dragged.
    """
    floor, roof = reach(along.y)
    return floor - 0.12 * (roof - floor), roof


def reach(y: np.ndarray, *more: float) -> tuple[float, float]:
    """Return a y range that shows most of these numbers, and all of `more`."""
    finite = y[np.isfinite(y)]
    if not finite.size:
        return -1.0, 1.0
    low, high = float(finite.min()), float(finite.max())
    inner_low, inner_high = map(float, np.quantile(finite, [0.08, 0.92]))
    inner = inner_high - inner_low
    if inner > 0 and high - low > 12 * inner:
        low, high = max(low, inner_low - 1.2 * inner), min(high, inner_high + 1.2 * inner)
    for shown in more:
        if np.isfinite(shown):
            low, high = min(low, shown), max(high, shown)
    size = high - low
    if size <= 1e-12 * max(abs(low), abs(high), 1e-300):
        size = 2.0 * (abs(low) or 1.0)
        return low - size / 2, high + size / 2
    return low - 0.08 * size, high + 0.08 * size


DTYPES = ("float16", "float32", "float64")


@dataclass(frozen=True)
class Errors:
    """One curve of the plot.

    Attributes:
        h, quotient: (17,): 1 … 1e-16, and the quotient for each, NaN if it cannot be computed.
        error: |quotient − f′|.
        best: index of the smallest error, None if no quotient is finite.
    """

    dtype: str
    h: np.ndarray
    quotient: np.ndarray
    error: np.ndarray
    best: int | None


def errors(curve: Curve) -> list[Errors]:
    """Return the quotients of each dtype, shortest first."""
    h = 10.0 ** -np.arange(curve.precision.shape[-1])
    rows = []
    for dtype, quotient in zip(DTYPES, curve.precision, strict=True):
        with np.errstate(invalid="ignore"):
            error = np.abs(quotient - curve.slope)
        best = int(np.nanargmin(np.where(np.isfinite(error), error, np.nan))) if np.isfinite(error).any() else None
        rows.append(Errors(dtype, h, quotient, error, best))
    return rows


Course = Literal["none", "exact", "small", "falls", "rounding", "both"]
_SEEN = 1e-9  # relative to the slope; smaller errors are rounding


def course(curve: Curve) -> Course:
    """Classify how the quotients' error changes as h shrinks.

    none: no slope to compare with. exact: no error. small: none from some h on. falls: it shrinks. rounding: it only
    grows. both: it shrinks, then grows.
    """
    shown = [one for one in errors(curve) if one.best is not None]
    if not shown or not np.isfinite(curve.slope) or not curve.beside.differentiable:
        return "none"
    if not any(np.nan_to_num(one.error).any() for one in shown):
        return "exact"
    last = shown[-1]
    size = max(abs(curve.slope), np.abs(last.quotient[np.isfinite(last.quotient)]).max())
    falls = bool((last.error[: last.best] > _SEEN * size).any())
    if any((one.error[one.best :] > one.error[one.best]).any() for one in shown):
        return "both" if falls else "rounding"
    if not falls:
        return "rounding"
    at_once = last.error[last.error > 0].min() > _SEEN * size  # otherwise it becomes too small for the dtype
    return "small" if at_once and not any(one.error[one.best] for one in shown) else "falls"


def marks_of(trace: Trace, x: np.ndarray, y: np.ndarray, slopes: np.ndarray, wide: float) -> tuple[CurveMark, ...]:
    """Return a run's marks from left to right, once each."""
    ends = entries(trace, "mark_ends")
    if ends is None:
        return ()
    kinds, intervals = entries(trace, "mark_kind").astype(int), entries(trace, "mark_in").astype(int)
    values, sides, there = (entries(trace, name) for name in ("mark_y", "mark_slope", "mark_value"))
    rise, turn = spread(y), spread(slopes)
    half = len(ends) // 2
    with np.errstate(invalid="ignore"):
        bends, turns = np.abs(sides[half:] - sides[:half]), np.abs(np.diff(slopes))
    # A shrinking bend is not a kink, and neither is one whose slopes overshoot f, such as a crest of sin(1/x).
    smooth = (kinds == _TURNS) & (~(bends > 0.5 * turns[intervals]) | _overshoot(trace, values, sides, wide))
    marks: list[CurveMark] = []
    for looked in range(3):
        rows = np.flatnonzero((kinds == looked) & ~smooth)
        near = _merge(rows, ends, values, sides, there, wide)
        marks += [named for mark in near if (named := _classify(mark, looked, rise, turn, wide)) is not None]
    cuts = [mark.x for mark in marks if mark.kind != "kink"]
    marks = [m for m in marks if m.kind != "kink" or all(abs(m.x - cut) > 1e-4 * wide for cut in cuts)]
    once: list[CurveMark] = []
    for mark in sorted(marks, key=lambda mark: mark.x):
        if not once or mark.x - once[-1].x > 1e-5 * wide or mark.kind != once[-1].kind:
            once.append(mark)
    return tuple(once)


def _overshoot(trace: Trace, values: np.ndarray, sides: np.ndarray, wide: float) -> np.ndarray:
    """Return, for each interval, whether the slopes at both ends overshoot its middle value."""
    middle, hair = entries(trace, "mark_middle"), 1e-6 * wide
    half = len(middle)
    with np.errstate(invalid="ignore"):
        rises = [hair * sides[:half], -hair * sides[half:]]
        beyond = [
            (value + rise - middle) * np.sign(rise) > 0.1 * abs(rise) + 1e-12 * abs(middle)
            for value, rise in zip((values[:half], values[half:]), rises, strict=True)
        ]
    return beyond[0] & beyond[1]


def _merge(
    rows: np.ndarray, ends: np.ndarray, values: np.ndarray, sides: np.ndarray, there: np.ndarray, wide: float
) -> list[CurveMark]:
    """Merge adjacent intervals of one kind."""
    half = len(ends) // 2
    marks: list[CurveMark] = []
    for i in sorted(rows.tolist(), key=lambda i: ends[i]):
        left, right = i, i + half
        x = float(ends[left] + ends[right]) / 2
        beside = (values[left], values[right], sides[left], sides[right], there[i])
        mark = CurveMark("jump", x, *map(float, beside))
        if marks and x - marks[-1].x <= 1e-5 * wide:
            before = marks[-1]
            x = (before.x + x) / 2
            marks[-1] = replace(before, x=x, right=mark.right, right_slope=mark.right_slope)
        else:
            marks.append(mark)
    digits = 5 - int(np.floor(np.log10(wide)))  # the point is known very precisely; 1e-12 counts as 0
    return [replace(mark, x=round(mark.x, digits) + 0.0) for mark in marks]


def _classify(mark: CurveMark, looked: int, rise: float, turn: float, wide: float) -> CurveMark | None:
    values = np.array([mark.left, mark.right])
    sides = np.abs([mark.left_slope, mark.right_slope])
    finite = np.isfinite(values)
    step = abs(mark.right - mark.left)
    runs_away = bool((sides[finite] * wide > 1e4 * max(rise, 1e-9)).any())
    if looked == _EDGES or (looked == _JUMPS and not finite.all()):
        if not finite.any():
            return None
        if finite.all():
            if runs_away:
                return replace(mark, kind="pole") if np.abs(values).max() > 2 * rise else None  # like sin(1/x)
            return replace(mark, kind="hole" if step < 1e-3 * max(rise, 1e-9) else "jump")
        return replace(mark, kind="end")
    high = finite.all() and np.abs(values).max() > 50 * max(rise, 1e-9)
    if high and runs_away and sides.max() * 1e-6 * wide > 0.2 * np.abs(values).max():  # 1/x is as steep as it is high
        return replace(mark, kind="pole")
    if looked == _JUMPS:
        jumps = step > 1e-3 * max(rise, 1e-9) and sides.max() * 2e-6 * wide < 0.05 * step
        return replace(_extrapolate(mark, wide), kind="jump") if jumps else None
    if not finite.all() or not np.isfinite(sides).all():
        return None
    bend = abs(mark.right_slope - mark.left_slope)
    sharp = bend > 0.01 * max(turn, sides.max() * 0.1, 1e-9) and step < 0.02 * max(rise, 1e-9)
    return _sharpen(replace(_extrapolate(mark, wide), kind="kink"), rise / wide) if sharp else None


def _extrapolate(mark: CurveMark, wide: float) -> CurveMark:
    """Extrapolate f's limits on both sides of a mark along the slopes."""
    hair = 1e-6 * wide
    sides = (mark.left + hair * mark.left_slope, mark.right - hair * mark.right_slope)
    left, right = (round(side, 7 - int(np.floor(np.log10(abs(side) + wide)))) + 0.0 for side in sides)
    return replace(mark, left=left, right=right)


def _sharpen(mark: CurveMark, usual: float) -> CurveMark:
    """Replace extremely large slopes of a mark by infinity."""
    sides = (mark.left_slope, mark.right_slope)
    left, right = (float(np.sign(s)) * float("inf") if abs(s) > 100 * usual > 0 else s for s in sides)
    return replace(mark, left_slope=left, right_slope=right)


def spread(numbers: np.ndarray) -> float:
    """Return the spread of the finite numbers, from the 10th to the 90th percentile."""
    finite = numbers[np.isfinite(numbers)]
    return float(np.subtract(*np.quantile(finite, [0.9, 0.1]))) if finite.size else 0.0
