"""The navigation: a menu for each thing that one may want, and beside them the pages of the present one's group."""

from itertools import groupby
from pathlib import Path

import streamlit as st

from explorer.drawing.marks import quoted
from explorer.paths import site
from explorer.text import say
from explorer.ui.components.script import component
from explorer.ui.session.links import PAGES, path_of

_menus = component("explorer_navigation", "", "frame/navigation.js")


def file_of(name: str) -> Path:
    """A page's file, named as its address ends: by that Streamlit finds it before a session's first drawing."""
    return site() / "pages" / f"{path_of(name)}.py"


def navigation(here: str, lang: str) -> None:
    """Draw the menus into the current container. `here`: the name of the present page."""
    own = next(page.group for page in PAGES if page.name == here)
    for group, pages in groupby(PAGES, lambda page: page.group):
        with st.container(key=f"nav_{group}", width="content", gap=None):
            present = ' class="is-here"' if group == own else ""
            name = quoted(say(lang, f"nav-group-{group}"))
            st.html(f'<button type="button" aria-haspopup="true" aria-expanded="false"{present}>{name}</button>')
            with st.container(key=f"nav_{group}_pages", gap=None):
                for page in pages:
                    _link(page.name, here, lang, f" :small[{say(lang, f'nav-says-{page.name}')}]")
    with st.container(key="nav_here", horizontal=True, gap=None, width="content"):
        for page in PAGES:
            if page.group == own:
                _link(page.name, here, lang)
    _menus(key="script_navigation")


def _link(name: str, here: str, lang: str, says: str = "") -> None:
    label = say(lang, f"nav-{name}")
    st.page_link(file_of(name), label=(f"**{label}**" if name == here else label) + says)
