"""One step of a linear or logistic model: loss, the gradient at each weight, and what each row adds to it."""

import math

import streamlit as st

from explorer.analysis.data import steps
from explorer.analysis.data.gradients import Weighted, adds_up, loss, scalar, weighted
from explorer.drawing.data.tensors import pulls_html, weights_html
from explorer.drawing.marks import quoted
from explorer.text import say
from explorer.text.numbers import number
from explorer.trace import Table, Trace
from explorer.ui.components.linked_html import linked, pressed
from explorer.ui.pages.data.state import WEIGHT, text, view_button, write

KEY = "dt_weights"


def gradient(trace: Trace, pulls: Table | None, table: Table, lang: str) -> None:
    """Draw the choice of a model, and what one step of it says. `table`: the one that its tensors are made of."""
    if not trace.table_tensors:
        st.html(f'<p class="dt-needs">{quoted(say(lang, "data-model-needs"))}</p>')
        view_button("tensors", lang)
        return
    with st.container(key="dt_model", horizontal=True, gap="small", vertical_alignment="bottom"):
        model = st.segmented_control(
            say(lang, "data-model"), ("linear", "logistic"), default="linear", required=True,
            format_func=lambda choice: say(lang, f"data-model-{choice}"), key="dt_model_kind", width="content",
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
    _tell_loss(trace, lang)
    chosen = _chosen(product, trace)
    weights, rows = st.columns(2, gap="medium")
    with weights:
        st.html(f'<h3 class="dt-head">{quoted(say(lang, "data-weights"))}</h3>')
        linked(weights_html(product, chosen, lang), KEY, _run_of(trace))
    with rows:
        _rows(pulls, product, chosen, lang)


def _add(model: steps.Model, rate: str, scaling: str) -> None:
    """Add the step, and before the tensors the line that brings their columns to one scale, unless it is there."""
    before = text() if scaling in text() else steps.with_line(text(), scaling)
    write(steps.with_gradient(before, steps.gradient(model, rate)))


def _run_of(trace: Trace) -> str:
    return str(hash(tuple(cell.source for cell in trace.cells)))


def _chosen(product: Weighted, trace: Trace) -> int:
    """The weight whose rows are shown: the one pressed, or the one with the largest gradient."""
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


def _tell_loss(trace: Trace, lang: str) -> None:
    """The loss before the step and after it."""
    before, after = loss(trace), scalar(trace, "new_loss")
    if before is None:
        return
    if not math.isfinite(before):
        words = say(lang, "data-loss-nan")
    elif after is None:
        words = say(lang, "data-loss", loss=number(before))
    else:
        kind = "less" if after <= before else "more"
        words = say(lang, f"data-loss-{kind}", loss=number(before), after=number(after))
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
