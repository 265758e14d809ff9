"""Run a session's program, or one that a page writes, once, and keep what it left behind."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from uuid import uuid4

import streamlit as st
from msgspec import structs
from streamlit.delta_generator import DeltaGenerator

from explorer.drawing.picture import Picture
from explorer.program import Program, Unusable, read_text
from explorer.sandbox import Run, default_runner, probe
from explorer.sandbox.cluster.settings import elsewhere
from explorer.sandbox.hosting import LEAST, hosted, visitor
from explorer.text import say
from explorer.trace import Options, Trace
from explorer.ui.components.session_values import SessionValue
from explorer.ui.session.drawn_parts import is_drawn
from explorer.ui.session.folder import held, open_to
from explorer.ui.session.given_files import given
from explorer.ui.session.limits import bounded
from explorer.ui.session.links import framed
from explorer.ui.session.offered_runs import is_offered, keep_offered, offered_result
from explorer.ui.session.run_status import busy, status_html
from explorer.ui.session.run_wait import wait_for
from explorer.ui.session.saved_run import saved_result

MOST_TRACES = 4  # of the pages' own programs that a session keeps
DEFAULTS = Options()
Request = tuple[tuple[str, ...], Options]  # the texts of the cells that run, and the options of the run


@dataclass(frozen=True)
class RunResult:
    """A program that ran.

    Attributes:
        texts: of the cells that ran.
        options: what the run was asked for.
        result: its Trace, or why nothing was run.
        pictures: those drawn so far, by the backward they show (None: the one that a Trace shows by itself) and the
            operation that raised (-1: none), and the step of its film (-1: its own).
    """

    texts: tuple[str, ...]
    options: Options
    result: Trace | Unusable
    pictures: dict[tuple[int | None, int, int], Picture | None] = field(default_factory=dict)


@dataclass(frozen=True)
class PendingRun:
    """A run that is under way.

    Attributes:
        request: texts and options.
        work: the run, or why there is none.
        since: on the monotonic clock, in seconds.
    """

    request: Request
    work: Run | Unusable
    since: float = field(default_factory=time.monotonic)

    def cancelled(self) -> bool:
        """Whether it will have no result."""
        return isinstance(self.work, Run) and self.work.cancelled()

    def result(self, running: Callable[[Run], None]) -> Trace | Unusable:
        """Its result. While the program runs, the call ends the drawing and requests another one: see `wait_for`."""
        return self.work if isinstance(self.work, Unusable) else wait_for(self.work, self.since, running)


shown_run = SessionValue[RunResult | None]("_shown", lambda: None)
_begun = SessionValue[PendingRun | None]("_begun", lambda: None)  # a run of the session's program that is under way
_computing = SessionValue[PendingRun | None]("_computing", lambda: None)  # one of a page's own program
_started = SessionValue[Request | None]("_started", lambda: None)  # of the run begun last
_stopped = SessionValue[Request | None]("_stopped", lambda: None)  # of the run that was stopped by hand
_left = SessionValue[RunResult | None]("_left_of_stopped", lambda: None)  # what a stopped run has shown
_computed = SessionValue[dict[Request, Trace | Unusable]]("_computed", dict)
_session_id = SessionValue[str]("_session", lambda: uuid4().hex)


def ready() -> bool:
    """Whether programs can run at once; begins to preload what they need."""
    default_runner().start_soon()
    if found := held():
        default_runner().start(found)
    return default_runner().ready()


def may_autorun() -> bool:
    """Whether a program from elsewhere may run before its user asks: confinement keeps it from files and network.

    At home not while another site frames the page: there it would be that site which runs programs here. Neither with
    a cluster, whose workers are known to confine programs only on a hosted site.
    """
    return probe().reaches(LEAST) and (hosted() or not (framed() or elsewhere()))


def begin(texts: tuple[str, ...], options: Options, program: Callable[[], Program]) -> None:
    """Start a program while the page is being drawn, if it is one that `run` will have to run.

    One that already runs goes on, also when the page was drawn again for something else; another one is cancelled.
    """
    options = bounded(options)
    request, shown, begun = (texts, options), shown_run.get(), _begun.get()
    done = _stopped.get() == request or (shown is not None and (shown.texts, shown.options) == request)
    if done and begun is None:
        return  # a page's own program may run meanwhile
    of_another_page = _computing.get() is not None  # this program would have to wait for it
    if of_another_page or (begun is not None and (begun.request != request or begun.cancelled())):
        cancel_runs()
    if done:
        return
    if (known := _known(texts, options, program)) is not None:
        shown_run.put(RunResult(texts, options, known))
        return
    if _begun.get() is None:
        _started.put(request)
        _begun.put(PendingRun(request, _submitted(program, options)))


def is_known(texts: tuple[str, ...], options: Options, program: Callable[[], Program]) -> bool:
    """Whether a program has left its result already, in this session or for all."""
    shown, options = shown_run.get(), bounded(options)
    here = shown is not None and (shown.texts, shown.options) == (texts, options)
    return here or _known(texts, options, program) is not None


def _known(texts: tuple[str, ...], options: Options, program: Callable[[], Program]) -> Trace | None:
    """The run that was opened from a file, or that of an offered program."""
    if (saved := saved_result(texts, options)) is not None or not is_offered(texts):
        return saved
    return offered_result(_with_files(program()), options)


def run(
    texts: tuple[str, ...], options: Options, program: Callable[[], Program], running: Callable[[Run], None]
) -> RunResult:
    """What a program left behind: runs it unless these very cells were the last ones run with these options.

    While it runs the page is drawn up to here again and again, and `running`, given the run, says so. A run that was
    stopped by hand left nothing, and is not begun again until `resume` is called.
    """
    options = bounded(options)
    begin(texts, options, program)
    if _stopped.get() == (texts, options):
        left = _left.get() or RunResult(texts, options, Unusable.of("stopped", ""))
        _left.put(left)
        return left
    begun, shown = _begun.get(), shown_run.get()
    if begun is None and shown is not None:
        return shown
    assert begun is not None  # `begin` has begun what is not shown
    result = begun.result(running)
    shown = RunResult(texts, options, result)
    shown_run.put(shown)
    _begun.clear()
    if is_offered(texts):
        keep_offered(_with_files(program()), options, result)
    return shown


def stop() -> None:
    """End the run that is under way; it is not begun again by itself. What it has shown is kept."""
    request, begun = _stopped.put(_started.get()), _begun.get()
    _left.clear()
    if begun is not None and begun.request == request and isinstance(begun.work, Run):
        shown = begun.work.stop()
        if shown is not None:
            _left.put(RunResult(*begun.request, shown))
    cancel_runs()


def cancel_runs() -> None:
    """End every run that is under way."""
    for pending in (_begun.take(), _computing.take()):
        if pending is not None and isinstance(pending.work, Run):
            pending.work.cancel()


def resume() -> None:
    """Run the stopped program again."""
    _stopped.clear()
    _left.clear()


def forget_runs() -> None:
    """Forget what programs left behind: they find other files now."""
    cancel_runs()
    resume()
    shown_run.clear()
    _computed.clear()


def computed(
    program: str | Program,
    lang: str,
    options: Options = DEFAULTS,
    meanwhile: Callable[[], str] | None = None,
    like: Trace | None = None,
) -> Trace | Unusable:
    """What a page's own program left behind. Equal programs with equal options are run once.

    While it runs longer than a moment the page says so where this is called, with a way to stop it.

    Args:
        meanwhile: HTML for a page on which nothing stands yet.
        like: the run that this one repeats or changes: it reads the same folder, and never writes or connects.
    """
    try:
        asked = read_text(program) if isinstance(program, str) else program
    except Unusable as problem:
        return problem
    options = bounded(options)
    key = (tuple(cell.text for cell in asked.cells), options)
    known = _computed.get()
    place = st.empty()  # always present, so that elements below keep their place
    outline = st.empty() if meanwhile is not None else place
    if (saved := saved_result(*key)) is not None:
        return saved
    if key not in known and (offered := offered_result(_with_files(asked), options)) is not None:
        known[key] = offered
    if key in known:
        known[key] = known.pop(key)  # least recently used results are dropped first
    elif _stopped.get() == key:
        _beside(place, status_html("bad", say(lang, "cell-error")), say(lang, "run"), "run_again", resume)
        return Unusable.of("stopped", "")
    else:
        begun = _computing.get()
        if begun is None or begun.request != key or begun.cancelled():
            cancel_runs()
            try:
                begun = PendingRun(key, _submit(asked, options, like))
            except Unusable as problem:
                return problem
            _computing.put(begun)
            _started.put(key)
        shown: list[Run] = []

        def stoppable(run: Run) -> None:
            if not shown:
                shown.append(run)
                _stoppable(place, run, button, lang)
                if meanwhile is not None and not is_drawn():
                    outline.html(meanwhile())

        button = f"stop_computing_{hash(key)}"  # a page may wait for one run after another
        known[key] = begun.result(stoppable)
        keep_offered(_with_files(asked), options, known[key])
        _computing.clear()
        place.empty()
        outline.empty()
        while len(known) > MOST_TRACES:
            known.pop(next(iter(known)))
    return known[key]


def _stoppable(place: DeltaGenerator, run: Run, key: str, lang: str) -> None:
    _beside(place, busy(run, lang), say(lang, "stop"), key, stop)


def _beside(place: DeltaGenerator, words: str, label: str, key: str, act: Callable[[], None]) -> None:
    """Draw HTML and a button beside it."""
    with place.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.html(words, width="content")
        st.button(label, key=key, on_click=act)


def _submitted(program: Callable[[], Program], options: Options) -> Run | Unusable:
    try:
        return _submit(program(), options)
    except Unusable as problem:
        return problem


def _with_files(program: Program) -> Program:
    return structs.replace(program, files=given())


def _submit(program: Program, options: Options, like: Trace | None = None) -> Run:
    opened = open_to(tuple(cell.text for cell in program.cells))
    program = _with_files(program)
    return default_runner().submit(program, options, _session_id.get(), visitor(st.context.ip_address), opened, like)
