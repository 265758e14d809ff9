"""Browser messages about the program: edits, and a file chosen in the menu."""

from dataclasses import replace
from typing import TypeVar

import msgspec
import streamlit as st
from msgspec import Struct

from explorer.program import Unusable
from explorer.ui.components.script import component_state
from explorer.ui.session.document import Cursor, Document, edited, pasted, with_cell_after
from explorer.ui.session.links import KEY as ADDRESS

EDITOR, UPLOAD = "code", "open"  # keys of the editor and of the menu's field for a file
DROPPED_HOSTED = 500_000  # bytes of a dropped file on a hosted site, because it arrives in a message
READ_UPLOAD = "_opened"  # session state: the upload that was read last
Message = TypeVar("Message", bound=Struct)


class Act(Struct, frozen=True, tag_field="do", tag="none"):
    """An action other than typing."""


class Insert(Act, frozen=True, tag="insert"):
    """Insert an empty cell after the one with id `after`."""

    after: int


class Paste(Act, frozen=True, tag="paste"):
    """A text pasted into a cell (from 0), at `start` (code points)."""

    cell: int
    start: int
    text: str


class Open(Act, frozen=True, tag="open"):
    """A dropped file: name, size in bytes, and content unless too large."""

    name: str
    size: int
    data: bytes


class ProgramOrigin(Struct, frozen=True):
    """The browser's data about a program besides its texts (`waits`: not run yet)."""

    foreign: bool
    waits: bool
    name: str
    notes: list[tuple[int, str]] = []
    about: str = ""
    abouts: list[tuple[int, str]] = []
    key: str = ""
    ours: bool = False


class KeptProgram(Struct, frozen=True):
    """A program that the browser kept, to be opened again.

    Attributes:
        count: number of this message.
        cells: ids and texts.
        origin: the rest of the document.
        ran: whether it has run in this very tab.
    """

    count: int
    cells: list[tuple[int, str]]
    origin: ProgramOrigin
    ran: bool = False


class Edit(Struct, frozen=True):
    """The editor's message.

    Attributes:
        count: number of this message.
        revision: revision of the edited document, -1 to request it.
        cells: ids and texts.
        cursor: cell from 0, line from 1, column from 0. None without focus.
        upto: the last cell to run, None for all.
        settled: whether the line being typed counts as finished.
        asked: number of the message that first had its act, repeated because only the newest message arrives.
        have: digests of the HTML it holds.
        origin: origin of texts that the browser brings from another session.
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
    origin: ProgramOrigin | None = None

    @property
    def place(self) -> Cursor | None:
        """Cursor."""
        return Cursor(*self.cursor) if self.cursor else None


def with_edit(document: Document, edit: Edit) -> tuple[Document, Unusable | None]:
    """Return the edited document, and why a pasted text was not split into cells."""
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
    """Return the editor's last message, None before the first or if invalid."""
    return _message(key, "edit", Edit)


def kept_program() -> KeptProgram | None:
    """Return the stored program that the browser last requested, or None."""
    return _message(ADDRESS, "opens", KeptProgram)


def _message(key: str, name: str, kind: type[Message]) -> Message | None:
    try:
        return msgspec.convert(component_state(key, name), kind)
    except msgspec.ValidationError:
        return None


def current_cell() -> int | None:
    """Return the cursor's last cell, or None."""
    cell = component_state(EDITOR, "cell")
    return cell if isinstance(cell, int) else None


def uploaded() -> tuple[str, bytes] | None:
    """Return name and bytes of a newly chosen file in the menu."""
    file = st.session_state.get(UPLOAD)
    if not isinstance(file, st.typing.UploadedFile) or st.session_state.get(READ_UPLOAD) == file.file_id:
        return None
    st.session_state[READ_UPLOAD] = file.file_id
    return file.name, file.getvalue()
