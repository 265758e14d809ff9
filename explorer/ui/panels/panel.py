"""Below the program: output and problems, which open only if there are any."""

from collections.abc import Callable, Sequence
from html import escape

import streamlit as st

from explorer.drawing.notebook.outputs import output_html
from explorer.program import Unusable
from explorer.text import clause_as_sentence, say
from explorer.trace import Figure, Trace
from explorer.ui.components.place import Place
from explorer.ui.panels.plots import plot
from explorer.ui.panels.problems import Problem, change_html, problem_html, repair_html, trying_html
from explorer.ui.session.document import Document, with_text
from explorer.ui.session.given_files import missing_place
from explorer.ui.session.program_run import forget_runs
from explorer.ui.session.state import change
from explorer.ui.session.state import document as current

KEY = "panel_tab"
TROUBLED = "_troubled"  # session state: whether there were problems at the last drawing


def panel(
    document: Document,
    result: Trace | Unusable | None,
    stopped: list[Problem],
    lang: str,
    held: bool = False,
    silent: Sequence[Problem] = (),
    tried: Callable[[], list[Problem]] | None = None,
    undiagnosed: bool = False,
) -> None:
    """Draw output and problems as tabs, nothing if both are empty.

    With several cells, outputs are below their cells.

    Args:
        held: whether output is withheld because it may contain a gradient.
        silent: the diagnoses.
        tried: runs candidate fixes and returns the problems with working ones.
        undiagnosed: whether the search for bugs did not finish.
    """
    if undiagnosed:
        text = clause_as_sentence(lang, say(lang, "report-undiagnosed"))
        st.html(f'<p class="quiet">{escape(text)}</p>')
    listed = [*stopped, *silent]
    grave = any(problem.level in ("", "fault") for problem in listed)
    alone = len(document.texts) == 1
    shown = output_html(result, 0, lang, alone=True) if alone and isinstance(result, Trace) else ""
    drawn = result.shown(Figure) if alone and isinstance(result, Trace) else []
    both = alone and (shown or drawn or held or listed)
    tabs = ["output"] * bool(both) + ["problems"] * bool(listed)
    if grave != st.session_state.get(TROUBLED, False) or st.session_state.get(KEY) not in tabs:
        st.session_state[KEY] = "problems" if grave or not alone else "output"
    st.session_state[TROUBLED] = grave
    if len(tabs) == 1:
        st.html(f'<p class="panel-title">{escape(say(lang, tabs[0]))}</p>')
    elif tabs:
        badge = f":{'red' if stopped else 'orange'}-badge[{len(listed)}]"
        labels = {"output": say(lang, "output"), "problems": f"{say(lang, 'problems')} {badge}"}
        st.segmented_control(
            say(lang, "panel"),
            tabs,
            format_func=labels.__getitem__,
            required=True,
            key=KEY,
            label_visibility="collapsed",
        )
    hidden = "panel" if not tabs else "problems" if st.session_state[KEY] == "output" else "output"
    st.html(f"<style>.st-key-{hidden} {{ display: none }}</style>")
    if not tabs:
        return
    with st.container(key="problems", gap=None):
        several = len(listed) > 1
        places = [
            problem_card(number, problem, result, lang, number == 0 if several else None)
            for number, problem in enumerate(listed)
        ]
    with st.container(key="output", gap=None):
        nothing = "" if drawn else f'<p class="quiet">{escape(say(lang, "output-held" if held else "no-output"))}</p>'
        st.html(shown or nothing or "<div></div>")
        for cell, place, figure in drawn:
            plot(figure, f"{cell}-{place}", lang)
    if tried is not None and any(problem.tried for problem in stopped):  # everything else is on the page by now
        for number, (where, problem) in enumerate(zip(places, tried(), strict=False)):
            if stopped[number].tried:
                _change(where, number, problem, result, lang)


def problem_card(
    number: int, problem: Problem, result: Trace | Unusable | None, lang: str, opened: bool | None
) -> Place:
    """Draw one problem, `opened` or closed (None: alone). Return its fix's container."""
    with st.container(key=f"problem_{number}", gap=None):
        st.html(problem_html(problem, code=not (problem.fixed or problem.tried), opened=opened))
        place = st.empty()
        if problem.missing and number == 0:
            with st.container(key="missing_file", gap=None):
                missing_place(problem.missing, forget_runs, lang)
    _change(place, number, problem, result, lang)
    return place


def _change(place: Place, number: int, problem: Problem, result: Trace | Unusable | None, lang: str) -> None:
    """Draw the advice, then the button that applies a verified fix."""
    if not isinstance(result, Trace) or not (problem.fixed or problem.tried):
        place.html(repair_html(problem) or "<div></div>")
        return
    with place.container(gap=None):
        st.html(change_html(problem, lang) if problem.fixed else trying_html(problem, lang))
        key = f"repair_{number}" if problem.fixed else f"repair_{number}_tried"  # both may occur in one drawing
        with st.container(key=key, horizontal=True, vertical_alignment="center", gap="small"):
            if problem.fixed:
                args = (problem.of, result.cells[problem.of].source, problem.fixed)
                st.button(
                    say(lang, "repair"), f"fix_{number}", say(lang, "repair-hint"), _apply_fix, args, type="primary"
                )
            else:
                st.button(say(lang, "repair"), f"trying_{number}", disabled=True)
            st.html(repair_html(problem) or "<div></div>")


def _apply_fix(cell: int, before: str, text: str) -> None:
    change(with_text(current(), cell, before, text))
