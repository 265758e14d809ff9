"""The actions on a table: each adds its line of pandas to the program."""

from collections.abc import Sequence

import streamlit as st

from explorer.analysis.data import steps
from explorer.drawing.marks import quoted
from explorer.text import say
from explorer.trace import Table, TableColumn
from explorer.ui.pages.data.state import CHOSEN, text, write

OF_COLUMNS = ("fill", "drop-rows", "drop-columns", "one-hot", "retype", "scale")
OF_TABLE = tuple(action for action in OF_COLUMNS if action != "retype")


def actions(table: Table, lang: str) -> None:
    """Draw the row: columns, action, options, and the button that adds the line."""
    columns = {column.name: column for column in table.columns}
    with st.container(key="dt_actions", horizontal=True, gap="small", vertical_alignment="bottom"):
        chosen = _columns(columns, lang)
        kinds = _kinds([columns[label] for label in chosen])
        what = st.selectbox(
            say(lang, "data-do"),
            kinds,
            format_func=lambda action: say(lang, f"data-do-{action}"),
            key=f"dt_do_{bool(chosen)}",
            width=170,
        )
        line = _line(table.name, [columns[label] for label in chosen], list(columns.values()), what, lang)
        st.button(say(lang, "data-add"), key="dt_add", type="primary", on_click=_add, args=(line,), disabled=not line)
    if line:
        st.html(f'<pre class="dt-line" aria-label="{quoted(say(lang, "data-line"))}"><code>{quoted(line)}</code></pre>')
    else:
        st.html(f'<p class="quiet">{quoted(say(lang, "data-no-line"))}</p>')


def _kinds(chosen: list[TableColumn]) -> tuple[str, ...]:
    """The possible actions on these columns, or on all if there are none."""
    if not chosen:
        return OF_TABLE
    numbers = all(column.kind == "number" for column in chosen)
    return tuple(action for action in OF_COLUMNS if action != "scale" or numbers)


def _columns(columns: dict[str, TableColumn], lang: str) -> list[str]:
    """The columns to act on; none means all. First the clicked one, else one with gaps."""
    names, pressed = list(columns), st.session_state.get(CHOSEN, "")
    key = "dt_columns"
    choice = st.session_state.get(key)
    if choice is None or (choice and not set(choice) & set(names)):  # another table than before
        target = st.session_state.get("dt_target", next(reversed(names), ""))
        lacking = steps.lacking(columns.values(), target)
        st.session_state[key] = [pressed] if pressed in columns else lacking[:1]
    st.session_state[key] = [name for name in st.session_state[key] if name in columns]
    return st.multiselect(
        say(lang, "data-columns-of"), names, key=key, placeholder=say(lang, "data-all-columns"), width=170
    )


def _add(line: str) -> None:
    st.session_state.pop("dt_columns", None)
    st.session_state.pop(CHOSEN, None)
    write(steps.with_line(text(), line))


def _pick(label: str, key: str, options: Sequence[str], lang: str, width: int = 160) -> str:
    """One of several ways, by the message `data-<key>-<option>`."""
    return st.selectbox(
        say(lang, f"data-{label}"),
        options,
        format_func=lambda option: say(lang, f"data-{key}-{option}"),
        key=f"dt_{key}",
        width=width,
    )


def _line(name: str, chosen: list[TableColumn], columns: list[TableColumn], what: str, lang: str) -> str:
    """The line for the chosen action; "" if it does not apply."""
    match what:
        case "fill":
            how = _pick("with", "fill", _fills(chosen), lang, 200)
            value = (
                st.text_input(say(lang, "data-value"), "0", key="dt_fill_value", width=110) if how == "constant" else ""
            )
            return steps.fill(name, chosen, how, value)
        case "drop-rows":
            return steps.drop_rows(name, chosen)
        case "drop-columns":
            return steps.drop_columns(name, chosen)
        case "one-hot":
            dtype = st.selectbox(say(lang, "data-dtype"), ("int", "float", "bool"), key="dt_dtype", width=100)
            missing = st.checkbox(say(lang, "data-dummy-na"), True, key="dt_dummy_na")
            return steps.one_hot(name, chosen, missing, dtype)
        case "retype":
            return steps.retype(name, chosen, _pick("to", "type", steps.TYPES, lang))
        case "scale":
            numbers = [column for column in chosen or columns if column.kind == "number"]
            how = _pick("to", "scale", steps.SCALES, lang)
            return steps.scale(name, numbers, how) if numbers else ""
    return ""


def _fills(chosen: list[TableColumn]) -> tuple[str, ...]:
    """The ways to fill; texts have no mean."""
    numbers = all(column.kind == "number" for column in chosen)
    return steps.FILLS if numbers else tuple(fill for fill in steps.FILLS if fill not in ("mean", "median"))
