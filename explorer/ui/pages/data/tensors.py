"""Show the tensors of a table and one training step.

Shows which columns become tensors and why the others don't, and for the step the loss, each weight's gradient,
and each row's contribution to it.
"""

import math

import streamlit as st

from explorer.analysis.views.data import data_steps as steps
from explorer.analysis.views.data.data_gradients import Weighted, adds_up, loss, scalar, weighted
from explorer.drawing.data.tensors import pulls_html, reasons_html, tensor_html, weights_html
from explorer.drawing.marks import quoted
from explorer.text import say
from explorer.text.numbers import number
from explorer.trace import Table, TableColumn, Trace
from explorer.ui.components.linked_html import linked, pressed
from explorer.ui.pages.data.state import WEIGHT, text, view_button, write

FITTING = ("number", "truth")
KEY = "dt_weights"


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
            others = [label for label in fitting if label != target]
            st.session_state["dt_inputs"] = [label for label in others if not columns[label].missing] or others
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
    """Explain why a column does not fit into a tensor, "" if it does.

    Missing cells of a column that is in no tensor make no NaN.
    """
    if column.kind not in FITTING:
        return say(lang, f"data-why.{column.kind}", dtype=column.dtype)
    return say(lang, "data-why.missing", count=column.missing) if chosen and column.missing else ""


def gradient(trace: Trace, pulls: Table | None, table: Table, lang: str) -> None:
    """Draw the model choice and the step's results."""
    if not trace.table_tensors:
        st.html(f'<p class="dt-needs">{quoted(say(lang, "data-model-needs"))}</p>')
        view_button("tensors", lang)
        return
    with st.container(key="dt_model", horizontal=True, gap="small", vertical_alignment="bottom"):
        model = st.segmented_control(
            say(lang, "data-model"), ("linear", "logistic"), default="linear", required=True,
            format_func=lambda choice: say(lang, f"data-model.{choice}"), key="dt_model_kind", width="content",
        )  # fmt: skip
        names = next((one.columns for one in trace.table_tensors if one.name == "X"), [])
        suits = steps.suiting_rate(len(names))
        rate = st.text_input(say(lang, "data-rate"), key="dt_rate", max_chars=20, width=110, placeholder=suits) or suits
        wide = steps.unscaled(column for column in table.columns if column.name in names)
        scaling = steps.scale(table.name, wide, "standard") if wide else ""
        args = (model, rate, scaling)
        st.button(say(lang, "data-model-add"), key="dt_model_add", type="primary", on_click=_add, args=args)
    product = weighted(trace)
    if product is None or product.gradients is None:
        st.html(f'<p class="dt-needs">{quoted(say(lang, "data-no-gradient"))}</p>')
        return
    _draw_loss(trace, lang)
    chosen = _chosen(product, trace)
    weights, rows = st.columns(2, gap="medium")
    with weights:
        st.html(f'<h3 class="dt-head">{quoted(say(lang, "data-weights"))}</h3>')
        linked(weights_html(product, chosen, lang), KEY, _run_of(trace))
    with rows:
        _rows(pulls, product, chosen, lang)


def _add(model: steps.Model, rate: str, scaling: str) -> None:
    """Add the step, preceded by a scaling line for the tensors' columns if missing."""
    before = text() if scaling in text() else steps.with_line(text(), scaling)
    write(steps.with_gradient(before, steps.gradient(model, rate)))


def _run_of(trace: Trace) -> str:
    return str(hash(tuple(cell.source for cell in trace.cells)))


def _chosen(product: Weighted, trace: Trace) -> int:
    """Return the shown weight: the pressed one, or that with the largest gradient."""
    if (choice := pressed(KEY, _run_of(trace))) is not None and choice.startswith("weight "):
        place = int(choice[7:])
        if place < len(product.columns):
            st.session_state[WEIGHT] = product.columns[place]
            st.rerun()
    name = st.session_state.get(WEIGHT)
    if name in product.columns:
        return product.columns.index(name)
    gradients = product.gradients or (0.0,)
    largest = max(range(len(gradients)), key=lambda at: abs(gradients[at]) if math.isfinite(gradients[at]) else -1)
    st.session_state[WEIGHT] = product.columns[largest]
    st.rerun()


def _draw_loss(trace: Trace, lang: str) -> None:
    """Draw the loss before the step and after it."""
    before, after = loss(trace), scalar(trace, "new_loss")
    if before is None:
        return
    if not math.isfinite(before):
        words = say(lang, "data-loss.nan")
    elif after is None:
        words = say(lang, "data-loss", loss=number(before))
    else:
        kind = "less" if after <= before else "more"
        words = say(lang, f"data-loss.{kind}", loss=number(before), after=number(after))
    st.html(f'<p class="dt-summary" role="status">{quoted(words)}</p>')


def _rows(pulls: Table | None, product: Weighted, chosen: int, lang: str) -> None:
    if pulls is None:
        return
    name = product.columns[chosen]
    title = say(lang, "data-pulls", name=name, rows=len(pulls.cells), all=pulls.rows)
    st.html(f'<h3 class="dt-head">{quoted(title)}</h3>')
    drawn = pulls_html(pulls, name, lang)
    gradients = product.gradients or ()
    note = ""
    if adds_up(pulls, gradients):
        words = say(lang, "data-adds-up", rows=pulls.rows, gradient=number(gradients[chosen], signed=True))
        note = f'<p class="quiet">{quoted(words)}</p>'
    st.html(drawn + note)
