"""The Values view: the program's tensors, and a line's call, tensor or histogram."""

from collections.abc import Mapping
from typing import Literal

import streamlit as st
from msgspec import structs

from explorer.analysis.views.tensors.line_picture import LinePicture, line_picture
from explorer.analysis.views.tensors.program_lines import branches_not_run, value_of
from explorer.analysis.views.tensors.tensor_list import ListedTensor, tensor_list
from explorer.drawing.tensors.sheets import spread_html
from explorer.drawing.tensors.tensor_list import list_html
from explorer.program import CellSource, Program
from explorer.text import say
from explorer.trace import Trace
from explorer.ui.components.choice import segments
from explorer.ui.components.linked_html import linked, pressed
from explorer.ui.pages.autograd.predict import predicting
from explorer.ui.panels.tensor import call_panel, tensor_panel
from explorer.ui.session.chosen_line import ProgramPlace, choose_line
from explorer.ui.session.memo import memoize
from explorer.ui.session.program_run import computed
from explorer.ui.session.saved_run import is_saved
from explorer.ui.session.state import STATE

View = Literal["operation", "tensor", "histogram"]
KEY, LIST = "tn_view", "tn_list"


def chosen_tensor(trace: Trace, number: int | None) -> ListedTensor | None:
    """Return the chosen tensor, None if the line decides.

    Before there is a caret, it is the last tensor of several entries that has a .grad.
    """
    listed = {one.key: one for one in tensor_list(trace)}
    if (key := pressed(LIST, _run(trace))) in listed:
        STATE.put(tensor=key, values="histogram" if STATE["values"] == "histogram" else "tensor")
        choose_line("line", place_of(listed[key]))
    if STATE["tensor"] in listed or number is not None:
        return listed.get(STATE["tensor"])
    learns = (one for one in reversed(listed.values()) if one.shape and trace.tensors.grad[one.tensor] >= 0)
    return next(learns, None)


def values(trace: Trace, shown: LinePicture | None, chosen: ListedTensor | None, cell: int, lang: str) -> None:
    """Draw the list, and next to it the chosen view of the line.

    Args:
        shown: picture of the caret's line in this cell. chosen: a tensor that takes precedence over it.
    """
    tensors, call = tensor_list(trace), None if shown is None else shown.call
    tensor = chosen or _of_line(tensors, shown, cell)
    if chosen is not None and chosen.place is not None:
        beside = line_picture(trace, chosen.place.cell, chosen.place.line)
        call = beside.call if beside is not None and beside.line == chosen.place.line else None
    offered: Mapping[View, bool] = {
        "operation": call is not None,
        "tensor": tensor is not None,
        "histogram": tensor is not None,
    }
    views = [view for view, there in offered.items() if there]
    view = STATE["values"] if STATE["values"] in views else views[0]
    st.session_state[KEY] = view
    labels = {name: say(lang, f"tensors-view-{name}") for name in views}
    segments(say(lang, "seen"), KEY, labels, taken=lambda: STATE.put(values=st.session_state[KEY]))
    left, right = st.columns([30, 70], gap="small")
    with left:
        rows = list_html(trace, tensors, tensor.key if tensor else "", branches_not_run(trace), lang)
        name = f'<h2 class="tn-name">{say(lang, "tensors-list")}</h2>'  # for screen readers
        linked(f'<div class="tn-source">{name}{rows}</div>', LIST, _run(trace))
    with right:
        if view == "operation" and call is not None:
            call_panel(trace, call.operation, lang)
        elif tensor is not None:
            _tensor(*_whole(trace, tensor, lang), view, lang)


def place_of(tensor: ListedTensor) -> ProgramPlace | None:
    """Return the cell and line of a tensor."""
    return None if tensor.place is None else (tensor.place.cell, tensor.place.line)


def _tensor(trace: Trace, tensor: ListedTensor, view: View, lang: str) -> None:
    if view != "histogram":
        return tensor_panel(trace, tensor, tensor_list(trace), lang)
    dark = st.context.theme.type == "dark"
    html = memoize("histogram", trace, lambda: spread_html(trace, tensor, dark, lang), tensor.key, dark, lang)
    linked(html, "tn_spread")
    return None


def _whole(trace: Trace, tensor: ListedTensor, lang: str) -> tuple[Trace, ListedTensor]:
    """Return a run that kept a tensor in full, and the tensor."""
    if value_of(trace, tensor.version).data is not None or predicting() or is_saved(trace):
        return trace, tensor
    program = Program([CellSource(cell.source) for cell in trace.own_cells])
    again = computed(program, lang, structs.replace(trace.options, full=("*",)), like=trace)
    if not isinstance(again, Trace):
        return trace, tensor
    found = next((one for one in tensor_list(again) if one.key == tensor.key), None)
    return (trace, tensor) if found is None else (again, found)


def _of_line(tensors: tuple[ListedTensor, ...], shown: LinePicture | None, cell: int) -> ListedTensor | None:
    """Return the last tensor a line made, otherwise the one it wrote or read."""
    if shown is None or shown.call is None:
        return None if shown is None else shown.tensor
    made = [one for one in tensors if place_of(one) == (cell, shown.line)]
    return next((one for one in reversed(made) if one.named), made[-1] if made else None)


def _run(trace: Trace) -> str:
    return str(hash(tuple(cell.source for cell in trace.cells)))
