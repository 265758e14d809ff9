"""f and its derivatives below one another over one x axis; difference quotients, and how their error depends on h."""

import math
from typing import Any

import numpy as np

from explorer.analysis.calculus.curve import Curve, CurveMark, Errors, Points, course, errors, pieces, reach
from explorer.drawing.derivatives.curves import BREAKS, corner, curve_trace, hue, kink_trace, ring_trace, sign
from explorer.drawing.marks import quoted
from explorer.drawing.plots.plotly_look import CODE_FONT, Paints, Trace, axis_look, layout, paints, sent
from explorer.text import say
from explorer.text.numbers import number

PRIMES = ("", "′", "″", "⁽³⁾", "⁽⁴⁾")
EVERY = 20  # second points from one row of the table to the next


def orders_plot(curve: Curve, dark: bool, lang: str) -> dict[str, Any]:
    """A strip for f and each derivative up to the fourth: blue below zero, orange above, its value at the point."""
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
        said = f'{quoted(name)}<b style="color:{paint}">{shown}</b>'
        words.append(
            {"x": 0.01, "y": top, "xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "top", "text": said,
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
    """One of them: the curve, its kinks and value at the point."""
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
    """The part of a curve above zero, or below, cut where it crosses; the rest is NaN."""
    x, y = piece
    i = np.flatnonzero(y[:-1] * y[1:] < 0)
    crossing = x[i] - y[i] * (x[i + 1] - x[i]) / (y[i + 1] - y[i])
    x, y = np.insert(x, i + 1, crossing), np.insert(y, i + 1, 0.0)
    return x, np.where(way * y >= 0, y, np.nan)


def _cut_at(mark: CurveMark, x: np.ndarray, y: np.ndarray) -> CurveMark:
    """A place where a derivative breaks off, with the derivative's own heights on both sides."""
    beside = [y[x < mark.x - 1e-9], y[x > mark.x + 1e-9]]
    left, right = (float(part[at]) if part.size else float("nan") for part, at in zip(beside, (-1, 0), strict=True))
    return CurveMark("jump", mark.x, left, right, 0.0, 0.0)


def quotient_table(curve: Curve, lang: str) -> str:
    """Six rows of h, rise and quotient, and the derivative that they approach.

    Where there is none, the quotients of both sides, what they tend to, and autograd's answer.
    """
    at = number(curve.at, digits=6)
    if curve.beside.differentiable:
        heads = ("h", f"f({at} + h) − f({at})".replace("+ −", "− "), say(lang, "derivatives-quotient"))
        rows = "".join(_row(curve, i, (curve.rise[i], curve.quotient[i])) for i in range(0, len(curve.h), EVERY))
        last = f'<tr class="limit {sign(curve.slope)}"><td>h → 0</td><td></td>{_limit(curve.slope)}</tr>'
    else:
        heads = ("h", say(lang, "derivatives-from-left"), say(lang, "derivatives-from-right"))
        pairs = zip(range(0, len(curve.h), EVERY), curve.behind, strict=True)
        rows = "".join(_row(curve, i, (left, curve.quotient[i])) for i, left in pairs)
        sides = "".join(_limit(_tends(curve, way)) for way in (-1, 1))
        answer = f"<tr><td>autograd</td><td></td><td>{number(curve.slope, True, 6)}</td></tr>"
        last = f'<tr class="limit"><td>h → 0</td>{sides}</tr>{answer}'
    head = "".join(f'<th scope="col">{quoted(head)}</th>' for head in heads)
    return f'<table class="quotients"><thead><tr>{head}</tr></thead><tbody>{rows}{last}</tbody></table>'


def _tends(curve: Curve, way: int) -> float:
    """What the quotients of a side tend to; NaN for nothing. Beside a jump they grow without bound."""
    side = curve.beside.left if way < 0 else curve.beside.right
    gap = side.value - curve.value if side.kind == "jump" else math.nan
    return way * math.copysign(math.inf, gap) if math.isfinite(gap) else side.slope


def _limit(slope: float) -> str:
    return "<td>—</td>" if np.isnan(slope) else f'<td class="{sign(slope)}">{number(slope, True, 6)}</td>'


def _row(curve: Curve, i: int, numbers: tuple[float, float]) -> str:
    cells = "".join(f"<td{_bad(quantity)}>{number(_round(quantity), digits=6)}</td>" for quantity in numbers)
    return f"<tr><td>{number(float(curve.h[i]), digits=4)}</td>{cells}</tr>"


def _bad(quantity: float) -> str:
    return "" if np.isfinite(quantity) else ' class="bad"'


def _round(quantity: float) -> float:
    """Round off the last digits, which contain the rounding of the subtraction."""
    return float(f"{quantity:.10g}")


def error_words(curve: Curve, lang: str) -> str:
    """What becomes of the error as h gets smaller."""
    return f'<p class="quiet">{quoted(say(lang, "derivatives-precision", course=course(curve)))}</p>'


def error_plot(curve: Curve, dark: bool, lang: str) -> dict[str, Any] | None:
    """The error of the quotient over h, both logarithmic, one line for each dtype, the best h of each marked.

    None where there is no error to draw.
    """
    if course(curve) in ("none", "exact"):
        return None
    tokens, shown = paints(dark), errors(curve)
    sizes = np.concatenate([errors.error[np.isfinite(errors.error)] for errors in shown])
    low, high = math.floor(math.log10(sizes[sizes > 0].min())) - 1, math.ceil(math.log10(sizes.max()) + 0.2)
    ticks = [10.0**k for k in range(low + 1, high + 1) if k % max(2, 2 * math.ceil((high - low) / 14)) == 0]
    names = [f"10<sup>{number(round(math.log10(one)))}</sup>" if one != 1 else "1" for one in ticks]
    if (sizes == 0).any():  # zero has the lowest row, which has no power of ten
        ticks, names = [10.0**low, *ticks], ["0", *names]
    slope = number(curve.slope, digits=6)
    axis = say(lang, "derivatives-error-axis", slope=f"({slope})" if curve.slope < 0 else slope)
    powers = {"exponentformat": "power", "type": "log"}
    return {
        "data": [_error_line(one, 10.0**low, tokens) for one in shown],
        "frames": [],
        "layout": layout(
            tokens, 270, margin={"l": 52, "r": 10, "t": 50, "b": 40}, annotations=[corner(axis, 24)],
            xaxis={**powers, "range": [0.5, -16.5], "dtick": 4, "title": {"text": "h", "standoff": 2}},
            yaxis={**powers, "range": [low, max(high, low + 1)], "tickvals": ticks, "ticktext": names},
            showlegend=True, uirevision=curve.sweep.f.text,
            legend={"orientation": "h", "x": 0, "y": 1, "yanchor": "bottom", "font": {"family": CODE_FONT, "size": 12}},
        ),
    }  # fmt: skip


def _error_line(errors: Errors, floor: float, tokens: Paints) -> Trace:
    """One dtype: a line through its errors, and a ring around the smallest."""
    best = np.arange(len(errors.h)) == (-1 if errors.best is None else errors.best)
    dash = {"float64": "solid", "float32": "6px,4px", "float16": "2px,3px"}[errors.dtype]
    paint = tokens.ink if errors.dtype == "float64" else tokens.quiet
    return {
        "type": "scatter", "mode": "lines+markers", "name": errors.dtype, "x": errors.h.tolist(),
        "y": sent(np.where(errors.error == 0, floor, errors.error)), "customdata": sent(errors.error),
        "line": {"color": paint, "width": 1.75, "dash": dash},
        "marker": {
            "size": np.where(best, 11, 5).tolist(), "color": [tokens.ground if one else paint for one in best],
            "line": {"color": paint, "width": 1.75},
        },
        "hovertemplate": f"{errors.dtype}<br>h %{{x:.0e}}: %{{customdata:.3~g}}<extra></extra>",
    }  # fmt: skip
