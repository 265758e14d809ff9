"""The files of a session that its programs read: where they are dropped, listed and taken away again.

They are kept in the session's state and sent with every run. Nothing here looks into them.
"""

from collections.abc import Callable
from html import escape
from string import punctuation

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from explorer.program import GivenFile, with_file
from explorer.program.given_files import HOSTED_ALL, HOSTED_FILE, MAX_ALL, MAX_FILE, MAX_FILES, TooMuch
from explorer.sandbox.hosting import hosted
from explorer.text import say
from explorer.text.numbers import visible

FILES, TROUBLE, TURN = "_files", "_files_trouble", "_files_turn"  # session state
MB = 1_000_000


def given() -> tuple[GivenFile, ...]:
    """The files that the session's programs find in their folder."""
    return st.session_state.get(FILES, ())


def bounds() -> tuple[int, int]:
    """How many bytes one file may have, and all together: fewer on a hosted site."""
    return (HOSTED_FILE, HOSTED_ALL) if hosted() else (MAX_FILE, MAX_ALL)


def files_place(changed: Callable[[], None], lang: str) -> None:
    """Draw the place for files; `changed` is called when there is one more or less."""
    title, hint = say(lang, "files"), say(lang, "files-hint")
    st.html(f'<p class="menu-title">{escape(title)}</p><p class="quiet">{escape(hint)}</p>')
    # While a program runs no drawing of the page comes to its end, and only then the browser forgets what is no longer
    # drawn: a row that was taken away has its place emptied. One that stays is never emptied, and nothing above
    # the rows changes its height: a click would be lost, or meet another row.
    with st.container(key="given_files", gap=None):
        for number, file in enumerate(given()):
            _row(number, file, changed, lang)
        for _ in range(MAX_FILES - len(given())):
            st.empty()
    key = f"drop_files_{st.session_state.setdefault(TURN, 0)}"  # what was taken in leaves the widget
    most, altogether = bounds()
    label = say(lang, "files-drop", count=MAX_FILES, file=most // MB, all=altogether // MB)
    st.file_uploader(
        label, key=key, accept_multiple_files=True, max_upload_size=most // MB, on_change=_take, args=(key, changed)
    )
    st.html(_trouble(lang) or "<div></div>")


def missing_place(name: str, changed: Callable[[], None], lang: str) -> None:
    """Draw the place for the one file that a program looked for; what is dropped there gets its name."""
    turn, (most, _) = st.session_state.setdefault(TURN, 0), bounds()
    key = f"drop_missing_{turn}"
    label = unmarked(say(lang, "files-missing", name=visible(name), file=most // MB))
    st.file_uploader(label, key=key, max_upload_size=most // MB, on_change=_take, args=(key, changed, name))
    st.html(_trouble(lang) or "<div></div>")


def _row(number: int, file: GivenFile, changed: Callable[[], None], lang: str) -> None:
    """A file with its size, and the way to take it away."""
    with st.container(key=f"given_{number}", horizontal=True, vertical_alignment="center", gap="small"):
        size = _size(len(file.content))
        st.html(f'<span class="given"><code>{escape(visible(file.name))}</code> {size}</span>', width="stretch")
        st.button(
            unmarked(say(lang, "files-remove", name=visible(file.name))),  # heard, not seen
            f"remove_{number}",
            on_click=_remove,
            args=(file.name, changed),
            type="tertiary",
            icon=":material/close:",
        )


def _trouble(lang: str) -> str:
    """Why a file was not taken, "" when each was."""
    if (trouble := st.session_state.get(TROUBLE)) is None:
        return ""
    name, problem = trouble
    most = str(problem.most) if problem.kind == "count" else _size(problem.most)
    words = say(lang, f"files-{problem.kind}", name=visible(name), size=_size(problem.size), most=most)
    return f'<p class="trouble" role="alert">{escape(words)}</p>'


def _take(key: str, changed: Callable[[], None], name: str = "") -> None:
    """Take in what a field got; `name`: that of its only file, "" for its own."""
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
    """Whether a field's file is still kept at the door: of one that gave way to later ones only its name is."""
    return isinstance(file, UploadedFile)


def _remove(name: str, changed: Callable[[], None]) -> None:
    st.session_state[FILES] = tuple(file for file in given() if file.name != name)
    st.session_state[TROUBLE] = None
    changed()


def unmarked(words: str) -> str:
    """Words for a label, in which Streamlit finds no Markdown.

    >>> print(unmarked("*a*"))
    \\*a\\*
    """
    return "".join(f"\\{word}" if word in punctuation else word for word in words)


def _size(count: int) -> str:
    """A count of bytes as people say it.

    >>> _size(228_145)
    '228 KB'
    """
    if count < 1_000:
        return f"{count} B"
    return f"{count / 1_000:.0f} KB" if count < MB else f"{count / MB:.1f} MB"
