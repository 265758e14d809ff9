"""One tensor in full, and one call by its entries, with their plots."""

import math

import streamlit as st

from explorer.analysis.explain.autograd import contributions, node_gradients, selected_backward
from explorer.analysis.explain.entries.operation_view import OperationView, operation_view
from explorer.analysis.views.tensors.tensor_list import ListedTensor
from explorer.analysis.views.tensors.views import FACETS, TensorView, tensor_view
from explorer.drawing.operations import curve_chart, operation_html
from explorer.drawing.tensors.sheets import tensor_html
from explorer.text import say
from explorer.trace import Trace
from explorer.ui.components.linked_html import linked
from explorer.ui.components.script import component
from explorer.ui.panels.plots import figure

_picture = component("explorer_operation", '<div class="operations"></div>', "panels/call.js")


def tensor_panel(trace: Trace, tensor: ListedTensor, tensors: tuple[ListedTensor, ...], lang: str) -> None:
    """Draw the panel of the selected tensor of `tensors`."""
    view = tensor_view(trace, tensor.tensor, tensor.version)
    leading = _leading(view, tensor, lang)
    dark, number = st.context.theme.type == "dark", tensors.index(tensor)
    linked(tensor_html(trace, tensor, view, number, leading, dark, lang), "tn_sheet")


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


def call_view(trace: Trace, operation: int) -> OperationView:
    """Return an operation's view, with gradients of the shown backward."""
    backward = selected_backward(trace)
    return operation_view(trace, operation, node_gradients(trace, backward), contributions(trace, backward))


def call_panel(trace: Trace, operation: int, lang: str) -> None:
    """Draw the picture of a call."""
    view = call_view(trace, operation)
    _picture(key="op_picture", data={"html": operation_html(view, lang), "stale": False})
    if (drawn := curve_chart(view, st.context.theme.type == "dark", lang)) is not None:
        figure(drawn, say(lang, "figure-alt", words=view.text or view.call.name), "op_chart", lang)
