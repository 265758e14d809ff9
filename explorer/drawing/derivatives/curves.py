"""A curve with marks, tangent and secant as a plotly figure with two sliders."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from explorer.analysis.views.calculus.curve import Curve, CurveMark, Points, Sweep, height
from explorer.drawing.marks import quoted
from explorer.drawing.plots.chart import ticks
from explorer.drawing.plots.motion import TALL, Slide, Trace, moving, sent
from explorer.drawing.plots.plotly_look import CODE_FONT, Paints, corner, layout, paints
from explorer.safe_regex import plain
from explorer.text import say
from explorer.text.numbers import number, shorten

PLACES = 150  # places of the point's slider
BREAKS = ("jump", "pole", "hole", "end")
_WIDE = 40  # characters of the function above the plot
_POWER = plain(r"\*\*(\d+)(?![\d.])")
_TIMES = plain(r"(?<![\w.])(\d+(?:\.\d+)?)\s*\*\s*(?=[A-Za-z(])")
_POWER_TIMES = plain(r"(?<=[²³⁴⁵⁶⁷⁸⁹])\s*\*\s*(?=[a-z])")
_SUPERSCRIPT = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
Grid = tuple[np.ndarray, np.ndarray, np.ndarray]  # x, y, slopes


@dataclass(frozen=True)
class _Point:
    """A point with both side slopes and a second point."""

    at: float
    value: float
    left: float
    right: float
    h: float
    rise: float


def tangent_plot(curve: Curve, dark: bool, lang: str, second: int = 40) -> dict[str, Any]:
    """Build the figure. Args: second: index of the initial h."""
    tokens, along = paints(dark), curve.sweep
    floor, roof = height(along)
    text = f"{along.f.name}(x)" if along.f.is_definition else f"{along.f.name}(x) = {pretty(along.f.text)}"
    here = _Point(curve.at, curve.value, *_sides(curve), float(curve.h[second]), float(curve.rise[second]))
    drawn = [curve_trace(along.pieces(), along.f.name, tokens), *_marks(curve, floor, roof, tokens)]
    first, below = len(drawn), 2 * TALL
    styles = _styles(tokens)
    drawn += [joined(style, mark) for style, mark in zip(styles, _moving(here, along, tokens, lang), strict=True)]
    frames, sliders = moving(_slides(curve, here, second, first, tokens, lang), 26, tokens)
    unit = {"range": [0, 1], "visible": False, "fixedrange": True}
    return {
        "data": drawn,
        "frames": frames,
        "layout": layout(
            tokens,
            460 + below,
            margin={"l": 52, "r": 20, "t": 60, "b": 36 + below},
            sliders=sliders,
            xaxis={"range": [along.window.low, along.window.high], "zeroline": True},
            yaxis={"range": [floor, roof], "zeroline": True},
            xaxis2={**unit, "overlaying": "x"},
            yaxis2={**unit, "overlaying": "y"},
            annotations=[corner(shorten(text, _WIDE), 28)],
            shapes=[_asymptote(mark, tokens) for mark in along.marks if mark.kind == "pole"],
            uirevision=f"{along.f.text} {along.window}",
            hovermode="closest",
        ),
    }


def curve_trace(pieces: Sequence[Points], name: str, tokens: Paints, **more: Any) -> Trace:
    """Return a trace of a curve's pieces. Args: name: of the function of x. more: further properties."""
    x, y = (np.concatenate([[], *(np.append(piece[axis], np.nan) for piece in pieces)]) for axis in (0, 1))
    return {
        "type": "scatter", "mode": "lines", "x": sent(x), "y": sent(y),
        "line": {"color": tokens.ink, "width": 2.5, "simplify": False},
        "hovertemplate": f"x %{{x:.5~r}}<br>{quoted(name)} %{{y:.5~r}}<extra></extra>", **more,
    }  # fmt: skip


def ring_trace(rings: Sequence[tuple[float, float, bool]], tokens: Paints, **more: Any) -> Trace:
    """Return a trace of circles by position and fill."""
    return {
        "type": "scatter", "mode": "markers", "x": [x for x, *_ in rings], "y": [y for _, y, _ in rings],
        "marker": {
            "size": 8, "color": [tokens.ink if full else tokens.ground for *_, full in rings],
            "line": {"color": tokens.ink, "width": 1.75},
        },
        "hovertemplate": "%{x:.5~r}, %{y:.5~r}<extra></extra>", **more,
    }  # fmt: skip


