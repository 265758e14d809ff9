"""The workbench: graph, inspector and player of one picture. A click reruns only this, never the program."""

import streamlit as st

from explorer.drawing import leaf_table, node_table
from explorer.drawing.marks import quoted
from explorer.picture import Picture, picture
from explorer.text import say
from explorer.ui.graph import Turn, graph
from explorer.ui.inspector import inspector
from explorer.ui.once import once
from explorer.ui.player import player
from explorer.ui.tables import table_html

WORDS = {
    "bigger": "bigger",
    "smaller": "smaller",
    "fit": "fit",
    "search": "graph-search",
    "turn": "graph-turn",
    "unfold": "graph-unfold",
    "foldUp": "graph-fold",
    "contributions": "graph-contributions",
}
TURN, TURNED = "_turn", "_turned"  # session state: the layout asked for, and the last picture laid out so


@st.fragment
def bench(drawn: Picture | None, stale: bool, above: str, lang: str) -> None:
    """Draw graph, inspector and player into the current container.

    Args:
        drawn: the picture, None when there is none.
        stale: whether it is that of an earlier program.
        above: HTML above the picture, or in its place; escaped.
    """
    with st.container(key="workbench", horizontal=True, gap=None):
        place, beside = st.container(key="graph", width="stretch", gap=None), st.container(key="inspector", gap=None)
    with place:
        st.html(above or "<div></div>")
        if drawn is None:
            with beside:
                st.html("<div></div>")
            return
        turn = st.session_state.get(TURN, Turn())
        shown = _turned(drawn, turn, lang)
        words = {name: say(lang, message) for name, message in WORDS.items()}
        foldable = shown.view.folded or not turn.fold
        asked = graph(once("svg", shown, shown.svg), words, stale, "picture", _title(shown, lang), turn, foldable)
        st.html(f'<div class="legendbar">{shown.legend()}</div>')
    if asked.view is not None and asked.view != turn:
        st.session_state[TURN] = asked.view
        st.rerun(scope="fragment")
    with beside:
        inspector(shown, asked.selected, lang)
        _tables(shown, lang)
    player(shown, lang)


def _turned(drawn: Picture, turn: Turn, lang: str) -> Picture:
    """The picture laid out as asked for."""
    if turn == Turn():
        return drawn
    key = (id(drawn.trace), drawn.view.backward, turn, lang)
    if (known := st.session_state.get(TURNED)) and known[0] == key:
        return known[1]
    backward = None if drawn.view.backward < 0 else drawn.view.backward + 1
    made = picture(drawn.trace, lang, backward, turn.fold, turn.direction)
    st.session_state[TURNED] = (key, made)
    return made


def _title(shown: Picture, lang: str) -> str:
    names = [card.name for card in shown.view.cards if card.id in shown.view.roots and card.name]
    if not names:
        return quoted(say(lang, "page-graph"))
    return f"{quoted(say(lang, 'page-graph-of'))} <code>{quoted(', '.join(names))}</code>"


def _tables(shown: Picture, lang: str) -> None:
    with st.expander(say(lang, "tables"), key="tables"):
        for title, rows in (("leaves", leaf_table), ("nodes", node_table)):
            st.html(table_html(say(lang, title), rows(shown.view, lang)))
