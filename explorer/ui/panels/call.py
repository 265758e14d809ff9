"""One call by its entries, with the plots that belong to it."""

from typing import Literal

import streamlit as st

from explorer.analysis.autograd import contributions, node_gradients, selected_backward
from explorer.analysis.tensors.operations.view import OperationView, operation_view
from explorer.drawing.operations import charts, operation_html
from explorer.trace import Trace
from explorer.ui.components.script import component

CHART = {"displayModeBar": False, "showTips": False}

_picture = component("explorer_operation", '<div class="operations"></div>', "panels/call.js")


def call_view(trace: Trace, operation: int) -> OperationView:
    """An operation of a run, with the gradients of the backward that its page shows."""
    backward = selected_backward(trace)
    return operation_view(trace, operation, node_gradients(trace, backward), contributions(trace, backward))


def call_panel(trace: Trace, operation: int, lang: str) -> None:
    """Draw the picture of a call."""
    view = call_view(trace, operation)
    _picture(key="op_picture", data={"html": operation_html(view, lang), "stale": False})
    for number, figure in enumerate(charts(view, st.context.theme.type == "dark", lang)):
        width: Literal["content", "stretch"] = "content" if figure.layout.width else "stretch"
        st.plotly_chart(figure, key=f"op_chart_{number}", theme=None, config=CHART, width=width)
