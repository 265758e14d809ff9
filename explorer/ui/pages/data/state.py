"""The program of the Data page and its view, kept in the session."""

import streamlit as st

from explorer.analysis.data.examples import EXAMPLES, FIRST
from explorer.ui.session.page_state import PageState

STATE = PageState("data", {"text": "dt_text", "view": "dt_view", "compare": "dt_compare"})
UNDO, SORT, FILTER, AT, CHOSEN = "_dt_undo", "_dt_sort", "_dt_filter", "_dt_at", "_dt_chosen"  # session state
READING, NOTES, TROUBLE, WEIGHT = "_dt_reading", "_dt_notes", "_dt_trouble", "_dt_weight"
FIELDS = ("dt_columns", "dt_target", "dt_inputs", "dt_name")  # which say something of one table
MOST_UNDONE = 100
ROWS, COLUMNS = 50, 30  # of a window


def text() -> str:
    """The program as it stands on the page."""
    return STATE["text"] or EXAMPLES[FIRST]


def write(program: str) -> None:
    """Replace the program and keep the previous one for Undo. The table's view is reset."""
    before: list[str] = st.session_state.setdefault(UNDO, [])
    if program != text():
        before.append(text())
        del before[:-MOST_UNDONE]
    STATE.put(text=program, step=-1)
    look_from_the_beginning()


def undo() -> None:
    """Back to the program before."""
    before: list[str] = st.session_state.get(UNDO, [])
    if before:
        STATE.put(text=before.pop(), step=-1)
        look_from_the_beginning()


def begin(program: str) -> None:
    """Put a program of another table in its place."""
    write(program)
    STATE.put(view="table")
    for key in (SORT, FILTER, CHOSEN, NOTES, TROUBLE, WEIGHT, *FIELDS):
        st.session_state.pop(key, None)


def look_from_the_beginning() -> None:
    """Show the first rows and columns."""
    st.session_state.pop(AT, None)


def at() -> tuple[int, int]:
    """The first row and column that are shown."""
    return st.session_state.get(AT, (0, 0))
