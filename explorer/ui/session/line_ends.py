"""The setting that shows values and gradients at line ends, kept in the session."""

import streamlit as st

from explorer.text import say

SWITCH, OFF = "line_ends", "_line_ends_off"  # session state: the field, and what was chosen


def shown() -> bool:
    """Whether line ends are shown."""
    return not st.session_state.get(OFF, False)


def switch(lang: str) -> None:
    """Draw the switch into the current container."""
    st.session_state[SWITCH] = shown()
    st.toggle(say(lang, "settings-line-ends"), key=SWITCH, on_change=_take)


def _take() -> None:
    st.session_state[OFF] = not st.session_state[SWITCH]
