"""The loss of a training, and a curve with its tangent, as small pictures."""

import math
import zlib
from collections.abc import Iterable

import numpy as np

from explorer.analysis.run.curves import curves
from explorer.analysis.views.calculus.curve import Curve, height
from explorer.drawing.derivatives.curves import sign
from explorer.drawing.plots.chart import Frame, line
from explorer.text.numbers import number
from explorer.trace import Trace

WIDTH, HEIGHT = 300.0, 176.0  # px
POINTS = 90  # most points per curve
DECADES = 2.0  # range of the losses from which their axis is logarithmic


def training_thumbnail(trace: Trace) -> str:
    """Draw the loss over the steps with first and last number, on a logarithmic axis over decades.

    "" if the run has no training of several steps.
    """
    all_curves = curves(trace)
    loss = all_curves.loss[np.isfinite(all_curves.loss)] if all_curves is not None else np.zeros(0)
    if len(loss) < 4:
        return ""
    steps = np.unique(np.linspace(0, len(loss) - 1, POINTS).astype(int))
    logarithmic = loss.min() > 0 and np.log10(loss.max() / loss.min()) > DECADES
    shown = np.log10(loss[steps]) if logarithmic else loss[steps]
    reach = float(shown.max() - shown.min()) or 1.0
    floor, roof = float(shown.min()) - 0.14 * reach, float(shown.max()) + 0.14 * reach
    frame = Frame(WIDTH, HEIGHT, 0.0, float(steps[-1]), floor, roof, left=16, top=28, right=16, bottom=18)
    bottom = frame.foot
    at = " ".join(f"{x:.0f},{y:.0f}" for x, y in frame.places(steps, shown))
    parts = [
        _axis(frame, bottom),
        f'<path class="area" d="M{frame.left:g},{bottom:g} {at} {frame.x(steps[-1]):.0f},{bottom:g}Z"/>',
        f'<polyline class="curve" points="{at}"/>',
        _end(frame.x(0), frame.y(shown[0]), loss[0], -10),
        _end(frame.x(steps[-1]), frame.y(shown[-1]), loss[-1], -12, " last"),
    ]
    if logarithmic:
        free = frame.left + 6 if shown[0] > shown[-1] else frame.edge - 26  # the corner below the higher end
        parts.append(f'<text class="scale" x="{free:g}" y="{bottom - 7:g}">log</text>')
    return _svg(parts)


def _end(x: float, y: float, loss: float, below: int, kind: str = "") -> str:
    """Return the first or the last point with its number, so many px below it."""
    spot = f'<circle class="spot" cx="{x:.0f}" cy="{y:.0f}" r="3.5"/>'
    return f'{spot}<text class="end{kind}" x="{x:.0f}" y="{y + below:.0f}">{number(float(loss))}</text>'


def tangent_thumbnail(curve: Curve) -> str:
    """Return a function with the tangent at its point, and the slope."""
    along = curve.sweep
    floor, roof = height(along)
    frame = Frame(WIDTH, HEIGHT, along.window.low, along.window.high, floor, roof, left=14, top=10, right=14, bottom=14)
    every = max(1, len(along.x) // POINTS)
    pieces = [line(frame.places(x[::every], y[::every]), "curve") for x, y in along.pieces()]
    name = f"thumb-{zlib.crc32(along.f.text.encode()):x}"  # the curves share a page
    x, y = frame.x(curve.at) + 12, frame.y(curve.value) + 18
    wide, tall = frame.edge - frame.left, frame.foot - frame.top
    inside = f'x="{frame.left:g}" y="{frame.top:g}" width="{wide:g}" height="{tall:g}"'
    parts = [
        f'<defs><clipPath id="{name}"><rect {inside}/></clipPath></defs>',
        _axis(frame, frame.y(0.0) if floor < 0 < roof else frame.foot),
        f'<g clip-path="url(#{name})">{"".join(pieces)}{_touching(frame, curve)}</g>',
        f'<text class="end" x="{x:.0f}" y="{y:.0f}">{number(curve.slope, True)}</text>',
    ]
    return _svg(parts)


def _touching(frame: Frame, curve: Curve) -> str:
    """Return the point, and its tangent if there is one, within the plot."""
    at, value, slope = curve.at, curve.value, curve.slope
    if not math.isfinite(value):
        return ""
    drawn = f'<circle class="first" cx="{frame.x(at):.1f}" cy="{frame.y(value):.1f}" r="6.5"/>'
    if not (math.isfinite(slope) and curve.beside.differentiable):
        return drawn
    leaves = sorted(at + (edge - value) / slope for edge in (frame.floor, frame.roof)) if slope else ()
    low, high = (max(frame.low, leaves[0]), min(frame.high, leaves[1])) if leaves else (frame.low, frame.high)
    ends = frame.places((low, high), [value + slope * (x - at) for x in (low, high)])
    return line(ends, f"tangent {sign(slope)}") + drawn


def _axis(frame: Frame, y: float) -> str:
    return f'<path class="axis" d="M{frame.left:g},{y:.0f}H{WIDTH - frame.right + 8:g}"/>'


def _svg(parts: Iterable[str]) -> str:
    size = f'viewBox="0 0 {WIDTH:g} {HEIGHT:g}" style="max-width:{WIDTH:g}px"'
    return f'<svg class="thumb plot" {size}>{"".join(parts)}</svg>'
