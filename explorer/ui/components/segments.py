"""A row of buttons, of which exactly one is pressed."""

from collections.abc import Callable, Mapping
from typing import TypeVar

import streamlit as st

Thing = TypeVar("Thing")


def segments(
    title: str, key: str, labels: Mapping[Thing, str], labelled: bool = False, taken: Callable[[], None] | None = None
) -> Thing:
    """Draw the row, and return the choice that is pressed; the first as long as none is.

    Args:
        title: of the row; a screen reader says it.
        key: of the widget.
        labels: the label of each choice.
        labelled: whether the title is also shown above the row.
        taken: called when another is pressed, before the page is drawn.
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
