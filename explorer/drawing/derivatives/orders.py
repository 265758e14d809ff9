"""f and its derivatives below one another over one x axis."""

import math
from typing import Any

import numpy as np

from explorer.analysis.calculus.curve import Curve, CurveMark, Points, pieces, reach
from explorer.drawing.derivatives.curves import BREAKS, curve_trace, hue, kink_trace, ring_trace
from explorer.drawing.marks import quoted
from explorer.drawing.plots.motion import Trace
from explorer.drawing.plots.plotly_look import CODE_FONT, Paints, axis_look, layout, paints
from explorer.text.numbers import number

PRIMES = ("", "′", "″", "⁽³⁾", "⁽⁴⁾")


def orders_plot(curve: Curve, dark: bool, lang: str) -> dict[str, Any]:
    """Draw f and its derivatives up to the fourth."""
    tokens, along, drawn, words, axes, foot = paints(dark), curve.sweep, [], [], {}, 0.0
    shares = np.array([150, *[104] * (len(along.higher) - 1)]) / (150 + 104 * (len(along.higher) - 1))
    for order, y in enumerate(along.higher):
        value = float(curve.higher_at[order])
        floor, roof = reach(y, 0.0 if order else value)
        top = 1 - foot
        foot += float(shares[order])
        n = str(order + 1) if order else ""
        axes[f"yaxis{n}"] = {
            **axis_look(tokens, nticks=4, zeroline=True), "domain": [max(0.0, 1 - foot + 0.014), top],
            "range": [floor, roof], "anchor": "x",
        }  # fmt: skip
        drawn += [{**trace, "yaxis": f"y{n}"} for trace in _strip(curve, order, y, tokens)]
        name = f"{along.f.name}{PRIMES[order]}({number(curve.at, digits=4)}) = "
        paint, shown = hue(value, tokens) if order else tokens.ink, number(value, order > 0, 4)
        text = f'{quoted(name)}<b style="color:{paint}">{shown}</b>'
        words.append(
            {"x": 0.01, "y": top, "xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "top", "text": text,
             "showarrow": False, "font": {"family": CODE_FONT, "size": 14}, "bgcolor": tokens.ground, "borderpad": 2}
        )  # fmt: skip
    here = {"type": "line", "x0": curve.at, "x1": curve.at, "y0": 0, "y1": 1, "yref": "paper"}
    across = {"range": [along.window.low, along.window.high], "anchor": f"y{len(along.higher)}", "zeroline": True}
    return {
        "data": drawn,
        "frames": [],
        "layout": layout(
            tokens, 620, margin={"l": 52, "r": 12, "t": 8, "b": 32}, xaxis=across, **axes, annotations=words,
            shapes=[{**here, "line": {"color": tokens.line, "width": 1, "dash": "2px,3px"}}],
            uirevision=f"{along.f.text} {along.window}", hovermode="x unified",
        ),
    }  # fmt: skip


def _strip(curve: Curve, order: int, y: np.ndarray, tokens: Paints) -> list[Trace]:
    """Draw one curve with its kinks and its value at the point."""
    along, value, name = curve.sweep, float(curve.higher_at[order]), f"{curve.sweep.f.name}{PRIMES[order]}"
    cuts = tuple(_cut_at(mark, along.x, y) for mark in along.marks if mark.kind in BREAKS)
    kinks = tuple(mark for mark in along.marks if mark.kind == "kink")
    broken = tuple(_cut_at(mark, along.x, y) for mark in kinks) if order else kinks
    lines = pieces(along.x, y, (*cuts, *broken))
    signed = order > 0 and bool(np.nan_to_num(y).any())
    drawn = [curve_trace(lines, name, tokens)]
    if signed:  # one line, in the colour of its sign
        drawn = [
            curve_trace(
                [_half(piece, way) for piece in lines], name, tokens, line={"color": hue(way, tokens), "width": 2.5}
            )
            for way in (1.0, -1.0)
        ]
    if order == 0:
        drawn.append(kink_trace(kinks, tokens))
    if math.isfinite(value) and (order == 0 or curve.beside.differentiable):
        drawn.append(ring_trace([(curve.at, value, True)], tokens))
    return drawn


def _half(piece: Points, way: float) -> Points:
    """Return the part of a curve above or below zero, NaN elsewhere."""
    x, y = piece
    i = np.flatnonzero(y[:-1] * y[1:] < 0)
    crossing = x[i] - y[i] * (x[i + 1] - x[i]) / (y[i + 1] - y[i])
    x, y = np.insert(x, i + 1, crossing), np.insert(y, i + 1, 0.0)
    return x, np.where(way * y >= 0, y, np.nan)


def _cut_at(mark: CurveMark, x: np.ndarray, y: np.ndarray) -> CurveMark:
    """Return a break of a derivative with its heights on both sides."""
    beside = [y[x < mark.x - 1e-9], y[x > mark.x + 1e-9]]
    left, right = (float(part[at]) if part.size else float("nan") for part, at in zip(beside, (-1, 0), strict=True))
    return CurveMark("jump", mark.x, left, right, 0.0, 0.0)
