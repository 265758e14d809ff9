"""The Gallery page: the examples of a subject, or of all, as cards that open them."""

import streamlit as st

from explorer.drawing.marks import quoted
from explorer.lessons.drawing.cards import cards_html
from explorer.lessons.gallery import gallery
from explorer.text import say
from explorer.ui.components.linked_html import linked, pressed
from explorer.ui.session.gallery import open_example
from explorer.ui.session.page_state import PageState

SUBJECTS = ("tensors", "algebra", "calculus", "autograd", "training", "training-steps")  # in the order of the course
STATE = PageState("gallery", {"subject": "gallery_subject"})


def page(lang: str) -> None:
    """Draw the page."""
    STATE.arrive()
    if (id := pressed("gallery_cards", "")) is not None:
        open_example(id)
    whole = gallery()
    with st.container(key="page"):
        words = say(lang, "gallery-lede", count=len(whole.examples))
        st.html(f'<h2 class="page-title">{quoted(say(lang, "gallery-title"))}</h2><p class="lede">{quoted(words)}</p>')
        chosen = st.segmented_control(
            say(lang, "gallery-subject"),
            ("", *SUBJECTS),
            format_func=lambda name: say(lang, f"gallery-{name or 'all'}"),
            key=STATE.field("subject"),
            required=True,
            label_visibility="collapsed",
        )
        shown = {
            say(lang, f"gallery-{name}"): [whole.examples[id] for id in whole.subjects.get(name, ())]
            for name in SUBJECTS
            if chosen in ("", None, name)
        }
        linked(cards_html(shown, lang), "gallery_cards")
    STATE.tell(lang)