def kink_trace(marks: Sequence[CurveMark], tokens: Paints, **more: Any) -> Trace:
    """Return a trace of kinks with the slopes on both sides."""
    return {
        "type": "scatter", "mode": "markers+text", "x": [mark.x for mark in marks],
        "y": [(mark.left + mark.right) / 2 for mark in marks],
        "text": [_both(mark.left_slope, mark.right_slope, tokens) for mark in marks], "textposition": "bottom center",
        "textfont": {"size": 13, "family": CODE_FONT},
        "marker": {"symbol": "diamond", "size": 9, "color": tokens.ground, "line": {"color": tokens.ink, "width": 1.5}},
        "hovertemplate": "%{x:.5~r}, %{y:.5~r}<extra></extra>", **more,
    }  # fmt: skip


def rings(marks: Sequence[CurveMark], tall: float) -> list[tuple[float, float, bool]]:
    """Find circles at breaks: full if f is there, otherwise open.

    None if the place is not known exactly. Args: tall: the height of the plot.
    """
    found = []
    for mark in marks:
        ends = {"jump": (mark.left, mark.right), "hole": (mark.left,)}.get(mark.kind, ())
        if math.isinf(mark.value):
            continue
        near = 1e-3 * (abs(mark.right - mark.left) or tall)
        here = [(mark.x, y, abs(y - mark.value) < near) for y in ends]
        if ends and not math.isnan(mark.value) and not any(full for *_, full in here):
            here.append((mark.x, mark.value, True))
        found += here
    return found


def sign(slope: float) -> str:
    """Return a slope's class, which colours its sign."""
    return "bad" if math.isnan(slope) else "pos" if slope > 0 else "neg" if slope < 0 else "zero"


def hue(slope: float, tokens: Paints) -> str:
    """Return the colour of a slope's sign."""
    return {"pos": tokens.named["orange"], "neg": tokens.named["blue"], "bad": tokens.named["magenta"]}.get(
        sign(slope), tokens.quiet
    )


def pretty(expression: str) -> str:
    """Write an expression in textbook notation, if simple.

    >>> pretty("3*x**2 - 4*x")
    '3x² − 4x'
    """
    text = _POWER.sub(lambda power: power[1].translate(_SUPERSCRIPT), expression.strip())
    text = _TIMES.sub(r"\1", text)
    text = _POWER_TIMES.sub("·", text)
    return text.replace("**", "^").replace("*", "·").replace("-", "−")


def _sides(curve: Curve) -> tuple[float, float]:
    """Return the tangent's slope on each side of the point, NaN for none."""
    if curve.beside.differentiable:
        return (curve.slope, curve.slope) if math.isfinite(curve.slope) else (math.nan, math.nan)
    return curve.beside.left.slope, curve.beside.right.slope


def _marks(curve: Curve, floor: float, roof: float, tokens: Paints) -> list[Trace]:
    """Return circles at breaks, and kinks other than the point's, which the table covers."""
    along, near = curve.sweep, 0.02 * (curve.sweep.window.high - curve.sweep.window.low)
    kinks = [mark for mark in along.marks if mark.kind == "kink" and abs(mark.x - curve.at) > near]
    kinks = [mark for mark in kinks if floor <= (mark.left + mark.right) / 2 <= roof]
    return [kink_trace(kinks, tokens), ring_trace(rings(along.marks, roof - floor), tokens)]


def _asymptote(mark: CurveMark, tokens: Paints) -> dict[str, Any]:
    line = {"color": tokens.line, "width": 1, "dash": "3px,4px"}
    return {"type": "line", "x0": mark.x, "x1": mark.x, "y0": 0, "y1": 1, "yref": "paper", "line": line}


