"""Messages from the browser about the program: edits, and a file chosen in the menu."""

from dataclasses import replace

import msgspec
import streamlit as st
from msgspec import Struct
from streamlit.runtime.uploaded_file_manager import UploadedFile

from explorer.program import Unusable
from explorer.ui.components.script import component_state
from explorer.ui.session.document import Cursor, Document, edited, pasted, with_cell_after

EDITOR, UPLOAD = "code", "open"  # keys of the editor and of the menu's field for a file
DROPPED_HOSTED = 500_000  # bytes of a file dropped onto the editor on a hosted site: it comes in a message
READ_UPLOAD = "_opened"  # session state: the upload that was read last


class Act(Struct, frozen=True, tag_field="do", tag="none"):
    """An action other than typing."""


class Insert(Act, frozen=True, tag="insert"):
    """Insert an empty cell after the one with the id `after`."""

    after: int


class Paste(Act, frozen=True, tag="paste"):
    """A text pasted into a cell (from 0), at `start` (code points)."""

    cell: int
    start: int
    text: str


class Open(Act, frozen=True, tag="open"):
    """A dropped file: its name, size in bytes, and its bytes unless it is too large."""

    name: str
    size: int
    data: bytes


class Origin(Struct, frozen=True):
    """What a session that ended with its server knew of the program beside its texts.

    Attributes:
        foreign: whether it came from elsewhere.
        waits: whether it has not run yet.
        name: of its file.
        notes: Markdown, each with the id of the cell that it precedes.
    """

    foreign: bool
    waits: bool
    name: str
    notes: list[tuple[int, str]] = []


class Edit(Struct, frozen=True):
    """The editor's message.

    Attributes:
        count: number of this message.
        revision: of the edited document, -1 to request it.
        cells: ids and texts.
        cursor: cell from 0, line from 1, column from 0; None when the editor has no focus.
        upto: the last cell to run, None for all.
        settled: whether the line that is being typed counts as finished.
        asked: the number of the message that first had its act: the newest message alone comes in, so it repeats it.
        have: digests of the HTML it holds.
        origin: of the texts, if the browser brings them to another session than the one they were shown in.
    """

    count: int
    revision: int
    cells: list[tuple[int, str]]
    have: list[str]
    cursor: tuple[int, int, int] | None = None
    upto: int | None = None
    settled: bool = True
    act: Insert | Paste | Open | None = None
    asked: int | None = None
    origin: Origin | None = None

    @property
    def place(self) -> Cursor | None:
        """The cursor."""
        return Cursor(*self.cursor) if self.cursor else None


def with_edit(document: Document, edit: Edit) -> tuple[Document, Unusable | None]:
    """The document after an edit other than opening a file, and why a pasted text was not taken in as cells."""
    made, problem = edited(document, edit.cells, None if isinstance(edit.act, Paste) else edit.place), None
    number = edit.count if edit.asked is None else edit.asked
    if edit.act is not None and number > document.acted:
        made = replace(made, acted=number)
        match edit.act:
            case Insert(after=after):
                made = with_cell_after(made, after)
            case Paste(cell=cell, start=start, text=text):
                try:
                    made = pasted(made, cell, start, text)
                except Unusable as unusable:
                    problem = unusable
    return (made if made.revision == document.revision else replace(made, of=edit.count)), problem


def latest_edit(key: str = EDITOR) -> Edit | None:
    """The editor's last message, None before the first or if it is invalid."""
    message = component_state(key, "edit")
    if message is None:
        return None
    try:
        return msgspec.convert(message, Edit)
    except msgspec.ValidationError:
        return None


def current_cell() -> int | None:
    """The cell that the cursor was in last, or None."""
    cell = component_state(EDITOR, "cell")
    return cell if isinstance(cell, int) else None


def uploaded() -> tuple[str, bytes] | None:
    """Name and bytes of a file that was chosen in the menu and not read yet."""
    file = st.session_state.get(UPLOAD)
    if not isinstance(file, UploadedFile) or st.session_state.get(READ_UPLOAD) == file.file_id:
        return None
    st.session_state[READ_UPLOAD] = file.file_id
    return file.name, file.getvalue()
