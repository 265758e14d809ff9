"""Run a session's or a page's program once, and keep the result."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from uuid import uuid4

import streamlit as st
from msgspec import structs

from explorer.drawing.picture import Picture
from explorer.hosting.sessions import is_here, own_session
from explorer.program import Program, Unusable, read_text
from explorer.sandbox import SubmittedRun, default_runner, probe
from explorer.sandbox.cluster.settings import elsewhere
from explorer.sandbox.hosting import LEAST, hosted, visitor
from explorer.text import say
from explorer.trace import Options, Trace, ends_cell
from explorer.ui.components.place import Place
from explorer.ui.components.session_values import SessionValue
from explorer.ui.session.drawn_parts import is_drawn
from explorer.ui.session.folder import held, open_to
from explorer.ui.session.given_files import given
from explorer.ui.session.limits import bounded
from explorer.ui.session.links import framed
from explorer.ui.session.offered_runs import is_offered, keep_offered, offered_result
from explorer.ui.session.run_wait import busy, status_html, wait_for
from explorer.ui.session.saved_run import saved_result

MOST_TRACES = 4  # most page programs that a session keeps
DEFAULTS = Options()
Request = tuple[tuple[str, ...], Options]  # texts of the cells to run, and options


@dataclass(frozen=True)
class RunResult:
    """A program that ran.

    Attributes:
        texts: texts of executed cells.
        options: options of the run.
        result: Trace, or why nothing ran.
        pictures: drawn pictures, by backward (None: the default), operation that raised (-1: none) and film step
            (-1: its own).
    """

    texts: tuple[str, ...]
    options: Options
    result: Trace | Unusable
    pictures: dict[tuple[int | None, int, int], Picture | None] = field(default_factory=dict)


@dataclass(frozen=True)
class PendingRun:
    """An active run.

    Attributes:
        request: texts and options.
        work: the run, or why there is none.
        of_page: whether the program belongs to a page instead of the session.
        since: start on the monotonic clock, in seconds.
    """

    request: Request
    work: SubmittedRun | Unusable
    of_page: bool
    since: float = field(default_factory=time.monotonic)

    def is_of(self, request: Request, of_page: bool) -> bool:
        """Return whether it answers this request."""
        cancelled = isinstance(self.work, SubmittedRun) and self.work.cancelled()
        return (self.request, self.of_page) == (request, of_page) and not cancelled

    def result(self, running: Callable[[SubmittedRun], None]) -> Trace | Unusable:
        """Return its result. During the run, end this drawing and request another (`wait_for`)."""
        return self.work if isinstance(self.work, Unusable) else wait_for(self.work, self.since, running)


@dataclass
class Runs:
    """A session's runs, at most one active.

    Attributes:
        pending: active run.
        shown: last ended run of the session's program.
        stopped: last manually stopped run with its record, not restarted automatically.
        on_page: shown run of the session's program.
        computed: results of the last page programs.
    """

    pending: PendingRun | None = None
    shown: RunResult | None = None
    stopped: RunResult | None = None
    on_page: RunResult | None = None
    computed: dict[Request, Trace | Unusable] = field(default_factory=dict)

    def ended(self, request: Request) -> RunResult | None:
        """Return the ended or stopped run with this request, or None."""
        runs = (self.stopped, self.shown)
        return next((run for run in runs if run is not None and (run.texts, run.options) == request), None)

    def cancel(self) -> None:
        """End the running program, without a result."""
        pending, self.pending = self.pending, None
        if pending is not None and isinstance(pending.work, SubmittedRun):
            pending.work.cancel()

    def stop(self) -> None:
        """End the active run, keeping the session program's record."""
        if (pending := self.pending) is None:
            return
        recorded = pending.work.stop() if isinstance(pending.work, SubmittedRun) and not pending.of_page else None
        self.stopped = RunResult(*pending.request, Unusable.of("stopped", "") if recorded is None else recorded)
        self.cancel()


session_runs = SessionValue[Runs]("_runs", Runs)
_session_id = SessionValue[str]("_session", lambda: f"{uuid4().hex} {own_session()}")


def ready() -> bool:
    """Return whether programs can run now, and start preloading."""
    default_runner().start_soon()
    if access := held():
        default_runner().start(access)
    return default_runner().ready()


def may_autorun() -> bool:
    """Return whether a foreign program may run unasked, because confinement protects the machine.

    At home not if another site frames the page, because that site would then run programs here. Nor with a cluster,
    whose workers are known to confine programs only on a hosted site.
    """
    return probe().reaches(LEAST) and (hosted() or not (framed() or elsewhere()))


def begin(texts: tuple[str, ...], options: Options, program: Callable[[], Program]) -> None:
    """Start a program while the page is drawn, if `run` will need it.

    An active run of the same request continues, any other is cancelled.
    """
    options = bounded(options)
    request, runs = (texts, options), session_runs.get()
    if runs.ended(request) is not None:
        if runs.pending is not None and not runs.pending.of_page:
            runs.cancel()
        return
    if runs.pending is not None and not runs.pending.is_of(request, of_page=False):
        runs.cancel()
    if (result := _known(texts, options, program)) is not None:
        runs.shown = RunResult(texts, options, result)
    elif runs.pending is None:
        runs.pending = PendingRun(request, _submitted(program, options), of_page=False)


