"""Difference quotients: the table beside the tangent, and how their error depends on h and on the dtype."""

import numpy as np
import plotly.graph_objects as go

from explorer.calculus import Curve
from explorer.calculus.quotients import Errors, errors
from explorer.drawing.curves import sign
from explorer.drawing.figures import Paints, paints
from explorer.drawing.marks import quoted
from explorer.text import say
from explorer.text.numbers import number

EVERY = 20  # second points from one row of the table to the next
_LOOKS = {  # of a curve: dash, marker, its size
    "float16": ("2px,3px", "square-open", 6),
    "float32": ("6px,4px", "diamond-open", 7),
    "float64": ("solid", "circle", 6),
}


def quotient_table(curve: Curve, lang: str) -> str:
    """Six rows of h, rise and quotient, and the derivative that they approach."""
    at = number(curve.at, digits=6)
    heads = ("h", f"f({at} + h) − f({at})".replace("+ −", "− "), say(lang, "derivatives-quotient"))
    rows = "".join(_row(curve, i) for i in range(0, len(curve.h), EVERY))
    limit = f'<tr class="limit {sign(curve.slope)}"><td>h → 0</td><td></td><td>{number(curve.slope, True, 6)}</td></tr>'
    head = "".join(f'<th scope="col">{quoted(one)}</th>' for one in heads)
    return f'<table class="quotients"><thead><tr>{head}</tr></thead><tbody>{rows}{limit}</tbody></table>'


def _row(curve: Curve, i: int) -> str:
    numbers = (curve.rise[i], curve.quotient[i])
    cells = "".join(f"<td{_bad(one)}>{number(_round(one), digits=6)}</td>" for one in numbers)
    return f'<tr data-i="{i}"><td>{number(float(curve.h[i]), digits=4)}</td>{cells}</tr>'


def _bad(one: float) -> str:
    return "" if np.isfinite(one) else ' class="bad"'


def _round(one: float) -> float:
    """Without the last digits, in which the rounding of the subtraction stands."""
    return float(f"{one:.10g}")


def error_table(curve: Curve, kind: str, lang: str) -> str:
    """The quotient for every h in the three dtypes; the best of each is marked."""
    found = [one for one in errors(curve) if one.kind == kind]
    head = "".join(f'<th scope="col">{one.dtype}</th>' for one in found)
    rows = "".join(
        f'<tr><th scope="row">{_power(i)}</th>{"".join(_quotient(one, i) for one in found)}</tr>'
        for i in range(len(found[0].h))
    )
    limit = "".join(f"<td>{number(curve.slope, True, 8)}</td>" for _ in found)
    best = quoted(say(lang, "derivatives-best"))
    caption = quoted(say(lang, f"derivatives-{kind}-caption"))
    return (
        f'<div class="wide-table"><table class="numbers errors"><caption>{caption} '
        f'<span class="key">{best}</span></caption><tr><th scope="col">h</th>{head}</tr>{rows}'
        f'<tr class="limit {sign(curve.slope)}"><th scope="row">autograd</th>{limit}</tr></table></div>'
    )


def _quotient(one: Errors, i: int) -> str:
    quotient = one.quotient[i]
    name = "bad" if not np.isfinite(quotient) else "best" if i == one.best else ""
    return f'<td class="{name}">{number(float(quotient), digits=9)}</td>'


def _power(i: int) -> str:
    return "1" if i == 0 else f"1e−{i}"


def error_plot(curve: Curve, kind: str, dark: bool, lang: str) -> go.Figure:
    """The error of the quotient over h, both logarithmic, one curve for each dtype, the best h of each marked."""
    tokens, drawn = paints(dark), go.Figure()
    shown = [one for one in errors(curve) if one.kind == kind]
    floor = min((float(e) for one in shown for e in one.error if np.isfinite(e) and e > 0), default=1e-16) / 3
    for one in shown:
        _add(drawn, one, tokens, floor, lang)
    drawn.update_layout(
        height=330,
        margin={"l": 58, "r": 16, "t": 34, "b": 42},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"family": "Source Sans, sans-serif", "size": 13, "color": tokens.ink},
        showlegend=False,
        template="none",
        hoverlabel={"font": {"family": "Source Code Pro, monospace"}},
    )
    axis = {
        "type": "log", "dtick": 2, "exponentformat": "power", "fixedrange": True, "gridcolor": tokens.grid,
        "linecolor": tokens.line, "zeroline": False,
        "tickfont": {"family": "Source Code Pro, monospace", "size": 12, "color": tokens.quiet},
    }  # fmt: skip
    drawn.update_xaxes(**axis, range=[0.6, 0.4 - len(shown[0].h)], title={"text": "h", "standoff": 4})
    drawn.update_yaxes(**axis, range=_height(shown, floor))
    slope = number(curve.slope, digits=6)
    words = say(lang, "derivatives-error-axis", slope=f"({slope})" if curve.slope < 0 else slope)
    place = {"xref": "paper", "yref": "paper", "x": 0, "y": 1.0, "xanchor": "left", "yanchor": "bottom", "yshift": 8}
    drawn.add_annotation(text=quoted(words), showarrow=False, font={"size": 13, "color": tokens.ink}, **place)
    return drawn


def _height(shown: list[Errors], floor: float) -> list[float]:
    """The powers of ten that the axis spans, with room for a name under the lowest point."""
    found = np.concatenate([one.error[np.isfinite(one.error)] for one in shown] or [np.ones(1)])
    if not found.size:
        return [-1.0, 1.0]
    low, high = np.log10(max(floor, found.min())), np.log10(max(floor, found.max()))
    room = 0.06 * (high - low) + 0.2
    return [float(low - 3 * room), float(high + 1.5 * room)]


def _add(drawn: go.Figure, one: Errors, tokens: Paints, floor: float, lang: str) -> None:
    dash, marker, size = _LOOKS[one.dtype]
    paint = tokens.ink if one.dtype == "float64" else tokens.quiet
    y = np.where(np.isfinite(one.error), np.maximum(one.error, floor), np.nan)
    hover = f"h %{{x:.0e}}<br>{quoted(say(lang, 'derivatives-error'))} %{{customdata:.2e}}<extra>{one.dtype}</extra>"
    drawn.add_scatter(
        x=one.h, y=y, customdata=one.error, name=one.dtype, mode="lines+markers", connectgaps=False,
        line={"width": 2, "dash": dash, "color": paint}, marker={"size": size, "symbol": marker, "color": paint},
        hovertemplate=hover,
    )  # fmt: skip
    if one.best is None:
        return
    ring = {"size": 15, "symbol": "circle-open", "color": tokens.ink, "line": {"width": 1.5}}
    drawn.add_scatter(x=[one.h[one.best]], y=[y[one.best]], mode="markers", marker=ring, hoverinfo="skip")
    # Where its name disturbs nothing: under the lowest of all, over the plateau of rounding of the others.
    at, shift = one.best, -19
    if one.dtype != "float64":
        at, shift = (one.best + int(np.flatnonzero(np.isfinite(y))[-1]) + 1) // 2, 13
    drawn.add_annotation(
        x=np.log10(one.h[at]), y=np.log10(y[at]), text=one.dtype, showarrow=False, yshift=shift,
        font={"size": 12.5, "family": "Source Code Pro, monospace", "color": paint},
    )  # fmt: skip
