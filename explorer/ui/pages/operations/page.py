"""The Operations page: pictures of the operations of a program, of examples, and of what is typed in."""

import streamlit as st

from explorer.drawing.marks import quoted
from explorer.drawing.notebook.placeholders import beside_html, program_html, skeleton_html
from explorer.program import Program, Unusable, read_text
from explorer.program.writer import write_program
from explorer.text import say
from explorer.trace import Options, Trace
from explorer.ui.pages.operations.panel import STATE, WANTED, last_good, operations_panel
from explorer.ui.pages.tensors.examples import EXAMPLES
from explorer.ui.panels.gallery import gallery_line
from explorer.ui.panels.problems import problems, problems_html
from explorer.ui.session.drawn_parts import forget_drawn
from explorer.ui.session.links import from_address
from explorer.ui.session.program_run import computed, may_autorun
from explorer.ui.session.startup import wait_until_ready
from explorer.ui.session.state import document

FULL = Options(full=("*",))
MOST_PROBLEMS = 5  # that are told


def page(lang: str) -> None:
    """Draw the page."""
    with st.container(key="operations_page"):
        lead = quoted(say(lang, "operations-lead"))
        st.html(f'<h2 class="page-title">{quoted(say(lang, "operations-title"))}</h2><p class="lede">{lead}</p>')
        wait_until_ready(lang, skeleton_html("chart"))
        if STATE.arrive():
            _seed()
            forget_drawn()  # the page shows another program
        gallery_line(STATE, lang)
        program = _program()
        with st.container(key="op_running"):  # always there: what follows keeps its place, and with it the focus
            typed = STATE["source"] == "typed"
            result = _ran(program, lang) if isinstance(program, Program) and not typed else None
        told = []
        if STATE["source"] != "typed" and (failed := program if isinstance(program, Unusable) else result) is not None:
            told = problems(failed, lang)[:MOST_PROBLEMS]
        trace = result if isinstance(result, Trace) else None
        operations_panel(trace, lang, program is not None, problems_html(told, lang) if told else "")
    followed = program if isinstance(program, Program) and STATE["source"] == "program" else None
    STATE.tell(lang, program=write_program(followed, "py") if followed else "")


def _ran(program: Program, lang: str) -> Trace | Unusable:
    """What the program left behind; until then, its text and an empty picture."""
    texts = [cell.text for cell in program.cells]
    return computed(program, lang, FULL, lambda: beside_html(program_html(texts), skeleton_html("chart")))


def _seed() -> None:
    """Take the operation that an address asks for, and the program of an example that it names."""
    last_good.forget()  # drawn before the address was known, so outdated
    st.session_state[WANTED] = STATE["operation"]
    if STATE["example"]:
        STATE.put(program=EXAMPLES[STATE["example"]], example="")


def _program() -> Program | Unusable | None:
    """The program whose operations are offered; None for a program that must not run unasked."""
    linked_text = STATE["program"]
    try:
        if linked_text:
            known = linked_text in EXAMPLES.values()
            return read_text(linked_text) if known or may_autorun() or not from_address() else None
        return document().program() if document().may_run else None
    except Unusable as problem:
        return problem
