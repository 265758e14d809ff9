"""The inspector: one card in full, beside the graph; before a card is chosen it tells the root."""

import streamlit as st

from explorer.autograd.inspection import ROUNDS, inspection
from explorer.drawing.inspector import inspector_html
from explorer.picture import Picture
from explorer.text import say


def inspector(picture: Picture, selected: str | None, lang: str) -> None:
    """Draw a card into the current container; of a folded card, the round that is asked for."""
    view, trace = picture.view, picture.trace
    cards = {card.id: card for card in view.cards}
    card = cards.get(selected) or cards.get(view.roots[0] if view.roots else "") or view.cards[-1]
    runs = len(card.fold.executions) if card.fold else 0
    execution = None
    if 1 < runs <= ROUNDS:
        asked = st.slider(
            say(lang, "inspect-rounds"), 1, runs, runs, key=f"round_{card.id}", label_visibility="collapsed"
        )
        kind = "inspect-round" if card.fold.loop else "inspect-execution"
        st.html(f'<p class="quiet round">{say(lang, kind, round=asked, count=runs)}</p>')
        execution = asked - 1
    span = trace.backwards[view.backward].span if view.backward >= 0 else -1
    line = trace.spans[span].line if span >= 0 else 0
    found = inspection(trace, view, card.id, lang, execution)
    st.html(inspector_html(found, view, lang, card.id == selected, line))
