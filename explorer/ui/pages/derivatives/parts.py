"""Parts of the Derivatives page: the movable tangent picture and its sentences."""

import math
from collections.abc import Callable
from typing import TypeVar

import numpy as np
import streamlit as st

from explorer.analysis.views.calculus.curve import Curve
from explorer.analysis.views.calculus.function import MOST, Function, FunctionProblem
from explorer.drawing.derivatives.curves import sign, tangent_plot
from explorer.drawing.derivatives.quotients import error_plot, error_words, quotient_table
from explorer.drawing.marks import quoted
from explorer.program import Program, Unusable
from explorer.text import say
from explorer.text.numbers import number, shorten
from explorer.trace import Options, Trace
from explorer.ui.components.session_values import SessionValue
from explorer.ui.pages.derivatives.state import STATE, plain, put
from explorer.ui.panels.plots import figure, slid
from explorer.ui.panels.problems import where
from explorer.ui.session.memo import memoize
from explorer.ui.session.program_run import computed

KEY = "derivatives_picture"
View = TypeVar("View")


def picture(curve: Curve, stale: bool, lang: str) -> None:
    """Draw the curve, tangent, sliders and tables, and read where the point was moved."""
    dark = st.context.theme.type == "dark"
    with st.container(key="derivatives_view_stale" if stale else "derivatives_view", horizontal=True):
        how = dark, lang, STATE["second"]
        drawn = memoize("tangents", curve, lambda: tangent_plot(curve, *how), *how)
        figure(drawn, picture_title(curve, lang), KEY, lang, on_slid=_moved)
        with st.container(key="derivatives_beside"):
            way = "+" if curve.beside.differentiable else "±"
            lede = say(lang, "derivatives-quotients-lede", at=number(curve.at, digits=6), way=way)
            heading, precise = (quoted(say(lang, f"derivatives-{word}")) for word in ("quotients", "precision-title"))
            st.html(f"<h3>{heading}</h3><p class=quiet>{quoted(lede)}</p>{quotient_table(curve, lang)}")
            st.html(f"<h3>{precise}</h3>")
            st.html(error_words(curve, lang))
            if (errors := error_plot(curve, dark, lang)) is not None:
                figure(errors, say(lang, "derivatives-errors-picture"), "derivatives_error", lang)


def picture_title(curve: Curve, lang: str) -> str:
    """Describe the picture for a screen reader."""
    return say(lang, "derivatives-picture", text=shorten(curve.sweep.f.text, 60), at=number(curve.at, digits=6))


def _moved() -> None:
    match slid(KEY):
        case (0, _, at):
            put(at=plain(at))
        case (1, place, _) if 0 <= place <= 100:
            STATE["second"] = place


def slope_chip(curve: Curve, lang: str) -> str:
    """Render the derivative at the point, or its absence and autograd's answer."""
    name, at, slope = curve.sweep.f.name, number(curve.at, digits=6), number(curve.slope, True, 6)
    kind, text, by = sign(curve.slope), f"{name}′({at}) = {slope}", say(lang, "derivatives-by-autograd")
    if curve.beside.verdict == "differs":
        limit = curve.beside.left.slope
        kind, text = sign(limit), f"{name}′({at}) = {number(limit, True, 6)}"
        by = say(lang, "derivatives-autograd-answers", slope=slope)
    elif not curve.beside.differentiable:
        kind, text = "", say(lang, "derivatives-no-slope", name=name, at=at)
        by = say(lang, "derivatives-autograd-answers", slope=slope)
    return f'<span class="slope-chip {kind}" role="status">{quoted(text)} <small>{quoted(by)}</small></span>'


def facts(curve: Curve, lang: str) -> str:
    """Render value, tangent, and any kink or break at the point."""
    at, value = number(curve.at, digits=6), number(curve.value, digits=6)
    lines = [f"<code>{quoted(curve.sweep.f.name)}({at}) = {value}</code>"]
    if math.isfinite(curve.slope) and math.isfinite(curve.value) and curve.beside.differentiable:
        lines[0] += f" · {quoted(say(lang, 'derivatives-tangent'))} <code>{quoted(tangent_line(curve))}</code>"
    lines += [quoted(note) for note in notes(curve, lang)]
    return f'<div class="facts">{"".join(f"<p>{line}</p>" for line in lines)}</div>'


def tangent_line(curve: Curve) -> str:
    """Return the equation of the tangent, such as y = 2x − 3."""
    heights = np.abs(curve.sweep.y[np.isfinite(curve.sweep.y)])
    tall, width = heights.max(initial=abs(curve.value)), curve.sweep.window.high - curve.sweep.window.low
    slope = _rounded(curve.slope, tall / width)
    rest = _rounded(curve.intercept, max(abs(curve.value), abs(curve.slope * curve.at)))
    if slope == 0:
        return f"y = {number(rest, digits=6)}"
    first = {1.0: "x", -1.0: "−x"}.get(slope, f"{number(slope, digits=6)}x")
    if rest == 0:
        return f"y = {first}"
    return f"y = {first} {'+' if rest > 0 else '−'} {number(abs(rest), digits=6)}"


def _rounded(entry: float, beside: float) -> float:
    """Return a number without rounding error, 0 if negligible next to `beside`."""
    return float(f"{entry:.9g}") if abs(entry) > 1e-12 * beside else 0.0


def ran(program: str | Program, options: Options, lang: str) -> Trace:
    """Return the Trace of the page's program. Raises FunctionProblem if too long or stopped."""
    result = computed(program, lang, options)
    if isinstance(result, Unusable):
        raise FunctionProblem("stopped") if result.kind == "stopped" else FunctionProblem("long", (("most", MOST),))
    return result


