"""Choose what colour means in the picture, beside the legend."""

import streamlit as st

from explorer.drawing.graph.shades import COLORINGS, Coloring
from explorer.text import say
from explorer.trace import Trace
from explorer.ui.session.state import STATE


def colorings(trace: Trace) -> tuple[Coloring, ...]:
    """The colourings for a run: bytes only if something was saved for backward."""
    return tuple(kind for kind in COLORINGS if kind != "bytes" or any(trace.saved.size))


def coloring(trace: Trace) -> Coloring:
    """The chosen colouring, if this run supports it."""
    wanted = STATE["color"]
    return next((coloring for coloring in colorings(trace) if coloring == wanted), COLORINGS[0])


def choose_coloring(trace: Trace, lang: str) -> None:
    """Draw the choice into the current container."""
    options = colorings(trace)
    if STATE["color"] not in options:  # another run may support it
        return
    words = {option: say(lang, f"color-{option}") for option in options}
    st.selectbox(
        say(lang, "color"),
        options,
        key=STATE.field("color"),
        format_func=words.__getitem__,
        label_visibility="collapsed",
        width=140,
    )
