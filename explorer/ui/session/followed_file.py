"""Show a file's program, and rerun it when an editor saves it."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import streamlit as st

from explorer.program import Unusable
from explorer.program.cells import MAX_NOTEBOOK
from explorer.program.followed_file import FollowedFile, from_environment, state_of, text_of
from explorer.sandbox.hosting import hosted
from explorer.ui.components.session_values import SessionValue
from explorer.ui.session.document import Cursor, Document, opened

EVERY = 1  # seconds between checks


@dataclass(frozen=True)
class Version:
    """The file at one time. Attributes: state: as in `state_of`. document: its program."""

    state: tuple[int, int]
    document: Document


_read_last = SessionValue[tuple[tuple[int, int] | None, tuple[str, ...]]](
    "_followed_file", lambda: (None, ())
)  # state and cells of the shown version


def followed_document() -> Document | None:
    """Return the followed file's program for a new session, None without a readable file."""
    file = _file()
    version = None if file is None else _version(file, Document(("",), (0,)))
    if file is None or version is None:
        return None
    take(version)
    return replace(version.document, revision=0, focus=Cursor(0, file.line) if file.line else None)


def saved_version(document: Document) -> Version | None:
    """Return the file after a save, None if unchanged.

    Args: document: of the session.
    """
    file = _file()
    if file is None or state_of(file.path) in (None, _read_last.get()[0]):
        return None
    return _version(file, document)


def take(version: Version) -> None:
    """Note that this version is shown.

    Call it last: Streamlit may end a script wherever that reads or writes the session's state.
    """
    _read_last.put((version.state, version.document.texts))


def is_as_read(document: Document) -> bool:
    """Return whether a program is the file's as last read, unchanged in the browser."""
    return document.texts == _read_last.get()[1]


def is_followed() -> bool:
    """Return whether this server follows a file."""
    return _file() is not None


def _file() -> FollowedFile | None:
    return None if hosted() else from_environment()


def _version(file: FollowedFile, document: Document) -> Version | None:
    state = state_of(file.path)  # read before the text, so that a file saved in between is read again
    data = text_of(file.path, MAX_NOTEBOOK)
    try:
        if state is None or data is None:
            return None
        return Version(state, opened(document, file.path.name, data, may_run=True))
    except Unusable:  # keep the program until the file is valid again
        return None


@st.fragment(run_every=EVERY)
def follow(taken: Callable[[], bool]) -> None:
    """Check the file periodically. `taken` applies a new version and redraws the page."""
    if taken():
        st.rerun()
