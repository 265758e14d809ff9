"""The autograd page: program, output and problems on the left; graph, sentence and tables on the right."""

from dataclasses import replace
from functools import partial
from html import escape

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer.analysis.autograd import selected_backward
from explorer.analysis.autograd.cells import backward_of_cell
from explorer.drawing.notebook.placeholders import program_html, skeleton_html
from explorer.drawing.picture import Picture
from explorer.drawing.saying import said_html
from explorer.program import Unusable
from explorer.sandbox import Run
from explorer.sandbox.hosting import visitor
from explorer.text import say
from explorer.text.numbers import shorten
from explorer.trace import LineNumber, Trace
from explorer.ui.components.watch import render_or_default
from explorer.ui.editor.component import editor
from explorer.ui.editor.views import editor_view, unrun_view
from explorer.ui.pages.autograd import predict
from explorer.ui.pages.autograd.bench import apply_layout, bench
from explorer.ui.pages.autograd.chips import (
    chips,
    chosen,
    is_counted,
    link,
    linked,
    of_picture,
    step_number,
)
from explorer.ui.pages.autograd.made_tensors import tensors_html
from explorer.ui.pages.autograd.presentation import presenting
from explorer.ui.pages.autograd.strip import reel_key
from explorer.ui.panels.faults import faults
from explorer.ui.panels.files import Menu, examples
from explorer.ui.panels.newcomer import newcomer
from explorer.ui.panels.notices import notices, try_next
from explorer.ui.panels.panel import panel
from explorer.ui.panels.plots import plots
from explorer.ui.panels.problems import Problem, problems
from explorer.ui.panels.verified_problems import tried_problems
from explorer.ui.session.document import Document
from explorer.ui.session.edits import Edit, current_cell
from explorer.ui.session.given_files import given
from explorer.ui.session.gradient_target import GradientTarget
from explorer.ui.session.limits import more_time
from explorer.ui.session.running import (
    RunResult,
    ShownPicture,
    begin,
    busy,
    lists_tensors,
    may_autorun,
    put_up,
    ready,
    run,
    see,
    stands,
    status_html,
    stop,
)
from explorer.ui.session.saved_run import is_saved
from explorer.ui.session.state import STATE, Session, ask_for, in_address, open_example, session
from explorer.ui.session.waiting import starting
from explorer.workers.diagnoses import Diagnosis, diagnose_with_verified_fixes, diagnoses_of

CODE_CELLS = 40  # of an expression that says which program a picture is of


