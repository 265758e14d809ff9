"""What this session edits and runs: the document brought up to date with what the browser said since the last look."""

import math
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from explorer.program import Program, Unusable, write_program
from explorer.program.cells import MAX_NOTEBOOK, MAX_TEXT
from explorer.trace import Options
from explorer.ui.editor.component import Edit, Insert, Open, Paste, said
from explorer.ui.panels.files import uploaded
from explorer.ui.panels.lesson import begin
from explorer.ui.session.document import NEW, Document, edited, opened, pasted, with_cell_after
from explorer.ui.session.examples import FIRST_SIGHT, ProgramExample
from explorer.ui.session.links import arrived, brought
from explorer.ui.session.running import forget_good, go_on

PAGE = "autograd"
MOST_START = 1_000  # numbers of a starting gradient
DOCUMENT, HANDLED, UPTO, REFUSED, ROOT = "_document", "_handled", "_upto", "_refused", "_root"  # session state


@dataclass(frozen=True)
class Wish:
    """Another output to differentiate than the program does itself.

    Attributes:
        of: its name, "" for the program's own backward calls.
        start: the starting gradient v as it was typed: numbers in row-major order, or nothing for ones.
    """

    of: str = ""
    start: str = ""

    @property
    def numbers(self) -> tuple[float, ...] | None:
        """What was typed, None when it is not finite numbers."""
        words = self.start.replace(",", " ").replace("[", " ").replace("]", " ").replace("\u2212", "-").split()
        try:
            found = tuple(float(word.strip("()")) for word in words)
        except ValueError:
            return None
        return found if len(found) <= MOST_START and all(map(math.isfinite, found)) else None

    @property
    def options(self) -> Options:
        """What the run is asked for."""
        return Options(of=self.of, start=(self.numbers or ()) if self.of else ())


@dataclass(frozen=True)
class Session:
    """One look at a session.

    Attributes:
        document: what is edited.
        edit: the browser's last message, if it is about this document.
        upto: the last cell that was asked for, None for all.
        wish: whose gradient is shown.
        came: what an address brought, None when none did since the last look.
    """

    document: Document
    edit: Edit | None
    upto: int | None
    wish: Wish = Wish()
    came: dict[str, Any] | None = None

    @property
    def texts(self) -> tuple[str, ...]:
        """The cells that run."""
        return self.document.texts if self.upto is None else self.document.texts[: self.upto + 1]

    def program(self) -> Program:
        """What runs. Raises Unusable."""
        return self.document.program(self.upto)

    def run_all(self) -> "Session":
        """The session with every cell asked for."""
        st.session_state[UPTO] = None
        go_on()
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
    """Take in what the address and the browser said and what was opened, each once."""
    came = arrived(PAGE)
    came = came if came is not None and brought() else None
    if came is not None:
        _take_address(came)
    edit = said()
    if edit is not None and edit.count != st.session_state.get(HANDLED):
        st.session_state[HANDLED] = edit.count
        if edit.revision == document().revision:
            _take_in(edit)
    if (file := uploaded()) is not None:
        _open(*file)
    about = edit if edit is not None and edit.revision == document().revision else None
    upto = st.session_state.get(UPTO)
    upto = upto if upto is not None and upto < len(document().texts) else None
    return Session(document(), about, upto, wish(), came)


def wish() -> Wish:
    """Whose gradient the session asked to see."""
    return st.session_state.get(ROOT, Wish())


def ask_for(new: Wish) -> None:
    """Show the gradient of another output from now on."""
    st.session_state[ROOT] = new


def in_address(document: Document) -> dict[str, Any]:
    """What an address says of the session's program: nothing while it is the one that every session begins with."""
    if document.texts == (FIRST_SIGHT,) and not document.notes:
        told = {}
    else:
        try:
            text = write_program(document.program(), "py")
        except Unusable:  # too large for any address
            text = ""
        told = {"program": text, "name": document.name}
    return told | {"of": wish().of, "start": wish().start}


def open_example(example: ProgramExample) -> None:
    """Put a program of the menu in the place of the session's."""
    ask_for(Wish())
    st.session_state[UPTO] = None
    st.session_state.pop(REFUSED, None)
    forget_good()
    change(opened(document(), NEW, example.program.encode(), asked=True))
    begin(PAGE, example.name)


def _take_address(came: dict[str, Any]) -> None:
    ask_for(Wish(came["of"], came["start"]))
    if came["program"] and came["program"] != in_address(document()).get("program"):
        _open("program.py", came["program"].encode("utf-8", "surrogatepass"))
        if document().texts:
            change(replace(document(), name=came["name"]))


def _take_in(edit: Edit) -> None:
    st.session_state.pop(REFUSED, None)
    st.session_state[UPTO] = edit.upto
    if edit.settled:
        go_on()
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
        forget_good()
        st.session_state.pop(REFUSED, None)
        st.session_state[UPTO] = None
    except Unusable as problem:
        st.session_state[REFUSED] = problem