def good_or_last(
    last: SessionValue[View | None], computed: Callable[[], View], f: Function, label: str, lang: str
) -> tuple[View | None, bool]:
    """Return the computed result and False, or the last good one and True.

    If computing raises FunctionProblem, its message is drawn.

    `label` names the field of f.
    """
    try:
        return last.put(computed()), False
    except FunctionProblem as found:
        shown = last.get()
        st.html(problem_html(found, f, label, lang, shown is not None))
        return shown, True


def problem_html(problem: FunctionProblem, f: Function, label: str, lang: str, stale: bool) -> str:
    """Explain why there is no picture, with Python's error, its place and a fix.

    `label` is that of the field in which f was typed.
    """
    values = {
        name: value if isinstance(value, str) else number(float(value), digits=6) for name, value in problem.values
    }
    values.setdefault("names", ", ".join(f.variables))
    sentence = quoted(say(lang, f"derivatives-problem.{problem.kind}", **values))
    many = problem.line if "\n" in f.text else 0
    if problem.line:
        place = where(label, lang, many, problem.column + 1)
    else:
        place = where(values["field"], lang) if problem.kind.startswith("window") else ""
    parts = [f"<h3>{sentence}<span>{quoted(place)}</span></h3>" if place else f"<h3>{sentence}</h3>"]
    if problem.line:
        parts.append(_place(problem, f, lang))
    if problem.message:
        parts.append(f'<pre class="message">{quoted(problem.message[:2000])}</pre>')
    if problem.hint:
        parts.append(f'<p class="advice">{quoted(say(lang, f"derivatives-hint.{problem.hint}"))}</p>')
    last = f'<p class="quiet">{quoted(say(lang, "stale"))}</p>' if stale else ""
    return f'<div class="problem" role="alert">{"".join(parts)}</div>{last}'


def _place(problem: FunctionProblem, f: Function, lang: str) -> str:
    lines = f.text.split("\n")
    line = lines[problem.line - 1] if problem.line <= len(lines) else ""
    before, rest = line[: problem.column], line[problem.column :]
    word = len(rest) - len(rest.lstrip("_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.")) or 1
    shown = f"{quoted(before)}<mark>{quoted(rest[:word])}</mark>{quoted(rest[word:])}"
    number_of_line = quoted(say(lang, "line", line=str(problem.line))) if len(lines) > 1 else ""
    return f'<pre class="at"><span>{number_of_line}</span>{shown}</pre>'


def notes(curve: Curve, lang: str) -> list[str]:
    """Return a paragraph about the point, and sentences about the window."""
    here = _at_the_point(curve, lang)
    return [*([" ".join(here)] if here else []), *_in_the_window(curve, lang)]


def _at_the_point(curve: Curve, lang: str) -> list[str]:
    at, value, slope = number(curve.at, digits=6), number(curve.value, digits=6), number(curve.slope, True, 6)
    if curve.sweep.constant and curve.beside.differentiable:
        return [say(lang, "derivatives-note.constant")]
    notes = [] if (note := _beside(curve, at, value, slope, lang)) is None else [note]
    if not math.isfinite(curve.value):
        if not notes:
            kind = "infinite" if math.isinf(curve.value) else "domain"
            notes.append(say(lang, f"derivatives-note.{kind}", at=at, value=value))
    elif math.isnan(curve.slope):
        notes.append(say(lang, "derivatives-note.nan", at=at, value=value))
    elif curve.beside.verdict in ("kink", "vertical", "jump", "pole", "restless"):
        notes.append(say(lang, "derivatives-note.answer", slope=slope))
    return notes


def _beside(curve: Curve, at: str, value: str, slope: str, lang: str) -> str | None:
    """Describe f on both sides of the point, None if unremarkable."""
    left, right, verdict = curve.beside.left, curve.beside.right, curve.beside.verdict
    slopes = {"left": number(left.slope, True, 6), "right": number(right.slope, True, 6)}
    values = {"left": number(left.value, digits=6), "right": number(right.value, digits=6)}
    if verdict in ("kink", "vertical"):
        return say(lang, f"derivatives-note.{verdict}", at=at, **slopes)
    if verdict == "differs":
        return say(lang, "derivatives-note.differs", limit=slopes["left"], slope=slope)
    if verdict == "restless":
        return say(lang, "derivatives-note.restless", at=at)
    if verdict == "hole":
        return say(lang, "derivatives-note.hole", at=at, value=value, limit=values["left"])
    if verdict == "end":
        name, side = ("left", left) if right.kind == "none" else ("right", right)
        return (
            say(lang, "derivatives-note.end", side=name, at=at, slope=slopes[name])
            if not math.isnan(side.slope)
            else None
        )
    sided = [name for name, side in (("left", left), ("right", right)) if side.kind == "pole"]
    if verdict == "pole":
        return say(lang, "derivatives-note.pole", side="both" if len(sided) == 2 else sided[0], at=at, **values)
    if verdict == "jump":
        finite = "no" if math.isnan(left.value) or math.isnan(right.value) else "yes"
        return say(lang, "derivatives-note.jump", finite=finite, at=at, value=value, **values)
    return None


def _in_the_window(curve: Curve, lang: str) -> list[str]:
    notes = []
    if not curve.sweep.elementwise and not curve.sweep.constant:
        notes.append(say(lang, "derivatives-note.pointwise", count=str(len(curve.sweep.x))))
    if curve.sweep.trouble:
        where, why = curve.sweep.trouble[0]
        values = {"where": number(float(where), digits=5), "why": why[:300]}
        notes.append(say(lang, "derivatives-note.trouble", count=len(curve.sweep.trouble), **values))
    return notes
