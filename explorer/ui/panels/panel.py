"""Below the program: its output and its problems. Problems open by themselves when there is one, and only then."""

from collections.abc import Sequence
from html import escape

import streamlit as st

from explorer.program import Unusable
from explorer.text import say
from explorer.trace import Trace
from explorer.ui.panels.outputs import figures, output_html
from explorer.ui.panels.plots import plot
from explorer.ui.panels.problems import Problem, change_html, problem_html, problems_html, repair_html
from explorer.ui.session.document import Document, with_text
from explorer.ui.session.state import change
from explorer.ui.session.state import document as current

KEY = "panel_tab"
TROUBLED = "_troubled"  # session state: whether there were problems at the last look


def panel(
    document: Document,
    result: Trace | Unusable | None,
    stopped: list[Problem],
    lang: str,
    held: bool = False,
    silent: Sequence[Problem] = (),
) -> None:
    """Draw the tabs and both their contents, of which one is hidden; several cells have their outputs under them.

    Args:
        held: whether output is left out of `result` for now, because it may tell a gradient.
        silent: what is wrong although nothing failed.
    """
    found = [*stopped, *silent]
    grave = any(one.level != "note" for one in found)
    alone = len(document.texts) == 1
    tabs = ["output", "problems"] if alone else ["problems"] if found else []
    if grave != st.session_state.get(TROUBLED, False) or st.session_state.get(KEY) not in tabs:
        st.session_state[KEY] = "problems" if grave or not alone else "output"
    st.session_state[TROUBLED] = grave
    if tabs:
        labels = {"output": say(lang, "output"), "problems": f"{say(lang, 'problems')} :gray-badge[{len(found)}]"}
        if found:
            color = "red" if stopped else "orange"
            labels["problems"] = f"{say(lang, 'problems')} :{color}-badge[{len(found)}]"
        st.segmented_control(
            say(lang, "panel"),
            tabs,
            format_func=labels.get,
            required=True,
            key=KEY,
            label_visibility="collapsed",
        )
    else:
        st.html("<div></div>")
    hidden = "problems" if st.session_state[KEY] == "output" else "output"
    if not tabs:
        hidden = "panel"
    st.html(f"<style>.st-key-{hidden} {{ display: none }}</style>")
    with st.container(key="problems", gap=None):
        if not found:
            st.html(problems_html([], lang) if alone else "<div></div>")
        for number, one in enumerate(found):
            _card(number, one, result, lang, len(found) > 1)
    with st.container(key="output", gap=None):
        shown = output_html(result, 0, lang, alone=True) if alone and isinstance(result, Trace) else ""
        drawn = figures(result) if alone and isinstance(result, Trace) else []
        nothing = "" if drawn else f'<p class="quiet">{escape(say(lang, "output-held" if held else "no-output"))}</p>'
        st.html(shown or nothing or "<div></div>")
        for cell, place, figure in drawn:
            plot(figure, f"{cell}-{place}", lang)


def _card(number: int, one: Problem, result: Trace | Unusable | None, lang: str, several: bool) -> None:
    """One problem, with the button that mends it where a change is sure; of several the first is open."""
    with st.container(key=f"problem_{number}", gap=None):
        opened = number == 0 if several else None
        st.html(problem_html(one, code=not one.mended, opened=opened))
        if not one.mended or not isinstance(result, Trace):
            st.html(repair_html(one) or "<div></div>")
            return
        st.html(change_html(one, lang))
        with st.container(key=f"repair_{number}", horizontal=True, vertical_alignment="center", gap="small"):
            args = (one.of, result.cells[one.of].source, one.mended)
            hint = say(lang, "repair-hint")
            st.button(say(lang, "repair"), f"mend_{number}", hint, _mend, args, type="primary")
            st.html(repair_html(one))


def _mend(cell: int, before: str, text: str) -> None:
    change(with_text(current(), cell, before, text))
