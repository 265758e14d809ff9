"""A menu of examples: one button each; it closes after a choice."""

from collections.abc import Callable, Mapping
from typing import TypeVar

import streamlit as st

Thing = TypeVar("Thing")


def choice(title: str, key: str, things: Mapping[str, tuple[Thing, str]], take: Callable[[Thing], None]) -> None:
    """Draw the menu in a container with this key.

    Args:
        things: by the key of its button, each thing with its label.
        take: called with the choice before the page runs again, when widgets may still be changed.
    """
    menu = f"menu_{key}"

    def chosen(thing: Thing) -> None:
        st.session_state[menu] = False
        take(thing)

    with st.container(key=key, width="content"):
        opened = st.popover(title, key=menu, on_change="rerun")
        if not opened.open:  # a closed menu is not sent
            return
        with opened:
            for name, (thing, label) in things.items():
                st.button(label, key=name, width="stretch", on_click=chosen, args=(thing,))
