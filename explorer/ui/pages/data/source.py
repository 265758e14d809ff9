"""Choose the table: an example, file, or pasted text."""

import streamlit as st

from explorer.analysis.views.data.data_steps import START, reads
from explorer.analysis.views.data.examples import EXAMPLES
from explorer.drawing.marks import quoted
from explorer.program import Unusable, read_program, with_file, write_program
from explorer.program.given_files import MAX_NAME, TooMuch, file_name
from explorer.text import say
from explorer.ui.pages.data.state import TROUBLE, begin, text
from explorer.ui.session.edits import Open
from explorer.ui.session.given_files import FILES, MB, bounds, given, is_there
from explorer.ui.session.program_run import forget_runs

PASTED = "pasted.csv"
MOST_PASTED = 200_000  # characters
TURN = "_dt_turn"  # session state: number of the file field, which is emptied after use


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
        label_visibility="collapsed",
        width=220,
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
