"""The static part of a curve's picture with its tangent, as SVG. The browser adds the moving part (derivatives.js)."""

import math
from dataclasses import dataclass

from explorer.analysis.calculus.curve import Curve, CurveMark, Points, height
from explorer.drawing.marks import quoted, text
from explorer.safe_regex import plain
from explorer.text import say
from explorer.text.numbers import number, shorten

_POWER = plain(r"\*\*(\d+)(?![\d.])")
_TIMES = plain(r"(?<![\w.])(\d+(?:\.\d+)?)\s*\*\s*(?=[A-Za-z(])")
_POWER_TIMES = plain(r"(?<=[²³⁴⁵⁶⁷⁸⁹])\s*\*\s*(?=[a-z])")
_SUPERSCRIPT = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class Frame:
    """Maps a part of the plane to a picture.

    Attributes:
        width, height: of the picture in px; left, top, right, bottom: what is kept free around the plot.
        low, high: ends of the x axis; floor, roof: of the y axis.
    """

    width: float
    height: float
    low: float
    high: float
    floor: float
    roof: float
    left: float = 52
    top: float = 16
    right: float = 104
    bottom: float = 30

    def x(self, at: float) -> float:
        """The position of an x, in px from the left."""
        return self.left + (at - self.low) / (self.high - self.low) * (self.width - self.left - self.right)

    def y(self, at: float) -> float:
        """The position of a y, in px from the top; far outside values are clamped just outside."""
        share = (at - self.floor) / (self.roof - self.floor)
        return self.top + (1 - min(3.0, max(-2.0, share))) * (self.height - self.top - self.bottom)

    def attributes(self) -> str:
        """Attributes that the browser needs to place things in it."""
        plane = ("low", "high", "floor", "roof", "left", "top", "right", "bottom", "width", "height")
        return " ".join(f'data-{name}="{getattr(self, name)!r}"' for name in plane)


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
        *(line(frame, piece, "curve") for piece in curve.sweep.pieces()),
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
    drawn = f'<circle class="first" cx="{frame.x(at):.2f}" cy="{frame.y(value):.2f}" r="6.5"/>'
    if not (math.isfinite(slope) and curve.beside.differentiable):
        return drawn
    return tangent_line(frame, at, value, slope) + drawn


def tangent_line(frame: Frame, at: float, value: float, slope: float) -> str:
    """The line through a point with this slope, as far as it stays within the plot."""
    leaves = sorted(at + (edge - value) / slope for edge in (frame.floor, frame.roof)) if slope else ()
    low, high = (max(frame.low, leaves[0]), min(frame.high, leaves[1])) if leaves else (frame.low, frame.high)
    (x0, y0), (x1, y1) = ((frame.x(x), frame.y(value + slope * (x - at))) for x in (low, high))
    return f'<path class="tangent {sign(slope)}" d="M{x0:.2f} {y0:.2f}L{x1:.2f} {y1:.2f}"/>'


def clip(name: str, frame: Frame) -> str:
    """The plot's own rectangle as a clip path."""
    wide, high = frame.width - frame.left - frame.right, frame.height - frame.top - frame.bottom
    inside = f'x="{frame.left}" y="{frame.top}" width="{wide}" height="{high}"'
    return f'<clipPath id="{name}"><rect {inside}/></clipPath>'


def axes(frame: Frame, labelled: bool = True, rows: int = 8) -> list[str]:
    """Grid, the visible axes, and numbers along the edges."""
    right, bottom = frame.width - frame.right, frame.height - frame.bottom
    columns = max(3, int((right - frame.left) / 90))
    parts = []
    for at in ticks(frame.low, frame.high, columns):
        x = frame.x(at)
        parts.append(f'<path class="{"axis" if at == 0 else "grid"}" d="M{x:.1f} {frame.top:g}V{bottom:g}"/>')
        if labelled:
            parts.append(text(x, bottom + 19, number(at, digits=6), "tick", "middle"))
    for at in ticks(frame.floor, frame.roof, rows):
        y = frame.y(at)
        parts.append(f'<path class="{"axis" if at == 0 else "grid"}" d="M{frame.left:g} {y:.1f}H{right:g}"/>')
        parts.append(text(frame.left - 9, y + 4, number(at, digits=6), "tick", "end"))
    parts.append(f'<path class="axis" d="M{frame.left:g} {frame.top:g}V{bottom:g}H{right:g}"/>')
    return parts


def ticks(low: float, high: float, most: int) -> list[float]:
    """At most about so many round numbers between two ends: steps of 1, 2 or 5 times a power of ten.

    >>> ticks(-0.5, 2.5, 7)
    [-0.5, 0.0, 0.5, 1.0, 1.5, 2.0, 2.5]
    """
    rough = (high - low) / max(1, most)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(s * power for s in (1, 2, 5, 10) if s * power >= rough * (1 - 1e-9))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    digits = max(0, 2 - math.floor(math.log10(step)))
    return [round(i * step, digits) + 0.0 for i in range(first, last + 1)] if last - first < 100 else []


def line(frame: Frame, piece: Points, name: str) -> str:
    """One piece of a curve."""
    places = zip(map(frame.x, piece[0].tolist()), map(frame.y, piece[1].tolist()), strict=True)
    return f'<path class="{name}" d="M{"L".join(f"{x:.1f} {y:.1f}" for x, y in places)}"/>'


def kink_label(frame: Frame, mark: CurveMark) -> str:
    """Both one-sided slopes at a kink."""
    left, right = (
        f'<tspan class="{sign(slope)}">{number(slope, True)}</tspan>' for slope in (mark.left_slope, mark.right_slope)
    )
    x, y = frame.x(mark.x), frame.y((mark.left + mark.right) / 2)
    words = y + 24 if y + 34 < frame.height - frame.bottom else y - 14
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
    said = _POWER.sub(lambda found: found[1].translate(_SUPERSCRIPT), expression.strip())
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
    return f'<path class="asymptote" d="M{frame.x(mark.x):.1f} {frame.top:g}V{frame.height - frame.bottom:g}"/>'


def _ring(frame: Frame, mark: CurveMark) -> str:
    """Open circles where a curve breaks off at a height."""
    ends = {"jump": (mark.left, mark.right), "hole": (mark.left,)}.get(mark.kind, ())
    inside = [y for y in ends if frame.floor <= y <= frame.roof and frame.low <= mark.x <= frame.high]
    return "".join(f'<circle class="ring" cx="{frame.x(mark.x):.1f}" cy="{frame.y(y):.1f}" r="3.5"/>' for y in inside)


def _free(frame: Frame, curve: Curve, mark: CurveMark) -> bool:
    """Whether a mark is visible and not the point itself, which the table describes."""
    if abs(mark.x - curve.at) < 0.02 * (frame.high - frame.low):
        return False
    return frame.floor <= (mark.left + mark.right) / 2 <= frame.roof and frame.low <= mark.x <= frame.high
