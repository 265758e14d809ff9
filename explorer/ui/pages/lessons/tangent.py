"""A question whose point is moved along a curve until its tangent is as asked."""

import streamlit as st

from explorer.analysis.calculus.curve import Curve, Sweep, curve, sweep
from explorer.analysis.calculus.function import Function, FunctionProblem
from explorer.analysis.calculus.programs import AxisWindow, point_program, sweep_program
from explorer.drawing.derivatives.curves import tangent_plot
from explorer.drawing.marks import quoted
from explorer.lessons.asks import TangentAsk
from explorer.lessons.facts import Reply
from explorer.lessons.lesson import Lesson
from explorer.text import say
from explorer.text.numbers import number
from explorer.ui.pages.derivatives.parts import facts, picture_title, ran
from explorer.ui.pages.lessons.learner import key_of
from explorer.ui.panels.plots import bring_plotly, figure
from explorer.ui.session.memo import memoize

STEPS = 120  # places of the slider


def point(lesson: Lesson, ask: TangentAsk, lang: str) -> float:
    """Draw the slider; where the point is."""
    key = f"lesson_point_{key_of(lesson, ask)}"
    step = (ask.high - ask.low) / STEPS
    places = [round(ask.low + step * k, 10) for k in range(STEPS + 1)]
    nearest = min(places, key=lambda place: abs(place - ask.at))
    return st.select_slider(say(lang, "lessons-point"), places, value=nearest, key=key, format_func=number)


def tangent(ask: TangentAsk, at: float, lang: str) -> Curve | None:
    """Draw the curve with its tangent; None where the function has none there."""
    f, window = Function(ask.f), AxisWindow(ask.low, ask.high)
    with st.container(key="lesson_running"):
        try:
            here = ran(*point_program(f, at, window), lang)

            def swept() -> Sweep:
                return sweep(ran(*sweep_program(f, window), lang), f, window)

            view = curve(here, memoize("lesson sweep", None, swept, f, window))
        except FunctionProblem as problem:
            st.html(f'<p class="notice" role="alert">{quoted(say(lang, "lessons-no-curve", words=str(problem)))}</p>')
            return None
    with st.container(key="lesson_tangent"):
        bring_plotly()
        st.html(facts(view, lang))
        drawn = tangent_plot(view, st.context.theme.type == "dark", lang, still=True)
        figure(drawn, picture_title(view, lang), "lesson_curve", lang)
    return view


def judge_tangent(ask: TangentAsk, view: Curve | None) -> Reply:
    """Whether the slope is as asked, by the Trace."""
    if view is None or view.slope is None:
        return Reply(None)
    return Reply(abs(view.slope - ask.slope) <= ask.near)
