"""One line about the opened example, while its program is unchanged."""

from html import escape

import streamlit as st

from explorer.text import say
from explorer.ui.session.gallery import SHOWN, is_unchanged, shown_example
from explorer.ui.session.lessons import begin
from explorer.ui.session.page_state import PageState


def lesson(place: str, see: str, ask: str, lang: str) -> None:
    """Draw the line with a button that closes it."""
    with st.container(key=f"lesson_{place}", horizontal=True, vertical_alignment="center"):
        st.html(f'<p class="message-line lesson">{escape(see)} <em>{escape(ask)}</em></p>')
        st.button(
            say(lang, "close"),
            key=f"lesson_close_{place}",
            help=say(lang, "lesson-dismiss"),
            on_click=begin,
            args=(place, ""),
        )


def gallery_line(state: PageState, lang: str) -> None:
    """Draw a line about the opened example until it changes."""
    example = shown_example(state.page)
    if example is None:
        return
    same = all(str(state[name]) == text for name, text in example.state.items())
    if same if example.state else is_unchanged():
        lesson(SHOWN, getattr(example.says, lang, example.says.en), "", lang)
