"""The pages and their addresses: view and language in the query, texts in the fragment.

Browsers never send the fragment to a server. One table lists the pages, another each page's properties with their
bounds. The browser's side (links.js) updates the address, sends its content, and keeps each page's last state as a
draft. programs.js keeps programs. `page_state.py` has the state of a page.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from secrets import token_hex
from typing import Any, Literal

import streamlit as st

from explorer.analysis.training.strips import MEASURES
from explorer.program.permalink import MAX_FRAGMENT, BadLink, from_fragment, to_fragment
from explorer.text import say
from explorer.ui.components.script import component, component_state
from explorer.ui.components.session_values import Inbox, SessionValue
from explorer.ui.session.document import DOCUMENT, Document

KEY = "link"
ARRIVES = "arrives"  # in an opened page's query: its content is in the fragment or stored in this tab
_addresses = Inbox("_link_handled")
_page = SessionValue[str]("_at", str)  # at the last look
_visited = SessionValue[set[str]]("_visited", set)  # pages that were entered
_awaited = SessionValue[str | None]("_awaited", lambda: None)  # page whose content the browser will still send, or ""
_share_place = SessionValue[Any]("_link_place", lambda: None)  # where the share button is drawn
_from_address = SessionValue[bool]("_from_address", bool)  # whether the last content was from an address
_framed = SessionValue[bool]("_framed", bool)  # whether the page of the last address is in a frame
_ran_here = SessionValue[bool]("_ran_here", bool)  # whether its program has run in this tab
_sent = SessionValue[tuple[str, dict[str, Any]]]("_sent", lambda: ("", {}))  # content of a page's next drawing
_name = SessionValue[str]("_session_name", lambda: token_hex(8))


@dataclass(frozen=True)
class Property:
    """A property of a page in its address.

    Attributes:
        kind: text (in the fragment), word, choice, whole, number or flag (in the query).
        default: value if the address omits it.
        choices: of a choice. least, most: of a number; for a text or word `most` is its length in characters.
    """

    kind: Literal["text", "word", "choice", "whole", "number", "flag"]
    default: Any
    choices: tuple[str, ...] = ()
    least: float = -1e300
    most: float = 1e300

    def read(self, said: str) -> Any:
        """Return the value in an address, the default if it is invalid."""
        match self.kind:
            case "text" | "word":
                return said if len(said) <= self.most else self.default
            case "choice":
                return said if said in self.choices else self.default
            case "flag":
                return {"1": True, "0": False}.get(said, self.default)
        try:
            value = (int if self.kind == "whole" else float)(said[:40])
        except ValueError:
            return self.default
        return value if self.least <= value <= self.most else self.default

    def written(self, value: Any) -> str:
        """Return the value for an address."""
        return str(int(value)) if self.kind == "flag" else str(value)


@dataclass(frozen=True)
class Page:
    """A page of the app.

    Attributes:
        name: of its folder in `ui/pages`, its file in `pages/`, its address and its message `nav-<name>`. Style sheets
            in a folder or a file of that name are its own.
        sheets: style sheets shared with some other pages.
        place: the navigation place it belongs to; a place opens its first page.
        listed: whether it is listed next to the places; pages opened by an action of another page are not.
        edited: whether its address texts are in its editor, which sends them to every session.
    """

    name: str
    place: Literal["program", "training", "data", "learn"]
    sheets: tuple[str, ...] = ()
    edited: bool = False
    listed: bool = True


EMBED_VIEWS = ("graph", "both", "code")  # parts of the first page when embedded
ANCESTORS = "EXPLORER_FRAME_ANCESTORS"  # the environment variable with the sites that may frame the app
WORDS = (
    *("link", "copied", "large", "by-hand", "hidden", "hidden-copied", "embed"),
    *("embed-copied", "embed-closed", "view", "graph", "both", "code", "picture", "picture-copied", "files", "present"),
)
# In navigation order; the first is at /.
PAGES = (
    Page("autograd", "program", sheets=("operations", "player", "tensors"), edited=True),
    Page("compare", "program", sheets=("bench", "training"), listed=False),
    Page("training", "training", sheets=("bench", "split", "present", "lens"), edited=True),
    Page("data", "data"),
    Page(
        "lessons",
        "learn",
        sheets=("bench", "broadcasting", "derivatives", "found", "operations", "player", "tensors"),
        edited=True,
    ),
    Page("gallery", "learn", sheets=("thumbnails", "found")),
    Page("tensors", "learn", sheets=("bench", "split", "present", "lens"), edited=True),
    Page("operations", "learn", sheets=("bench", "split", "present", "lens"), edited=True),
    Page("broadcasting", "learn"),
    Page("derivatives", "learn"),
)
# Pages that are parts of others now, with what their addresses show there.
MOVED: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "runs": ("training", {}),
    "histogram": ("tensors", {"view": "histogram"}),
}


def _choice(*choices: str) -> Property:
    """Return a property that is one of these, by default the first."""
    return Property("choice", choices[0], choices)


PROGRAM = {"program": Property("text", "", most=200_000), "name": Property("text", "program.py", most=200)}
EXAMPLES = ("", "first", "views", "kinds", "ranks", "numpy", "wrong")  # of Tensors and Operations
# By page and name.
PROPERTIES: Mapping[str, Mapping[str, Property]] = {
    "autograd": {
        **PROGRAM,
        "of": Property("text", "", most=200),
        "start": Property("text", "", most=2_000),
        "backward": Property("whole", 0, least=0, most=100_000),
        "step": Property("whole", 0, least=0, most=10**12),
        "fold": Property("flag", True),
        "seen": _choice("", "graph", "values", "memory"),
        "hide": _choice("", "grad", "all"),
        "predict": Property("whole", 0, least=0, most=100_000),
        "entry": Property("text", "", most=60),
        "why": Property("text", "", most=60),
    },
    "training": {
        **PROGRAM,
        "place": Property("text", "", most=4),
        "measure": _choice(*MEASURES),
        "step": Property("whole", 0, least=0, most=10**9),
        "parameter": Property("text", "", most=300),
        "more": Property("choice", "", ("entries", "bands", "rates", "optimizers", "table")),
        "of": _choice("values", "gradients"),
        "run": Property("text", "", most=1_000),
        "beside": Property("text", "", most=1_000),
    },
    "broadcasting": {
        "a": Property("text", "3, 1", most=2_000),
        "b": Property("text", "1, 2", most=2_000),
        "c": Property("text", "2, 1, 1", most=2_000),
        "d": Property("text", "1", most=2_000),
        "given": Property("text", "", most=2_000),
        "program": Property("text", "", most=200_000),
        "count": Property("whole", 2, least=2, most=4),
        "operator": _choice("add", "sub", "mul", "div", "pow", "maximum", "minimum", "square"),
        "start": _choice("ones", "mean", "given"),
        "place": Property("whole", 0, least=0, most=200),
        "at": Property("text", "", most=60),
    },
    "tensors": {
        **PROGRAM,
        "example": _choice(*EXAMPLES),
        "view": _choice("tensor", "histogram", "memory", "operations"),
        "tensor": Property("text", "", most=300),
    },
    "operations": {
        **PROGRAM,
        "example": _choice(*EXAMPLES),
        "typed": Property("text", "", most=4_000),
        "operation": Property("word", "", most=6),
    },
    "compare": {**PROGRAM, "other": Property("text", "", most=200_000), "other_name": Property("text", "", most=200)},
    "data": {
        "text": Property("text", "", most=200_000),
        "view": _choice("table", "tensors", "gradient"),
        "table": Property("text", "", most=200),
    },
    "derivatives": {
        "f": Property("text", "3*x**2 - 4*x", most=4_000),
        "at": Property("number", 1.0),
        "low": Property("number", -0.5),
        "high": Property("number", 2.5),
        "second": Property("whole", 40, least=0, most=100),
        "more": Property("choice", "", ("orders", "two", "vector")),
        "g": Property("text", "x**2 + 3*y**2", most=4_000),
        "g_at": Property("text", "1.5, 1", most=200),
        "g_x": Property("text", "-2, 2", most=200),
        "g_y": Property("text", "-2, 2", most=200),
        "rate": Property("number", 0.05, least=-1000000, most=1000000),
        "steps": Property("whole", 30, least=0, most=200),
        "outputs": Property("text", "x**2*y, 5*x + sin(y)", most=4_000),
        "inputs": Property("text", "1, 0", most=200),
        "v": Property("text", "1, 1", most=200),
        "u": Property("text", "1, 1", most=200),
    },
    "lessons": {
        "lesson": Property("word", "", most=120),
        "at": Property("whole", 0, least=0, most=20),
        "path": Property("word", "", most=40),
    },
    "gallery": {
        "subject": _choice(
            "", "surprising", "tensors", "algebra", "calculus", "autograd", "training", "training-steps", "techniques"
        )
    },
}


_link = component(
    "explorer_link",
    '<button type="button" class="share" aria-haspopup="dialog" aria-expanded="false"></button>'
    '<div class="shared" role="dialog" hidden></div>'
    '<p class="draft" hidden></p>',
    "session/links.js",
)


def awaits(page: str, lang: str) -> bool:
    """Return whether the browser has yet to send an opened page's content; then only its link is drawn."""
    if _awaited.get() is None:
        _awaited.put(page if ARRIVES in st.query_params else "")
    waits = _awaited.get() == page and _came(page) is None
    if waits:
        show(page, {}, lang)
        # Streamlit repeats the first query while the page lives, even to the session after a restart.
        if component_state(KEY, "came") is None:
            return True
    _awaited.put("")
    if waits:
        st.rerun()
    return False