def page(lang: str) -> None:
    """Draw the page. The program runs between what the browser said and everything that shows what it did."""
    now = session()
    if now.came:  # the program it brought may run only later
        link(_in_trace(STATE["backward"]), STATE["step"], _name_of_run(now))
        predict.link(STATE["hide"], STATE["predict"])
    if now.document.asked and ready():
        begin(now.texts, now.target.options, now.program)
    left, right = st.columns([45, 55], gap=None)
    with left, st.container(key="editor", gap=None):
        bar = st.container(key="editor_bar", horizontal=True, vertical_alignment="center")
        told = st.container(key="notices", gap=None)
        program = st.container(key="program", gap=None)
        hint = st.container(key="hint", gap=None)
    with left:
        below = st.container(key="panel", gap=None)
    with right:
        above, drawing = st.container(key="above_graph", gap=None), st.container(key="right", gap=None)
    with program:
        text_meanwhile = st.empty()
    with drawing:
        picture_meanwhile = st.empty()
    with hint:
        st.html(f'<p class="leave">{escape(say(lang, "editor-leave"))}</p>')
    with bar:
        presenting(lang)
        name, status = st.container(key="name", width="stretch"), _Status(_side_by_side(), lang)
        if st.button(say(lang, "run"), key="run", help=say(lang, "run-hint")):
            now = now.run_all()
        examples(open_example, lang)
        with st.container(key="files", width="content"):
            files = Menu(now.document, lang)
    name.html(f"<b>{escape(now.document.name)}</b>")
    name_of_run = _name_of_run(now)

    def tell(backward: int | None, step: int) -> None:
        """Put the page into the address; None stands for the last backward, 0 for no step beside it."""
        told = in_address(now.document) | {"backward": _in_address(backward), "step": step} | predict.in_address()
        STATE.tell(lang, **told)

    if not ready():
        status.html(status_html("wait", say(lang, "status-starting")))
        with program:
            editor(now.document, unrun_view(now.document, ask=False), None, lang)
        with drawing, st.container(key="graph", gap=None):
            starting(lang)
        _rest(below, now.document, lang)
        return tell(*linked(name_of_run))
    if not now.document.asked:
        status.html(status_html("wait", say(lang, "status-not-run")))
        with program:
            editor(now.document, unrun_view(now.document, ask=may_autorun()), now.edit, lang)
            put_up("text", now.document.revision)
        with drawing:
            notice = f'<p class="notice waits">{escape(say(lang, "page-not-run"))}</p>'
            words = skeleton_html("graph") if may_autorun() else notice
            bench(None, False, words, lang)  # a trusted one is about to run
        _rest(below, now.document, lang)
        tell(*linked(name_of_run))
        return

    def running(work: Run) -> None:
        status(work)
        tell(*linked(name_of_run))
        if not stands("text", now.document.revision):
            text_meanwhile.html(program_html(now.document.texts))

    if not stands("picture", now.document.revision):
        picture_meanwhile.html(skeleton_html("graph"))
    shown = run(now.texts, now.target.options, now.program, running)
    text_meanwhile.empty()
    picture_meanwhile.empty()
    saved = is_saved(shown.result)  # of its program nothing runs unasked, no change of it either
    if now.target.of and isinstance(shown.result, Trace) and shown.result.bound(now.target.of) is None:
        ask_for(GradientTarget())  # the program was changed: the name is gone
        st.rerun()
    nothing: list[Problem] = []
    found = render_or_default("problems", lambda: problems(shown.result, lang), nothing, lang)
    unfinished = _unfinished(found, now.edit)
    cell = current_cell()
    choice = chosen(shown.result, name_of_run, cell) if isinstance(shown.result, Trace) else None
    asked, position = (None, -1) if choice is None else (choice.backward, choice.position)
    if predict.predicting() and isinstance(shown.result, Trace) and is_counted(shown.result, choice):
        position = -1  # no step of a backward to ask for: that of the film's own picture
    with drawing:
        see_it = partial(see, shown, cell, asked, unfinished, lang, position)
        seen = render_or_default("picture", see_it, ShownPicture(None), lang)
        known = render_or_default("what is known", lambda: _known(shown, seen, cell, lang), shown, lang)
        table = ""
        if isinstance(known.result, Trace) and lists_tensors(shown, cell, asked):
            table = tensors_html(known.result, cell, lang)
        if table:
            bench(None, False, table, lang)
        else:
            here = [problem for problem in found if cell in (None, problem.cell)] or found
            _picture(seen, here, len(shown.texts) > 1, lang)
    status.html(_outcome([] if unfinished else found, unfinished, shown, lang))
    untold: tuple[Diagnosis, ...] = ()
    silent = render_or_default("silent faults", lambda: _silent(shown, known), untold, lang)
    hints = faults(shown.result, silent, lang) if isinstance(shown.result, Trace) else []
    with program:
        backward = _backward(shown, seen, cell)
        view = render_or_default(
            "beside the lines",
            lambda: editor_view(now.document, known, backward, seen.picture, unfinished, lang, hints, shown),
            unrun_view(now.document, ask=False),
            lang,
        )
        editor(now.document, view, now.edit, lang)
        put_up("text", now.document.revision)
        plots(known.result, now.document, lang)
    with hint:
        newcomer(now.document, lang)
        if seen.picture is not None and not seen.stale:
            try_next(now.document, shown.result, seen.picture.view.backward is not None, lang)
    with told:
        if not saved:
            more_time(shown.result, lang)
        notices(now.document, shown.result, unfinished, now.target, lang)
    with above:
        if isinstance(shown.result, Trace):
            now_shown = of_picture(shown.result, seen.picture, seen.backward)
            key = reel_key(apply_layout(seen.picture, lang), lang) if seen.picture else ""
            kinds = [diagnosis.found.kind for diagnosis in silent]
            chips(shown.result, name_of_run, cell, now_shown, key, kinds, lang)
    put_up("picture", now.document.revision)
    files(shown.result, seen.picture and predict.masked_picture(apply_layout(seen.picture, lang)), known is not shown)
    tell(asked, 0 if choice is None or not isinstance(shown.result, Trace) else step_number(shown.result, choice))
    if hints and isinstance(shown.result, Trace) and not saved:  # by now all else is on the page
        silent = render_or_default("repairs", partial(_mended, shown.result), silent, lang)
        hints = faults(shown.result, silent, lang)
    stopped = [] if unfinished else found

    def tried() -> list[Problem]:
        if saved:
            return stopped
        return render_or_default("changes", partial(tried_problems, shown.result, given(), lang), stopped, lang)

    with below:
        panel(now.document, known.result, stopped, lang, _is_held(shown, known), hints, tried)


def _name_of_run(now: Session) -> str:
    return str(hash((now.texts, now.target.options)))


def _in_trace(number: int) -> int | None:
    """The backward that an address names."""
    return number - 1 if number else None


def _in_address(backward: int | None) -> int:
    """How an address names a backward: from 1, and 0 for none."""
    return 0 if backward is None else backward + 1


def _side_by_side() -> DeltaGenerator:
    """Where the status stands: with its button beside it, the bar is no higher and the editor below stays in place."""
    return st.container(horizontal=True, width="content", vertical_alignment="center", gap="small")


