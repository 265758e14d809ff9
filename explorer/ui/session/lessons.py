"""The last opened example of each page, with a line until its program changes."""

import streamlit as st

LESSON = "_lesson"  # session state: place → example last opened there


def begin(place: str, name: str) -> None:
    """Show an opened example's line from now on."""
    st.session_state.setdefault(LESSON, {})[place] = name


def begun(place: str) -> str:
    """Return the last opened example, "" if none or its line was closed."""
    return st.session_state.get(LESSON, {}).get(place, "")
