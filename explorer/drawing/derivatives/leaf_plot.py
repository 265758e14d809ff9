"""The slope plot next to the graph: a backward's root over a leaf's entry.

Its slider moves the point and the number in the code (ui/pages/autograd/slope.js).
"""

import math
from typing import Any

import numpy as np

from explorer.analysis.diagnose.gradcheck.leaf_curve import LeafCurve
from explorer.analysis.diagnose.messages import check_messages
from explorer.analysis.views.calculus.curve import Points
from explorer.drawing.derivatives.curves import between, curve_trace, hue, joined
from explorer.drawing.marks import message_html, messages_html
from explorer.drawing.plots.chart import ticks
from explorer.drawing.plots.motion import Slide, Trace, moving, sent
from explorer.drawing.plots.plotly_look import CODE_FONT, Paints, corner, label, layout, paints
from explorer.text import Message, say
from explorer.text.numbers import number, shorten

PLACES = 60  # slider places, which are also the steps of the number in the code
NAME = 28  # characters of the root's and of the leaf's name in the picture
_OUTLIERS = 0.04  # share of extreme heights on each side, as near a pole, ignored for the frame
_ROUNDING = 1e-5  # relative to the heights: smaller changes and slopes count as level
Heights = tuple[float, float]


def leaf_plot(
    curve: LeafCurve, heights: Heights, root: str, name: str, drags: bool, dark: bool, lang: str
) -> dict[str, Any]:
    """Build the plot as a plotly figure.

    Args:
        root, name: names of the root and the entry in the program.
        drags: whether its point changes a number of the program, by a slider. The browser then builds the slider's
            places and their frames from "moves" (ui/pages/autograd/slope.js).
    """
    tokens, (low, high) = paints(dark), (curve.points[0][0], curve.points[-1][0])
    x, y = (np.array(row, float) for row in zip(*curve.points, strict=True))
    drawn = [{**curve_trace([_with_gaps(x, y, heights)], shorten(root, NAME), tokens), "mode": "lines"}]
    drawn[0]["line"]["width"] = 2
    here = (curve.at, curve.value, curve.gradient)
    first = len(drawn)
    drawn += map(joined, _styles(tokens, drags), _moving(curve, heights, tokens, lang))
    moves, sliders = {}, []
    if drags:
        places = np.array([at for at in ticks(low, high, PLACES) if abs(at - curve.at) > (high - low) / PLACES / 2])
        rows = np.array(between((x, y, np.array(curve.slopes)), places)).T.tolist()
        moved: list[tuple[float, float, float]] = [here, *((at, root, slope) for at, root, slope in rows)]
        moved = sorted(one for one in moved if math.isfinite(one[1]))
        own = moved.index(here) if here in moved else -1
        sliders = moving([Slide(f"{name} = ", name, [], [], [], [], max(own, 0))], 14, tokens)[1]
        words = f"<b>{say(lang, 'plot-slope')} "
        moves = {
            "first": first, "own": own, "ends": [low, high], "low": heights[0],
            "labels": [number(at, digits=6) for at, *_ in moved], "at": [at for at, *_ in moved],
            "root": [root for _, root, _ in moved],
            "slope": [slope if math.isfinite(slope) else None for *_, slope in moved],
            "words": [f"{words}{number(slope, True)}</b>" for *_, slope in moved],
            "paints": [hue(slope, tokens) for *_, slope in moved],
        }  # fmt: skip
    unit = {"range": [0, 1], "visible": False, "fixedrange": True}
    across = {"text": label(shorten(name, NAME)), "standoff": 0, "font": {"family": CODE_FONT, "size": 13}}
    return {
        "data": drawn,
        **({"moves": moves} if moves else {}),
        "layout": layout(
            tokens, 264 if drags else 220, margin={"l": 46, "r": 12, "t": 26, "b": 68 if drags else 36},
            sliders=sliders, annotations=[corner(shorten(root, NAME), 4)],
            xaxis={"range": [low, high], "zeroline": True, **({} if drags else {"title": across})},
            yaxis={"range": list(heights), "zeroline": True, "nticks": 5, "automargin": True},
            xaxis2={**unit, "overlaying": "x"}, yaxis2={**unit, "overlaying": "y"},
            uirevision=f"{root} {name} {low} {high}", hovermode="closest",
        ),
    }  # fmt: skip


