"""Choose the table: an example, file, or pasted text.

An action on the table adds its line of pandas to the program.
"""

from collections.abc import Sequence

import streamlit as st

from explorer.analysis.data import steps
from explorer.analysis.data.examples import EXAMPLES
from explorer.analysis.data.steps import START, reads
from explorer.drawing.marks import quoted
from explorer.program import Unusable, read_program, with_file, write_program
from explorer.program.given_files import MAX_NAME, TooMuch, file_name
from explorer.text import say
from explorer.trace import Table, TableColumn
from explorer.ui.pages.data.state import CHOSEN, TROUBLE, begin, text, write
from explorer.ui.session.edits import Open
from explorer.ui.session.given_files import FILES, MB, bounds, given, is_there
from explorer.ui.session.program_run import forget_runs

PASTED = "pasted.csv"
MOST_PASTED = 200_000  # characters
TURN = "_dt_turn"  # session state: number of the file field, which is emptied after use
OF_COLUMNS = ("fill", "drop-rows", "drop-columns", "one-hot", "retype", "scale")
OF_TABLE = tuple(action for action in OF_COLUMNS if action != "retype")


def source(lang: str) -> None:
    """Draw the choice of a table into the current container."""
    examples = {program: name for name, program in EXAMPLES.items()}
    names = ["", *EXAMPLES]
    now = examples.get(text(), "")
    labels = {name: say(lang, f"data-example.{name or 'own'}") for name in names}
    st.session_state["dt_source"] = now
    st.selectbox(
        say(lang, "data-source"),
        names if not now else names[1:],
        format_func=labels.get,
        key="dt_source",
        on_change=_take,
        width=260,
    )
    opened = st.popover(say(lang, "data-own"), key="dt_own", on_change="rerun")
    if not opened.open:  # closed content is not sent
        return
    with opened, st.container(key="dt_given", width=420):
        turn, (most, _) = st.session_state.setdefault(TURN, 0), bounds()
        label = say(lang, "data-file", most=most // MB)
        st.file_uploader(label, key=f"dt_file_{turn}", max_upload_size=most // MB, on_change=_file, args=(turn,))
        st.html(f'<p class="quiet">{quoted(say(lang, "data-file-hint"))}</p>')
        st.text_area(say(lang, "data-paste"), key="dt_pasted", height=120, max_chars=MOST_PASTED)
        st.button(say(lang, "data-paste-take"), key="dt_paste", on_click=_paste)


def _take() -> None:
    if (name := st.session_state["dt_source"]) in EXAMPLES:
        begin(EXAMPLES[name])


def _file(turn: int) -> None:
    file = st.session_state.get(f"dt_file_{turn}")
    if is_there(file):
        st.session_state[TURN] = turn + 1
        _keep(file.name, file.getvalue())


def _paste() -> None:
    if pasted := st.session_state.get("dt_pasted", ""):
        _keep(PASTED, pasted.encode("utf-8", "replace"))


def take_dropped(file: Open) -> None:
    """Open a file dropped onto the editor: a program, or otherwise a table."""
    if file.size > len(file.data):
        st.session_state[TROUBLE] = "data-dropped-large", {"name": file.name[:MAX_NAME]}
    elif not file.name.lower().endswith((".py", ".ipynb", ".md")):
        _keep(file.name, file.data)
    else:
        try:
            begin(write_program(read_program(file.name, file.data), "py"))
        except Unusable:
            st.session_state[TROUBLE] = "data-no-program", {"name": file.name[:MAX_NAME]}


def _keep(name: str, content: bytes) -> None:
    """Add a file to the session, and write the line that reads it."""
    st.session_state.pop(TROUBLE, None)
    most, altogether = bounds()
    try:
        st.session_state[FILES] = with_file(given(), name, content, most, altogether)
    except TooMuch as problem:
        st.session_state[TROUBLE] = "files-refused", {"where": "data", **problem.values(name[:MAX_NAME])}
        return
    st.session_state["dt_own"] = False
    forget_runs()
    begin(f"{START}{reads(file_name(name))}\n")


def draw_rejection(lang: str) -> None:
    """Draw why a file was rejected."""
    if (trouble := st.session_state.get(TROUBLE)) is not None:
        message, values = trouble
        st.html(f'<p class="trouble dt-trouble" role="alert">{quoted(say(lang, message, **values))}</p>')


def actions(table: Table, lang: str) -> None:
    """Draw the row: columns, action, options, and the button that adds the line."""
    columns = {column.name: column for column in table.columns}
    with st.container(key="dt_actions", horizontal=True, gap="small", vertical_alignment="bottom"):
        chosen = _columns(columns, lang)
        kinds = _kinds([columns[label] for label in chosen])
        what = st.selectbox(
            say(lang, "data-do"),
            kinds,
            format_func=lambda action: say(lang, f"data-do.{action}"),
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
    """Return the actions for the chosen columns, or for the whole table."""
    if not chosen:
        return OF_TABLE
    numbers = all(column.kind == "number" for column in chosen)
    return tuple(action for action in OF_COLUMNS if action != "scale" or numbers)


def _columns(columns: dict[str, TableColumn], lang: str) -> list[str]:
    """Draw the columns to act on (none: all)."""
    names, pressed = list(columns), st.session_state.get(CHOSEN, "")
    key = "dt_columns"
    choice = st.session_state.get(key)
    if choice is None or (choice and not set(choice) & set(names)):  # a different table
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
    """Draw a selection of options titled `data-<key>.<option>`."""
    return st.selectbox(
        say(lang, f"data-{label}"),
        options,
        format_func=lambda option: say(lang, f"data-{key}.{option}"),
        key=f"dt_{key}",
        width=width,
    )


def _line(name: str, chosen: list[TableColumn], columns: list[TableColumn], what: str, lang: str) -> str:
    """Return the chosen action's line, "" if not applicable."""
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
    """Return the ways to fill. Texts have no mean."""
    numbers = all(column.kind == "number" for column in chosen)
    return steps.FILLS if numbers else tuple(fill for fill in steps.FILLS if fill not in ("mean", "median"))
