"""A function of one variable from its Trace: the curve in pieces, its marks, its slope and its quotients."""

from dataclasses import dataclass

import numpy as np

from explorer.analysis.calculus.function import Function, FunctionProblem
from explorer.analysis.calculus.marks import CurveMark, marks_of
from explorer.analysis.calculus.programs import AxisWindow
from explorer.analysis.calculus.run_check import entries, judge, judge_run, troubles
from explorer.analysis.calculus.sides import Beside, beside
from explorer.trace import Printed, Trace, real

Points = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Sweep:
    """f along a window, from one run.

    Attributes:
        f, window: the question.
        x, y, slopes: the grid (n,), f and f′ on it.
        marks: jumps, poles, holes, kinks, stationary points, from left to right.
        higher: f to f⁽⁴⁾ on the grid (5, n), None if not requested.
        formula: the derivative as sympy writes it, or "".
        elementwise: whether f took the whole grid at once; otherwise it was called for each point.
        trouble: (where, Python's message) for points at which f raised an exception.
    """

    f: Function
    window: AxisWindow
    x: np.ndarray
    y: np.ndarray
    slopes: np.ndarray
    marks: tuple[CurveMark, ...]
    higher: np.ndarray | None
    formula: str
    elementwise: bool
    trouble: tuple[tuple[str, str], ...]

    @property
    def constant(self) -> bool:
        """Whether f is constant in the window."""
        return bool((self.y == self.y[0]).all())

    def pieces(self) -> list[Points]:
        """The connected pieces of the curve: cut at gaps, jumps and poles, with a corner at each kink."""
        return pieces(self.x, self.y, self.marks)


@dataclass(frozen=True)
class Curve:
    """f around a point.

    Attributes:
        sweep: f along the window.
        at, value, slope: the point, f there, and its derivative by autograd; NaN and infinite ones as they are.
        connected: whether f depends on x for autograd; a constant need not.
        beside: the limits of the quotients on each side of the point.
        h, rise, quotient: (101,): second points, f(at + h) − f(at), and rise over run.
        behind: (6,): (f(at) − f(at − h)) / h for every twentieth h.
        higher_at: f to f⁽⁴⁾ at the point (5,), None if not requested.
        precision: quotients (dtype: float16, float32, float64; kind: forward, central; h = 1 … 1e-16).
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
    higher_at: np.ndarray | None
    precision: np.ndarray

    @property
    def intercept(self) -> float:
        """b of the tangent y = slope · x + b."""
        return self.value - self.slope * self.at


def sweep(trace: Trace, f: Function, window: AxisWindow) -> Sweep:
    """The view of a run of `sweep_program`. Raises Problem."""
    judge_run(trace, f)
    x, y, slopes = (entries(trace, name) for name in ("curve_x", "curve_y", "curve_slope"))
    last = next(i for i, cell in enumerate(trace.cells) if "trouble_met.items()" in cell.source)
    told = troubles(trace, last)
    if not np.isfinite(y).any():
        raise FunctionProblem("nowhere", (("low", window.low), ("high", window.high)), told=told[0][1] if told else "")
    printed = "".join(output.text for output in trace.cells[-1].outputs if isinstance(output, Printed))
    return Sweep(
        f=f,
        window=window,
        x=x,
        y=y,
        slopes=slopes,
        marks=marks_of(trace, x, y, slopes, window.wide),
        higher=entries(trace, "higher"),
        formula=_formula(printed) if last < len(trace.cells) - 1 else "",
        elementwise=len(x) > 200,
        trouble=told,
    )


def curve(trace: Trace, along: Sweep) -> Curve:
    """The view of a run of `point_program` on the curve that it lies on. Raises Problem."""
    judge(trace, along.f)
    point = {name: float(real(trace[name].entries[0])) for name in ("point_at", "point_value", "point_slope")}
    return Curve(
        sweep=along,
        at=point["point_at"],
        value=point["point_value"],
        slope=point["point_slope"],
        connected=trace.tensors.requires_grad[trace.bound("point_value")],
        beside=beside(trace, point["point_at"], point["point_value"], point["point_slope"]),
        h=entries(trace, "quotient_h"),
        rise=entries(trace, "quotient_rise"),
        quotient=entries(trace, "quotient"),
        behind=entries(trace, "behind"),
        higher_at=entries(trace, "higher_at"),
        precision=entries(trace, "precision"),
    )


def _formula(printed: str) -> str:
    """sympy's formula, unless it only restates the derivative, or contains an unknown function."""
    return "" if "Derivative" in printed or "DiracDelta" in printed else printed.strip()


def pieces(x: np.ndarray, y: np.ndarray, marks: tuple[CurveMark, ...]) -> list[Points]:
    """A curve cut where it is not finite and where it jumps, with kinks and the ends at cuts inserted."""
    cuts = [mark for mark in marks if mark.kind in ("jump", "pole", "hole", "end")]
    corners = [mark for mark in marks if mark.kind == "kink"]
    more = [(mark.x, mark.left, -1) for mark in cuts] + [(mark.x, mark.right, 1) for mark in cuts]
    more += [(mark.x, (mark.left + mark.right) / 2, 0) for mark in corners]
    keep = np.isfinite(y)
    for mark in cuts:
        keep &= np.abs(x - mark.x) > 1e-9 * (x[-1] - x[0])
    rows = [(a, b, 0) for a, b in zip(x[keep].tolist(), y[keep].tolist(), strict=True)]
    gaps = [(float(a), float("nan"), 0) for a in x[~np.isfinite(y)]]
    rows = sorted(rows + gaps + more, key=lambda row: (row[0], row[2]))
    found: list[list[tuple[float, float]]] = [[]]
    for a, b, side in rows:
        if side == 1 or b != b:
            found.append([])
        if b == b and abs(b) != float("inf"):
            found[-1].append((a, b))
        if side == -1:
            found.append([])
    return [tuple(np.array(piece).T) for piece in found if len(piece) > 1]


def height(along: Sweep) -> tuple[float, float]:
    """The visible part of the y axis: all of a tame curve, most of an unbounded one, and room for a tangent below.

    It does not depend on the point, so the picture stays while the point is dragged.
    """
    floor, roof = reach(along.y)
    return floor - 0.12 * (roof - floor), roof


def reach(y: np.ndarray, *more: float) -> tuple[float, float]:
    """The part of the y axis that shows most of these numbers, and all of `more`."""
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
