"""The frame of every page: navigation, style, the product's name, the language switch."""

import gc
import sys
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from urllib.parse import quote

import streamlit as st
from streamlit.navigation.page import StreamlitPage
from streamlit.runtime.scriptrunner import StopException

from explorer.drawing.style import FOLDER
from explorer.site import site
from explorer.text import KNOWN, LANGUAGES, say
from explorer.ui.components.script import component
from explorer.ui.components.watch import drawing as watched
from explorer.ui.frame.embedded import embedded, head, language, lead
from explorer.ui.frame.hosted import refused
from explorer.ui.frame.places import full
from explorer.ui.frame.search import search_box
from explorer.ui.session import limits
from explorer.ui.session.links import PAGES, path_of, place
from explorer.ui.session.preferred import preferred_language
from explorer.ui.session.running import give_up

HERE = Path(__file__).parent
UI = HERE.parent
FILES = site() / "pages"
DAY = 86_400  # seconds
# Session state: whether the page runs inside the navigation, which page it is, the language that was chosen.
NAVIGATED, HERE_NOW, LANG = "_navigated", "_here", "_lang"

_theme = component("explorer_theme", "", "frame/theme.js")


def navigate() -> None:
    """Run the page that the address names."""
    st.session_state[NAVIGATED] = True
    try:
        st.set_page_config(page_title="Autograd Explorer", page_icon=str(HERE / "logo.svg"), layout="wide")
        if refused() or limits.refused() or full():
            return
        pages = {one.name: _page(one.name) for one in PAGES}
        here = st.navigation(list(pages.values()), position="hidden")
        lead(here, pages)
        st.session_state[HERE_NOW] = next(name for name, one in pages.items() if one is here or one == here)
        here.run()
    finally:
        st.session_state[NAVIGATED] = False
        _settle()


@cache
def _settle() -> None:
    """Once, when a first page has been drawn and everything is imported: what keeps later ones from waiting.

    A full collection walks over 90 000 objects of imported modules for 80 ms; frozen, they are left alone. The thread
    that sends to the browser gets its turn after 1 ms beside one that draws, not after 5.
    """
    gc.collect()
    gc.freeze()
    sys.setswitchinterval(0.001)


def guard() -> None:
    """First line of every page: as long as no session has run the navigation, Streamlit runs a page's file alone."""
    if not st.session_state.get(NAVIGATED):
        navigate()
        st.stop()


def _page(name: str) -> StreamlitPage:
    return st.Page(
        FILES / f"{name}.py", title=say("en", f"nav-{name}"), url_path=path_of(name), default=name == PAGES[0].name
    )


def body(page: Callable[[str], None]) -> None:
    """Draw the head and the page, which is a fragment: what is done on it does not draw the head again."""
    _comes_again()
    _body(page, header())


@st.fragment(run_every=DAY)
def _comes_again() -> None:
    """Nothing. Browsers ask for all of a page on which something repeats as soon as they are connected again.

    Where nothing does, and nothing was done, they would wait for their reader, whose session may have ended with its
    server.
    """


@st.fragment
def _body(page: Callable[[str], None], lang: str) -> None:
    place(st.container(key="link_place"))
    try:
        with watched(st.session_state[HERE_NOW], lang):
            page(lang)
    except StopException:  # the browser is gone
        give_up()
        raise


def header() -> str:
    """Draw the style and the head of the page: where one is, and the language. Returns the language that is chosen."""
    st.html(f"<style>{_style(st.session_state[HERE_NOW])}</style>")
    if embedded():
        return _embedded_head()
    with st.container(key="header", horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.html('<h1 class="product">Autograd Explorer</h1>', width="content")
        pages = st.container(key="nav", horizontal=True, width="stretch", gap=None)
        found = st.container(key="search_place", width="content")
        lang = _language()
        limits.settings(lang)
    with found:
        search_box(lang)
    _theme(data=_spoken(lang), key="script_theme")
    with pages:
        for name in (one.name for one in PAGES if one.listed):
            label = say(lang, f"nav-{name}")
            st.page_link(FILES / f"{name}.py", label=f"**{label}**" if name == st.session_state[HERE_NOW] else label)
    return lang


def _embedded_head() -> str:
    lang = st.session_state[LANG] = language() or st.session_state.get(LANG) or preferred_language()
    with st.container(key="header"):
        head(lang, st.session_state[HERE_NOW])
    _theme(data=_spoken(lang), key="script_theme")
    return lang


def _spoken(lang: str) -> dict[str, str | dict[str, str]]:
    """The language of the document, as the web names it, and the words in place of Streamlit's own."""
    words = {name: say(lang, f"upload-{name}") for name in ("choose", "drop")}
    return {"lang": KNOWN[lang].tag, "skip": say(lang, "skip"), "words": words}


@cache
def _style(page: str) -> str:
    """The sheets of one page: those named after another stay away, because every rule costs time at every change."""
    logo = quote((HERE / "logo.svg").read_text(encoding="utf-8"))
    drawn = "".join(_sheets(FOLDER.glob("*.css"), "tokens.css", page))
    own = "".join(_sheets(UI.rglob("*.css"), "page.css", page))
    of_all = f":root{{--logo:url('data:image/svg+xml,{logo}');--languages:{len(LANGUAGES)}}}"
    return drawn + of_all + own


def _sheets(found: Iterable[Path], first: str, page: str) -> list[str]:
    wanted = [path for path in found if page in (_pages_of(path) or (page,))]
    ordered = sorted(wanted, key=lambda path: (path.name != first, path.name))
    return [path.read_text(encoding="utf-8") for path in ordered]


def _pages_of(path: Path) -> tuple[str, ...]:
    """The pages whose sheet this is, by its folder, its name or their row; none where all have it."""
    return tuple(one.name for one in PAGES if one.name in (path.parent.name, path.stem) or path.stem in one.sheets)


def _language() -> str:
    """The switch; the choice stands in the address as ?lang=, and the browser's language is where it starts."""
    asked = st.query_params.get("lang")
    start = st.session_state.get(LANG) or (asked if asked in LANGUAGES else preferred_language())
    chosen = st.segmented_control(
        say(start, "language"),
        LANGUAGES,
        default=start,
        format_func=lambda lang: KNOWN[lang].name,
        required=True,
        key="language",
        label_visibility="collapsed",
        width="content",
    )
    st.session_state[LANG] = chosen
    return chosen
