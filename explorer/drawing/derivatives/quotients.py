"""Difference quotients: the table beside the tangent, and how their error depends on h and on the dtype."""

import math
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from explorer.analysis.calculus.curve import Curve, Errors, course, errors
from explorer.drawing.derivatives.curves import sign
from explorer.drawing.marks import quoted, text
from explorer.drawing.plots.chart import Frame, Place, grid, line
from explorer.text import say
from explorer.text.numbers import number

Points = NDArray[np.float64]  # rows of x and y

NAME = 7.6  # px of a letter of a name
EVERY = 20  # second points from one row of the table to the next
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


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
        sides = "".join(_limit(side.slope) for side in (curve.beside.left, curve.beside.right))
        answer = f"<tr><td>autograd</td><td></td><td>{number(curve.slope, True, 6)}</td></tr>"
        last = f'<tr class="limit"><td>h → 0</td>{sides}</tr>{answer}'
    head = "".join(f'<th scope="col">{quoted(head)}</th>' for head in heads)
    return f'<table class="quotients"><thead><tr>{head}</tr></thead><tbody>{rows}{last}</tbody></table>'


def _limit(slope: float) -> str:
    return "<td>—</td>" if np.isnan(slope) else f'<td class="{sign(slope)}">{number(slope, True, 6)}</td>'


def _row(curve: Curve, i: int, numbers: tuple[float, float]) -> str:
    cells = "".join(f"<td{_bad(quantity)}>{number(_round(quantity), digits=6)}</td>" for quantity in numbers)
    return f'<tr data-i="{i}"><td>{number(float(curve.h[i]), digits=4)}</td>{cells}</tr>'


def _bad(quantity: float) -> str:
    return "" if np.isfinite(quantity) else ' class="bad"'


def _round(quantity: float) -> float:
    """Round off the last digits, which contain the rounding of the subtraction."""
    return float(f"{quantity:.10g}")


def error_table(curve: Curve, kind: str, lang: str) -> str:
    """The quotient for every h in the three dtypes; the best of each is marked."""
    of_kind = [error for error in errors(curve) if error.kind == kind]
    head = "".join(f'<th scope="col">{of_dtype.dtype}</th>' for of_dtype in of_kind)
    rows = "".join(
        f'<tr><th scope="row">{_power(i)}</th>{"".join(_quotient(of_dtype, i) for of_dtype in of_kind)}</tr>'
        for i in range(len(of_kind[0].h))
    )
    limit = "".join(f"<td>{number(curve.slope, True, 8)}</td>" for _ in of_kind)
    best = quoted(say(lang, "derivatives-best"))
    caption = quoted(say(lang, f"derivatives-{kind}-caption"))
    return (
        f'<div class="wide-table"><table class="numbers errors"><caption>{caption} '
        f'<span class="key">{best}</span></caption><tr><th scope="col">h</th>{head}</tr>{rows}'
        f'<tr class="limit {sign(curve.slope)}"><th scope="row">autograd</th>{limit}</tr></table></div>'
    )


def _quotient(errors: Errors, i: int) -> str:
    quotient = errors.quotient[i]
    name = "bad" if not np.isfinite(quotient) else "best" if i == errors.best else ""
    return f'<td class="{name}">{number(float(quotient), digits=9)}</td>'


def _power(i: int) -> str:
    return "1" if i == 0 else f"1e−{i}"


def error_words(curve: Curve, kind: str, lang: str) -> str:
    """What becomes of the error as h gets smaller."""
    return f'<p class="quiet">{quoted(say(lang, "derivatives-precision", course=course(curve, kind)))}</p>'


