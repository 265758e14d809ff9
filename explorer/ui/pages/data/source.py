"""Where the table comes from: one of our own, a file, or what is pasted. The server never looks into a file."""

import streamlit as st

from explorer.analysis.data import file_format
from explorer.analysis.data.examples import EXAMPLES
from explorer.analysis.data.steps import START
from explorer.drawing.marks import quoted
from explorer.program import Unusable, read_program, with_file, write_program
from explorer.program.given_files import MAX_NAME, TooMuch, file_name
from explorer.text import say
from explorer.trace import Options, Trace
from explorer.ui.pages.data.state import NOTES, READING, TROUBLE, begin, text
from explorer.ui.session.edits import Open
from explorer.ui.session.given_files import FILES, MB, bounds, given, is_there
from explorer.ui.session.program_run import computed, forget_runs

PASTED = "pasted.csv"
MOST_PASTED = 200_000  # characters
TURN = "_dt_turn"  # session state: of the field for files, which is empty again when it was taken in
FOUND = "_dt_found"  # session state: name of the file that could not be read as it is, and what was found in it
LOOKING = Options(time_limit=20.0)


def source(lang: str) -> None:
    """Draw the choice of a table into the current container."""
    examples = {program: name for name, program in EXAMPLES.items()}
    names = ["", *EXAMPLES]
    now = examples.get(text(), "")
    labels = {name: say(lang, f"data-example-{name or 'own'}") for name in names}
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
    if not opened.open:  # what is closed is not sent
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
        st.session_state.pop(FOUND, None)
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
    """Open a file that was dropped onto the editor: a program in place of this one, any other as a table."""
    if file.size > len(file.data):
        st.session_state[TROUBLE] = "data-dropped-large", {"name": file.name[:MAX_NAME]}
    elif not file.name.lower().endswith((".py", ".ipynb", ".md")):
        _keep(file.name, file.data)
    else:
        try:
            begin(write_program(read_program(file.name, file.data), "py"))
        except Unusable:
            st.session_state[TROUBLE] = "data-not-looked", {"name": file.name[:MAX_NAME]}


def _keep(name: str, content: bytes) -> None:
    """Give the file to the session's programs, and have it looked into."""
    st.session_state.pop(FOUND, None)
    st.session_state.pop(TROUBLE, None)
    most, altogether = bounds()
    try:
        st.session_state[FILES] = with_file(given(), name, content, most, altogether)
    except TooMuch as problem:
        values = {"name": name[:MAX_NAME], "size": f"{problem.size / MB:.1f}", "most": problem.most // MB}
        st.session_state[TROUBLE] = f"data-too-much-{problem.kind}", values
        return
    st.session_state[READING] = file_name(name)
    st.session_state["dt_own"] = False
    forget_runs()


def take_in(lang: str) -> None:
    """Look into the file that was given last, in the child, and write the line that reads it."""
    if (name := st.session_state.get(READING)) is None:
        return
    result = computed(file_format.sniffing_program(name), lang, LOOKING)
    del st.session_state[READING]
    form = file_format.found(result) if isinstance(result, Trace) else None
    if form is None:
        st.session_state[TROUBLE] = "data-not-looked", {"name": name}
        return
    trouble = file_format.trouble(form)
    if trouble is None:
        read_as(form, name, "")
    else:
        message, values = trouble
        st.session_state[TROUBLE] = message, {**values, "name": name}
        st.session_state[FOUND] = (name, form)


def read_as(form: file_format.Found, name: str, way: str) -> None:
    """Begin a program with the line that reads the file in one of `file_format.WAYS`."""
    begin(f"{START}{file_format.read_line(form, name, way)}\n")
    st.session_state[NOTES] = form
    st.session_state.pop(FOUND, None)


def told(lang: str) -> None:
    """Notes on how the file was read, or why it was not."""
    if (trouble := st.session_state.get(TROUBLE)) is not None:
        message, values = trouble
        words = say(lang, message, **values)
        st.html(f'<p class="trouble dt-trouble" role="alert">{quoted(words)}</p>')
        name, form = st.session_state.get(FOUND, ("", None))
        if form is not None and (ways := file_format.ways(form)):
            with st.container(key="dt_ways", horizontal=True, gap="small"):
                for way in ways:
                    words = say(lang, f"data-way-{way}", count=form.many_long)
                    st.button(words, key=f"dt_way_{way}", on_click=read_as, args=(form, name, way))
    form = st.session_state.get(NOTES)
    if form is None:
        return
    notes = [say(lang, message, **values) for message, values in file_format.notes(form)]
    if notes:
        items = "".join(f"<li>{quoted(words)}</li>" for words in notes)
        head = quoted(say(lang, "data-notes", count=len(notes)))
        st.html(f'<details class="dt-notes" open><summary>{head}</summary><ul>{items}</ul></details>')


def formats(column: str) -> list[str]:
    """The formats in which a column of the file that was read is a date."""
    form = st.session_state.get(NOTES)
    return list(form.dates.get(column, ())) if form is not None else []
