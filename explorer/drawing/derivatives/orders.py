"""f and its derivatives below one another over one x axis, and a list of special points."""

import numpy as np

from explorer.analysis.calculus.curve import Curve, CurveMark, pieces, reach
from explorer.drawing.derivatives.curves import kink_label, sign
from explorer.drawing.marks import quoted, text
from explorer.drawing.plots.chart import Frame, axes, clip, line
from explorer.text import say
from explorer.text.numbers import number

PRIMES = ("", "′", "″", "⁽³⁾", "⁽⁴⁾")
_BREAKS = ("jump", "pole", "hole", "end")


def orders_picture(curve: Curve, lang: str, width: float = 760) -> str:
    """A strip for f and each derivative up to the fourth: blue below zero, orange above, its value at the point."""
    strips, top = [], 0.0
    for order, y in enumerate(curve.sweep.higher):
        last = order == len(curve.sweep.higher) - 1
        tall = 150 if order == 0 else 104
        strips.append(
            f'<g transform="translate(0 {top:g})">{_strip(curve, order, y, width, tall + 24 * last, last)}</g>'
        )
        top += tall + 24 * last + 6
    title = quoted(say(lang, "derivatives-orders-picture"))
    view = f'viewBox="0 0 {width:g} {top:g}" width="{width:g}" height="{top:g}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" class="plane orders" {view} role="img" aria-label="{title}">'
    return f"{head}{''.join(strips)}</svg>"


def orders_table(curve: Curve, lang: str) -> str:
    """f and its derivatives at the point, by autograd."""
    names = [f"{curve.sweep.f.name}{prime}({number(curve.at, digits=6)})" for prime in PRIMES]
    kinds = ["", *map(sign, curve.higher_at[1:])]
    cells = "".join(
        f'<tr><th scope="row">{quoted(name)}</th><td class="{kind}">{number(float(entry), kind != "", 8)}</td></tr>'
        for name, entry, kind in zip(names, curve.higher_at, kinds, strict=True)
    )
    return f'<table class="numbers"><caption>{quoted(say(lang, "derivatives-orders-caption"))}</caption>{cells}</table>'


def marks_table(curve: Curve, lang: str) -> str:
    """Where the slope is zero, jumps, or f breaks off; "" if there are no such points."""
    seen = [mark for mark in curve.sweep.marks if curve.sweep.window.low <= mark.x <= curve.sweep.window.high]
    if not seen:
        return ""
    heads = "".join(f'<th scope="col">{quoted(say(lang, f"derivatives-marks-{word}"))}</th>' for word in _HEADS)
    rows = "".join(_mark_row(mark, lang) for mark in seen)
    caption = quoted(say(lang, "derivatives-marks"))
    table = f'<table class="numbers"><caption>{caption}</caption><tr>{heads}</tr>{rows}</table>'
    return f'<div class="wide-table">{table}</div>'


_HEADS = ("x", "kind", "value", "left", "right")


def _mark_row(mark: CurveMark, lang: str) -> str:
    flat = mark.kind in ("low", "high", "level")
    same = abs(mark.left - mark.right) <= 1e-4 * max(1.0, abs(mark.left))
    value = number(mark.left, digits=5) if same else f"{number(mark.left)} ∣ {number(mark.right)}"
    value = "" if mark.kind in ("pole", "end") else value
    sides = [0.0, 0.0] if flat else [mark.left_slope, mark.right_slope] if mark.kind == "kink" else []
    sides = [float(f"{side:.4g}") for side in sides]  # quotients: the digits after these are noise
    cells = "".join(f'<td class="{sign(side)}">{number(side, True)}</td>' for side in sides) or "<td></td><td></td>"
    kind = quoted(say(lang, f"derivatives-mark-{mark.kind}"))
    return f'<tr><td>{number(mark.x, digits=6)}</td><td class="words">{kind}</td><td>{value}</td>{cells}</tr>'


