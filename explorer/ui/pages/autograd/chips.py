"""The strip `backward 1 … n`: which of a program's backward calls the picture shows, and a way to another."""

import streamlit as st

from explorer.autograd.cells import called_backwards, cell_of
from explorer.text import say
from explorer.trace import Trace
from explorer.ui.components.script import component

KEY = "backwards"
LINKED = "_linked"  # session state: the backward that an address asked for, and of which run

_chips = component("explorer_chips", '<div class="chips" role="group"></div>', "pages/autograd/chips.js")


def chosen(trace: Trace, run: str, cell: int | None) -> int | None:
    """The backward that was picked by hand for this run while the cursor was in this cell, as an index."""
    state = st.session_state.get(KEY)
    told = state.get("chosen") if state is not None else None
    calls = _calls(trace)
    if not isinstance(told, dict) or (told.get("run"), told.get("cell")) != (run, cell):
        number = linked(run)
        return number if number in calls else None
    number = told.get("number")
    return calls[number] if isinstance(number, int) and 0 <= number < len(calls) else None


def link(number: int | None, run: str) -> None:
    """Show this backward of this run until another one is picked: an address asked for it."""
    st.session_state[LINKED] = (number, run)


def linked(run: str) -> int | None:
    """The index of the backward that an address asked for of this run, None for none."""
    number, of = st.session_state.get(LINKED, (None, ""))
    return number if of == run else None


def chips(trace: Trace, run: str, cell: int | None, shown: int | None, lang: str) -> None:
    """Draw the strip, where there is a choice or several cells to tell apart.

    Args:
        run: a name for this run; a choice made in another one is forgotten.
        shown: index of the backward that the picture shows.
    """
    calls = _calls(trace)
    if not calls or (len(calls) == 1 and len(trace.cells) == 1):
        return
    titles = []
    for number, i in enumerate(calls, start=1):
        span = trace.backwards[i].span
        line = trace.line(span)
        place = cell_of(trace, span) + 1
        where = say(lang, "place" if len(trace.cells) > 1 else "line", cell=place, line=line) if line else ""
        titles.append([f"{trace.backwards[i].kind} {number}", where, _place(trace, span)])
    data = {
        "chips": titles,
        "shown": calls.index(shown) if shown in calls else -1,
        "run": run,
        "cell": cell,
        "label": say(lang, "backwards"),
    }
    _chips(data=data, key=KEY, default={"chosen": None}, on_chosen_change=lambda: None)


def _place(trace: Trace, span: int) -> list[int] | None:
    """Cell, line, column, end line and end column, None without a place."""
    if span < 0:
        return None
    at = trace.spans[span]
    return [at.cell, at.line, at.column, at.end_line, at.end_column]


def _calls(trace: Trace) -> list[int]:
    """The calls that the program itself made."""
    return [i for i in called_backwards(trace) if trace.backwards[i].kind != "implicit"]
