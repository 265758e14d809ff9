"""Choices: a menu of examples that closes after a choice, and a row of exclusive buttons."""

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


def segments(
    title: str, key: str, labels: Mapping[Thing, str], labelled: bool = False, taken: Callable[[], None] | None = None
) -> Thing:
    """Draw the row; return the pressed choice, by default the first.

    Args:
        title: title of the row, read by screen readers.
        key: key of the widget.
        labels: label of each choice.
        labelled: whether to show the title above the row.
        taken: called when another choice is pressed, before the page is drawn.
    """
    chosen = st.segmented_control(
        title,
        list(labels),
        format_func=labels.__getitem__,
        key=key,
        required=True,
        label_visibility="visible" if labelled else "collapsed",
        width="content",
        on_change=taken,
    )
    return next(iter(labels)) if chosen is None else chosen
