"""What this session edits and runs: the document brought up to date with what the browser said since the last look."""

from dataclasses import dataclass, replace

import streamlit as st

from explorer.program import Program, Unusable
from explorer.program.cells import MAX_NOTEBOOK, MAX_TEXT
from explorer.ui.document import Document, edited, opened, pasted, with_cell_after
from explorer.ui.editor import Edit, Insert, Open, Paste, said
from explorer.ui.examples import FIRST_SIGHT
from explorer.ui.files import uploaded

DOCUMENT, HANDLED, UPTO, REFUSED = "_document", "_handled", "_upto", "_refused"  # session state


@dataclass(frozen=True)
class Session:
    """One look at a session.

    Attributes:
        document: what is edited.
        edit: the browser's last message, if it is about this document.
        upto: the last cell that was asked for, None for all.
    """

    document: Document
    edit: Edit | None
    upto: int | None

    @property
    def texts(self) -> tuple[str, ...]:
        """The cells that run."""
        return self.document.texts if self.upto is None else self.document.texts[: self.upto + 1]

    def program(self) -> Program:
        """What runs. Raises Unusable."""
        return self.document.program(self.upto)

    def run_all(self) -> "Session":
        """The same, all of it asked for."""
        st.session_state[UPTO] = None
        change(replace(self.document, asked=True))
        return replace(self, document=document(), edit=None, upto=None)


def document() -> Document:
    """The session's program."""
    if DOCUMENT not in st.session_state:
        st.session_state[DOCUMENT] = Document((FIRST_SIGHT,), (0,))
    return st.session_state[DOCUMENT]


def change(new: Document) -> None:
    """Put a document in the place of the session's."""
    st.session_state[DOCUMENT] = new


def refused_file() -> Unusable | None:
    """Why the file that was opened last could not be read; the program is then still the one before it."""
    return st.session_state.get(REFUSED)


def session() -> Session:
    """Take in what the browser said and what was opened, each once."""
    edit = said()
    if edit is not None and edit.count != st.session_state.get(HANDLED):
        st.session_state[HANDLED] = edit.count
        if edit.revision == document().revision:
            _take_in(edit)
    if (file := uploaded()) is not None:
        _open(*file)
    about = edit if edit is not None and edit.revision == document().revision else None
    upto = st.session_state.get(UPTO)
    return Session(document(), about, upto if upto is not None and upto < len(document().texts) else None)


def _take_in(edit: Edit) -> None:
    st.session_state.pop(REFUSED, None)
    st.session_state[UPTO] = edit.upto
    if isinstance(edit.act, Open):  # the program stays what it is until the file is known to be one
        return _open(edit.act.name, edit.act.data, edit.act.size)
    change(edited(document(), edit.cells, None if isinstance(edit.act, Paste) else edit.place))
    match edit.act:
        case Insert(after=after):
            change(with_cell_after(document(), after))
        case Paste(cell=cell, start=start, text=text):
            try:
                change(pasted(document(), cell, start, text))
            except Unusable as problem:
                st.session_state[REFUSED] = problem


def _open(name: str, data: bytes, size: int = 0) -> None:
    try:
        if size > len(data):
            most = MAX_NOTEBOOK if name.lower().endswith(".ipynb") else MAX_TEXT
            raise Unusable.of("too-large", name, size=size, most=most)
        change(opened(document(), name, data, asked=False))
        st.session_state.pop(REFUSED, None)
        st.session_state[UPTO] = None
    except Unusable as problem:
        st.session_state[REFUSED] = problem
