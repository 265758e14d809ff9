"""Above the program that every session begins with: what the app shows, and three doors, until another is opened."""

import streamlit as st

from explorer.drawing.sentences import said_html
from explorer.lessons import course
from explorer.paths import site
from explorer.text import say
from explorer.ui.components.script import component
from explorer.ui.session.examples import FIRST_SIGHT
from explorer.ui.session.gallery import open_lesson
from explorer.ui.session.state import Session

SHOWN = "_welcome_above"  # session state: revision of the document that it was shown above, None once it has left
OVER = "<style>:root { --over: var(--welcome); }</style>"  # the panes below leave it its height

_welcome = component("explorer_welcome", '<button type="button" class="door"></button>', "pages/autograd/welcome.js")


def welcome(now: Session, lang: str) -> None:
    """Draw it into the current container.

    An edit leaves it where it is, as the line under the pointer would move. It goes when another program is opened; the
    browser hides it when the page is opened again.
    """
    texts, revision = now.document.texts, now.document.revision
    above = st.session_state.setdefault(SHOWN, revision if texts == (FIRST_SIGHT,) else None)
    if texts == (FIRST_SIGHT,) and above is not None:
        above = revision
    st.session_state[SHOWN] = above if above == revision else None
    if above != revision:
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
