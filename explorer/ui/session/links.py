"""Write, read and share the shown page's address.

The browser's side (links.js) updates the address, sends its content, and keeps each page's last state as a draft.
programs.js keeps programs. `addresses.py` has the pages and their properties, `page_state.py` the state of a page.
"""

import os
from collections.abc import Mapping
from secrets import token_hex
from typing import Any

import streamlit as st

from explorer.program.permalink import MAX_FRAGMENT, BadLink, from_fragment, to_fragment
from explorer.text import say
from explorer.ui.components.script import component, component_state
from explorer.ui.components.session_values import Inbox, SessionValue
from explorer.ui.session.addresses import EMBED_VIEWS, PAGES, PROPERTIES, Property
from explorer.ui.session.document import DOCUMENT, Document

KEY = "link"
ARRIVES = "arrives"  # in an opened page's query: its content is in the fragment or stored in this tab
_addresses = Inbox("_link_handled")
_page = SessionValue[str]("_at", str)  # page at the last check
_visited = SessionValue[set[str]]("_visited", set)  # pages that were entered
_awaited = SessionValue[str | None]("_awaited")  # page whose content the browser will still send, or ""
_share_place = SessionValue[Any]("_link_place")  # where the share button is drawn
_from_address = SessionValue[bool]("_from_address", bool)  # whether the last content was from an address
_framed = SessionValue[bool]("_framed", bool)  # whether the page of the last address is in a frame
_ran_here = SessionValue[bool]("_ran_here", bool)  # whether its program has run in this tab
_sent = SessionValue[tuple[str, dict[str, Any]]]("_sent", lambda: ("", {}))  # content of a page's next drawing
_name = SessionValue[str]("_session_name", lambda: token_hex(8))
ANCESTORS = "EXPLORER_FRAME_ANCESTORS"  # the environment variable with the sites that may frame the app
WORDS = (
    *("link", "copied", "large", "by-hand", "hidden", "hidden-copied", "embed"),
    *("embed-copied", "embed-closed", "view", "graph", "both", "code", "picture", "picture-copied", "files", "present"),
)

_link = component(
    "explorer_link",
    '<button type="button" class="share" aria-haspopup="dialog" aria-expanded="false"></button>'
    '<div class="shared" role="dialog" hidden></div>'
    '<p class="draft" hidden></p>',
    "session/links.js",
)


def awaits(page: str, lang: str) -> bool:
    """Return whether the browser has yet to send the page's content."""
    if _awaited.get() is None:
        _awaited.put(page if ARRIVES in st.query_params else "")
    waits = _awaited.get() == page and _latest_message(page) is None
    if waits:
        show(page, {}, lang)
        # Streamlit repeats the first query while the page lives, even to the session after a restart.
        if component_state(KEY, "came") is None:
            return True
    _awaited.put("")
    if waits:
        st.rerun()
    return False


def _latest_message(page: str) -> dict[str, Any] | None:
    """Return the browser's last message about a page, if new."""
    came = component_state(KEY, "came")
    fresh = isinstance(came, dict) and _addresses.is_new(came.get("count")) and came.get("page") == page
    # After a server restart, the browser sends it to the new session.
    return came if fresh and came.get("session", session_name()) == session_name() else None


def read_link(page: str) -> dict[str, Any] | None:
    """Return a page's address values after a visit or change, otherwise None.

    They have a value for every property, or are {} for a page entered without an address.
    """
    came = _latest_message(page)
    entered = _page.get() != page
    _page.put(page)
    sent = _sent.get()
    if not entered and came is None and sent[0] != page:
        return None
    table = PROPERTIES[page]
    values = {name: field.default for name, field in table.items()}
    visited = _visited.get()
    _from_address.put(False)
    if sent[0] == page:
        visited.add(page)
        _sent.clear()
        return values | sent[1]
    if came is not None:
        visited.add(page)
        _addresses.accept(came.get("count"))
        _framed.put(bool(came.get("framed")))
        _ran_here.put(bool(came.get("ran")))
        _from_address.put(True)
        return values | _read(table, came.get("query")) | _texts(table, came.get("fragment"))
    if page not in visited:
        visited.add(page)
        _from_address.put(bool(st.query_params))
        return values | _read(table, dict(st.query_params))
    return {}


def send(page: str, **values: Any) -> None:
    """Set a page's content for its next drawing, with defaults for the rest."""
    _sent.put((page, values))


def from_address() -> bool:
    """Return whether the last `read_link` was from an address."""
    return _from_address.get()


def framed() -> bool:
    """Return whether the page of the last address is embedded in another page."""
    return _framed.get()


def ran_here() -> bool:
    """Return whether the last address's program has run in this tab."""
    return _ran_here.get() and not framed()


def place(container: Any) -> None:
    """Set where the share button is drawn. The page's head calls this first."""
    _share_place.put(container)


def show(page: str, values: Mapping[str, Any], lang: str) -> None:
    """Write a page's state into the address, at the first call in a drawing.

    It happens before the program ends, so a reload during a run keeps the program.

    Args:
        values: by property. Omitted properties have their default.
    """
    if (container := _share_place.take()) is None:
        return
    table = PROPERTIES[page]
    others = {name: value for name, value in values.items() if value != table[name].default}
    texts = {name: str(value) for name, value in others.items() if table[name].kind == "text"}
    query = {name: table[name].written(value) for name, value in others.items() if table[name].kind != "text"}
    fragment = to_fragment(texts)
    document: Document | None = st.session_state.get(DOCUMENT)
    entry = next(entry for entry in PAGES if entry.name == page)
    words = {name: say(lang, f"share.{name}") for name in WORDS}
    words |= {f"draft-{name}": say(lang, f"draft.{name}") for name in ("kept", "open", "drop")}
    data = {
        "page": page,
        "pages": [page.name for page in PAGES],
        "session": session_name(),
        "edited": entry.edited,
        "program": (document.key if document is not None else "") if entry.edited and "program" in table else None,
        "query": query | {"lang": lang},
        "fragment": fragment,
        "awaited": _awaited.get() == page,
        "ran": document is not None and document.may_run,
        "most": MAX_FRAGMENT,
        "seen": _addresses.handled,
        "views": list(EMBED_VIEWS) if page == PAGES[0].name else [],
        "title": f"Autograd Explorer: {say(lang, f'nav-{page}')}",
        "open": bool(os.environ.get(ANCESTORS, "").strip()),
        "words": words,
    }
    with container:
        _link(data=data, key=KEY, default={"came": None, "opens": None})


def session_name() -> str:
    """Return the session's name. Lets a page notice that the server restarted."""
    return _name.get()


def _read(table: Mapping[str, Property], query: Any) -> dict[str, Any]:
    if not isinstance(query, dict):
        return {}
    return {
        name: field.read(query[name])
        for name, field in table.items()
        if field.kind != "text" and isinstance(query.get(name), str)
    }


def _texts(table: Mapping[str, Property], fragment: Any) -> dict[str, Any]:
    try:
        texts = from_fragment(fragment) if isinstance(fragment, str) else {}
    except BadLink:
        return {}
    return {name: table[name].read(text) for name, text in texts.items() if name in table}
