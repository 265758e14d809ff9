"""A Jacobian with names along its sides, and its two products written out."""

import numpy as np

from explorer.analysis.calculus.surface import Products
from explorer.drawing.derivatives.surfaces import matrix, side_notes
from explorer.drawing.marks import quoted
from explorer.text import say
from explorer.text.numbers import number

_DIGITS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def jacobian_picture(view: Products, lang: str) -> str:
    """The Jacobian: a row for each output, a column for each input."""
    rows = [f"{output(i)} <small>= {number(float(entry), digits=5)}</small>" for i, entry in enumerate(view.value)]
    columns = [
        f"{_input(view, j)} <small>= {number(float(entry), digits=5)}</small>" for j, entry in enumerate(view.at)
    ]
    partials = [
        (f"{view.f.arguments[j]} ({output(i)})", beside, float(view.jacobian[i, j]))
        for i, row in enumerate(view.beside)
        for j, beside in enumerate(row)
    ]
    notes = "".join(f'<p class="quiet">{quoted(sentence)}</p>' for sentence in side_notes(partials, lang))
    return matrix(view.jacobian, rows, columns) + notes


def product_rows(view: Products, lang: str) -> str:
    """v · J and J · u with every summand, and what each costs."""
    vjp = [
        _sum(_input(view, j), [(view.v[i], view.jacobian[i, j]) for i in range(len(view.v))], view.vjp[j])
        for j in range(len(view.at))
    ]
    jvp = [
        _sum(output(i), [(view.jacobian[i, j], view.u[j]) for j in range(len(view.u))], view.jvp[i])
        for i in range(len(view.value))
    ]
    rows, columns = view.passes
    parts = (
        ("vjp", f"v = {_tuple(view.v)}", vjp, say(lang, "derivatives-vjp-cost", rows=rows)),
        ("jvp", f"u = {_tuple(view.u)}", jvp, say(lang, "derivatives-jvp-cost", columns=columns)),
    )
    return "".join(
        f'<section class="product"><h4>{quoted(say(lang, f"derivatives-{kind}"))} <code>{quoted(given)}</code></h4>'
        f'<table class="sums">{"".join(lines)}</table><p class="quiet">{quoted(cost)}</p></section>'
        for kind, given, lines, cost in parts
    )


def output(i: int) -> str:
    """The name of an output."""
    return f"f{str(i + 1).translate(_DIGITS)}"


def _input(view: Products, j: int) -> str:
    names = view.f.arguments
    return quoted(names[j]) if j < len(names) else f"x{str(j + 1).translate(_DIGITS)}"


def _sum(name: str, terms: list[tuple[float, float]], total: float) -> str:
    said = " + ".join(f"{_factor(a)} · {_factor(b)}" for a, b in terms[:6]) + (" + …" if len(terms) > 6 else "")
    kind = "bad" if not np.isfinite(total) else "pos" if total > 0 else "neg" if total < 0 else "zero"
    return (
        f'<tr><th scope="row">{name}</th><td>{said} =</td><td class="{kind}">{number(float(total), True, 5)}</td></tr>'
    )


def _factor(factor: float) -> str:
    said = number(float(factor), digits=4)
    return f"({said})" if said.startswith("−") else said


def _tuple(entries: np.ndarray) -> str:
    shown = ", ".join(number(float(entry), digits=4) for entry in entries[:8])
    return f"({shown}{', …' if len(entries) > 8 else ''})"
