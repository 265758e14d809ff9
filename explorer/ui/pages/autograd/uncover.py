"""A hidden gradient in the inspector: the user guesses it, or shows it."""

import streamlit as st

from explorer.analysis.autograd import Card
from explorer.analysis.autograd.gradient_questions import about_card
from explorer.drawing.graph.player_data import sentence_html
from explorer.drawing.marks import quoted
from explorer.drawing.picture import Picture
from explorer.text import say
from explorer.text.numbers import shorten
from explorer.ui.pages.autograd import predict

GUESS = 24  # cells of a repeated answer


def uncover(whole: Picture, card: Card, lang: str) -> bool:
    """Draw the question for a card's gradient, or the verdict on the last answer; return whether more may be shown.

    Args:
        whole: the picture with all gradients.
        card: as the page may show it now.
    """
    last = predict.last_answer(whole, card.id)
    full = next((candidate for candidate in whole.view.cards if candidate.id == card.id), card)
    question = about_card(full.name or full.title, full.gradient, lang) if full.gradient is not None else None
    if question is not None and last is not None:
        if last.verdict in ("right", "wrong"):
            words = say(lang, f"player-{last.verdict}", answer=question.shown, guess=shorten(last.guess, GUESS))
            st.html(f'<p class="uncovered" role="status"><b class="{last.verdict}">{quoted(words)}</b></p>')
        else:
            shape = "-shape" if last.verdict == "unread" and isinstance(question.answer, tuple) else ""
            words = say(lang, f"player-{last.verdict}{shape}", guess=shorten(last.guess, GUESS))
            st.html(f'<p class="uncovered" role="status">{quoted(words)}</p>')
    if not card.hidden or predict.hides_values():  # values come first
        return False
    with st.container(key="uncover", gap="small"):
        if question is not None and not predict.prediction(whole)[0].asking:  # one question at a time
            st.html(f'<p class="uncovered">{sentence_html(question.text)}</p>')
            with st.form("uncover_form", border=False), st.container(horizontal=True, vertical_alignment="bottom"):
                guess = st.text_input(say(lang, "player-answer"), key=f"uncover_guess_{card.id}", max_chars=60)
                if st.form_submit_button(say(lang, "player-check"), key="uncover_check") and guess.strip():
                    predict.answer(whole, card.id, question, guess)
                    return True
        if st.button(say(lang, "uncover-show"), key="uncover_show", type="tertiary"):
            predict.show_card(whole, card.id)
            return True
    return False
