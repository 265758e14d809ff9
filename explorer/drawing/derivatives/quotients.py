"""Draw difference quotients and their error."""

import math
from typing import Any

import numpy as np

from explorer.analysis.views.calculus.curve import Curve, Errors, course, errors
from explorer.drawing.derivatives.curves import corner, sign
from explorer.drawing.marks import quoted
from explorer.drawing.plots.motion import Trace, sent
from explorer.drawing.plots.plotly_look import CODE_FONT, Paints, layout, paints
from explorer.text import say
from explorer.text.numbers import number

EVERY = 20  # second points from one row of the table to the next


def quotient_table(curve: Curve, lang: str) -> str:
    """Render six rows of h, rise and quotient, and the derivative they approach.

    At a point without a derivative: quotients from both sides, their limits, and autograd's answer.
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
    """Return a side's limit of quotients, NaN for none."""
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
    """Describe how the error changes as h shrinks."""
    return f'<p class="quiet">{quoted(say(lang, "derivatives-precision", course=course(curve)))}</p>'


def error_plot(curve: Curve, dark: bool, lang: str) -> dict[str, Any] | None:
    """Draw the quotient's error over h for each dtype, with its best h."""
    if course(curve) in ("none", "exact"):
        return None
    tokens, shown = paints(dark), errors(curve)
    sizes = np.concatenate([errors.error[np.isfinite(errors.error)] for errors in shown])
    low, high = math.floor(math.log10(sizes[sizes > 0].min())) - 1, math.ceil(math.log10(sizes.max()) + 0.2)
    ticks = [10.0**k for k in range(low + 1, high + 1) if k % max(2, 2 * math.ceil((high - low) / 14)) == 0]
    names = list(map(_power, ticks))
    if (sizes == 0).any():  # zero has the lowest row, which has no power of ten
        ticks, names = [10.0**low, *ticks], ["0", *names]
    slope = number(curve.slope, digits=6)
    axis = say(lang, "derivatives-error-axis", slope=f"({slope})" if curve.slope < 0 else slope)
    steps = [10.0**-k for k in range(0, 17, 4)]
    return {
        "data": [_error_line(one, 10.0**low, tokens) for one in shown],
        "frames": [],
        "layout": layout(
            tokens, 270, margin={"l": 52, "r": 10, "t": 50, "b": 40}, annotations=[corner(axis, 24)],
            xaxis={
                "type": "log", "range": [0.5, -16.5], "tickvals": steps, "ticktext": list(map(_power, steps)),
                "title": {"text": "h", "standoff": 2},
            },
            yaxis={"type": "log", "range": [low, max(high, low + 1)], "tickvals": ticks, "ticktext": names},
            showlegend=True, uirevision=curve.sweep.f.text,
            legend={"orientation": "h", "x": 0, "y": 1, "yanchor": "bottom", "font": {"family": CODE_FONT, "size": 12}},
        ),
    }  # fmt: skip


def _power(of_ten: float) -> str:
    """Return a tick's text. Plotly's own powers of ten are larger than the axis's font."""
    return "1" if of_ten == 1 else f"10<sup>{number(round(math.log10(of_ten)))}</sup>"


def _error_line(errors: Errors, floor: float, tokens: Paints) -> Trace:
    """Draw one dtype's errors with a circle around the smallest."""
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
