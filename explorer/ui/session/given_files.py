"""Files that a session's programs read: dropping, listing and removing them.

They are kept in session state and sent with every run. Nothing here parses them.
"""

from collections.abc import Callable
from html import escape
from string import punctuation

import streamlit as st

from explorer.program import GivenFile, with_file
from explorer.program.given_files import HOSTED_ALL, HOSTED_FILE, MAX_ALL, MAX_FILE, MAX_FILES, TooMuch, size_text
from explorer.sandbox.hosting import hosted
from explorer.text import say
from explorer.text.numbers import visible

FILES, TROUBLE, TURN = "_files", "_files_trouble", "_files_turn"  # session state
MB = 1_000_000


def given() -> tuple[GivenFile, ...]:
    """Return the files in the session programs' folder."""
    return st.session_state.get(FILES, ())


def bounds() -> tuple[int, int]:
    """Return the byte limits for one file and for all."""
    return (HOSTED_FILE, HOSTED_ALL) if hosted() else (MAX_FILE, MAX_ALL)


def files_place(changed: Callable[[], None], lang: str) -> None:
    """Draw the file list and the button that adds one. Call `changed` when a file is added or removed."""
    st.html(f'<p class="quiet">{escape(say(lang, "files-hint"))}</p>')
    # During a run, page drawings do not finish, and only then does the browser forget undrawn parts. So a removed row's
    # container is emptied. Remaining rows are never emptied, and nothing above them changes height: otherwise a click
    # would be lost or hit another row.
    with st.container(key="given_files", gap=None):
        for number, file in enumerate(given()):
            _row(number, file, changed, lang)
        for _ in range(MAX_FILES - len(given())):
            st.empty()
    key = f"drop_files_{st.session_state.setdefault(TURN, 0)}"  # accepted files leave the widget
    most, altogether = bounds()
    label = say(lang, "files-drop", count=MAX_FILES, file=most // MB, all=altogether // MB)
    st.file_uploader(
        label, key=key, accept_multiple_files=True, max_upload_size=most // MB, on_change=_take, args=(key, changed)
    )
    st.html(_trouble(lang) or "<div></div>")


def missing_place(name: str, changed: Callable[[], None], lang: str) -> None:
    """Draw the drop place for a missing file. A dropped file gets its name."""
    turn, (most, _) = st.session_state.setdefault(TURN, 0), bounds()
    key = f"drop_missing_{turn}"
    label = unmarked(say(lang, "files-missing", name=visible(name), file=most // MB))
    st.file_uploader(label, key=key, max_upload_size=most // MB, on_change=_take, args=(key, changed, name))
    st.html(_trouble(lang) or "<div></div>")


def _row(number: int, file: GivenFile, changed: Callable[[], None], lang: str) -> None:
    """Draw a file with its size and a remove button."""
    with st.container(key=f"given_{number}", horizontal=True, vertical_alignment="center", gap="small"):
        size = size_text(len(file.content))
        st.html(f'<span class="given"><code>{escape(visible(file.name))}</code> {size}</span>', width="stretch")
        st.button(
            unmarked(say(lang, "files-remove", name=visible(file.name))),  # for screen readers only
            f"remove_{number}",
            on_click=_remove,
            args=(file.name, changed),
            type="tertiary",
            icon=":material/close:",
        )


def _trouble(lang: str) -> str:
    """Explain why a file was rejected, or ""."""
    if (trouble := st.session_state.get(TROUBLE)) is None:
        return ""
    name, problem = trouble
    words = say(lang, "files-refused", where="menu", **problem.values(visible(name)))
    return f'<p class="trouble" role="alert">{escape(words)}</p>'


def _take(key: str, changed: Callable[[], None], name: str = "") -> None:
    """Handle a field's files. `name`: its only file's name, or ""."""
    st.session_state[TURN] += 1
    st.session_state[TROUBLE] = None
    before, dropped = given(), st.session_state.get(key) or ()
    for file in dropped if isinstance(dropped, list | tuple) else (dropped,):
        if not is_there(file):
            continue
        try:
            st.session_state[FILES] = with_file(given(), name or file.name, file.getvalue(), *bounds())
        except TooMuch as problem:
            st.session_state[TROUBLE] = file.name, problem
    if given() != before:
        changed()


def is_there(file: object) -> bool:
    """Return whether a field's file still exists, since later files may displace it."""
    return isinstance(file, st.typing.UploadedFile)


def _remove(name: str, changed: Callable[[], None]) -> None:
    st.session_state[FILES] = tuple(file for file in given() if file.name != name)
    st.session_state[TROUBLE] = None
    changed()


def unmarked(words: str) -> str:
    r"""Escape Markdown in a label.

    >>> print(unmarked("*a*"))
    \*a\*
    """
    return "".join(f"\\{word}" if word in punctuation else word for word in words)
