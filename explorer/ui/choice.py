"""A menu of things to begin with: one button each, and it closes when one was chosen."""

from collections.abc import Callable, Mapping
from typing import TypeVar

import streamlit as st

Thing = TypeVar("Thing")


def choice(
    title: str, key: str, things: Mapping[str, tuple[Thing, str]], take: Callable[[Thing], None] = lambda thing: None
) -> Thing | None:
    """Draw the menu in a container with this key; returns what was chosen just now.

    Args:
        things: by the key of its button, each thing with its label.
        take: called with what was chosen before the page runs again, when widgets may still be changed.
    """
    times = f"_times_{key}"  # session state: how often something was chosen; another popover begins closed
    before = st.session_state.setdefault(times, 0)

    def chosen(thing: Thing) -> None:
        st.session_state[times] += 1
        take(thing)

    with st.container(key=key, width="content"), st.popover(title, key=f"menu_{key}_{before}"):
        for name, (thing, label) in things.items():
            st.button(label, key=name, width="stretch", on_click=chosen, args=(thing,))
    return next((thing for name, (thing, _) in things.items() if st.session_state[name]), None)