def is_known(texts: tuple[str, ...], options: Options, program: Callable[[], Program]) -> bool:
    """Return whether the program's result is cached."""
    shown, options = session_runs.get().shown, bounded(options)
    here = shown is not None and (shown.texts, shown.options) == (texts, options)
    return here or _known(texts, options, program) is not None


def _known(texts: tuple[str, ...], options: Options, program: Callable[[], Program]) -> Trace | None:
    """Return an opened run, or an offered program's."""
    if (saved := saved_result(texts, options)) is not None or not is_offered(texts):
        return saved
    return offered_result(_with_files(program()), options)


def run(
    texts: tuple[str, ...], options: Options, program: Callable[[], Program], running: Callable[[SubmittedRun], None]
) -> RunResult:
    """Return a program's result, running it only if changed.

    While it runs, the page is redrawn up to here, and `running`, called with the run, reports progress. A manually
    stopped run has no result and only restarts after `resume`.
    """
    options = bounded(options)
    begin(texts, options, program)
    runs = session_runs.get()
    if (ended := runs.ended((texts, options))) is not None:
        return ended
    assert runs.pending is not None  # `begin` has started any unfinished run
    runs.shown = RunResult(texts, options, runs.pending.result(running))
    runs.pending = None
    if is_offered(texts):
        keep_offered(_with_files(program()), options, runs.shown.result)
    return runs.shown


def run_to_show(ended: RunResult, settled: bool) -> RunResult:
    """Return the latest run, or the previous one while typing.

    A half-typed line is not an error yet, so nothing on the page moves.
    """
    runs = session_runs.get()
    failed = isinstance(ended.result, Unusable) or any(
        ends_cell(output) for cell in ended.result.cells for output in cell.outputs
    )
    half = failed and not settled and ended is not runs.stopped
    if not half or runs.on_page is None or len(runs.on_page.texts) != len(ended.texts):
        runs.on_page = ended
    return runs.on_page


def stop() -> None:
    """End the active run without restarting it, keeping its output."""
    session_runs.get().stop()


def cancel_runs() -> None:
    """End the active run."""
    session_runs.get().cancel()


def resume() -> None:
    """Run the stopped program again."""
    session_runs.get().stopped = None


def forget_runs() -> None:
    """Forget all results, because programs now find other files."""
    cancel_runs()
    session_runs.clear()


def computed(
    program: str | Program,
    lang: str,
    options: Options = DEFAULTS,
    meanwhile: Callable[[], str] | None = None,
    like: Trace | None = None,
) -> Trace | Unusable:
    """Return a page program's result, cached for equal programs and options.

    A longer run is reported here with a stop button.

    Args:
        meanwhile: HTML for an otherwise empty page.
        like: repeated or changed run, whose folder it reads without writing or connecting.
    """
    try:
        asked = read_text(program) if isinstance(program, str) else program
    except Unusable as problem:
        return problem
    options = bounded(options)
    key = (tuple(cell.text for cell in asked.cells), options)
    runs = session_runs.get()
    results = runs.computed
    place = st.empty()  # always present, so that elements below keep their place
    outline = st.empty() if meanwhile is not None else place
    if (saved := saved_result(*key)) is not None:
        return saved
    if key not in results and (offered := offered_result(_with_files(asked), options)) is not None:
        results[key] = offered
    if key in results:
        results[key] = results.pop(key)  # least recently used results are dropped first
    elif runs.stopped is not None and (runs.stopped.texts, runs.stopped.options) == key:
        _beside(place, status_html("bad", say(lang, "status-failed")), say(lang, "run"), "run_again", resume)
        return Unusable.of("stopped", "")
    else:
        if runs.pending is None or not runs.pending.is_of(key, of_page=True):
            runs.cancel()
            try:
                runs.pending = PendingRun(key, _submit(asked, options, like), of_page=True)
            except Unusable as problem:
                return problem
        shown: list[SubmittedRun] = []

        def stoppable(run: SubmittedRun) -> None:
            if not shown:
                shown.append(run)
                _beside(place, busy(run, lang), say(lang, "stop"), button, stop)
                if meanwhile is not None and not is_drawn():
                    outline.html(meanwhile())

        button = f"stop_computing_{hash(key)}"  # a page may wait for one run after another
        results[key] = runs.pending.result(stoppable)
        keep_offered(_with_files(asked), options, results[key])
        runs.pending = None
        place.empty()
        outline.empty()
        while len(results) > MOST_TRACES:
            results.pop(next(iter(results)))
    return results[key]


def _beside(place: Place, words: str, label: str, key: str, act: Callable[[], None]) -> None:
    """Draw HTML with a button next to it."""
    with place.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.html(words, width="content")
        st.button(label, key=key, on_click=act)


def _submitted(program: Callable[[], Program], options: Options) -> SubmittedRun | Unusable:
    try:
        return _submit(program(), options)
    except Unusable as problem:
        return problem


def _with_files(program: Program) -> Program:
    return structs.replace(program, files=given())


def _submit(program: Program, options: Options, like: Trace | None = None) -> SubmittedRun:
    opened, runner = open_to(tuple(cell.text for cell in program.cells)), default_runner()
    runner.staying.is_open = _is_open
    return runner.submit(_with_files(program), options, _session_id.get(), visitor(st.context.ip_address), opened, like)


def _is_open(session: str) -> bool:
    """Return whether a session's page is open."""
    of = session.partition(" ")[2]
    return not of or is_here(of)
