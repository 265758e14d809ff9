"""The Data page's program and view, kept in the session."""

from dataclasses import replace

import streamlit as st

from explorer.analysis.views.data.examples import EXAMPLES, FIRST
from explorer.program import Unusable, write_program
from explorer.text import say
from explorer.ui.components.session_values import Inbox, SessionValue
from explorer.ui.session.document import FIRST_REVISION, Document, opened
from explorer.ui.session.edits import Edit, Open, latest_edit, with_edit
from explorer.ui.session.page_state import PageState

STATE = PageState("data", {"view": "dt_view"})
NAME = "data.py"
UNDO, TROUBLE, WEIGHT = "_dt_undo", "_dt_trouble", "_dt_weight"  # session state
FIELDS = ("dt_target", "dt_inputs")  # fields about a single table
MOST_UNDONE = 100


_document = SessionValue[Document](
    "_dt_document", lambda: Document((EXAMPLES[FIRST],), (0,), name=NAME, revision=FIRST_REVISION["data"])
)
_edits = Inbox("_dt_edits")


def view_button(view: str, lang: str) -> None:
    """Draw the button that leads to another view of the page."""
    words, key = say(lang, f"data-to-{view}"), f"dt_to_{view}"
    st.button(words, key=key, type="primary", on_click=STATE.put, kwargs={"view": view})


def text() -> str:
    """Return the page's current program."""
    return STATE["text"] or EXAMPLES[FIRST]


def document() -> Document:
    """Return the program for the editor: `text` in cells."""
    now = _document.get()
    if _written(now) == text():
        return now
    try:
        new = opened(now, NAME, text().encode("utf-8", "surrogatepass"), may_run=True)
        ids = now.ids if len(now.ids) == len(new.ids) else new.ids  # the same cell, keeping its undo history
    except Unusable:  # the page reports why
        new, ids = replace(now, texts=(text(),), notes=(), revision=now.revision + 1), now.ids[:1]
    now = _document.put(replace(new, ids=ids) if not new.notes else new)
    STATE.put(text=_written(now))
    return now


def edit() -> Edit | None:
    """Return the editor's last message about this program."""
    latest = latest_edit()
    return latest if latest is not None and latest.revision == document().revision else None


def take_edit() -> Open | None:
    """Apply the editor's message once. Return a dropped file."""
    latest = edit()
    if latest is None or not _edits.accept(latest.count):
        return None
    if isinstance(latest.act, Open):
        return latest.act
    _document.put(with_edit(document(), latest)[0])
    STATE.put(text=_written(_document.get()))
    return None


def _written(of: Document) -> str:
    try:
        return write_program(of.program(), "py")
    except Unusable:
        return "\n\n# %%\n".join(of.texts)


def write(program: str) -> None:
    """Replace the program and keep the previous one for Undo."""
    keep(text(), program)
    STATE.put(text=program)


def keep(before: str, now: str) -> None:
    """Keep a replaced program for Undo."""
    if before != now:
        kept: list[str] = st.session_state.setdefault(UNDO, [])
        kept.append(before)
        del kept[:-MOST_UNDONE]


def undo() -> None:
    """Restore the previous program."""
    before: list[str] = st.session_state.get(UNDO, [])
    if before:
        STATE.put(text=before.pop())


def begin(program: str) -> None:
    """Replace the session's program with one for another table."""
    write(program)
    STATE.put(view="table")
    for key in (TROUBLE, WEIGHT, *FIELDS):
        st.session_state.pop(key, None)
