"""The answers in the browser's own storage; the server stores none."""

from typing import Any

import streamlit as st

from explorer.ui.components.script import component, component_state
from explorer.ui.pages.lessons.learner import recall, remembered

KEY = "lesson_memory"
RECALLED = "_lesson_recalled"  # session state: whether what the browser kept was taken in

_memory = component("explorer_lessons", "<i hidden></i>", "pages/lessons/memory.js")


def listen() -> None:
    """Read the stored answers, once in a session."""
    memory = component_state(KEY, "kept")
    if isinstance(memory, dict) and not st.session_state.get(RECALLED):
        st.session_state[RECALLED] = True
        recall(memory)


def remember(focus: str, into: str = "lesson_ask") -> None:
    """Give the browser what it is to keep, once it has said what it kept before.

    Args:
        focus: a name for what is asked now: when it is another one, the keyboard is taken there.
        into: the key of the container whose first field or button gets it.
    """
    data: dict[str, Any] = {
        "keep": remembered() if st.session_state.get(RECALLED) else None,
        "focus": focus,
        "into": into,
    }
    _memory(data=data, key=KEY, default={"kept": None}, on_kept_change=lambda: None)
