"""The table, whose headers are menus: each action adds its line of pandas to the program."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import streamlit as st

from explorer.analysis.views.comparison.matching import changed_lines
from explorer.analysis.views.data import data_steps as steps
from explorer.drawing.data.tables import table_html
from explorer.drawing.marks import quoted
from explorer.text import say
from explorer.trace import Table, TableColumn
from explorer.ui.components.script import component, component_state
from explorer.ui.components.session_values import Inbox, SessionValue
from explorer.ui.pages.data.state import TROUBLE, document, text, write

KEY = "dt_table"
MOST_VALUE = 200  # characters of a value to fill with
# What the menus offer, in groups, with pandas' word for it.
GROUPS: Sequence[Mapping[str, str]] = (
    {
        "fill.mean": "fillna",
        "fill.median": "fillna",
        "fill.mode": "fillna",
        "fill.constant": "fillna",
        "drop-rows": "dropna",
    },
    {"scale.standard": "mean, std", "scale.range": "min, max", "one-hot": "get_dummies"},
    {
        "retype.codes": "cat.codes",
        "retype.number": "to_numeric",
        "retype.date": "to_datetime",
        "retype.days": "dt.days",
    },
    {"drop-columns": "drop"},
)
OF_TABLE = ("fill", "drop-rows", "drop-columns", "scale", "one-hot")  # kinds of actions on a whole table


@dataclass(frozen=True)
class ShownTable:
    """The drawn table, and the program that made it."""

    table: Table
    program: str


_shown = SessionValue[ShownTable | None]("_dt_shown")
_added = SessionValue[tuple[str, ...]]("_dt_added", tuple)  # cells before the last action, and the program after it
_asked = Inbox("_dt_asked_action")
_component = component("explorer_table", '<div class="dt-place"></div>', "pages/data/table.js")


def take_action() -> None:
    """Add the line of the browser's last request to the program, once."""
    asked, shown = component_state(KEY, "asked"), _shown.get()
    match asked:
        case {"do": str(action), "columns": list(places), "value": str(value), "at": int(at)} if _asked.accept(at):
            if shown is None or shown.program != text() or len(value) > MOST_VALUE:
                return
            columns = _chosen(shown.table, places)
            if columns is None or action not in (_offered(columns) if columns else _of_all(shown.table)):
                return
            before = document().texts
            write(steps.with_line(text(), steps.line(shown.table.name, action, columns, value)))
            st.session_state.pop(TROUBLE, None)
            _added.put((*before, text()))


def _chosen(table: Table, places: list) -> list[TableColumn] | None:
    """Return the columns at these places, or None if there are no such."""
    fit = all(isinstance(place, int) and 0 <= place < len(table.columns) for place in places)
    return [table.columns[place] for place in sorted(set(places))] if fit else None


def _offered(columns: list[TableColumn]) -> set[str]:
    return set.intersection(*(set(steps.actions(column)) for column in columns))


def _of_all(table: Table) -> list[str]:
    return steps.actions_on_all(table.columns)


def added_lines() -> frozenset[tuple[int, int]]:
    """Return cell and line of what the last action added, until the program changes."""
    *before, after = _added.get() or ("",)
    return changed_lines(before, document().texts)[1] if before and after == text() else frozenset()


def table_panel(table: Table, lang: str) -> None:
    """Draw the table with its menus."""
    _shown.put(ShownTable(table, text()))
    html = table_html(table, steps.actions_on_all(table.columns), lang)
    _component(data={"html": html, **_words(lang)}, key=KEY, default={"asked": None})
    parts = ("rows", len(table.cells), table.rows), ("columns", len(table.columns), table.width)
    left = [say(lang, "data-first", what=what, shown=shown, all=every) for what, shown, every in parts if shown < every]
    if left:
        st.html(f'<p class="quiet">{quoted(" ".join(left))}</p>')


@cache
def _words(lang: str) -> dict[str, object]:
    """Return the menus' groups with pandas' words, and the words of both kinds of menus."""
    actions = [action for group in GROUPS for action in group]
    attributes = {action: action.replace(".", "-") for action in actions}
    return {
        "groups": [list(group.items()) for group in GROUPS],
        "column": {action: say(lang, f"data-do.{name}", count="{count}") for action, name in attributes.items()},
        "table": {
            action: say(lang, f"data-all.{name}")
            for action, name in attributes.items()
            if action.partition(".")[0] in OF_TABLE
        },
        "several": say(lang, "data-several", count="{count}"),
        "more": say(lang, "data-several-hint"),
    }
