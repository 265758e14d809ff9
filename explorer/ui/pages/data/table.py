"""The table as it is shown: sorted, filtered, a window of it, beside the one before."""

from html import escape

import streamlit as st

from explorer.drawing.data.table import MANY, table_html
from explorer.drawing.marks import quoted
from explorer.text import say
from explorer.text.numbers import shorten, visible
from explorer.trace import Table, Trace
from explorer.ui.components.linked_html import linked, pressed
from explorer.ui.pages.data.state import AT, CHOSEN, COLUMNS, FILTER, ROWS, SORT, STATE, at
from explorer.ui.session.given_files import unmarked

TESTS = ("missing", "equal", "less", "more", "contains")
KEY = "dt_table"
NEXT = {"up": "down", "down": "", "size": "", "": "up"}  # what pressing the arrow of a column makes of its order


def table_panel(trace: Trace, table: Table, lang: str) -> None:
    """Draw it, and take what is pressed in its heads."""
    window = trace.options.tables[table.window]
    run = str(hash((tuple(cell.source for cell in trace.cells), table.step)))
    if (choice := pressed(KEY, run)) is not None:
        _take(choice, table)
        st.rerun()
    with st.container(key="dt_look", horizontal=True, gap="small", vertical_alignment="center"):
        step = trace.table_steps[table.step] if 0 <= table.step < len(trace.table_steps) else None
        if step is not None and step.of:
            st.toggle(say(lang, "data-compare"), key=STATE.field("compare"))
        _filter(table, lang)
    st.html(f'<p class="dt-summary" role="status">{_summary(table, lang)}</p>')
    chosen = st.session_state.get(CHOSEN, "")
    linked(table_html(table, window, chosen, lang), KEY, run)
    _paging(table, lang)


def _take(choice: str, table: Table) -> None:
    what, _, place = choice.partition(" ")
    columns = table.part.columns
    if not place.isdigit() or int(place) >= len(columns):
        return
    name = columns[int(place)].name
    if what == "column":
        st.session_state[CHOSEN] = name
        st.session_state.pop("dt_columns", None)  # its field follows
    elif what == "sort":
        now, order = st.session_state.get(SORT, ("", ""))
        turned = NEXT[order if now == name else ""]
        st.session_state[SORT] = (name, turned) if turned else ("", "up")
        st.session_state.pop(AT, None)


def _summary(table: Table, lang: str) -> str:
    """What the step did, and which rows are shown."""
    part, words = table.part, []
    changed = sum(column.changed for column in part.columns)
    if table.changed_rows:
        words.append(say(lang, "data-did-change", rows=table.changed_rows, cells=changed))
    if table.gone_rows:
        words.append(say(lang, "data-did-drop", rows=table.gone_rows))
    if table.new_rows:
        words.append(say(lang, "data-did-add", rows=table.new_rows))
    if part.gone:
        words.append(say(lang, "data-did-lose", columns=", ".join(part.gone[:6]), count=len(part.gone)))
    new = [column.name for column in part.columns if column.state == "new"]
    if new and table.before is not None:
        words.append(say(lang, "data-did-gain", columns=", ".join(new[:6]), count=len(new)))
    if table.before is not None and len(part.columns) > MANY and any(column.state != "same" for column in part.columns):
        words.append(say(lang, "data-changed-first"))
    return escape(" ".join(words))


def _filter(table: Table, lang: str) -> None:
    """The menu that leaves some rows away; what it says is used as soon as it changes."""
    where, test, value = st.session_state.get(FILTER, ("", "", ""))
    asked = {"column": shorten(where, 24), "value": shorten(value, 24)}
    label = unmarked(visible(say(lang, f"data-filtered-{test}", **asked))) if test else say(lang, "data-filter")
    opened = st.popover(label, key="dt_filter", on_change="rerun", icon=":material/filter_alt:")
    if test:
        st.button(say(lang, "data-filter-off"), key="dt_filter_off", on_click=_unfilter, type="tertiary")
    if not opened.open:
        return
    with opened, st.container(key="dt_filters", width=320):
        if table.before is not None or test == "changed":
            st.button(say(lang, "data-filter-changed"), key="dt_filter_changed", on_click=_only_changed)
        names = [column.name for column in table.part.columns]
        place = st.selectbox(
            say(lang, "data-column"), range(len(names)), format_func=lambda at: names[at], key="dt_where"
        )
        how = st.selectbox(
            say(lang, "data-test"), TESTS, format_func=lambda choice: say(lang, f"data-test-{choice}"), key="dt_test"
        )
        against = "" if how == "missing" else st.text_input(say(lang, "data-value"), key="dt_value", max_chars=200)
        name = names[place] if place is not None and place < len(names) else ""
        st.button(say(lang, "data-filter-on"), key="dt_filter_on", on_click=_filtered, args=(name, how, against))


def _filtered(where: str, test: str, value: str) -> None:
    st.session_state[FILTER] = (where, test, value)
    st.session_state["dt_filter"] = False
    st.session_state.pop(AT, None)


def _only_changed() -> None:
    _filtered("", "changed", "")


def _unfilter() -> None:
    st.session_state.pop(FILTER, None)
    st.session_state.pop(AT, None)


def _paging(table: Table, lang: str) -> None:
    """Which rows and columns these are, and the way to the others."""
    part, (first, first_column) = table.part, at()
    with st.container(key="dt_paging", horizontal=True, gap="small", vertical_alignment="center"):
        if table.matching > ROWS or first:
            last = min(first + ROWS, table.matching)
            _turn(
                "rows",
                first > 0,
                last < table.matching,
                (max(0, first - ROWS), first_column),
                (first + ROWS, first_column),
                lang,
            )
            st.html(
                f'<p class="quiet">{quoted(say(lang, "data-rows", first=first + 1, last=last, all=table.matching))}</p>'
            )
            go = f"dt_go_{first}"
            st.number_input(
                say(lang, "data-go"), 1, max(1, table.matching), first + 1, key=go, width=130, on_change=_go, args=(go,)
            )  # fmt: skip
        elif table.matching < max(part.rows, 1) and st.session_state.get(FILTER):
            st.html(f'<p class="quiet">{quoted(say(lang, "data-matching", count=table.matching, all=part.rows))}</p>')
        if part.width > COLUMNS or first_column:
            last = min(first_column + COLUMNS, part.width)
            _turn(
                "columns", first_column > 0, last < part.width,
                (first, max(0, first_column - COLUMNS)), (first, first_column + COLUMNS), lang,
            )  # fmt: skip
            words = say(lang, "data-columns", first=first_column + 1, last=last, all=part.width)
            st.html(f'<p class="quiet">{quoted(words)}</p>')


def _turn(what: str, back: bool, on: bool, before: tuple[int, int], after: tuple[int, int], lang: str) -> None:
    for name, open_, to in (("previous", back, before), ("next", on, after)):
        words = say(lang, f"data-{name}-{what}")
        st.button(words, key=f"dt_{name}_{what}", disabled=not open_, on_click=_move, args=(to,))


def _move(to: tuple[int, int]) -> None:
    st.session_state[AT] = to


def _go(key: str) -> None:
    st.session_state[AT] = (max(0, int(st.session_state[key]) - 1), at()[1])
