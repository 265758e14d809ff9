"""Which columns become tensors, which would not go and why, and which column went where."""

import streamlit as st

from explorer.analysis.data import steps
from explorer.drawing.data.tensors import reasons_html, tensor_html
from explorer.drawing.marks import quoted
from explorer.text import say
from explorer.trace import Table, TableColumn, Trace
from explorer.ui.components.linked_html import linked
from explorer.ui.pages.data.state import text, view_button, write

FITTING = ("number", "truth")


def tensors(trace: Trace, table: Table, lang: str) -> None:
    """Draw the choice of inputs and target, and the tensors that there are."""
    _choose(table, lang)
    drawn = ""
    for table_tensor in trace.table_tensors:
        tensor = trace.bound(table_tensor.name)
        if tensor is not None:
            shape = tuple(trace.shapes[trace.tensors.shape[tensor]])
            dtype = trace.string(trace.tensors.dtype[tensor]) or ""
            drawn += tensor_html(table_tensor, shape, dtype.removeprefix("torch."), lang)
    if drawn:
        linked(f'<div class="dt-tensors">{drawn}</div>', "dt_tensors")
        view_button("gradient", lang)
    else:
        st.html(f'<p class="quiet">{quoted(say(lang, "data-no-tensors"))}</p>')


def _choose(table: Table, lang: str) -> None:
    columns = {column.name: column for column in table.columns}
    fitting = [label for label, column in columns.items() if column.kind in FITTING]
    with st.container(key="dt_choose", horizontal=True, gap="small", vertical_alignment="bottom"):
        if st.session_state.get("dt_target") not in columns:
            various = [label for label in fitting if columns[label].distinct > 2]  # not the columns of a one-hot
            st.session_state["dt_target"] = next(reversed(various or fitting), next(iter(columns), None))
        target = st.selectbox(say(lang, "data-target"), list(columns), key="dt_target", width=170)
        offered = [column for column in columns if column != target]
        earlier = st.session_state.get("dt_inputs")
        if earlier is None or not set(earlier) <= set(offered):
            st.session_state["dt_inputs"] = [
                label for label in fitting if label != target and not columns[label].missing
            ]
        inputs = st.multiselect(say(lang, "data-inputs"), offered, key="dt_inputs")
        used = [columns[name] for name in inputs]
        lines = steps.to_tensors(table.name, used, columns[target]) if used and target else ""
        st.button(
            say(lang, "data-make"), key="dt_make", type="primary", disabled=not lines, on_click=_make, args=(lines,)
        )
    chosen = {target, *inputs}
    reasons = [(label, why) for label, column in columns.items() if (why := _why_not(column, label in chosen, lang))]
    if reasons:
        st.html(f'<p class="quiet">{quoted(say(lang, "data-would-not"))}</p>{reasons_html(reasons)}')


def _make(lines: str) -> None:
    write(steps.with_tensors(text(), lines))


def _why_not(column: TableColumn, chosen: bool, lang: str) -> str:
    """Why a column would not go into a tensor as it is, or, where it is chosen, what would come of it; "" for nothing.

    Missing cells of a column that is in no tensor make no NaN.
    """
    if column.kind not in FITTING:
        return say(lang, f"data-why-{column.kind}", dtype=column.dtype)
    return say(lang, "data-why-missing", count=column.missing) if chosen and column.missing else ""
