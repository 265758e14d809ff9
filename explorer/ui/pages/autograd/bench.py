"""The workbench: graph, inspector and player of one picture. A click reruns only this, never the program."""

import streamlit as st

from explorer.autograd import NOTHING_OPENED, Opened, possible_roots
from explorer.drawing import leaf_table, node_table
from explorer.drawing.marks import quoted
from explorer.picture import Picture, picture
from explorer.text import say
from explorer.text.numbers import shape_text
from explorer.ui.components.tables import table_html
from explorer.ui.components.watch import drawing
from explorer.ui.pages.autograd.entries import chosen, following
from explorer.ui.pages.autograd.graph import Roots, Turn, graph
from explorer.ui.pages.autograd.inspector import inspected, inspector
from explorer.ui.pages.autograd.player import player
from explorer.ui.pages.autograd.predict import hear, held, predicting
from explorer.ui.session.memo import once
from explorer.ui.session.state import STATE, ask_for, wish

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
FADED = "<style>.st-key-inspector > * { opacity: .5; filter: saturate(.25); }</style>"  # of another program
ROOT_WORDS = ("menu", "own", "of", "start", "one", "many", "show")
OPENED = "_unfolded"  # session state: what stays unfolded in which Trace


@st.fragment
def bench(drawn: Picture | None, stale: bool, above: str, lang: str, failed: tuple[str, ...] = ()) -> None:
    """Draw graph, inspector and player into the current container; the arguments are those of `_bench`."""
    with drawing("workbench", lang):
        _bench(drawn, stale, above, lang, failed)


def _bench(drawn: Picture | None, stale: bool, above: str, lang: str, failed: tuple[str, ...]) -> None:
    """Draw graph, inspector and player into the current container.

    Args:
        drawn: the picture, None when there is none.
        stale: whether it is that of an earlier program.
        above: HTML above the picture, or in its place; escaped.
        failed: ids of the cards where the program stopped.
    """
    with st.container(key="workbench", horizontal=True, gap=None):
        place = st.container(key="graph", width="stretch", gap=None)
        beside = st.container(key="inspector", gap=None) if drawn is not None else None
    with place:
        st.html(above + (FADED if stale else "") or "<div></div>")
        if drawn is None:
            return
        turn, opened = _turn(), _opened(drawn)
        whole = turned(drawn, lang)
        if hear(whole):  # the code, the output and the files hold gradients too
            st.rerun()
        shown = following(held(whole))
        words = {name: say(lang, message) for name, message in WORDS.items()}
        words["more"] = say(lang, "graph-more", seen="{seen}", all="{all}")
        foldable = shown.view.folded or not turn.fold
        roots = Roots(_names(shown), wish(), {name: say(lang, f"root-{name}") for name in ROOT_WORDS})
        svg, title = once("svg", shown, shown.svg), _title(shown, lang)
        asked = graph(svg, words, stale, "picture", title, turn, foldable, roots, failed)
        st.html(f'<div class="legendbar">{shown.legend()}</div>')
    if asked.view is not None and asked.view != turn and _once_asked("view", asked.view):
        STATE.put(direction=asked.view.direction, fold=asked.view.fold)
        st.session_state.pop(OPENED, None)
        st.rerun()
    if asked.root is not None and asked.root != wish() and _once_asked("root", asked.root):
        ask_for(asked.root)
        st.rerun()
    with beside:
        if (more := inspector(shown, asked.selected, opened, lang)) is not None:
            st.session_state[OPENED] = (drawn.trace, more)
            st.rerun(scope="app" if predicting() else "fragment")
        if chosen(inspected(shown, asked.selected).id):
            st.rerun()  # the address names it
        _tables(shown, lang)
    player(whole, lang, stale)


def _once_asked(what: str, asked: object) -> bool:
    """Whether the browser asks for this anew: what it said last stays in its state after something else was chosen."""
    key = f"_asked_{what}"
    before = st.session_state.get(key)
    st.session_state[key] = asked
    return before != asked


def _turn() -> Turn:
    """The layout that was asked for."""
    return Turn(STATE["direction"], STATE["fold"])


def _opened(drawn: Picture) -> Opened:
    """What stays unfolded in this picture; of another run the expressions are others."""
    trace, opened = st.session_state.get(OPENED, (None, NOTHING_OPENED))
    return opened if trace is drawn.trace else NOTHING_OPENED


def turned(drawn: Picture, lang: str) -> Picture:
    """The picture laid out as asked for."""
    turn, opened = _turn(), _opened(drawn)
    if turn == Turn() and not opened:
        return drawn
    asked = drawn.view.backward, turn.fold, turn.direction, opened, drawn.view.stopped
    return once("turned", drawn.trace, lambda: _laid_out(drawn, turn, opened, lang), lang, *asked)


def _laid_out(drawn: Picture, turn: Turn, opened: Opened, lang: str) -> Picture:
    return picture(drawn.trace, lang, drawn.view.backward, turn.fold, turn.direction, opened, drawn.view.stopped)


def _names(shown: Picture) -> list[tuple[str, str]]:
    return [(root.name, shape_text(root.shape)) for root in possible_roots(shown.trace)]


def _title(shown: Picture, lang: str) -> str:
    names = [card.name for card in shown.view.cards if card.id in shown.view.roots and card.name]
    if not names:
        return quoted(say(lang, "page-graph"))
    return f"{quoted(say(lang, 'page-graph-of'))} <code>{quoted(', '.join(names))}</code>"


def _tables(shown: Picture, lang: str) -> None:
    opened = st.expander(say(lang, "tables"), key="tables", on_change="rerun")
    if not opened.open:  # what nobody sees is not sent
        return
    with opened:
        for title, rows in (("leaves", leaf_table), ("nodes", node_table)):
            st.html(table_html(say(lang, title), rows(shown.view, lang)))
