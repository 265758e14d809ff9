"""The Derivatives page: curve, tangent and secant, or a surface over two variables."""

import streamlit as st

from explorer.analysis.views.calculus.curve import Curve, Sweep, curve, sweep
from explorer.analysis.views.calculus.examples import CURVES, FunctionExample
from explorer.analysis.views.calculus.function import Function, FunctionProblem
from explorer.analysis.views.calculus.programs import AxisWindow, point_program, single, sweep_program
from explorer.analysis.views.calculus.run_check import judge
from explorer.drawing.marks import quoted
from explorer.drawing.notebook.placeholders import skeleton_html
from explorer.text import say
from explorer.ui.components.choice import segments
from explorer.ui.components.place import Place
from explorer.ui.components.session_values import SessionValue
from explorer.ui.pages.derivatives.parts import facts, picture, problem_html, ran, slope_chip
from explorer.ui.pages.derivatives.state import (
    STATE,
    example_line,
    examples,
    field,
    function_field,
    load_from_address,
    may_run,
    number_of,
    plain,
    put,
    update_address,
    window_of,
)
from explorer.ui.pages.derivatives.two import two_variables
from explorer.ui.panels.lesson import gallery_line
from explorer.ui.session.memo import memoize
from explorer.ui.session.program_button import open_as_program
from explorer.ui.session.startup import wait_until_ready

_last_good = SessionValue[Curve | None]("_derivatives_good")


def page(lang: str) -> None:
    """Draw the page."""
    with st.container(key="derivatives"):
        load_from_address()
        variables = STATE["more"]
        title, lede = quoted(say(lang, "nav-derivatives")), quoted(say(lang, f"derivatives-lede.{variables}"))
        st.html(f'<h2 class="page-title">{title}</h2><p class="lede">{lede}</p>')
        wait_until_ready(lang, skeleton_html("chart"))
        labels = {name: say(lang, f"derivatives-variables.{name}") for name in STATE.table["more"].choices}
        segments(say(lang, "derivatives-variables"), STATE.field("more"), labels)
        gallery_line(STATE, lang)
        if variables == "two":
            two_variables(lang)
        else:
            _one_variable(lang)
    update_address(lang)


def _one_variable(lang: str) -> None:
    """Draw the fields and the picture."""
    with st.container(key="derivatives_fields", horizontal=True):
        f, chip = _fields(lang)
    example_line(CURVES, "derivatives_try", "f", "at", lang)
    if may_run(lang):
        _picture(f, chip, lang)


def _fields(lang: str) -> tuple[Function, Place]:
    """Draw the fields of function, point and window. Return the slope's place."""
    f = function_field("f", say(lang, "derivatives-f", names="x"), ("x",), lang, 230)
    field("at", say(lang, "derivatives-at"), 96)
    field("low", say(lang, "derivatives-low"), 84)
    field("high", say(lang, "derivatives-high"), 84)
    chip = st.container(key="derivatives_chip", width="content")  # keeps its content until new content arrives
    examples(CURVES, "derivatives_try", lang, _load)
    return f, chip


def _load(example: FunctionExample) -> None:
    low, high = example.window
    put(f=example.text, at=plain(example.at[0]), low=plain(low), high=plain(high), second=40)


def _picture(f: Function, chip: Place, lang: str) -> None:
    """Draw the picture."""
    view, problem, below = None, None, st.container(key="derivatives_said")
    runs = st.container(key="derivatives_runs")  # one or two, in a fixed place so that the rest does not move
    try:
        at, window = _asked(lang)
        with runs:
            view = _read(f, at, window, lang)
        _last_good.put(view)
    except FunctionProblem as found:
        problem = found
    shown = view or _last_good.get()
    with below:
        if problem is not None:
            st.html(problem_html(problem, f, say(lang, "derivatives-f", names="x"), lang, shown is not None))
        else:
            chip.html(slope_chip(view, lang), width="content")
            st.html(facts(view, lang))
    if shown is not None:
        picture(shown, problem is not None, lang)
    if view is not None:
        text = single(f, (view.at,), float(view.h[STATE["second"]]), view.connected)
        open_as_program(text, lang, "derivatives_open", "derivative.py")


def _asked(lang: str) -> tuple[float, AxisWindow]:
    """Return the point and the window. A point outside moves the window. Raises FunctionProblem."""
    at = number_of(STATE["at"], say(lang, "derivatives-at"))
    low, high = (number_of(STATE[name], say(lang, f"derivatives-{name}")) for name in ("low", "high"))
    window = window_of(low, high, " … ".join(say(lang, f"derivatives-{name}") for name in ("low", "high")))
    if window.low <= at <= window.high:
        return at, window
    half = (high - low) / 2
    STATE.put(low=plain(at - half), high=plain(at + half))
    st.rerun()  # their input fields were drawn with the old values


def _read(f: Function, at: float, window: AxisWindow, lang: str) -> Curve:
    """Combine the window's run, kept while the point moves, with the point's."""
    here = ran(*point_program(f, at, window), lang)
    asked = (f, window)

    def swept() -> Sweep:
        judge(here, f)
        return sweep(ran(*sweep_program(*asked), lang), f, window)

    return memoize("curve", here, lambda: curve(here, memoize("sweep", None, swept, *asked)), *asked)
