"""One line below the first program of a session: the shortest way to backward."""

import streamlit as st

from explorer.drawing.marks import quoted
from explorer.lessons import course
from explorer.text import say
from explorer.ui.session.document import Document
from explorer.ui.session.examples import FIRST_SIGHT
from explorer.ui.session.gallery import open_lesson


def newcomer(document: Document, lang: str) -> None:
    """Draw the line until the program changes; it leads to the first lesson of the course."""
    if document.texts != (FIRST_SIGHT,):
        return
    with st.container(key="newcomer", horizontal=True, gap="small", vertical_alignment="center"):
        st.html(f"<p>{quoted(say(lang, 'lessons-newcomer'))}</p>", width="content")
        if st.button(say(lang, "lessons-newcomer-link"), key="newcomer_link", type="tertiary", width="content"):
            open_lesson(next(iter(course().lessons)))
