"""More on one variable: derivatives of higher order, and how small h should be."""

import streamlit as st

from explorer.analysis.calculus.curve import Curve
from explorer.drawing.derivatives.orders import marks_table, orders_plot, orders_table
from explorer.drawing.derivatives.quotients import error_table
from explorer.drawing.marks import quoted
from explorer.text import say
from explorer.ui.pages.derivatives.parts import error_figure
from explorer.ui.pages.derivatives.state import STATE
from explorer.ui.panels.plots import figure


def orders(view: Curve | None, lang: str) -> None:
    """f to f⁗ below one another, their values at the point, and what is worth looking at."""
    if view is None or view.higher_at is None or view.sweep.higher is None:
        return
    lede = quoted(say(lang, "derivatives-orders-lede"))
    st.html(f'<p class="quiet">{lede}</p>')
    with st.container(key="derivatives_orders", horizontal=True):
        with st.container(key="derivatives_strips"):
            drawn = orders_plot(view, st.context.theme.type == "dark", lang)
            figure(drawn, say(lang, "derivatives-orders-picture"), "derivatives_strips_drawn", lang)
        with st.container(key="derivatives_orders_beside"):
            st.html(f'<div class="facts">{orders_table(view, lang)}{marks_table(view, lang)}</div>')


def precision(view: Curve | None, lang: str) -> None:
    """The error of the quotient by h in three dtypes, as a picture and as a table."""
    if view is None:
        return
    kind = st.segmented_control(
        say(lang, "derivatives-kind"),
        ("forward", "central"),
        format_func=lambda choice: say(lang, f"derivatives-kind-{choice}"),
        key=STATE.field("kind"),
        required=True,
    )
    with st.container(key="derivatives_errors", horizontal=True, gap="large"):
        with st.container(key="derivatives_error_picture"):
            error_figure(view, kind, "derivatives_errors_drawn", lang)
        with st.container(key="derivatives_error_table", width="stretch"):
            st.html(error_table(view, kind, lang))
