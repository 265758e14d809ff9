"""The autograd page: editor, problems and output on the left; graph, sentence and tables on the right."""

from html import escape

import streamlit as st

from explorer.drawing import leaf_table, node_table
from explorer.picture import Picture
from explorer.text import say
from explorer.ui.examples import FIRST_SIGHT
from explorer.ui.graph import graph
from explorer.ui.problems import Problem, output_html, problems, problems_html
from explorer.ui.running import Shown, ready, show
from explorer.ui.tables import table_html

POLL = 0.3  # seconds between two looks at whether programs can run
SPARE_LINES = 200  # numbers beyond the last line, for what is being typed


def page(lang: str) -> None:
    """Draw the page. The program runs here, between the editor and everything that shows what it did."""
    left, right = st.columns([45, 55], gap=None)
    with left, st.container(key="editor", gap=None):
        bar = st.container(key="editor_bar", horizontal=True, vertical_alignment="center")
        source = _editor(lang)
    with bar:
        status = st.empty()
        st.button(say(lang, "run"), key="run", type="primary", help=say(lang, "run-hint"))
    with left:
        told, printed = st.container(key="problems"), st.container(key="output")
    with right:
        drawing, inspector = st.container(key="graph", gap=None), st.container(key="inspector", gap=None)
    if not ready():
        status.html(_status("wait", say(lang, "status-starting")))
        with drawing:
            _starting(lang)
        return
    shown = show(source, lang, lambda: status.html(_status("wait", say(lang, "status-running"))))
    found = problems(shown.result, lang)
    status.html(_outcome(found, lang))
    told.html(problems_html(found, lang))
    printed.html(output_html(shown.result, lang))
    with drawing:
        _picture(shown, found, lang)
    with inspector:
        _tables(shown.picture, lang)


def _editor(lang: str) -> str:
    st.session_state.setdefault("program", FIRST_SIGHT)
    lines = st.session_state.program.count("\n") + SPARE_LINES
    numbers = "".join(f"{number}\\a " for number in range(1, lines))
    st.html(f"<style>.st-key-editor{{--numbers:'{numbers}'}}</style>")
    return st.text_area(say(lang, "program"), key="program", height="content", label_visibility="collapsed")


@st.fragment(run_every=POLL)
def _starting(lang: str) -> None:
    """Say that torch is being loaded, until it is."""
    if ready():
        st.rerun()
    st.html(f'<p class="notice" role="status">{escape(say(lang, "starting"))}</p>')


def _status(kind: str, words: str) -> str:
    return f'<span class="status {kind}" role="status">{escape(words)}</span>'


def _outcome(found: list[Problem], lang: str) -> str:
    if not found:
        return _status("good", say(lang, "status-ran"))
    line = found[0].line
    mark = f"<style>.st-key-editor{{--bad-line:{line}}}</style>" if line else ""
    words = say(lang, "status-stopped", line=line) if line else say(lang, "status-failed")
    return _status("bad", words) + mark


def _picture(shown: Shown, found: list[Problem], lang: str) -> None:
    if shown.picture is None:
        st.html(f'<p class="notice">{escape(say(lang, "page-graph-empty"))}</p>')
        return
    st.html(_title(shown.picture, lang) + (_stale(found, lang) if shown.stale else ""))
    words = {name: say(lang, name) for name in ("bigger", "smaller", "fit")}
    graph(shown.picture.svg(), words, shown.stale, key="picture")
    said = f'<p class="sentence" aria-live="polite">{escape(shown.picture.sentence())}</p>'
    st.html(f'<div class="legendbar">{shown.picture.legend()}</div>{said}')


def _title(picture: Picture, lang: str) -> str:
    names = [card.name for card in picture.view.cards if card.id in picture.view.roots and card.name]
    if not names:
        return f'<h2 class="bar">{escape(say(lang, "page-graph"))}</h2>'
    return f'<h2 class="bar">{escape(say(lang, "page-graph-of"))} <code>{escape(", ".join(names))}</code></h2>'


def _stale(found: list[Problem], lang: str) -> str:
    line = found[0].line if found else 0
    where = say(lang, "stale-line", line=line) if line else say(lang, "stale-no-line")
    return f'<p class="stale" role="status"><b>{escape(say(lang, "stale"))}</b> {escape(where)}</p>'


def _tables(picture: Picture | None, lang: str) -> None:
    if picture is None:
        st.html("<div></div>")
        return
    with st.expander(say(lang, "tables"), key="tables"):
        for title, rows in (("leaves", leaf_table), ("nodes", node_table)):
            st.html(table_html(say(lang, title), rows(picture.view, lang)))