def leaf_words(curve: LeafCurve, root: str, name: str, drags: bool, lang: str) -> str:
    """Return the sentence below the plot as HTML."""
    given = {"gradient": number(curve.gradient), "finite": "yes" if math.isfinite(curve.gradient) else "no"}
    short = {"root": shorten(root, NAME), "name": shorten(name, NAME)}
    if curve.is_tangent:
        return message_html(lang, "plot-computed", drags="yes" if drags else "no", **given, **short)
    no_line = Message("plot-no-tangent", {"gradient": number(curve.gradient, True)})
    return messages_html(lang, [no_line, *check_messages(curve.check)])


def leaf_title(curve: LeafCurve, root: str, name: str, lang: str) -> str:
    """Describe the plot for screen readers."""
    finite = "yes" if math.isfinite(curve.gradient) else "no"
    short = {"root": shorten(root, NAME), "name": shorten(name, NAME)}
    return say(lang, "plot-title", at=number(curve.at), gradient=number(curve.gradient), finite=finite, **short)


def heights_of(curve: LeafCurve, before: Heights | None = None) -> Heights:
    """Return the y axis range, unchanged if the curve still fills it."""
    roots = sorted(root for _, root in curve.points if math.isfinite(root))
    out = int(len(roots) * _OUTLIERS)
    low, high = (min(roots[out], curve.value), max(roots[-1 - out], curve.value)) if roots else (0.0, 0.0)
    if before and before[0] <= low and high <= before[1] and high - low > 0.4 * (before[1] - before[0]):
        return before
    size, width = max(abs(low), abs(high)), curve.points[-1][0] - curve.points[0][0]
    is_level = high - low <= _ROUNDING * size and abs(curve.gradient) * width <= _ROUNDING * size
    room = 0.5 * max(1e-6, size) if is_level or high == low else 0.1 * (high - low)
    return low - room, high + room


def _with_gaps(x: np.ndarray, y: np.ndarray, heights: Heights) -> Points:
    """Return the curve with gaps after jumps across the whole frame."""
    y = np.where(np.isfinite(y), y, np.nan)
    with np.errstate(invalid="ignore"):
        over = (np.minimum(y[:-1], y[1:]) < heights[0]) & (np.maximum(y[:-1], y[1:]) > heights[1])
    gaps = np.flatnonzero(over) + 1
    return np.insert(x, gaps, x[gaps]), np.insert(y, gaps, np.nan)


def _styles(tokens: Paints, drags: bool) -> list[Trace]:
    """Return the fixed parts of the moving traces: axis lines, tangent, point, slope label."""
    line: Trace = {"type": "scatter", "mode": "lines", "hoverinfo": "skip"}
    paint = {"color": tokens.named["cyan"] if drags else tokens.ground, "size": 13}
    return [
        {**line, "uid": "moving0", "line": {"color": tokens.line, "width": 1, "dash": "2px,3px"}},
        {**line, "uid": "moving1"},
        {
            "type": "scatter", "mode": "markers", "name": "points", "uid": "moving2",
            "marker": {**paint, "line": {"color": tokens.ground if drags else tokens.ink, "width": 2}},
            "hovertemplate": "%{x:.6~r}, %{y:.6~r}<extra></extra>",
        },
        {
            "type": "scatter", "mode": "text", "xaxis": "x2", "yaxis": "y2", "x": [1], "y": [1], "uid": "moving3",
            "textposition": "top left", "textfont": {"size": 14, "family": CODE_FONT}, "cliponaxis": False,
            "hoverinfo": "skip",
        },
    ]  # fmt: skip


def _moving(curve: LeafCurve, heights: Heights, tokens: Paints, lang: str) -> list[Trace]:
    """Return the moving parts at the entry's own value."""
    at, value, slope = curve.at, curve.value, curve.gradient
    ends = [curve.points[0][0], curve.points[-1][0]]
    known, paint = math.isfinite(slope), hue(slope, tokens)
    slope_of = say(lang, "plot-slope" if curve.is_tangent else "plot-gradient")
    words = f"<b>{slope_of} {number(slope, True)}</b>" if known else ""
    tangent = {"x": sent(ends), "y": sent([value + slope * (x - at) for x in ends])} if known else {"x": [], "y": []}
    return [
        {"x": sent([at, at, ends[0]]), "y": sent([heights[0], value, value])},
        {**tangent, "line": {"color": paint, "width": 3, "dash": "solid" if curve.is_tangent else "dash"}},
        {"x": sent([at]), "y": sent([value])},
        {"text": [words], "textfont": {"color": paint}},
    ]
