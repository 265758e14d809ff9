"""What stands in the graph's place where the cell with the caret has no gradient: the picture of the caret's line."""

from html import escape

import streamlit as st

from explorer.analysis.tensors.line_picture import line_picture, lines_with_pictures
from explorer.analysis.tensors.tensor_list import tensor_list
from explorer.text import say
from explorer.trace import Trace
from explorer.ui.components.segments import segments
from explorer.ui.components.session_values import SessionValue
from explorer.ui.components.watch import drawing
from explorer.ui.panels.call import call_panel
from explorer.ui.panels.tensor import tensor_panel
from explorer.ui.session.chosen_line import ProgramPlace, follow_caret, light_line, newly_chosen

SEEN = ("picture", "graph")
KEY = "line_graph"

_caret = SessionValue[ProgramPlace | None]("_line_of_caret", lambda: None)


def line(trace: Trace, cell: int, lang: str) -> bool:
    """Draw it into the current container; of a cell in which nothing is a tensor, one sentence.

    Returns False, having drawn the choice alone, where the user chose the graph of the whole program.
    """
    if len(trace.operations):
        with st.container(key="line_or_graph"):
            st.session_state.setdefault(KEY, SEEN[0])
            if segments(say(lang, "line-or-graph"), KEY, {what: say(lang, f"line-{what}") for what in SEEN}) != SEEN[0]:
                return False
    places = {(cell, number) for number in lines_with_pictures(trace, cell)}
    follow_caret(places)
    if (moved := newly_chosen("autograd")) is not None:
        _caret.put(moved)
    caret = _caret.get()
    seen = line_picture(trace, cell, caret[1] if caret is not None and caret[0] == cell else None)
    light_line(None if seen is None else (cell, seen.line), places)
    with st.container(key="graph"), st.container(key="lens"), drawing("line", lang):
        if seen is None:
            st.html(f'<p class="notice">{escape(say(lang, "line-none", cell=cell + 1))}</p>')
        elif seen.call is not None:
            call_panel(trace, seen.call.operation, lang)
        elif seen.tensor is not None:
            tensor_panel(trace, seen.tensor, tensor_list(trace), lang)
    return True
