"""What the browser says of the program: the editor's messages, and a file that was chosen in the menu."""

import msgspec
import streamlit as st
from msgspec import Struct

from explorer.ui.components.script import told_by
from explorer.ui.session.document import Cursor

EDITOR, UPLOAD = "code", "open"  # keys of the editor and of the menu's field for a file
READ_UPLOAD = "_opened"  # session state: the upload that was read last


class Act(Struct, frozen=True, tag_field="do", tag="none"):
    """Something beyond typing."""


class Insert(Act, frozen=True, tag="insert"):
    """An empty cell behind the one with the id `after`."""

    after: int


class Paste(Act, frozen=True, tag="paste"):
    """A text that was pasted into a cell (from 0), beginning at `start` (code points)."""

    cell: int
    start: int
    text: str


class Open(Act, frozen=True, tag="open"):
    """A file that was dropped: its name, size in bytes, and its bytes unless it is too large."""

    name: str
    size: int
    data: bytes


class Edit(Struct, frozen=True):
    """What the browser says.

    Attributes:
        count: number of this message.
        revision: of the document it edits, -1 when it holds none and asks for it.
        cells: ids and texts.
        cursor: cell from 0, line from 1, column from 0; None when the editor has no focus.
        upto: the last cell to run, None for all.
        settled: whether the line that is being typed counts as finished.
        have: digests of the HTML it holds.
    """

    count: int
    revision: int
    cells: list[tuple[int, str]]
    have: list[str]
    cursor: tuple[int, int, int] | None = None
    upto: int | None = None
    settled: bool = True
    act: Insert | Paste | Open | None = None

    @property
    def place(self) -> Cursor | None:
        """The cursor."""
        return Cursor(*self.cursor) if self.cursor else None


def said(key: str = EDITOR) -> Edit | None:
    """What the browser said last of an editor, None before it said anything or when it makes no sense."""
    told = told_by(key, "edit")
    if told is None:
        return None
    try:
        return msgspec.convert(told, Edit)
    except msgspec.ValidationError:
        return None


def current_cell() -> int | None:
    """The cell the cursor was in last, None before it was in any."""
    told = told_by(EDITOR, "cell")
    return told if isinstance(told, int) else None


def uploaded() -> tuple[str, bytes] | None:
    """Name and bytes of a file that was chosen in the menu and not read yet."""
    file = st.session_state.get(UPLOAD)
    if file is None or st.session_state.get(READ_UPLOAD) == file.file_id:
        return None
    st.session_state[READ_UPLOAD] = file.file_id
    return file.name, file.getvalue()
