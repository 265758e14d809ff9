"""Above the program that every session begins with: what the app shows, and three doors, until the program changes."""

import streamlit as st

from explorer.drawing.sentences import said_html
from explorer.lessons import course
from explorer.paths import site
from explorer.text import say
from explorer.ui.components.script import component
from explorer.ui.session.examples import FIRST_SIGHT
from explorer.ui.session.gallery import open_lesson
from explorer.ui.session.state import Session

LEFT = "_welcome_left"  # session state: whether the program was changed once
OVER = "<style>:root { --over: var(--welcome); }</style>"  # the panes below leave it its height
NUMBERS = dict.fromkeys(map(ord, "0123456789.-"))
FIRST_PARTS = FIRST_SIGHT.translate(NUMBERS)

_welcome = component("explorer_welcome", '<button type="button" class="door"></button>', "pages/autograd/welcome.js")


def welcome(now: Session, lang: str) -> None:
    """Draw it into the current container. While a number is dragged it stays: the line under the hand would move."""
    texts = now.document.texts
    dragged = now.edit is not None and not now.edit.settled and "".join(texts).translate(NUMBERS) == FIRST_PARTS
    if texts != (FIRST_SIGHT,) and not dragged:
        st.session_state[LEFT] = True
    if st.session_state.get(LEFT):
        return
    with st.container(key="welcome", horizontal=True, vertical_alignment="center", gap="small"):
        st.html(f'{OVER}<h2 class="welcome">{said_html(lang, "welcome-line", code="backward()")}</h2>', width="stretch")
        with st.container(key="newcomer", width="content"):
            if st.button(say(lang, "lessons-newcomer-link"), key="newcomer_link", type="primary"):
                open_lesson(next(iter(course().lessons)))
        words = {"paste": say(lang, "welcome-paste"), "pasting": say(lang, "welcome-pasting", key="{key}")}
        _welcome(data={"words": words, "plays": texts == (FIRST_SIGHT,)}, key="welcome_paste")
        with st.container(key="welcome_examples", width="content"):  # a link: the menu beside Run has the same name
            st.page_link(site() / "pages" / "gallery.py", label=say(lang, "welcome-examples"))
