"""The Data page: a table, its steps, tensors and training."""

from dataclasses import replace

import streamlit as st

from explorer.analysis.explain.autograd import selected_backward
from explorer.analysis.views.data.data_gradients import PULLS
from explorer.analysis.views.data.data_steps import before_tensors
from explorer.drawing.marks import quoted
from explorer.drawing.notebook.outputs import output_html
from explorer.drawing.notebook.placeholders import program_html, skeleton_html
from explorer.program import GivenFile, Unusable, read_text
from explorer.text import say
from explorer.trace import Figure, Options, TableWindow, Trace
from explorer.ui.components.choice import segments
from explorer.ui.components.place import Place
from explorer.ui.editor.component import EditorView, editor
from explorer.ui.editor.views import editor_view, unrun_view
from explorer.ui.pages.data.columns import added_lines, table_panel, take_action
from explorer.ui.pages.data.source import draw_rejection, source, take_dropped
from explorer.ui.pages.data.state import NAME, STATE, UNDO, WEIGHT, document, edit, keep, take_edit, text, undo, write
from explorer.ui.pages.data.tensors import gradient, tensors
from explorer.ui.panels.plots import plot
from explorer.ui.panels.problems import change_html, problem_html, repair_html, tried_problems
from explorer.ui.session.document import Document
from explorer.ui.session.drawn_parts import is_drawn, mark_drawn
from explorer.ui.session.given_files import missing_place
from explorer.ui.session.links import from_address
from explorer.ui.session.program_button import open_as_program
from explorer.ui.session.program_run import RunResult, computed, forget_runs, may_autorun
from explorer.ui.session.startup import wait_until_ready

VIEWS = ("table", "tensors", "gradient")
TABLE, PULLED = 0, 1  # places of the windows that are asked for
ASKED = "_dt_asked"  # session state: whether the user ran the program of an address
MOST_PROBLEMS = 3  # reported problems
MOST_PLOTS = 8


def page(lang: str) -> None:
    """Draw the page."""
    with st.container(key="data_page"):
        with st.container(key="dt_controls", horizontal=True, vertical_alignment="center"):
            st.html(f'<h2 class="page-title">{quoted(say(lang, "nav-data"))}</h2>', width="content")
            sources = st.container(key="dt_sources", horizontal=True)
        wait_until_ready(lang, skeleton_html("chart"))
        STATE.keep_fields()
        before = STATE["text"]
        if STATE.read_address():
            st.session_state.pop(ASKED, None)
            if before:
                keep(before, text())
        if (dropped := take_edit()) is not None:
            take_dropped(dropped)
        take_action()
        with sources:
            source(lang)
        draw_rejection(lang)
        code, right = st.columns([40, 60], gap="small")
        with right, st.container(key="dt_view_row", horizontal=True, vertical_alignment="center"):
            labels = {name: say(lang, f"data-view.{name}") for name in VIEWS}
            view = segments(say(lang, "seen"), STATE.field("view"), labels)
        shown = right.container(key="dt_right")
        shown.empty()  # on a phone the program is below, with its space reserved
        with code, st.container(key="dt_left", gap=None):
            runs = _program(lang)
            place = st.container(key="dt_program", gap=None)
            printed = st.container(key="dt_printed")
        now = document()
        with place:
            meanwhile = st.empty()
            if not is_drawn("data"):
                meanwhile.html(program_html(now.texts))
        with shown:
            result = _shown(now, view, printed, lang) if runs else None
        with place:
            beside = unrun_view(now, ask=False)
            if result is not None:
                backward = None if isinstance(result, Unusable) else selected_backward(result)
                beside = _marked(editor_view(now, RunResult(now.texts, Options(), result), backward, None, lang))
            meanwhile.empty()
            editor(now, beside, edit(), lang)
            mark_drawn("data")
        STATE.write_address(lang)


def _marked(view: EditorView) -> EditorView:
    """Mark the lines that the last action added."""
    added = sorted(added_lines())
    cells = [
        replace(cell, marks=[(line, "changed") for of, line in added if of == number])
        for number, cell in enumerate(view.cells)
    ]
    return replace(view, cells=cells)