def _styles(tokens: Paints) -> list[Trace]:
    """Return the fixed parts of the moving traces: tangents, secant, rise, points, labels."""
    line: Trace = {"type": "scatter", "mode": "lines", "hoverinfo": "skip"}
    return [
        line,
        line,
        {**line, "line": {"color": tokens.quiet, "width": 1.75, "dash": "6px,4px"}},
        {**line, "line": {"color": tokens.quiet, "width": 1.25, "dash": "2px,3px"}},
        {
            "type": "scatter", "mode": "markers", "name": "points",
            "marker": {"size": [13, 11], "color": tokens.ground, "line": {"color": tokens.ink, "width": 2}},
            "hovertemplate": "%{x:.6~r}, %{y:.6~r}<extra></extra>",
        },
        {
            "type": "scatter", "mode": "text", "xaxis": "x2", "yaxis": "y2", "x": [0, 1], "y": [1, 1],
            "textposition": ["top right", "top left"], "textfont": {"size": 14, "family": CODE_FONT},
            "cliponaxis": False, "hoverinfo": "skip",
        },
    ]  # fmt: skip


def joined(style: Trace, mark: Trace) -> Trace:
    """Merge a trace's fixed and moving parts."""
    return {
        **style,
        **{key: {**style[key], **of} if key in style and isinstance(of, dict) else of for key, of in mark.items()},
    }


def _moving(p: _Point, along: Sweep, tokens: Paints, lang: str) -> list[Trace]:
    """Return the moving parts at one position."""
    low, high = along.window.low, along.window.high
    floor, roof = height(along)
    halves = [_half(p, slope, end, (floor, roof), tokens) for slope, end in ((p.left, low), (p.right, high))]
    tangent = _both(p.left, p.right, tokens) if p.left != p.right else number(p.left, True)
    tangent = (
        "" if math.isnan(p.left) and math.isnan(p.right) else f"<b>{say(lang, 'derivatives-tangent')} {tangent}</b>"
    )
    secant = f"{say(lang, 'derivatives-secant')} {number(p.rise / p.h)}" if math.isfinite(p.rise / p.h) else ""
    paint = [hue(p.left, tokens) if p.left == p.right else tokens.ink, tokens.quiet]
    return [
        *halves,
        *_secant(p, along),
        {"x": sent([p.at, p.at + p.h]), "y": sent([p.value, p.value + p.rise])},
        {"text": [tangent, secant], "textfont": {"color": paint}},
    ]


def _half(p: _Point, slope: float, end: float, ends: tuple[float, float], tokens: Paints) -> Trace:
    """Return half a tangent, vertical if the slope is unbounded."""
    if math.isnan(slope):
        return {"x": [], "y": []}
    upright = math.isinf(slope)
    x, y = (p.at, ends[(slope > 0) == (end > p.at)]) if upright else (end, p.value + slope * (end - p.at))
    return {"x": sent([p.at, x]), "y": sent([p.value, y]), "line": {"color": hue(slope, tokens), "width": 3}}


def _secant(p: _Point, along: Sweep) -> list[Trace]:
    """Return the line through both points, with run and rise."""
    quotient = p.rise / p.h
    if not math.isfinite(quotient):
        return [{"x": [], "y": []}, {"x": [], "y": []}]
    ends = along.window.low, along.window.high
    line = {"x": sent(ends), "y": sent([p.value + quotient * (x - p.at) for x in ends])}
    return [line, {"x": sent([p.at, p.at + p.h, p.at + p.h]), "y": sent([p.value, p.value, p.value + p.rise])}]


def _both(left: float, right: float, tokens: Paints) -> str:
    """Write both slopes of a kink in their colours, a dash for none."""
    numbers = ("—" if math.isnan(slope) else number(slope, True) for slope in (left, right))
    paint = (hue(slope, tokens) for slope in (left, right))
    return " ∣ ".join(f'<span style="color:{hue}">{words}</span>' for hue, words in zip(paint, numbers, strict=True))