def _strip(curve: Curve, order: int, y: np.ndarray, width: float, tall: float, last: bool) -> str:
    narrow = width < 500
    value = float(curve.higher_at[order])
    floor, roof = reach(y, 0.0 if order else value)
    frame = Frame(
        width, tall, curve.sweep.window.low, curve.sweep.window.high, floor, roof,
        left=44 if narrow else 56, right=20 if narrow else 112, top=8, bottom=32 if last else 8,
    )  # fmt: skip
    name = f"order{order}-{int(width)}"
    cuts = tuple(mark for mark in curve.sweep.marks if mark.kind in _BREAKS)
    broken = (
        tuple(_cut_at(mark, curve.sweep.x, y) for mark in curve.sweep.marks if mark.kind == "kink") if order else ()
    )
    kinks = () if order else tuple(mark for mark in curve.sweep.marks if mark.kind == "kink")
    broken_at = pieces(curve.sweep.x, y, (*(_cut_at(mark, curve.sweep.x, y) for mark in cuts), *broken, *kinks))
    lines = [frame.places(*piece) for piece in broken_at]
    zero = frame.y(0.0)
    if order == 0 or not np.nan_to_num(y).any():
        drawn = "".join(line(one, "curve") for one in lines)
    else:  # one line, in the colour of its sign
        drawn = "".join(
            f'<g clip-path="url(#{name}{half})">{"".join(line(one, f"curve {half}") for one in lines)}</g>'
            for half in ("pos", "neg")
        )
    halves = "".join(
        f'<clipPath id="{name}{half}"><rect width="{width:g}" y="{y0:.1f}" height="{y1:.1f}"/></clipPath>'
        for half, y0, y1 in (("pos", -9, zero + 10), ("neg", zero - 0.5, tall))
    )
    x = frame.x(curve.at)
    parts = [
        f"<defs>{clip(name, frame)}{halves}</defs>",
        *axes(frame, last, rows=3),
        f'<path class="here" d="M{x:.1f} {frame.top:g}V{frame.foot:g}"/>',
        f'<g clip-path="url(#{name})">{drawn}</g>',
        *(_flat(frame, mark, order) for mark in curve.sweep.marks if order < 2),
        *(kink_label(frame, mark) for mark in kinks if floor <= mark.left <= roof),
        f'<circle class="spot" cx="{x:.1f}" cy="{frame.y(value):.1f}" r="4"/>'
        if floor <= value <= roof and (order == 0 or curve.beside.differentiable)
        else "",
        _said(frame, curve, order, value, narrow),
    ]
    return "".join(parts)


def _said(frame: Frame, curve: Curve, order: int, value: float, narrow: bool) -> str:
    name, shown = f"{curve.sweep.f.name}{PRIMES[order]}", number(value, order > 0, 4)
    kind = "" if order == 0 else sign(value)
    if narrow:
        inside = f'<tspan class="{kind}">{quoted(shown)}</tspan>'
        return f'<text class="name" x="{frame.left + 8:.1f}" y="{frame.top + 15:.1f}">{quoted(name)} {inside}</text>'
    x, y = frame.edge + 12, frame.top + 18
    return text(x, y, name, "name") + text(x, y + 20, shown, f"value {kind}")


def _flat(frame: Frame, mark: CurveMark, order: int) -> str:
    """Where f is level: a short level line at f, a ring where f′ crosses zero."""
    if mark.kind not in ("low", "high", "level"):
        return ""
    x = frame.x(mark.x)
    if order == 0:
        y = frame.y(mark.left)
        return f'<path class="level" d="M{x - 16:.1f} {y:.1f}h32"/>'
    return f'<circle class="ring" cx="{x:.1f}" cy="{frame.y(0.0):.1f}" r="3.5"/>'


def _cut_at(mark: CurveMark, x: np.ndarray, y: np.ndarray) -> CurveMark:
    """A place where a derivative breaks off, with the derivative's own heights on both sides."""
    beside = [y[x < mark.x - 1e-9], y[x > mark.x + 1e-9]]
    left, right = (float(part[at]) if part.size else float("nan") for part, at in zip(beside, (-1, 0), strict=True))
    return CurveMark("jump", mark.x, left, right, 0.0, 0.0)
