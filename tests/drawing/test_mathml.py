"""Formulas: TeX in, MathML out, and nothing that could act."""

import re
from html.parser import HTMLParser

import pytest

from explorer.drawing.notebook.markdown import markdown_html, mathml, with_formulas


def test_an_inline_formula_becomes_mathml():
    assert with_formulas(markdown_html("Let $y = x^2$.")) == (
        '<p>Let <math display="inline"><mrow><mi>y</mi><mo>=</mo><msup><mi>x</mi><mn>2</mn></msup></mrow></math>.</p>\n'
    )


def test_a_display_formula_becomes_block_mathml():
    shown = with_formulas(markdown_html("$$\n\\frac{dy}{dx} = 2x\n$$\n"))
    assert shown.startswith('<math display="block">') and "<mfrac>" in shown


def test_brackets_around_a_matrix_stretch_even_inside_a_row():
    shown = mathml(r"A = \begin{pmatrix} 1 \\ 2 \end{pmatrix} (x)")
    grown = [text for text in ("(", ")") if re.search(rf'<mo[^>]*stretchy="true"[^>]*>\{text}</mo>', shown)]
    assert grown == ["(", ")"]
    assert shown.count('stretchy="true"') == 2, "those of (x) stay as they are"


@pytest.mark.parametrize("formula", ["$\\left( x$", "$\\foo{$", "$" + "{" * 500 + "$", "$" + "\\frac" * 150 + "$"])
def test_unreadable_formulas_stay_verbatim(formula):
    written = f'<span class="math">{formula}</span>'
    assert with_formulas(written) == written


@pytest.mark.parametrize(
    "formula",
    [
        r"$\text{<b onclick=alert(1)>x</b>}$",
        r"$\href{javascript:alert(1)}{x}$",
        r'$\color{red" onclick="x}{y}$',
        "$<img>$",
    ],
)
def test_formulas_are_inert(formula):
    found = []
    parser = HTMLParser()
    parser.handle_starttag = lambda tag, attributes: found.append((tag, *dict(attributes)))
    parser.feed(with_formulas(markdown_html(formula)))
    assert {tag for tag, *_ in found} <= {"p", "math", "mrow", "mtext", "mstyle", "mi", "mo"}
    assert {name for _, *names in found for name in names} <= {"display"}
