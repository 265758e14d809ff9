"""Functions of two variables: surface and plane, gradient, descent, Hessian."""

import numpy as np
import streamlit as st

from explorer.analysis.views.calculus.examples import SURFACES, FunctionExample
from explorer.analysis.views.calculus.function import Function, FunctionProblem
from explorer.analysis.views.calculus.programs import single, surface_program
from explorer.analysis.views.calculus.surface import Surface, surface
from explorer.drawing.derivatives.surfaces import contour_plot, surface_notes, surface_numbers, surface_plot
from explorer.drawing.marks import quoted
from explorer.text import say
from explorer.text.numbers import number
from explorer.ui.components.session_values import SessionValue
from explorer.ui.pages.derivatives.parts import good_or_last, ran
from explorer.ui.pages.derivatives.state import (
    STATE,
    example_line,
    examples,
    field,
    function_field,
    may_run,
    number_of,
    pair_of,
    plain,
    put,
    window_of,
)
from explorer.ui.panels.plots import figure
from explorer.ui.session.memo import memoize
from explorer.ui.session.program_button import open_as_program

VARIABLES = ("x", "y")
MOST_STEPS = 200
_last_good = SessionValue[Surface | None]("_derivatives_surface")


def two_variables(lang: str) -> None:
    """Draw the fields and the pictures."""
    with st.container(key="derivatives_fields_two", horizontal=True):
        names = ", ".join(VARIABLES)
        label = say(lang, "derivatives-f", names=names)
        f = function_field("g", label, VARIABLES, lang, 226)
        field("g_at", say(lang, "derivatives-two-at", names=", ".join(f.arguments)), 120)
        for name, label in zip(("g_x", "g_y"), f.arguments, strict=True):
            field(name, say(lang, "derivatives-two-x", name=label), 88)
        for name, width in (("rate", 76), ("steps", 66)):
            field(name, say(lang, f"derivatives-{name}"), width)
        examples(SURFACES, "derivatives_try_two", lang, _load)
    example_line(SURFACES, "derivatives_try_two", "g", "g_at", lang)
    if not may_run(lang):
        return
    shown, stale = good_or_last(_last_good, lambda: _computed(f, lang), f, label, lang)
    if shown is None:
        return
    _draw(shown, stale, lang)
    if not stale:
        text = single(f, tuple(shown.at.tolist()), backward=shown.connected)
        open_as_program(text, lang, "derivatives_open_two", "gradient.py")


def _load(example: FunctionExample) -> None:
    left, right, low, high = map(plain, example.window)
    at = ", ".join(map(plain, example.at))
    put(g=example.text, g_at=at, g_x=f"{left}, {right}", g_y=f"{low}, {high}", rate=plain(example.rate))


def _computed(f: Function, lang: str) -> Surface:
    """Return the result of the run. Raises FunctionProblem."""
    names = ", ".join(f.arguments)
    at, height = pair_of(STATE["g_at"], say(lang, "derivatives-two-at", names=names))
    labels = [say(lang, "derivatives-two-x", name=argument) for argument in f.arguments]
    ends = [pair_of(STATE[name], label) for name, label in zip(("g_x", "g_y"), labels, strict=True)]
    across, up = (window_of(low, high, label) for (low, high), label in zip(ends, labels, strict=True))
    rate, steps = (number_of(STATE[name], say(lang, f"derivatives-{name}")) for name in ("rate", "steps"))
    if steps != int(steps) or not 0 <= steps <= MOST_STEPS:
        raise FunctionProblem("steps", (("found", steps),))
    program, options = surface_program(f, (at, height), across, up, rate, int(steps))
    result = ran(program, options, lang)
    return memoize("surface", result, lambda: surface(result, f), f)


def _draw(view: Surface, stale: bool, lang: str) -> None:
    dark = st.context.theme.type == "dark"
    with st.container(key="derivatives_two_stale" if stale else "derivatives_two"):
        if facts := surface_notes(view, lang):
            st.html(f'<div class="facts">{"".join(f"<p>{quoted(fact)}</p>" for fact in facts)}</div>')
        with st.container(key="derivatives_planes", horizontal=True):
            left, right = (st.container(key=f"derivatives_{name}") for name in ("surface", "contours"))
        st.html(f'<div class="at-point">{surface_numbers(view, lang)}<div>{_descent(view, lang)}</div></div>')
    # The surface is last: without a graphics card the browser is slow to draw it, and everything else is ready by then.
    for place, name, plot in ((right, "contours", contour_plot), (left, "surface", surface_plot)):
        with place:
            title = say(lang, f"derivatives-{name}")
            st.html(f"<h3>{quoted(title)}</h3>")
            figure(plot(view, dark, lang), title, f"derivatives_plot_{name}", lang)


def _descent(view: Surface, lang: str) -> str:
    """Describe where gradient descent ends, and up to which rate it can converge."""
    steps, heights = len(view.heights) - 1, view.heights
    rate = number(number_of(STATE["rate"], "rate"), digits=6)
    if not np.isfinite(view.path).all():
        last = int(np.flatnonzero(~np.isfinite(view.path).all(1))[0]) - 1
        text = say(lang, "derivatives-descent-nan", step=str(max(0, last)))
    else:
        begin, end = (number(float(height), digits=4) for height in (heights[0], heights[-1]))
        values = {"steps": str(steps), "rate": rate, "first": begin, "last": end}
        text = say(lang, "derivatives-descent", diverges="yes" if view.diverges else "no", **values)
    lines = [text]
    if view.highest_rate is not None:
        lines.append(say(lang, "derivatives-descent-limit", limit=number(view.highest_rate, digits=4)))
    return "".join(f'<p class="quiet">{quoted(line)}</p>' for line in lines)
