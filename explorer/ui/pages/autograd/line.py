"""The switch Graph, Values, Memory above the picture, and what stands there in place of the graph: the caret's line."""

from collections.abc import Sequence
from html import escape
from typing import Literal

import streamlit as st

from explorer.analysis.tensors.line_picture import line_picture, lines_with_pictures, tells_memory
from explorer.analysis.tensors.tensor_list import tensor_list
from explorer.text import say
from explorer.trace import Trace
from explorer.ui.components.choice import segments
from explorer.ui.components.session_values import SessionValue
from explorer.ui.components.watch import drawing
from explorer.ui.panels.memory import memory_panel
from explorer.ui.panels.tensor import call_panel, tensor_panel
from explorer.ui.session.chosen_line import ProgramPlace, follow_caret, light_line, newly_chosen
from explorer.ui.session.state import STATE

Seen = Literal["graph", "values", "memory"]
KEY = "seen_as"

_caret = SessionValue[ProgramPlace | None]("_line_of_caret", lambda: None)
_known = SessionValue[tuple[str, object]]("_seen_known", lambda: ("", None))  # the choice, and what it was made of


def caret_line(trace: Trace, cell: int) -> int | None:
    """The line of a cell that was chosen last, by the caret or on a card; None for its end."""
    follow_caret({(cell, number) for number in lines_with_pictures(trace, cell)})
    if (moved := newly_chosen("line")) is not None:
        _caret.put(moved)
    caret = _caret.get()
    return caret[1] if caret is not None and caret[0] == cell else None


def best_of_line(trace: Trace, cell: int, line: int | None) -> Seen:
    """What a line without a gradient is seen best by."""
    return "memory" if tells_memory(trace, cell, line) else "values"


def seen_as(best: Seen, of: object, offered: Sequence[Seen], lang: str) -> Seen:
    """Draw the switch; what is shown: `best`, or the user's choice as long as that is made `of` the same."""
    known, made_of = _known.get()
    if STATE["seen"] == known and made_of != of:  # another one comes from the switch or with an address
        STATE["seen"] = ""
    _known.put((STATE["seen"], of))
    shown: Seen = STATE["seen"] if STATE["seen"] in offered else best
    if len(offered) > 1:
        st.session_state[KEY] = shown
        words = {each: say(lang, f"seen-{each}") for each in offered}
        segments(say(lang, "seen"), KEY, words, taken=lambda: STATE.put(seen=st.session_state[KEY]))
    return shown


def line(trace: Trace, cell: int, number: int | None, seen: Seen, lang: str) -> None:
    """Draw values or memory of a line into the current container; where no line has a tensor, one sentence."""
    shown = line_picture(trace, cell, number)
    places = {(cell, number) for number in lines_with_pictures(trace, cell)}
    light_line(None if shown is None else (cell, shown.line), places)
    with st.container(key="graph"), st.container(key="lens"), drawing("line", lang):
        if shown is None:
            st.html(f'<p class="notice">{escape(say(lang, "line-none", cell=cell + 1))}</p>')
        elif seen == "memory":
            memory_panel(trace, cell, shown.line, lang)
        elif shown.call is not None:
            call_panel(trace, shown.call.operation, lang)
        elif shown.tensor is not None:
            tensor_panel(trace, shown.tensor, tensor_list(trace), lang)
