"""A window of the table, before the tensors are made of it."""

import streamlit as st

from explorer.drawing.data.table import table_html
from explorer.drawing.marks import quoted
from explorer.text import say
from explorer.trace import Table, Trace
from explorer.ui.components.linked_html import linked, pressed
from explorer.ui.pages.data.state import CHOSEN

KEY = "dt_table"


def table_panel(trace: Trace, table: Table, lang: str) -> None:
    """Draw it, and take in which column was pressed."""
    run = str(hash(tuple(cell.source for cell in trace.cells)))
    _, _, place = (pressed(KEY, run) or "").partition("column ")
    if place.isdigit() and int(place) < len(table.columns):
        st.session_state[CHOSEN] = table.columns[int(place)].name
        st.session_state.pop("dt_columns", None)  # its field follows
        st.rerun()
    words = say(lang, "data-caption", name=table.name, rows=table.rows, columns=table.width)
    if len(table.columns) < table.width:
        words += f". {say(lang, 'data-columns', shown=len(table.columns), all=table.width)}"
    st.html(f'<p class="dt-summary" role="status">{quoted(words)}</p>')
    linked(table_html(table, st.session_state.get(CHOSEN, ""), lang), KEY, run)
    if len(table.cells) < table.rows:
        words = say(lang, "data-rows", shown=len(table.cells), all=table.rows)
        st.html(f'<p class="quiet">{quoted(words)}</p>')