def _came(page: str) -> dict[str, Any] | None:
    """Return the browser's last message about a page, if new."""
    came = component_state(KEY, "came")
    fresh = isinstance(came, dict) and _addresses.is_new(came.get("count")) and came.get("page") == page
    # After a server restart the browser sends it again to the new session.
    return came if fresh and came.get("session", session_name()) == session_name() else None


def read_link(page: str) -> dict[str, Any] | None:
    """Return the address values of a page that was entered or got a new address, otherwise None.

    They have a value for every property, or are {} for a page entered without an address.
    """
    came = _came(page)
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
    """Return whether the last `read_link` was from an address: a link, a reload, or Back."""
    return _from_address.get()


def framed() -> bool:
    """Return whether the page of the last address is embedded in another page."""
    return _framed.get()


def ran_here() -> bool:
    """Return whether the last address's program has run in this tab, outside frames: its user has seen it."""
    return _ran_here.get() and not framed()


def place(container: Any) -> None:
    """Set where the share button is drawn; the page's head calls this first."""
    _share_place.put(container)


def show(page: str, values: Mapping[str, Any], lang: str) -> None:
    """Put a page's state into the address, at the first call in a drawing.

    It happens before the program ends, so a reload during a run keeps the program.

    Args:
        values: by property; omitted properties have their default.
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
    words = {name: say(lang, f"share-{name}") for name in WORDS}
    words |= {f"draft-{name}": say(lang, f"draft-{name}") for name in ("kept", "open", "drop")}
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
        nothing = {"came": None, "opens": None}
        _link(data=data, key=KEY, default=nothing, on_came_change=lambda: None, on_opens_change=lambda: None)


def session_name() -> str:
    """Return the session's name; lets a page notice that the server restarted."""
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
