"""The bar above the editor: the program's name, how its run goes, Run, the examples, the files."""

from html import escape

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer.sandbox import SubmittedRun
from explorer.text import say
from explorer.trace import LineNumber, Trace
from explorer.ui.components.script import component
from explorer.ui.pages.autograd.lens import Lens
from explorer.ui.panels.files import Menu, examples
from explorer.ui.panels.problems import Problem
from explorer.ui.session.program_run import RunResult, stop
from explorer.ui.session.run_status import busy, status_html
from explorer.ui.session.state import Session, open_example

RUN = "run"  # key of the button, drawn after what stands above the bar


def bar(place: DeltaGenerator, now: Session, lang: str, lens: Lens | None = None) -> tuple[Session, "Status", Menu]:
    """Draw the bar above the editor; returns a new session if Run was pressed."""
    with place:
        presenting(lang)
        name = st.container(key="name", width="stretch")
        told = st.container(key="status", horizontal=True, width="content", vertical_alignment="center", gap="small")
        status = Status(told, lang)  # its button is beside it, so the bar's height stays the same
        if st.button(say(lang, "run"), key=RUN):
            now = now.run_all()
        examples(open_example, lang) if lens is None else lens.menu(lang)
        with st.container(key="files", width="content"):
            files = Menu(now.document, lang)
    name.html(f"<b>{escape(now.document.name)}</b>")
    return now, status, files


class Status:
    """The status in the bar: how the last run ended; during a run its progress and the stop button.

    Called with the run. The previous text stays until a new one replaces it.
    """

    def __init__(self, container: DeltaGenerator, lang: str) -> None:
        self.container, self.lang = container, lang
        self.line: DeltaGenerator | None = None
        self.button: DeltaGenerator | None = None

    def __call__(self, run: SubmittedRun) -> None:
        if self.line is None:
            with self.container:
                self.line, self.button = st.empty(), st.empty()
            self.button.button(say(self.lang, "stop"), key="stop", on_click=stop)
        self.line.html(busy(run, self.lang))

    def html(self, words: str) -> None:
        """The last word on this run."""
        if self.line is None:
            self.container.html(words)
            return
        self.line.html(words)
        self.button.empty()


def outcome_html(problems: list[Problem], unfinished: bool, shown: RunResult, lang: str) -> str:
    """HTML: how the run ended."""
    if unfinished:
        return status_html("wait", say(lang, "status-typing"))
    if not problems:
        return status_html("good", say(lang, "status-ran"))
    first = problems[0]
    file = shown.result.cells[first.cell].name if isinstance(shown.result, Trace) and first.line else ""
    if file:
        return status_html("bad", say(lang, "status-stopped", line=LineNumber(first.line, file)))
    if len(shown.texts) > 1:
        cells = len({problem.cell for problem in problems})
        return status_html("bad", say(lang, "status-cells", count=cells, cell=first.cell + 1))
    stopped = say(lang, "status-stopped", line=first.line) if first.line else say(lang, "status-failed")
    return status_html("bad", stopped)


_layout = component(
    "explorer_layout",
    '<div class="splitter" hidden></div><button type="button" class="present-leave"></button>',
    "pages/autograd/layout.js",
)


def presenting(lang: str) -> None:
    """Draw the listeners for the keys, the bar between both panes, and the button to leave the presentation."""
    said = {"split": "pane-split", "leave": "present-leave", "run": "run-hint"}
    _layout(data={"words": {word: say(lang, name) for word, name in said.items()}}, key="present")
