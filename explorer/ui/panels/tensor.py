"""One tensor in full, and one call by its entries, with their plots."""

import math

import streamlit as st

from explorer.analysis.autograd import contributions, node_gradients, selected_backward
from explorer.analysis.tensors.operations.view import OperationView, operation_view
from explorer.analysis.tensors.prints import is_print, with_print
from explorer.analysis.tensors.tensor_list import ListedTensor
from explorer.analysis.tensors.views import FACETS, TensorView, tensor_view
from explorer.drawing.operations import charts, operation_html
from explorer.drawing.tensors.sheets import tensor_html
from explorer.program import CellSource, Program
from explorer.text import say
from explorer.trace import Cell, Echo, Printed, Result, Trace
from explorer.ui.components.linked_html import linked
from explorer.ui.components.script import component
from explorer.ui.panels.plots import figure
from explorer.ui.session.program_run import computed

_picture = component("explorer_operation", '<div class="operations"></div>', "panels/call.js")


def tensor_panel(trace: Trace, tensor: ListedTensor, tensors: tuple[ListedTensor, ...], lang: str) -> None:
    """Draw the panel of the selected tensor of `tensors`."""
    view = tensor_view(trace, tensor.tensor, tensor.version)
    leading = _leading(view, tensor, lang)
    with st.container(key="tn_printing"):
        printed = _print(trace, tensor, tensors, lang)
    dark, number = st.context.theme.type == "dark", tensors.index(tensor)
    linked(tensor_html(trace, tensor, view, number, leading, printed, dark, lang), "tn_sheet")


def _leading(view: TensorView, tensor: ListedTensor, lang: str) -> tuple[int, ...] | None:
    """Draw sliders for the leading axes if there are too many facets."""
    axes = view.shape[:-2]
    if view.value.data is None or math.prod(axes) <= FACETS or not view.entries:
        return None
    with st.container(key="tn_axes", horizontal=True):
        return tuple(
            st.slider(say(lang, "tensors-place-axis", axis=axis), 0, size - 1, key=f"tn_axis_{axis}_{tensor.key}")
            if size > 1
            else 0
            for axis, size in enumerate(axes)
        )


def _print(trace: Trace, tensor: ListedTensor, tensors: tuple[ListedTensor, ...], lang: str) -> str | None:
    """Return torch's print of a tensor, from the cell or an added `print`."""
    if tensor.place is None:
        return None
    cell = trace.cells[tensor.place.cell]
    if not tensor.named:
        return _shown(trace, tensor, cell)
    split = with_print(cell.source, tensor.place.line, tensor.name)
    if split is None:
        return None
    head, middle, tail, cut = split
    later = (other.place for other in tensors if other.name == tensor.name and other.place is not None)
    if any(place.cell == tensor.place.cell and tensor.place.line < place.line <= cut for place in later):
        return None  # the block changes it later
    texts = [cell.source for cell in trace.cells]
    texts[tensor.place.cell : tensor.place.cell + 1] = [head, middle, tail]
    result = computed(Program([CellSource(text) for text in texts]), lang, like=trace)
    if not isinstance(result, Trace):
        return None
    outputs = result.cells[tensor.place.cell + 1].outputs
    texts = [output.text for output in outputs if isinstance(output, Printed) and output.stream == "stdout"]
    return texts[0].rstrip("\n") if texts and is_print(texts[0]) else None


def _shown(trace: Trace, tensor: ListedTensor, cell: Cell) -> str | None:
    """Return the output of the expression that made a result."""
    lines = [text for text in cell.source.split("\n") if text.strip() and not text.lstrip().startswith("#")]
    for output in cell.outputs:
        if isinstance(output, Result) and is_print(output.text) and trace.text(output.span) == tensor.name:
            return output.text
        if isinstance(output, Echo) and is_print(output.text) and lines[-1].split("#")[0].strip() == tensor.name:
            return output.text
    return None


def call_view(trace: Trace, operation: int) -> OperationView:
    """Return an operation's view, with gradients of the shown backward."""
    backward = selected_backward(trace)
    return operation_view(trace, operation, node_gradients(trace, backward), contributions(trace, backward))


def call_panel(trace: Trace, operation: int, lang: str) -> None:
    """Draw the picture of a call."""
    view = call_view(trace, operation)
    _picture(key="op_picture", data={"html": operation_html(view, lang), "stale": False})
    for number, drawn in enumerate(charts(view, st.context.theme.type == "dark", lang)):
        figure(drawn, say(lang, "figure-alt", words=view.text or view.call.name), f"op_chart_{number}", lang)
