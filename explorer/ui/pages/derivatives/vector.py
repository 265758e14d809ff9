"""Functions with several outputs: the Jacobian, and one product with it from each side."""

import streamlit as st

from explorer.analysis.calculus.examples import VECTORS, FunctionExample
from explorer.analysis.calculus.function import Function, FunctionProblem
from explorer.analysis.calculus.programs import vector_program, vector_single
from explorer.analysis.calculus.surface import Products, products
from explorer.drawing.derivatives.jacobians import jacobian_picture, product_rows
from explorer.drawing.marks import quoted
from explorer.text import say
from explorer.ui.components.session_values import LastGood
from explorer.ui.pages.derivatives.parts import good_or_last, ran
from explorer.ui.pages.derivatives.state import (
    STATE,
    example_line,
    examples,
    field,
    function_field,
    numbers_of,
    plain,
    put,
)
from explorer.ui.session.program_button import open_as_program

NAMES = ("x", "y", "z", "w", "p", "q", "r", "s")
_last_good: LastGood = LastGood("_derivatives_vector")


def vector_function(lang: str) -> None:
    """Draw the section."""
    st.html(f'<p class="quiet">{quoted(say(lang, "derivatives-vector-lede"))}</p>')
    names = _variables()
    with st.container(key="derivatives_fields_vector", horizontal=True):
        label = say(lang, "derivatives-vector-field")
        f = function_field("outputs", say(lang, "derivatives-vector-f"), names, lang, 300)
        field("inputs", say(lang, "derivatives-vector-at", names=", ".join(names)), 150)
        for name in ("v", "u"):
            field(name, say(lang, f"derivatives-vector-{name}"), 170)
        examples(VECTORS, "derivatives_try_vector", lang, _load)
    example_line(VECTORS, "derivatives_try_vector", "outputs", "inputs", lang)
    shown, stale = good_or_last(_last_good, lambda: _computed(f, lang), f, label, lang)
    if shown is None:
        return
    heading = quoted(say(lang, "derivatives-jacobian"))
    st.html(
        f'<div class="two-sides vector{" is-stale" if stale else ""}">'
        f"<div><h4>{heading}</h4>{jacobian_picture(shown, lang)}</div><div>{product_rows(shown, lang)}</div></div>"
    )
    if not stale:
        text = vector_single(f, tuple(shown.at.tolist()), tuple(shown.v.tolist()))
        open_as_program(text, lang, "derivatives_open_vector", "jacobian.py", say(lang, "derivatives-open-vector"))


def _variables() -> tuple[str, ...]:
    """As many names as the point has numbers, at least one. What its field says now counts, though it comes later."""
    typed = STATE["inputs"]
    count = len(typed.replace(",", " ").replace("，", " ").strip("()[] ").split())
    return NAMES[: max(1, min(count, len(NAMES)))]


def _load(example: FunctionExample) -> None:
    at = ", ".join(map(plain, example.at))
    ones = {"two-by-two": "1, 1", "polar": "1, 1", "softmax": "1, 0, 0", "wide": "1"}[example.name]
    put(outputs=example.text, inputs=at, v=ones, u=", ".join("1" for _ in example.at))


def _computed(f: Function, lang: str) -> Products:
    """What the run says. Raises Problem."""
    at = numbers_of(STATE["inputs"], say(lang, "derivatives-vector-at", names=", ".join(f.variables)))
    if len(at) > len(NAMES):
        raise FunctionProblem("count", (("field", ", ".join(NAMES)), ("wanted", len(NAMES)), ("found", len(at))))
    v, u = (numbers_of(STATE[name], say(lang, f"derivatives-vector-{name}")) for name in ("v", "u"))
    program, options = vector_program(f, at, v, u)
    result = ran(program, options, lang)
    view = products(result, f)
    for name, given, used in (("v", v, view.v), ("u", u, view.u)):
        if len(given) != len(used):
            field_name = say(lang, f"derivatives-vector-{name}")
            raise FunctionProblem("count", (("field", field_name), ("wanted", len(used)), ("found", len(given))))
    return view