def error_picture(curve: Curve, kind: str, lang: str, width: float = 400) -> str:
    """The error of the quotient over h, both logarithmic, one line for each dtype, the best h of each marked.

    "" where there is no error to draw.
    """
    if course(curve, kind) in ("none", "exact"):
        return ""
    shown = [error for error in errors(curve) if error.kind == kind]
    sizes = np.concatenate([errors.error[np.isfinite(errors.error)] for errors in shown])
    low, high = math.floor(math.log10(sizes[sizes > 0].min())) - 1, math.ceil(math.log10(sizes.max()) + 0.2)
    low -= (high - low) // 8  # room for a name under the lowest
    frame = Frame(width, 236, -0.5, len(shown[0].h) - 0.5, low, max(high, low + 1), left=50, top=28, right=8, bottom=40)
    every = 2 * math.ceil((high - low) / 14)
    slope = number(curve.slope, digits=6)
    axis = say(lang, "derivatives-error-axis", slope=f"({slope})" if curve.slope < 0 else slope)
    parts = [
        *grid(
            frame,
            [(k, _power_of_ten(-k)) for k in range(0, len(shown[0].h), 4)],
            [(k, _power_of_ten(k)) for k in range(low + 1, high + 1) if k % every == 0],
            zero=math.inf,
        ),
        text(frame.left - 9, frame.y(low) + 4, "0", "tick", "end") if (sizes == 0).any() else "",
        text(frame.left, 15, axis, "tick ink"),
        text(frame.edge, frame.height - 6, "h", "tick ink", "end"),
        *(_error_line(frame, errors) for errors in shown),
        *_dtype_names(frame, shown),
    ]
    title = quoted(say(lang, "derivatives-errors-picture"))
    view = f'viewBox="0 0 {width:g} 236" width="{width:g}" height="236"'
    return f'<svg class="plane errors" {view} role="img" aria-label="{title}">{"".join(parts)}</svg>'


def _power_of_ten(k: int) -> str:
    return "1" if k == 0 else "10" + str(k).translate(_RAISED)


def _height(frame: Frame, error: float) -> float:
    """The position of an error; zero has the lowest row, which has no power of ten."""
    return frame.y(math.log10(error) if error > 0 else frame.floor)


def _places(frame: Frame, errors: Errors) -> list[Place]:
    """Where the errors of one dtype lie."""
    return [(frame.x(int(k)), _height(frame, errors.error[k])) for k in np.flatnonzero(np.isfinite(errors.error))]


def _error_line(frame: Frame, errors: Errors) -> str:
    """One dtype: a line through its errors, and a ring around the smallest."""
    finite, places = np.flatnonzero(np.isfinite(errors.error)), _places(frame, errors)
    if not places:
        return ""
    dots = "".join(_dot(x, y, k == errors.best) for k, (x, y) in zip(finite.tolist(), places, strict=True))
    return f'<g class="{errors.dtype}">{line(places, "")}{dots}</g>'


def _dot(x: float, y: float, best: bool) -> str:
    look = 'class="best" r="5.5"' if best else 'r="2.5"'
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" {look}/>'


def _dtype_names(frame: Frame, shown: list[Errors]) -> list[str]:
    """Each dtype's name: over no line, and far from those of other dtypes."""
    named = [one for one in shown if one.best is not None]
    lines = {one.dtype: _dense(_places(frame, one)) for one in named}
    taken = [(frame.left + 35, 15.0)]  # the name of the axis
    parts = []
    for one in named:
        others = [line for dtype, line in lines.items() if dtype != one.dtype]
        if (spot := _name_spot(frame, one, lines[one.dtype], others, taken)) is not None:
            taken.append(spot)
            parts.append(text(spot[0], spot[1] + 4, one.dtype, "dtype", "middle"))
    return parts


def _name_spot(frame: Frame, one: Errors, own: Points, others: list[Points], taken: list[Place]) -> Place | None:
    """The middle of a name above or below one of its errors, where it covers the least; None without room."""
    wide = NAME * len(one.dtype) / 2
    left, right = frame.left + wide + 4, frame.edge - wide
    spots = [
        (min(max(x, left), right), y + beside)
        for x, y in _places(frame, one)
        for beside in (22, -14)
        if frame.top - 10 < y + beside < frame.foot - 8
    ]
    names = np.array(taken).reshape(-1, 2)

    def covered(spot: Place) -> int:
        over = sum(_within(line, spot, wide + 3, 9) for line in (own, *others))
        near = sum(_within(line, spot, wide + 12, 26) for line in others)
        return 20 * over + near + 5000 * _within(names, spot, 2 * wide, 16)

    return min(spots, key=covered, default=None)


def _dense(places: list[Place]) -> Points:
    """Points along a line, no further apart than a few px."""
    ends = pairwise(places)
    return np.concatenate([np.array(places[:1]), *(np.linspace(start, end, 40) for start, end in ends)])


def _within(points: Points, middle: tuple[float, float], wide: float, high: float) -> int:
    """How many points lie in the box around a middle."""
    return int((np.abs(points - middle) < (wide, high)).all(axis=1).sum())
