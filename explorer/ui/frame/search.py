"""The search in the head of every page: over the lessons and the examples of the gallery.

Nothing is sent before it is opened. It is a fragment: typing redraws neither head nor page.
"""

from typing import Any

import streamlit as st

from explorer.lessons.course import course
from explorer.lessons.gallery import gallery
from explorer.lessons.search import LONGEST, search
from explorer.text import say
from explorer.ui.components.script import component, component_state
from explorer.ui.session.gallery import open_example, open_lesson

KEY = "search"
OPENED = "_search_opened"  # session state: the time of the last choice, on the browser's clock
MOST = 30  # that are listed
_PAGES = ("lessons", "gallery")  # default pages

_search = component(
    "explorer_search",
    '<button type="button" class="search-open" aria-haspopup="dialog"><span></span>'
    '<kbd aria-hidden="true">/</kbd></button>'
    '<dialog class="search-box"><div class="search-field"><input type="text" role="combobox" aria-autocomplete="list" '
    'aria-controls="search-list" aria-expanded="true" autocomplete="off" spellcheck="false">'
    '<button type="button" class="search-close"></button></div>'
    '<div id="search-list" class="search-list" role="listbox"></div><p class="search-said" role="status"></p></dialog>',
    "frame/search.js",
)


@st.fragment
def search_box(lang: str) -> None:
    """Draw the button, and after opening the box with the results."""
    match component_state(KEY, "chosen"):
        case {"key": str(key), "at": at} if at != st.session_state.get(OPENED):
            st.session_state[OPENED] = at
            _open(key)
    data: dict[str, Any] = {"words": _words(lang), "asked": None, "hits": [], "said": ""}
    match component_state(KEY, "asked"):
        case str(asked):
            data |= {"asked": asked} | _found(asked[:LONGEST], lang)
    default = {"asked": None, "chosen": None}
    _search(data=data, key=KEY, default=default, on_asked_change=_nothing, on_chosen_change=_nothing)


def _nothing() -> None:
    """Does nothing; Streamlit only reports the state of fields with a callback."""


def _words(lang: str) -> dict[str, str]:
    return {name: say(lang, f"search-{name}") for name in ("open", "label", "hint", "close")}


def _found(asked: str, lang: str) -> dict[str, Any]:
    """The listed results, and the sentence about them."""
    if not asked.strip():
        pages = [
            {"key": f"page:{name}", "kind": "", "title": say(lang, f"nav-{name}"), "says": say(lang, f"search-{name}")}
            for name in _PAGES
        ]
        return {"hits": pages, "said": say(lang, "search-hint")}
    results = search(asked, lang, gallery(), course())
    hits = [
        {"key": f"{hit.kind}:{hit.id}", "kind": say(lang, f"search-{hit.kind}"), "title": hit.title, "says": hit.says}
        for hit in results[:MOST]
    ]
    many = "many" if len(results) > MOST else "found"
    return {"hits": hits, "said": say(lang, f"search-{many}", count=len(results), shown=len(hits))}


def _open(key: str) -> None:
    """Go to the chosen result; unknown ones are ignored."""
    kind, _, id = key.partition(":")
    if kind == "example":
        open_example(id)
    elif kind == "lesson" and id in course().lessons:
        open_lesson(id)
    elif kind == "page" and id in _PAGES:
        if id == "lessons":
            open_lesson("")
        st.switch_page(f"pages/{id}.py")