def _program(lang: str) -> bool:
    """Draw the program's actions. Return whether it may run."""
    with st.container(key="dt_program_buttons", horizontal=True, gap="small"):
        st.button(say(lang, "undo"), key="dt_undo", on_click=undo, disabled=not st.session_state.get(UNDO))
        open_as_program(text(), lang, "dt_open", NAME)
    if from_address() and not may_autorun() and not st.session_state.get(ASKED):
        st.html(f'<p class="notice">{quoted(say(lang, "data-not-run"))}</p>')
        st.button(
            say(lang, "run"), key="dt_ask", type="primary", on_click=lambda: st.session_state.update({ASKED: True})
        )
        return False
    return True


def _shown(now: Document, view: str, printed: Place, lang: str) -> Trace | Unusable:
    """Draw the run's tables, output and problems. Return the run."""
    try:
        program = now.program()
    except Unusable as problem:
        _problems(problem, (), lang)
        return problem
    with st.container(key="dt_computing"):  # always present, so that elements below keep their place
        trace = computed(program, lang, Options(full=("*",), tables=_windows(view)))
    if isinstance(trace, Unusable):
        _problems(trace, (), lang)
        return trace
    _problems(trace, program.files, lang)
    with printed:
        _printed(trace, lang)
    tables = {table.window: table for table in trace.tables}
    if (table := tables.get(TABLE)) is None:
        st.html(f'<p class="notice">{quoted(say(lang, "data-no-table"))}</p>')
        return trace
    match view:
        case "tensors":
            tensors(trace, table, lang)
        case "gradient":
            gradient(trace, tables.get(PULLED), table, lang)
        case _:
            table_panel(table, lang)
    return trace


def _own_cells() -> int:
    """Return the number of cells before the tensors, where steps are added, 0 for all."""
    head, tail = before_tensors(text())
    try:
        return len(read_text(head).cells) if tail else 0
    except Unusable:
        return 0


def _windows(view: str) -> tuple[TableWindow, ...]:
    cells = _own_cells()
    weight = TableWindow(name=PULLS, count=20, sort=st.session_state.get(WEIGHT, ""))
    return (TableWindow(cells=cells), *([weight] if view == "gradient" else ()))


def _problems(result: Trace | Unusable, files: tuple[GivenFile, ...], lang: str) -> None:
    """Explain a problem and its fix. A verified fix can be applied."""
    for number, problem in enumerate(tried_problems(result, files, lang)[:MOST_PROBLEMS]):
        sure = bool(problem.fixed) and isinstance(result, Trace)
        with st.container(key=f"problem_{number}", gap=None):
            st.html(problem_html(problem, code=not sure) + (change_html(problem, lang) if sure else ""))
            if not isinstance(result, Trace) or not problem.fixed:
                st.html(repair_html(problem) or "<div></div>")
                if problem.missing and number == 0:
                    missing_place(problem.missing, forget_runs, lang)
                continue
            with st.container(key=f"repair_{number}", horizontal=True, vertical_alignment="center", gap="small"):
                args = (result, problem.of, problem.fixed)
                st.button(say(lang, "repair"), key=f"dt_fix_{number}", on_click=_apply_fix, args=args, type="primary")
                st.html(repair_html(problem) or "<div></div>")


def _apply_fix(trace: Trace, cell: int, fixed: str) -> None:
    before = trace.cells[cell].source
    write(text().replace(before, fixed, 1) if before in text() else text())


def _printed(trace: Trace, lang: str) -> None:
    """Show what the program printed and plotted, if anything."""
    text = output_html(trace, 0, lang, alone=True) if len(trace.cells) == 1 else ""  # otherwise below each cell
    drawn = trace.shown(Figure)[:MOST_PLOTS]
    if text or drawn:
        st.html(f'<h3 class="dt-head">{quoted(say(lang, "output"))}</h3><div class="dt-printed">{text}</div>')
    for cell, place, figure in drawn:
        plot(figure, f"{cell}-{place}", lang)