def _slides(curve: Curve, here: _Point, second: int, first: int, tokens: Paints, lang: str) -> list[Slide]:
    """Build the sliders of the point and the second point."""
    along = curve.sweep
    points, at = _along(curve, here)
    steps = [
        _Point(here.at, here.value, here.left, here.right, float(h), float(rise))
        for h, rise in zip(curve.h, curve.rise, strict=True)
    ]
    labels, places = zip(*((number(point.at, digits=6), point.at) for point in points), strict=True)
    moves = [_moving(point, along, tokens, lang) for point in points]
    words, rises = [number(float(h)) for h in curve.h], [_moving(step, along, tokens, lang)[2:] for step in steps]
    point, slider = say(lang, "derivatives-point"), say(lang, "derivatives-slider")
    return [
        Slide("x = ", point, labels, places, moves, range(first, first + 6), at),
        Slide("h = ", slider, words, curve.h.tolist(), rises, range(first + 2, first + 6), second),
    ]


def _along(curve: Curve, here: _Point) -> tuple[list[_Point], int]:
    """Return the point's places (round numbers, kinks, itself), and its index."""
    along, low, high = curve.sweep, curve.sweep.window.low, curve.sweep.window.high
    places = np.array(ticks(low, high, PLACES))
    wide = (high - low) / PLACES / 2
    _, values, slopes = _between(along, places)
    rises = _between(along, places + here.h)[1] - values
    kinks = [mark for mark in along.marks if mark.kind == "kink" and low <= mark.x <= high]
    points = [
        _Point(at, value, slope, slope, here.h, rise)
        for at, value, slope, rise in zip(*(row.tolist() for row in (places, values, slopes, rises)), strict=True)
        if math.isfinite(value) and all(abs(at - other) > wide for other in (here.at, *(mark.x for mark in kinks)))
    ]
    for mark in kinks:
        if abs(mark.x - here.at) > wide:
            value = (mark.left + mark.right) / 2
            rise = float(_between(along, np.array([mark.x + here.h]))[1][0]) - value
            points.append(_Point(mark.x, value, mark.left_slope, mark.right_slope, here.h, rise))
    ordered = sorted([*points, here], key=lambda point: point.at)
    return ordered, ordered.index(here)


def between(grid: Grid, at: np.ndarray, kinks: Sequence[float] = (), breaks: Sequence[float] = ()) -> Grid:
    """Interpolate a curve and its slope between grid points by cubics.

    NaN next to a break and outside. No slope next to a kink or where grid slopes are implausible.
    """
    x, y, slopes = grid
    i = np.clip(np.searchsorted(x, at, "right") - 1, 0, len(x) - 2)
    sure, wide = _believed(grid)[i] & _believed(grid)[i + 1], x[i + 1] - x[i]
    with np.errstate(invalid="ignore", over="ignore"):
        t, chord = (at - x[i]) / wide, (y[i + 1] - y[i]) / wide
        first, last = slopes[i] - chord, chord - slopes[i + 1]
        bow = t * (1 - t) * wide * ((1 - t) * first + t * last)
        turn = (1 - 2 * t) * ((1 - t) * first + t * last) + t * (1 - t) * (last - first)
        value = y[i] + t * wide * chord + np.where(sure, bow, 0)
        slope = np.where(sure, chord + turn, np.nan)

    def over(places: Sequence[float]) -> np.ndarray:
        marks = np.array(places).reshape(-1, 1)
        return np.any((marks >= x[i]) & (marks <= x[i + 1]), axis=0)

    gone = over(breaks) | (at < x[0]) | (at > x[-1])
    return at, np.where(gone, np.nan, value), np.where(gone | over(kinks), np.nan, slope)


def _between(along: Sweep, at: np.ndarray) -> Grid:
    places = ([m.x for m in along.marks if m.kind in kinds] for kinds in (("kink",), BREAKS))
    return between((along.x, along.y, along.slopes), at, *places)


def _believed(grid: Grid) -> np.ndarray:
    """Return whether slopes fit the surrounding chords."""
    x, y, slopes = grid
    with np.errstate(invalid="ignore", over="ignore"):
        chords = np.diff(y) / np.diff(x)
        around = np.lib.stride_tricks.sliding_window_view(np.pad(chords, (3, 4), "edge"), 7)[: len(x)]
        low, high = around.min(1), around.max(1)
        room = (high - low) + 1e-6 * np.maximum(abs(low), abs(high)) + 1e-12
        return np.asarray(np.isfinite(slopes) & (slopes >= low - room) & (slopes <= high + room))
