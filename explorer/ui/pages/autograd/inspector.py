"""The inspector: one card in full, beside the graph; without a chosen card the root."""

from html import escape

import streamlit as st

from explorer.analysis.autograd import Card
from explorer.analysis.autograd.gradients import kept_rounds
from explorer.analysis.autograd.inspection import ROUNDS, inspection
from explorer.drawing.graph.inspector import hint_html, inspector_parts
from explorer.drawing.graph.why import story_html
from explorer.drawing.picture import Picture
from explorer.text import say
from explorer.ui.pages.autograd.predict import predicting
from explorer.ui.panels.faults import card_html
from explorer.ui.session.memo import memoize
from explorer.workers.diagnoses import diagnoses_of


def inspector(picture: Picture, selected: str | None, lang: str) -> None:
    """Draw a card into the current container; for a folded card the chosen round."""
    view, trace = picture.view, picture.trace
    card = inspected(picture, selected)
    runs = len(card.fold.executions) if card.fold else 0
    above = st.container(gap=None)  # the heading, above the choice of a round
    execution = None
    if runs > 1:
        field = st.slider if runs <= ROUNDS else st.number_input
        number = field(say(lang, "inspect-rounds"), 1, runs, runs, key=f"round_{card.id}", label_visibility="collapsed")
        kind = "inspect-round" if card.fold.loop else "inspect-execution"
        st.html(f'<p class="quiet round">{say(lang, kind, round=number, count=runs, kept=kept_rounds(trace))}</p>')
        execution = number - 1
    span = -1 if view.backward is None else trace.backwards[view.backward].span
    line = trace.line(span)
    details = inspection(trace, view, card.id, lang, execution)
    asks = view.kind != "counted"  # unrecorded numbers have no explanation
    head, body = inspector_parts(details, view, lang, card.id == selected, line, asks)
    diagnoses = () if predicting() else diagnoses_of(trace)
    unasked = card.id != selected and not predicting()
    story = memoize("story", picture, lambda: story_html(trace, view, lang), lang) if unasked else ""
    if story:  # it says all that the root's own numbers would say again
        said = hint_html(details, view, lang, alone=True) + card_html(trace, card, diagnoses, lang)
        above.html(f'{story}<div class="inspection">{said}</div>')
        st.html(f'<div class="inspection" data-card="{escape(card.id)}" aria-live="polite"></div>')
        return
    above.html(f'<div class="inspection">{head}{card_html(trace, card, diagnoses, lang)}</div>')
    st.html(f'<div class="inspection" data-card="{escape(card.id)}" aria-live="polite">{body}</div>')


def inspected(picture: Picture, selected: str | None) -> Card:
    """The inspected card: the chosen one, otherwise the root."""
    view = picture.view
    cards = {card.id: card for card in view.cards}
    return cards.get(selected) or cards.get(view.roots[0] if view.roots else "") or view.cards[-1]