class _Status:
    """What stands in the bar: how the last run ended; while one lasts, that it does, and a way to stop it.

    Called with the run. What stood there before is not taken away until there is news.
    """

    def __init__(self, container: DeltaGenerator, lang: str) -> None:
        self.container, self.lang = container, lang
        self.line: DeltaGenerator | None = None
        self.button: DeltaGenerator | None = None

    def __call__(self, run: Run) -> None:
        if self.line is None:
            with self.container:
                self.line, self.button = st.empty(), st.empty()
            self.button.button(say(self.lang, "stop"), key="stop", help=say(self.lang, "stop-hint"), on_click=stop)
        self.line.html(busy(run, self.lang))

    def html(self, words: str) -> None:
        """The last word on this run."""
        if self.line is None:
            self.container.html(words)
            return
        self.line.html(words)
        self.button.empty()


def _rest(below: DeltaGenerator, document: Document, lang: str) -> None:
    """What stands there while no program has run."""
    with below:
        panel(document, None, [], lang)


def _backward(shown: RunResult, seen: ShownPicture, cell: int | None) -> int | None:
    """The backward whose gradients stand beside the lines, None for none."""
    if isinstance(shown.result, Unusable):
        return None
    if seen.backward is not None:
        return seen.backward
    nearest = backward_of_cell(shown.result, cell) if cell is not None else None
    return selected_backward(shown.result) if nearest is None else nearest


def _known(shown: RunResult, seen: ShownPicture, cell: int | None, lang: str) -> RunResult:
    """The run as far as the page may show it: while Predict is on, without the gradients not reached yet."""
    if not predict.predicting() or isinstance(shown.result, Unusable):
        return shown
    if seen.picture is not None and seen.picture.trace is shown.result:
        whole = apply_layout(seen.picture, lang)
        predict.consume_event(whole)
        trace = predict.masked_picture(whole).trace
    else:
        trace = predict.masked_trace(shown.result, _backward(shown, seen, cell))
    return shown if trace is shown.result else replace(shown, result=trace)


def _silent(shown: RunResult, known: RunResult) -> tuple[Diagnosis, ...]:
    """What is wrong although nothing failed; nothing while gradients are held back, since it tells them."""
    return diagnoses_of(shown.result) if known is shown and isinstance(shown.result, Trace) else ()


def _mended(trace: Trace) -> tuple[Diagnosis, ...]:
    return diagnose_with_verified_fixes(trace, given(), visitor=visitor(st.context.ip_address))


def _is_held(shown: RunResult, known: RunResult) -> bool:
    """Whether output of the program is left out."""
    if known is shown or isinstance(known.result, Unusable) or isinstance(shown.result, Unusable):
        return False
    cells = zip(known.result.cells, shown.result.cells, strict=False)  # what is imported later is not there yet
    return any(len(cell.outputs) < len(all_.outputs) for cell, all_ in cells)


def _unfinished(found: list[Problem], edit: Edit | None) -> bool:
    """Whether the first thing that went wrong lies on the line where the user is typing."""
    if edit is None or edit.settled or not found or edit.place is None:
        return False
    return (found[0].cell, found[0].line) == (edit.place.cell, edit.place.line)


def _outcome(found: list[Problem], unfinished: bool, shown: RunResult, lang: str) -> str:
    if unfinished:
        return status_html("wait", say(lang, "status-typing"))
    if not found:
        return status_html("good", say(lang, "status-ran"))
    first = found[0]
    file = shown.result.cells[first.cell].name if isinstance(shown.result, Trace) and first.line else ""
    if file:
        return status_html("bad", say(lang, "status-stopped", line=LineNumber(first.line, file)))
    if len(shown.texts) > 1:
        cells = len({problem.cell for problem in found})
        return status_html("bad", say(lang, "status-cells", count=cells, cell=first.cell + 1))
    stopped = say(lang, "status-stopped", line=first.line) if first.line else say(lang, "status-failed")
    return status_html("bad", stopped)


def _picture(seen: ShownPicture, found: list[Problem], many: bool, lang: str) -> None:
    if seen.picture is None:
        words = "page-graph-stopped" if found else "page-graph-empty"
        bench(None, False, f'<p class="notice">{escape(say(lang, words))}</p>', lang)
        return
    bench(seen.picture, seen.stale, _whose(seen, found, many, lang), lang, seen.failed)


def _whose(seen: ShownPicture, found: list[Problem], many: bool, lang: str) -> str:
    """HTML: which program a picture shows when this one did not end well, and where it stopped."""
    if not seen.stale and not seen.partial:
        return ""
    line = found[0].line if found else 0
    where = say(lang, "stale-line", line=line) if line else say(lang, "stale-no-line")
    if found and (many or not line):
        where = found[0].title
    told = escape(say(lang, "stale" if seen.stale else "partial"))
    code = _root_of(seen.picture) if seen.stale else ""
    of = f" {said_html(lang, 'stale-of', code=code)}" if code else ""
    return f'<p class="stale" role="status"><b>{told}</b>{of} {escape(where)}</p>'


def _root_of(drawn: Picture) -> str:
    """What a picture was differentiated from, in its program's words; without a backward its last line."""
    cards = [card for card in drawn.view.cards if card.id in drawn.view.roots] or list(drawn.view.cards)
    return shorten(cards[-1].title, CODE_CELLS)
