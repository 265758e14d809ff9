"""Switch between Graph, Values, Memory and Influence above the picture."""

from collections.abc import Sequence
from html import escape
from typing import Literal

import streamlit as st

from explorer.analysis.views.tensors.line_picture import is_about_memory, line_picture, lines_with_pictures
from explorer.analysis.views.tensors.tensor_list import tensor_list
from explorer.analysis.views.timeline.variables import variables_after
from explorer.drawing.marks import quoted
from explorer.safe_regex import plain
from explorer.text import say
from explorer.trace import Trace, ends_cell
from explorer.ui.components.choice import segments
from explorer.ui.components.session_values import SessionValue
from explorer.ui.components.watch import drawing
from explorer.ui.pages.autograd.player import with_statements
from explorer.ui.pages.autograd.values import chosen_tensor, place_of, values
from explorer.ui.panels.influence import influence_panel
from explorer.ui.panels.memory import memory_panel
from explorer.ui.session.chosen_line import ProgramPlace, follow_caret, light_line, newly_chosen
from explorer.ui.session.document import with_text
from explorer.ui.session.state import STATE, change
from explorer.ui.session.state import document as current

LineView = Literal["graph", "values", "memory", "influence"]
KEY = "seen_as"
_FIRST = "import torch\n\n{0} = torch.tensor(3.0, requires_grad=True)\n{1} = {0} ** 2\n{1}.backward()\n"
_NAMES = (("x", "y"), ("w", "loss"), ("u", "v"), ("x_in", "y_out"))  # names in the suggested lines
_WORD = plain(r"[^\W\d]\w{0,40}")

_caret = SessionValue[ProgramPlace | None]("_line_of_caret")
_known = SessionValue[tuple[str, object]]("_seen_known", lambda: ("", None))  # a choice and its subject


def caret_line(trace: Trace, cell: int) -> int | None:
    """Return the line chosen last, None for the cell's end."""
    follow_caret(lambda: {(cell, number) for number in lines_with_pictures(trace, cell)})
    if (moved := newly_chosen("line")) is not None:
        _caret.put(moved)
        STATE.put(tensor="")
    caret = _caret.get()
    return caret[1] if caret is not None and caret[0] == cell else None


def best_of_line(trace: Trace, cell: int, line: int | None) -> LineView:
    """Return the best view of a line without a gradient."""
    return "memory" if is_about_memory(trace, cell, line) else "values"


def choose_view(best: LineView, of: object, offered: Sequence[LineView], lang: str) -> LineView:
    """Draw the switch and return the chosen or best view."""
    known, made_of = _known.get()
    if STATE["seen"] == known and made_of != of:  # otherwise it was set by the switch or an address
        STATE["seen"] = ""
    _known.put((STATE["seen"], of))
    shown: LineView = STATE["seen"] if STATE["seen"] in offered else best
    if len(offered) > 1:
        if st.session_state.get(KEY) != shown:  # an assigned value is sent, and would undo a click on its way
            st.session_state[KEY] = shown
        words = {each: say(lang, f"seen-{each}") for each in offered}
        segments(say(lang, "seen"), KEY, words, taken=lambda: STATE.put(seen=st.session_state[KEY]))
    return shown


def line(trace: Trace, cell: int, number: int | None, seen: LineView, lang: str) -> None:
    """Draw values or memory of a line, the effects of the program, or a sentence."""
    shown = line_picture(trace, cell, number)
    chosen = chosen_tensor(trace, number) if seen == "values" else None
    places = {(cell, number) for number in lines_with_pictures(trace, cell)}
    light_line(place_of(chosen) if chosen else (cell, shown.line) if shown else None, places)
    with st.container(key="graph"), st.container(key="lens"), drawing("line", lang):
        if seen == "influence":
            influence_panel(trace, lang)
        elif shown is None and chosen is None:
            _without_tensors(trace, cell, lang)
        elif seen == "memory" and shown is not None:
            memory_panel(trace, cell, shown.line, lang)
        else:
            values(trace, shown, chosen, cell, lang)


def _without_tensors(trace: Trace, cell: int, lang: str) -> None:
    """Draw a tensorless cell's variables, and suggest lines that would have a graph."""
    stopped = any(map(ends_cell, trace.cells[cell].outputs))
    source = trace.cells[cell].source
    empty = not source.strip()
    number = cell + 1 if len(trace.own_cells) > 1 else 0
    which = "page-graph-stopped" if stopped else "line-empty" if empty else "line-none"
    st.html(f'<p class="notice">{quoted(say(lang, which, cell=number))}</p>')
    if trace.end != "limited" and not empty:
        rows = "".join(
            f'<tr><th scope="row"><code>{quoted(one.name)}</code></th><td><code>{quoted(one.value)}</code></td></tr>'
            for one in variables_after(with_statements(trace, lang), cell)
        )
        title = quoted(say(lang, "line-variables"))
        st.html(f'<table class="variables"><caption>{title}</caption>{rows}</table>' if rows else "<div></div>")
    if stopped or len(tensor_list(trace)):
        return
    used = {match[0] for one in trace.own_cells for match in _WORD.finditer(one.source)}
    names = next((pair for pair in _NAMES if used.isdisjoint(pair)), _NAMES[-1])
    lines = _FIRST.format(*names)
    with st.container(key="first_lines", gap="small"):
        st.html(f'<p class="quiet">{quoted(say(lang, "line-first"))}</p><pre><code>{escape(lines)}</code></pre>')
        args = (cell, source, lines)
        st.button(say(lang, "line-add"), key="add_first_lines", type="primary", on_click=_add, args=args)


def _add(cell: int, source: str, lines: str) -> None:
    change(with_text(current(), cell, source, f"{source.rstrip()}\n\n{lines}".lstrip("\n")))
