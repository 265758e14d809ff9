"""Choices: a menu of examples, and a row of exclusive buttons."""

from collections.abc import Callable, Mapping
from typing import TypeVar

import streamlit as st

Thing = TypeVar("Thing")


def choice(title: str, key: str, labels: Mapping[str, str], take: Callable[[str], None]) -> None:
    """Draw the menu. Its key is `menu_` and this one.

    Args:
        labels: by name.
        take: called with the chosen name before the page runs again, when widgets may still be changed.
    """
    menu = f"menu_{key}"

    def chosen() -> None:
        if (name := st.session_state[menu]) in labels:
            take(name)

    st.menu_button(title, list(labels), key=menu, format_func=labels.__getitem__, on_click=chosen)


def segments(
    title: str, key: str, labels: Mapping[Thing, str], labelled: bool = False, taken: Callable[[], None] | None = None
) -> Thing:
    """Draw the row. Return the pressed choice, by default the first.

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
