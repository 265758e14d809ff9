"""The line about a gallery example on its page, and the way back to the user's own program."""

import streamlit as st

from explorer.drawing.marks import quoted
from explorer.text import say
from explorer.ui.panels.lesson import lesson
from explorer.ui.session.earlier_program import earlier, forget_earlier
from explorer.ui.session.gallery import SHOWN, go_back, is_unchanged, shown_example
from explorer.ui.session.page_state import PageState


def gallery_line(state: PageState, lang: str) -> None:
    """The line about the opened example, while its program is unchanged. `state`: of the page."""
    example = shown_example(state.page)
    if example is None:
        return
    same = all(str(state[name]) == said for name, said in example.state.items())
    if same if example.state else is_unchanged():
        lesson(SHOWN, getattr(example.says, lang, example.says.en), "", lang)


def earlier_line(lang: str) -> None:
    """The line that says the earlier program is kept, and the way back to it."""
    if (program := earlier()) is None:
        return
    with st.container(key="earlier", horizontal=True, vertical_alignment="center"):
        st.html(f'<p class="told">{quoted(say(lang, "gallery-earlier", name=program.name))}</p>')
        st.button(say(lang, "gallery-back"), key="earlier_back", on_click=go_back)
        st.button(say(lang, "close"), key="earlier_forget", help=say(lang, "gallery-forget"), on_click=forget_earlier)
