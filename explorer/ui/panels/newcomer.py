"""One line below the first program of a session: the way to the lessons."""

from pathlib import Path

import streamlit as st

from explorer.drawing.marks import quoted
from explorer.text import say
from explorer.ui.session.document import Document
from explorer.ui.session.examples import FIRST_SIGHT

LESSONS = Path(__file__).parents[3] / "pages" / "lessons.py"


def newcomer(document: Document, lang: str) -> None:
    """Draw the line until the program changes."""
    if document.texts == (FIRST_SIGHT,):
        with st.container(key="newcomer", horizontal=True, gap="small", vertical_alignment="center"):
            st.html(f"<p>{quoted(say(lang, 'lessons-newcomer'))}</p>", width="content")
            st.page_link(LESSONS, label=say(lang, "lessons-newcomer-link"), width="content")
