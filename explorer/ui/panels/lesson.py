"""One line about an example: what it shows and what to think about, while its program is unchanged."""

from html import escape

import streamlit as st

from explorer.text import say
from explorer.ui.session.lessons import begin


def lesson(place: str, see: str, ask: str, lang: str) -> None:
    """Draw the line with a button that closes it."""
    with st.container(key=f"lesson_{place}", horizontal=True, vertical_alignment="center"):
        st.html(f'<p class="told lesson">{escape(see)} <em>{escape(ask)}</em></p>')
        st.button(
            say(lang, "close"),
            key=f"lesson_close_{place}",
            help=say(lang, "lesson-dismiss"),
            on_click=begin,
            args=(place, ""),
        )
