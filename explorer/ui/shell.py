"""The frame of every page: navigation, style, the product's name, the language switch."""

from functools import cache
from pathlib import Path
from urllib.parse import quote

import streamlit as st

from explorer import drawing
from explorer.text import LANGUAGES, say
from explorer.ui.hosted import refused

HERE = Path(__file__).parent
PAGES = HERE.parents[1] / "pages"
TOKENS = Path(drawing.__file__).parent / "style"
OWN_NAMES = {"en": "EN", "zh": "中文"}  # of the languages, in themselves
NAVIGATED = "_navigated"  # session state: whether the page runs inside the navigation

_theme = st.components.v2.component(
    "explorer_theme", js=(HERE / "theme.js").read_text(encoding="utf-8"), isolate_styles=False
)


def navigate() -> None:
    """Run the page that the address names."""
    st.session_state[NAVIGATED] = True
    try:
        st.set_page_config(page_title="Autograd Explorer", page_icon=str(HERE / "logo.svg"), layout="wide")
        if refused():
            return
        pages = [st.Page(PAGES / "autograd.py", title="Autograd", default=True)]
        st.navigation(pages, position="hidden").run()
    finally:
        st.session_state[NAVIGATED] = False


def guard() -> None:
    """First line of every page: as long as no session has run the navigation, Streamlit runs a page's file alone."""
    if not st.session_state.get(NAVIGATED):
        navigate()
        st.stop()


def header() -> str:
    """Draw the style and the head of the page. Returns the language that is chosen."""
    st.html(f"<style>{_style()}</style>")
    with st.container(key="theme"):
        _theme(key="theme_mark")
    with st.container(key="header", horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.html('<h1 class="product">Autograd Explorer</h1>', width="content")
        return _language()


@cache
def _style() -> str:
    logo = quote((HERE / "logo.svg").read_text(encoding="utf-8"))
    page = "".join((HERE / name).read_text(encoding="utf-8") for name in ("page.css", "editor.css", "bench.css"))
    sheets = ("tokens.css", "graph.css", "inspector.css")
    drawn = "".join((TOKENS / name).read_text(encoding="utf-8") for name in sheets)
    return f"{drawn}:root{{--logo:url('data:image/svg+xml,{logo}')}}{page}"


def _language() -> str:
    """The switch; the choice stands in the address as ?lang=, and the browser's language is where it starts."""
    preferred = "zh" if (st.context.locale or "").lower().startswith("zh") else LANGUAGES[0]
    asked = st.query_params.get("lang")
    chosen = st.segmented_control(
        say(asked if asked in LANGUAGES else preferred, "language"),
        LANGUAGES,
        default=asked if asked in LANGUAGES else preferred,
        format_func=OWN_NAMES.get,
        required=True,
        key="language",
        label_visibility="collapsed",
        width="content",
    )
    if asked != chosen and (asked is not None or chosen != preferred):
        st.query_params["lang"] = chosen
    return chosen
