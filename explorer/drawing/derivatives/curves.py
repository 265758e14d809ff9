"""The static part of a curve's picture with its tangent, as SVG. The browser adds the moving part (derivatives.js)."""

import math

from explorer.analysis.calculus.curve import Curve, CurveMark, height
from explorer.drawing.marks import quoted, text
from explorer.drawing.plots.chart import Frame, axes, clip, line
from explorer.safe_regex import plain
from explorer.text import say
from explorer.text.numbers import number, shorten

_POWER = plain(r"\*\*(\d+)(?![\d.])")
_TIMES = plain(r"(?<![\w.])(\d+(?:\.\d+)?)\s*\*\s*(?=[A-Za-z(])")
_POWER_TIMES = plain(r"(?<=[²³⁴⁵⁶⁷⁸⁹])\s*\*\s*(?=[a-z])")
_SUPERSCRIPT = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def tangent_picture(curve: Curve, lang: str, width: float = 760, tall: float = 440, still: bool = False) -> str:
    """Axes, curve and marks; point, tangent and secant have their places in `g.moving`.

    Args:
        still: whether point and tangent are drawn here, for a place where no script adds them.
    """
    narrow = width < 500
    floor, roof = height(curve.sweep)
    right = 20 if narrow else 112
    frame = Frame(
        width,
        tall,
        curve.sweep.window.low,
        curve.sweep.window.high,
        floor,
        roof,
        left=44 if narrow else 56,
        top=54 if narrow else 32,
        right=right,
    )
    name = f"plot{int(width)}"
    moving = f'<g class="moving" data-clip="{name}"></g>'
    parts = [
        *axes(frame),
        f'<g clip-path="url(#{name})">',
        *(_asymptote(frame, mark) for mark in curve.sweep.marks if mark.kind == "pole"),
        *(line(frame.places(*piece), "curve") for piece in curve.sweep.pieces()),
        "</g>",
        *(_ring(frame, mark) for mark in curve.sweep.marks),
        *(kink_label(frame, mark) for mark in curve.sweep.marks if mark.kind == "kink" and _free(frame, curve, mark)),
        _label(frame, curve),
        f'<g clip-path="url(#{name})">{touching(frame, curve)}</g>' if still else moving,
    ]
    title = say(lang, "derivatives-picture", text=shorten(curve.sweep.f.text, 60), at=number(curve.at, digits=6))
    view = f'viewBox="0 0 {width:g} {tall:g}" width="{width:g}" height="{tall:g}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="plane" {view} {frame.attributes()} role="group" '
        f'aria-label="{quoted(title)}"><defs>{clip(name, frame)}</defs>{"".join(parts)}</svg>'
    )


def touching(frame: Frame, curve: Curve) -> str:
    """The point, and its tangent if there is one, within the plot."""
    at, value, slope = curve.at, curve.value, curve.slope
    if not math.isfinite(value):
        return ""
    drawn = f'<circle class="first" cx="{frame.x(at):.1f}" cy="{frame.y(value):.1f}" r="6.5"/>'
    if not (math.isfinite(slope) and curve.beside.differentiable):
        return drawn
    return tangent_line(frame, at, value, slope) + drawn


def tangent_line(frame: Frame, at: float, value: float, slope: float) -> str:
    """The line through a point with this slope, as far as it stays within the plot."""
    leaves = sorted(at + (edge - value) / slope for edge in (frame.floor, frame.roof)) if slope else ()
    low, high = (max(frame.low, leaves[0]), min(frame.high, leaves[1])) if leaves else (frame.low, frame.high)
    return line(frame.places((low, high), [value + slope * (x - at) for x in (low, high)]), f"tangent {sign(slope)}")


def kink_label(frame: Frame, mark: CurveMark) -> str:
    """Both one-sided slopes at a kink."""
    left, right = (
        f'<tspan class="{sign(slope)}">{number(slope, True)}</tspan>' for slope in (mark.left_slope, mark.right_slope)
    )
    x, y = frame.x(mark.x), frame.y((mark.left + mark.right) / 2)
    words = y + 24 if y + 34 < frame.foot else y - 14
    return (
        f'<path class="kink" d="M{x:.1f} {y - 6:.1f}l6 6l-6 6l-6 -6z"/>'
        f'<text class="sides" x="{x:.1f}" y="{words:.1f}" text-anchor="middle">{left} ∣ {right}</text>'
    )


def sign(slope: float) -> str:
    """The class of a slope: its sign is its colour."""
    return "bad" if math.isnan(slope) else "pos" if slope > 0 else "neg" if slope < 0 else "zero"


def pretty(expression: str) -> str:
    """An expression in textbook notation, where that is easy.

    >>> pretty("3*x**2 - 4*x")
    '3x² − 4x'
    """
    said = _POWER.sub(lambda power: power[1].translate(_SUPERSCRIPT), expression.strip())
    said = _TIMES.sub(r"\1", said)
    said = _POWER_TIMES.sub("·", said)
    return said.replace("**", "^").replace("*", "·").replace("-", "−")


def _label(frame: Frame, curve: Curve) -> str:
    said = curve.sweep.f.name + "(x)"
    if not curve.sweep.f.is_definition:
        said += f" = {pretty(curve.sweep.f.text)}"
    said = shorten(said, int((frame.width - frame.left - 8) / 8.8))
    return text(frame.left, 18, said, "name")


def _asymptote(frame: Frame, mark: CurveMark) -> str:
    return f'<path class="asymptote" d="M{frame.x(mark.x):.1f} {frame.top:g}V{frame.foot:g}"/>'


def _ring(frame: Frame, mark: CurveMark) -> str:
    """Where a curve breaks off at a height: an open circle where f has another value or none, a full one where it has.

    Nothing where the place is not known exactly, and with it not f there.
    """
    ends = {"jump": (mark.left, mark.right), "hole": (mark.left,)}.get(mark.kind, ())
    if math.isinf(mark.value) or not frame.low <= mark.x <= frame.high:
        return ""
    near = 1e-3 * (abs(mark.right - mark.left) or frame.roof - frame.floor)
    circles = [(y, "ring full" if abs(y - mark.value) < near else "ring") for y in ends]
    if ends and not math.isnan(mark.value) and not any(abs(y - mark.value) < near for y in ends):
        circles.append((mark.value, "ring full"))
    return "".join(
        f'<circle class="{look}" cx="{frame.x(mark.x):.1f}" cy="{frame.y(y):.1f}" r="3.5"/>'
        for y, look in circles
        if frame.floor <= y <= frame.roof
    )


def _free(frame: Frame, curve: Curve, mark: CurveMark) -> bool:
    """Whether a mark is visible and not the point itself, which the table describes."""
    if abs(mark.x - curve.at) < 0.02 * (frame.high - frame.low):
        return False
    return frame.floor <= (mark.left + mark.right) / 2 <= frame.roof and frame.low <= mark.x <= frame.high
