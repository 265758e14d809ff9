"""The search in the head of every page: over the lessons and the examples of the gallery.

Nothing is sent before somebody opens it. It is a fragment: what is typed there draws neither head nor page again.
"""

from typing import Any

import streamlit as st

from explorer.lessons import course
from explorer.lessons.gallery import gallery
from explorer.lessons.searching import LONGEST, search
from explorer.text import say
from explorer.ui.components.script import component, told_by
from explorer.ui.session.gallery import open_example, open_lesson

KEY = "search"
OPENED = "_search_opened"  # session state: when what was opened last was chosen, as the browser counts
MOST = 30  # that are listed
_PAGES = ("lessons", "gallery")  # where one goes who has no word to search by

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
    """Draw the button; opened, the box with what is found for the words in it."""
    match told_by(KEY, "chosen"):
        case {"key": str(key), "at": at} if at != st.session_state.get(OPENED):
            st.session_state[OPENED] = at
            _open(key)
    data: dict[str, Any] = {"words": _words(lang), "asked": None, "hits": [], "said": ""}
    match told_by(KEY, "asked"):
        case str(asked):
            data |= {"asked": asked} | _found(asked[:LONGEST], lang)
    default = {"asked": None, "chosen": None}
    _search(data=data, key=KEY, default=default, on_asked_change=_nothing, on_chosen_change=_nothing)


def _nothing() -> None:
    """Streamlit tells only those who ask."""


def _words(lang: str) -> dict[str, str]:
    return {name: say(lang, f"search-{name}") for name in ("open", "label", "hint", "close")}


def _found(asked: str, lang: str) -> dict[str, Any]:
    """What is listed, and what is said of it."""
    if not asked.strip():
        pages = [
            {"key": f"page:{name}", "kind": "", "title": say(lang, f"nav-{name}"), "says": say(lang, f"search-{name}")}
            for name in _PAGES
        ]
        return {"hits": pages, "said": say(lang, "search-hint")}
    found = search(asked, lang, gallery(), course())
    hits = [
        {"key": f"{one.kind}:{one.id}", "kind": say(lang, f"search-{one.kind}"), "title": one.title, "says": one.says}
        for one in found[:MOST]
    ]
    many = "many" if len(found) > MOST else "found"
    return {"hits": hits, "said": say(lang, f"search-{many}", count=len(found), shown=len(hits))}


def _open(key: str) -> None:
    """Go to what was chosen; what is unknown is passed over."""
    kind, _, id = key.partition(":")
    if kind == "example":
        open_example(id)
    elif kind == "lesson" and id in course().lessons:
        open_lesson(id)
    elif kind == "page" and id in _PAGES:
        if id == "lessons":
            open_lesson("")
        st.switch_page(f"pages/{id}.py")
