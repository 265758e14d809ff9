"""The app embedded in another page: a part of it without navigation, with a link to the whole.

Streamlit's own option `?embed=true` in the address embeds it; `view` chooses the part.
"""

from typing import NoReturn

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from explorer.drawing.marks import quoted
from explorer.text import LANGUAGES, say
from explorer.ui.components.script import component
from explorer.ui.session.links import EMBED_VIEWS, PAGES

_embed = component("explorer_embed", '<p class="embed-head"></p>', "frame/embed.js")


def embedded() -> bool:
    """Whether the address embeds the app in another page."""
    return bool(st.context.is_embedded)


def view() -> str:
    """What is shown of the first page: its graph, its code, or both."""
    asked = st.query_params.get("view", "")
    return asked if asked in EMBED_VIEWS else "both"


def lead(here: StreamlitPage, pages: dict[str, StreamlitPage]) -> None:
    """Go to the page that `view` names, if the address itself names none."""
    to = {"lesson": "lessons"}.get(asked := st.query_params.get("view", ""), asked)
    first = PAGES[0].name
    if embedded() and to != first and to in pages and here == pages[first]:
        _go(pages[to])


def _go(page: StreamlitPage) -> NoReturn:
    st.switch_page(page, query_params=dict(st.query_params))


def head(lang: str, page: str) -> None:
    """Draw the replacement of the head: the site's name and the link to the whole page."""
    shown = view() if page == PAGES[0].name else page
    words = {"full": quoted(say(lang, "embed-full")), "name": quoted(say(lang, f"nav-{page}"))}
    _embed(data={"view": shown, "first": page == PAGES[0].name, "words": words}, key="embed_head")


def language() -> str | None:
    """The language that the address of an embedded page names."""
    asked = st.query_params.get("lang")
    return asked if asked in LANGUAGES else None
