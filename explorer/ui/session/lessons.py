"""The example opened last on each page. Its line is shown until its program changes."""

import streamlit as st

LESSON = "_lesson"  # session state: by place the example that was opened there last


def begin(place: str, name: str) -> None:
    """An example was opened: its line is shown from now on."""
    st.session_state.setdefault(LESSON, {})[place] = name


def begun(place: str) -> str:
    """The example that was opened last, "" for none or when its line was closed."""
    return st.session_state.get(LESSON, {}).get(place, "")
