"""What colour tells in the picture: the choice beside the legend."""

import streamlit as st

from explorer.drawing.graph.shading import COLORINGS, Coloring
from explorer.text import say
from explorer.trace import Trace
from explorer.ui.session.state import STATE


def colorings(trace: Trace) -> tuple[Coloring, ...]:
    """What can be told of a run: bytes only where something was saved for backward."""
    return tuple(one for one in COLORINGS if one != "bytes" or any(trace.saved.size))


def coloring(trace: Trace) -> Coloring:
    """What was asked for, as far as this run can tell it."""
    asked = STATE["color"]
    return next((one for one in colorings(trace) if one == asked), COLORINGS[0])


def choose_coloring(trace: Trace, lang: str) -> None:
    """Draw the choice into the current container."""
    options = colorings(trace)
    if STATE["color"] not in options:  # another run may tell it
        return
    words = {one: say(lang, f"color-{one}") for one in options}
    st.selectbox(
        say(lang, "color"),
        options,
        key=STATE.field("color"),
        format_func=words.__getitem__,
        label_visibility="collapsed",
        width=140,
    )
