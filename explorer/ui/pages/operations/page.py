"""The Operations page: pictures of the operations of a program, of examples, and of what is typed in."""

from typing import Any

import streamlit as st

from explorer.drawing.marks import quoted
from explorer.program import Program, Unusable, read_text
from explorer.program.writing import write_program
from explorer.text import say
from explorer.trace import Options, Trace
from explorer.ui.pages.operations.panel import Asked, is_typed, operations_panel, seed
from explorer.ui.pages.tensors.examples import EXAMPLES
from explorer.ui.panels.problems import problems, problems_html
from explorer.ui.session.links import arrived, brought, show
from explorer.ui.session.running import computed, trusted
from explorer.ui.session.state import document
from explorer.ui.session.waiting import wait_until_ready

PAGE = "operations"
FULL = Options(full=("*",))
MOST_PROBLEMS = 5  # that are told
LINKED = "_op_program"  # session state: the program that came with a link


def page(lang: str) -> None:
    """Draw the page."""
    with st.container(key="operations_page"):
        lead = quoted(say(lang, "operations-lead"))
        st.html(f'<h2 class="page-title">{quoted(say(lang, "operations-title"))}</h2><p class="lede">{lead}</p>')
        wait_until_ready(lang)
        if (came := arrived(PAGE)) is not None:
            _seed(came)
        program = _program()
        with st.container(key="op_running"):  # always there: what follows keeps its place, and with it the focus
            result = computed(program, lang, FULL) if isinstance(program, Program) and not is_typed() else None
        told = []
        if not is_typed() and (failed := program if isinstance(program, Unusable) else result) is not None:
            told = problems(failed, lang)[:MOST_PROBLEMS]
        trace = result if isinstance(result, Trace) else None
        asked = operations_panel(trace, lang, program is not None, problems_html(told, lang) if told else "")
    text = write_program(program, "py") if isinstance(program, Program) and asked.source == "program" else ""
    values = {"source": asked.source, "typed": asked.text, "operation": asked.operation, "program": text}
    show(PAGE, values, lang)


def _seed(came: dict[str, Any]) -> None:
    """Put what an address or an earlier visit says into the widgets."""
    st.session_state[LINKED] = came["program"] if brought() else ""
    if came["example"]:
        st.session_state[LINKED] = EXAMPLES[came["example"]]
    seed(Asked(came["source"], came["typed"], came["operation"]))


def _program() -> Program | Unusable | None:
    """The program whose operations are offered, None for one that nobody asked to run."""
    linked_text = st.session_state.get(LINKED)
    try:
        if linked_text:
            known = linked_text in EXAMPLES.values()
            return read_text(linked_text) if known or trusted() or not brought() else None
        return document().program() if document().asked else None
    except Unusable as problem:
        return problem
