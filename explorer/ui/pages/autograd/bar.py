"""The bar above the editor: program name, status, Run, examples, files.

Above the first program of a session: what the app shows and the way into the course, until a program was run.
"""

from html import escape

import streamlit as st

from explorer.drawing.marks import message_html
from explorer.lessons.course import own_course
from explorer.sandbox import SubmittedRun
from explorer.text import say
from explorer.trace import LineNumber, Trace
from explorer.ui.components.place import Place
from explorer.ui.components.script import component
from explorer.ui.pages.autograd.lens import Lens
from explorer.ui.panels.files import Menu, examples
from explorer.ui.panels.problems import Problem
from explorer.ui.session.examples import FIRST_SIGHT
from explorer.ui.session.gallery import open_lesson
from explorer.ui.session.program_run import RunResult, stop
from explorer.ui.session.run_wait import busy, status_html
from explorer.ui.session.state import Session, open_example

RUN = "run"  # key of the button, which is drawn after the rest of the bar
LEFT = "_welcome_left"  # session state: whether the welcome has been left
ASKS = {"after": 8, "answer": 5}  # the step of the first program's run after which only w lacks its gradient
OVER = "<style>:root { --over: var(--welcome); }</style>"  # the panes below leave room for the welcome

_welcome = component("explorer_welcome", '<button type="button" class="door"></button>', "pages/autograd/welcome.js")


def bar(place: Place, now: Session, lang: str, lens: Lens | None = None) -> tuple[Session, "Status", Menu]:
    """Draw the bar above the editor. Return a new session if Run was pressed."""
    with place:
        presenting(lang)
        st.html(f'<div class="st-key-name"><b>{escape(now.document.name)}</b></div>')
        row = st.container(key="status", horizontal=True, width="content", vertical_alignment="center", gap="small")
        status = Status(row, lang)  # next to its button, so the bar keeps its height
        if st.button(say(lang, "run"), key=RUN):
            now = now.run_all()
        examples(open_example, lang) if lens is None else lens.menu(lang)
        files = Menu(now.document, lang)
    return now, status, files


class Status:
    """Status in the bar: the last run's end or progress.

    Called with the run. The previous text stays until a new one replaces it.
    """

    def __init__(self, container: Place, lang: str) -> None:
        self.container, self.lang = container, lang
        self.line: Place | None = None
        self.button: Place | None = None

    def __call__(self, run: SubmittedRun) -> None:
        if self.line is None:
            with self.container:
                self.line, self.button = st.empty(), st.empty()
            self.button.button(say(self.lang, "stop"), key="stop", on_click=stop)
        self.line.html(busy(run, self.lang))

    def html(self, words: str) -> None:
        """Render the final status of this run."""
        if self.line is None:
            self.container.html(words)
            return
        self.line.html(words)
        self.button.empty()


def outcome_html(problems: list[Problem], unfinished: bool, shown: RunResult, lang: str) -> str:
    """Render how the run ended."""
    if unfinished:
        return status_html("wait", say(lang, "status-typing"))
    if not problems:
        return status_html("good", say(lang, "status-ran"))
    first = problems[0]
    tone = "wait" if first.is_wanted else "bad"
    file = shown.result.cells[first.cell].name if isinstance(shown.result, Trace) and first.line else ""
    how = "status-error" if first.message else "status-stopped"  # a limit is not an error
    if file:
        return status_html(tone, say(lang, how, line=LineNumber(first.line, file)))
    if len(shown.texts) > 1:
        cells = len({problem.cell for problem in problems})
        return status_html(tone, say(lang, "status-cells", count=cells, cell=first.cell + 1))
    stopped = say(lang, how, line=first.line) if first.line else say(lang, "status-failed")
    return status_html(tone, stopped)


_layout = component(
    "explorer_layout",
    '<div class="splitter" hidden></div><button type="button" class="present-leave"></button>',
    "pages/autograd/layout.js",
)


def presenting(lang: str) -> None:
    """Draw the key listeners, the divider, and the button that ends the presentation."""
    messages = {"split": "pane-split", "leave": "present-leave", "run": "run-hint"}
    _layout(data={"words": {word: say(lang, name) for word, name in messages.items()}}, key="present")


def welcome(now: Session, lang: str) -> None:
    """Draw the welcome text into the current container.

    It stays while a line is typed or a number dragged, because the element under the pointer would move. It disappears
    when a changed program was run, and on later visits.
    """
    first = now.document.texts == (FIRST_SIGHT,)
    edited = now.edit is not None and not now.edit.settled and not st.session_state.get(RUN)
    left = st.session_state.setdefault(LEFT, not first) or not (first or edited)
    st.session_state[LEFT] = left
    if left:
        st.empty()  # sent immediately; another program's page begins in its place
        return
    with st.container(key="welcome", horizontal=True, vertical_alignment="center", gap="small"):
        st.html(
            f'{OVER}<h2 class="welcome">{message_html(lang, "welcome.line", code="backward()")}</h2>', width="stretch"
        )
        with st.container(key="newcomer", width="content"):
            if st.button(say(lang, "lessons-newcomer-link"), key="newcomer_link", type="primary"):
                open_lesson(next(iter(own_course().lessons)))
        asked = {name: say(lang, f"welcome.{name}") for name in ("skip", "asks", "right", "product")}
        asked |= {name: say(lang, f"welcome.{name}", guess="{guess}") for name in ("wrong", "again", "one", "formula")}
        _welcome(data={"words": asked, "plays": first, "asks": ASKS}, key="welcome_skip")
