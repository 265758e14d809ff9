"""Show the program of a file, and show and run it again when an editor saves it."""

from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from explorer.program import Unusable
from explorer.program.cells import MAX_NOTEBOOK
from explorer.program.followed_file import FollowedFile, from_environment, state_of, text_of
from explorer.sandbox.hosting import hosted
from explorer.ui.components.session_values import SessionValue
from explorer.ui.session.document import Cursor, Document, opened

EVERY = 1  # seconds between two looks
_texts = SessionValue[tuple[str, ...]]("_followed_texts", tuple)  # the cells that were read last
_seen = SessionValue[tuple[int, int] | None]("_followed_file", lambda: None)  # the version that is shown


def followed_document() -> Document | None:
    """The first program of a session: the followed file. None without such a file, and if it cannot be read."""
    file = _file()
    made = None if file is None else _read(file, Document(("",), (0,)))
    if file is None or made is None:
        return None
    _seen.put(state_of(file.path))
    _texts.put(made.texts)
    return replace(made, revision=0, focus=Cursor(0, file.line) if file.line else None)


def changed_document(document: Document) -> Document | None:
    """The program after its file was saved, once; None as long as it is the one that was read last.

    Args:
        document: of the session.
    """
    file = _file()
    state = None if file is None else state_of(file.path)
    if file is None or state is None or state == _seen.get():
        return None
    made = _read(file, document)
    if made is None:
        return None
    _seen.put(state)
    _texts.put(made.texts)
    return made if made.texts != document.texts else None


def is_as_read(document: Document) -> bool:
    """Whether a program is the file's as it was read last, without a change in the browser."""
    return document.texts == _texts.get()


def is_followed() -> bool:
    """Whether this server follows a file."""
    return _file() is not None


def _file() -> FollowedFile | None:
    return None if hosted() else from_environment()


def _read(file: FollowedFile, document: Document) -> Document | None:
    data = text_of(file.path, MAX_NOTEBOOK)
    try:
        return None if data is None else opened(document, file.path.name, data, may_run=True)
    except Unusable:  # the program stays until the file is one again
        return None


@st.fragment(run_every=EVERY)
def follow(taken: Callable[[], bool]) -> None:
    """Look at the file now and then. `taken`: takes a new version; if there was one, the page is drawn again."""
    if taken():
        st.rerun()
