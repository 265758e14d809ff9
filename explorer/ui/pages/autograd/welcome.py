"""Above the program that every session begins with: what the app shows, and two doors, until a program was run."""

import streamlit as st

from explorer.drawing.sentences import said_html
from explorer.lessons.course import own_course
from explorer.text import say
from explorer.ui.components.script import component
from explorer.ui.pages.autograd.bar import RUN
from explorer.ui.session.examples import FIRST_SIGHT
from explorer.ui.session.gallery import open_lesson
from explorer.ui.session.state import Session

LEFT = "_welcome_left"  # session state: whether it has left
ASKS = {"after": 8, "answer": 5}  # the step of the first program's run behind which only w lacks its gradient
OVER = "<style>:root { --over: var(--welcome); }</style>"  # the panes below leave it its height

_welcome = component("explorer_welcome", '<button type="button" class="door"></button>', "pages/autograd/welcome.js")


def welcome(now: Session, lang: str) -> None:
    """Draw it into the current container.

    It stays while a line is typed or a number dragged, as what is under the pointer would move, and goes when a changed
    program was run; the browser hides it when the page is opened again.
    """
    first = now.document.texts == (FIRST_SIGHT,)
    edited = now.edit is not None and not now.edit.settled and not st.session_state.get(RUN)
    left = st.session_state.setdefault(LEFT, not first) or not (first or edited)
    st.session_state[LEFT] = left
    if left:
        st.empty()  # sent at once: the page of another program begins in its place
        return
    with st.container(key="welcome", horizontal=True, vertical_alignment="center", gap="small"):
        st.html(f'{OVER}<h2 class="welcome">{said_html(lang, "welcome-line", code="backward()")}</h2>', width="stretch")
        with st.container(key="newcomer", width="content"):
            if st.button(say(lang, "lessons-newcomer-link"), key="newcomer_link", type="primary"):
                open_lesson(next(iter(own_course().lessons)))
        asked = {name: say(lang, f"welcome-{name}") for name in ("skip", "asks", "right", "wrong")}
        words = asked | {"paste": say(lang, "welcome-paste"), "pasting": say(lang, "welcome-pasting", key="{key}")}
        _welcome(data={"words": words, "plays": first, "asks": ASKS}, key="welcome_paste")
