"""One session's program: run it once, keep what it left behind, and the last pictures of a program that ended well."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from html import escape
from typing import NoReturn
from uuid import uuid4

import streamlit as st
from msgspec import structs
from streamlit.delta_generator import DeltaGenerator
from streamlit.errors import StreamlitAPIException
from streamlit.runtime.scriptrunner import get_script_run_ctx

from explorer.analysis.autograd import selected_backward, stopped_backward, stopped_cards, stopped_operation
from explorer.analysis.autograd.cells import backward_of_cell, records_gradients
from explorer.analysis.training.film import film_at
from explorer.drawing.picture import Picture, film_pictures, picture
from explorer.program import Program, Unusable, read_text
from explorer.sandbox import Cancelled, Run, default_runner, probe
from explorer.sandbox.cluster.settings import elsewhere
from explorer.sandbox.hosting import LEAST, hosted, visitor
from explorer.text import say
from explorer.trace import Options, Trace, goes_wrong
from explorer.ui.session.folder import held, open_to
from explorer.ui.session.given_files import given
from explorer.ui.session.limits import bounded
from explorer.ui.session.links import framed
from explorer.ui.session.memo import memoize
from explorer.ui.session.offered_runs import is_offered, keep_offered, offered_result
from explorer.ui.session.saved_run import saved_result
from explorer.ui.streamlit_patches.reruns import rerun_requested

LOOK = 0.2  # seconds between two looks at a running program
# Seconds that a page which was opened waits before it is drawn again. A drawing of the whole app that is given up for
# another, while the browser asks for the page alone, can leave the browser without the blocks the page stands in: it
# then stays blank.
FIRST_LOOK = 3.0
ANEW = 2.0  # seconds after which a page that waits is drawn again at the latest, the first time
TELLING = 2  # seconds of a run after which it says how long it takes
MOST_PICTURES = 8  # kept of one run, so that chips switch at once
MOST_TRACES = 4  # of the pages' own programs that a session keeps
SHOWN, GOOD, SESSION, COMPUTED = "_shown", "_good", "_session", "_computed"  # session state
BEGUN, COMPUTING = "_begun", "_computing"  # session state: a run under way, of the session's program and of a page's
STARTED, STOPPED = "_started", "_stopped"  # session state: texts and options of the run begun last, and of one stopped
KEPT = "_kept_of_stopped"  # session state: the outputs of a stopped run
STANDS = "_stands"  # session state: which parts the page shows, each with the revision of the program it is of
NOTHING_ASKED = Options()


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
class ShownPicture:
    """The picture that the page shows.

    Attributes:
        picture: None when there is none to draw.
        stale: whether it is that of an earlier program, because this one stopped before its first operation.
        backward: the index of its backward in the run's Trace, None when it shows none of them.
        failed: ids of the cards where the program stopped.
        partial: whether it is this program's own, as far as that got.
    """

    picture: Picture | None
    stale: bool = False
    backward: int | None = None
    failed: tuple[str, ...] = ()
    partial: bool = False


@dataclass(frozen=True)
class Good:
    """The last picture of a program, or of a cell, that ended well; cell is None when the cursor was in none."""

    picture: Picture
    cell: int | None


@dataclass(frozen=True)
class PendingRun:
    """A run that is under way.

    Attributes:
        asked: texts and options.
        work: the run, or why there is none.
        since: on the monotonic clock, in seconds.
    """

    asked: tuple[tuple[str, ...], Options]
    work: Run | Unusable
    since: float = field(default_factory=time.monotonic)

    def cancelled(self) -> bool:
        """Whether it will have no result."""
        return isinstance(self.work, Run) and self.work.cancelled()


def ready() -> bool:
    """Whether programs can run at once; begins to preload what they need."""
    default_runner().start()
    if found := held():
        default_runner().start(found)
    return default_runner().ready()


def may_autorun() -> bool:
    """Whether a program from elsewhere may run before its user asks: confinement keeps it from files and network.

    At home not while another site frames the page: there it would be that site which runs programs here. Neither with
    a cluster, whose workers are known to confine programs only on a hosted site.
    """
    return probe().reaches(LEAST) and (hosted() or not (framed() or elsewhere()))


def stands(what: str = "", revision: int = 0) -> bool:
    """Whether the page shows this part of this program already; "" is the page, drawn whole.

    What it shows stays while a program runs; what it does not show yet needs something in its place.
    """
    return st.session_state.get(STANDS, {}).get(what) == revision


def put_up(what: str = "", revision: int = 0) -> None:
    """Remember that the page shows this part now."""
    st.session_state.setdefault(STANDS, {})[what] = revision


def begin(texts: tuple[str, ...], options: Options, program: Callable[[], Program]) -> None:
    """Let a program run while the page is being drawn, if it is one that `run` will have to run.

    One that already runs goes on, also when the page was drawn again for something else; another one is given up.
    """
    options = bounded(options)
    asked, shown, begun = (texts, options), st.session_state.get(SHOWN), st.session_state.get(BEGUN)
    done = st.session_state.get(STOPPED) == asked or (shown is not None and (shown.texts, shown.options) == asked)
    if done and begun is None:
        return  # a page's own program may run meanwhile
    left = COMPUTING in st.session_state  # by another page: this program would have to wait for it
    if left or (begun is not None and (begun.asked != asked or begun.cancelled())):
        give_up()
    if done:
        return
    known = saved_result(texts, options)
    if known is None and is_offered(texts):
        known = offered_result(_with_files(program()), options)
    if known is not None:
        st.session_state[SHOWN] = RunResult(texts, options, known)
        return
    if BEGUN not in st.session_state:
        st.session_state[STARTED] = asked
        st.session_state[BEGUN] = PendingRun(asked, _started(program, options))


def run(
    texts: tuple[str, ...], options: Options, program: Callable[[], Program], running: Callable[[Run], None]
) -> RunResult:
    """What a program left behind: runs it unless these very cells were the last ones run with these options.

    While it runs the page is drawn up to here again and again, and `running`, given the run, tells so. A run that was
    stopped by hand left nothing, and is not begun again until `go_on` is called.
    """
    options = bounded(options)
    begin(texts, options, program)
    if st.session_state.get(STOPPED) == (texts, options):
        if KEPT not in st.session_state:
            st.session_state[KEPT] = RunResult(texts, options, Unusable.of("stopped", ""))
        return st.session_state[KEPT]
    if BEGUN in st.session_state:
        begun = st.session_state[BEGUN]
        result = begun.work if isinstance(begun.work, Unusable) else _wait(begun.work, begun.since, running)
        st.session_state[SHOWN] = RunResult(texts, options, result)
        del st.session_state[BEGUN]
        if isinstance(result, Trace) and is_offered(texts):
            keep_offered(_with_files(program()), options, result)
    return st.session_state[SHOWN]


def stop() -> None:
    """End the run that is under way; it is not begun again by itself. What it has shown is kept."""
    asked = st.session_state[STOPPED] = st.session_state.get(STARTED)
    begun: PendingRun | None = st.session_state.get(BEGUN)
    st.session_state.pop(KEPT, None)
    if begun is not None and begun.asked == asked and isinstance(begun.work, Run):
        shown = begun.work.stop()
        if shown is not None:
            st.session_state[KEPT] = RunResult(*begun.asked, shown)
    give_up()


def give_up() -> None:
    """End every run that is under way."""
    for key in (BEGUN, COMPUTING):
        if (begun := st.session_state.pop(key, None)) is not None and isinstance(begun.work, Run):
            begun.work.cancel()


def go_on() -> None:
    """Run the stopped program again."""
    for key in (STOPPED, KEPT):
        st.session_state.pop(key, None)


def forget_good() -> None:
    """Forget the last good picture: another program was opened."""
    st.session_state.pop(GOOD, None)


def run_anew() -> None:
    """Forget what programs left behind: they find other files now."""
    give_up()
    for key in (SHOWN, STOPPED, KEPT, COMPUTED):
        st.session_state.pop(key, None)


def see(
    shown: RunResult, cell: int | None, asked: int | None, unfinished: bool, lang: str, position: int = -1
) -> ShownPicture:
    """The picture that belongs to a cell (None: to the program), or that of the backward that was asked for.

    Args:
        asked: index of a backward of this run that was chosen by hand.
        position: of the step that was chosen in the film of that backward, -1: its own.
        unfinished: whether the program only failed where the user is typing: then the last picture is still good.
    """
    good = st.session_state.get(GOOD)
    if isinstance(shown.result, Unusable):
        return ShownPicture(_in_language(good.picture, lang), True) if good else ShownPicture(None)
    trace = shown.result
    failed = [i for i, cell in enumerate(trace.cells) if any(map(goes_wrong, cell.outputs))]
    alone = len(trace.own_cells) == 1
    here = 0 if alone else cell
    began = len(trace.operations) > 0 or len(trace.nodes) > 0
    if asked is None and here in failed and good is not None and good.cell == here and (unfinished or not began):
        return ShownPicture(_in_language(good.picture, lang), not unfinished)
    own = here is None or alone or bool(trace.options.of)
    chosen = asked if asked is not None else None if own else backward_of_cell(trace, here)
    at = here if here in failed else None
    if failed and here is None and selected_backward(trace) is None:
        at = failed[-1]
    if at is None or asked is not None or unfinished:
        drawn = _drawn(shown, trace, chosen, -1, lang, position)
    else:
        good_one = selected_backward(trace) if chosen is None else chosen
        ended = stopped_backward(trace, at, good_one)
        drawn = _drawn(shown, trace, chosen if ended == good_one else ended, stopped_operation(trace, at), lang)
    if here not in failed:
        st.session_state[GOOD] = Good(drawn, here) if drawn else None
    backward = None if drawn is None else drawn.view.backward
    if drawn is None or at is None or unfinished:
        return ShownPicture(drawn, False, backward)
    return ShownPicture(drawn, False, backward, stopped_cards(drawn.view, trace, at), partial=True)


def lists_tensors(shown: RunResult, cell: int | None, asked: int | None) -> bool:
    """Whether a cell's tensors are shown in place of a picture: one of several, and autograd had no part in it."""
    if cell is None or asked is not None or isinstance(shown.result, Unusable):
        return False
    return 1 < len(shown.result.own_cells) > cell and not records_gradients(shown.result, cell)


def _drawn(
    shown: RunResult, trace: Trace, chosen: int | None, stopped: int, lang: str, position: int = -1
) -> Picture | None:
    key = chosen, stopped, position
    if key not in shown.pictures:
        if len(shown.pictures) >= MOST_PICTURES:
            shown.pictures.pop(next(iter(shown.pictures)))
        shown.pictures[key] = _made(trace, chosen, stopped, lang, position)
    drawn = shown.pictures[key]
    return _in_language(drawn, lang) if drawn is not None and drawn.view.cards else None


def _made(trace: Trace, chosen: int | None, stopped: int, lang: str, position: int) -> Picture:
    backward = selected_backward(trace) if chosen is None else chosen
    filmed = film_at(trace, backward) if backward is not None and stopped < 0 else None
    if filmed is None:
        return picture(trace, lang, chosen, stopped=stopped)
    film, own = filmed
    pictures = memoize("film", trace, lambda: film_pictures(trace, lang, film), film.place, lang)
    return pictures.at(position if position >= 0 else own)


def _in_language(drawn: Picture | None, lang: str) -> Picture | None:
    if drawn is None or drawn.lang == lang:
        return drawn
    film = drawn.film and (replace(drawn.film[0], lang=lang), drawn.film[1])
    return replace(drawn, lang=lang, film=film)


def computed(
    program: str | Program,
    lang: str,
    options: Options = NOTHING_ASKED,
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
    known: dict = st.session_state.setdefault(COMPUTED, {})
    place = st.empty()  # always present, so that elements below keep their place
    outline = st.empty() if meanwhile is not None else place
    if (saved := saved_result(*key)) is not None:
        return saved
    if key in known:
        known[key] = known.pop(key)  # least recently used results are dropped first
    elif st.session_state.get(STOPPED) == key:
        _beside(place, status_html("bad", say(lang, "cell-error")), say(lang, "run"), "run_again", go_on)
        return Unusable.of("stopped", "")
    else:
        begun = st.session_state.get(COMPUTING)
        if begun is None or begun.asked != key or begun.cancelled():
            give_up()
            try:
                begun = st.session_state[COMPUTING] = PendingRun(key, _submit(asked, options, like))
            except Unusable as problem:
                return problem
            st.session_state[STARTED] = key
        shown: list[Run] = []

        def stoppable(run: Run) -> None:
            if not shown:
                shown.append(run)
                _stoppable(place, run, button, lang)
                if meanwhile is not None and not stands():
                    outline.html(meanwhile())

        button = f"stop_computing_{hash(key)}"  # a page may wait for one run after another
        known[key] = _wait(begun.work, begun.since, stoppable)
        del st.session_state[COMPUTING]
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


def busy(run: Run, lang: str) -> str:
    """HTML: how long the program has been running, or how many runs are queued before it."""
    if waiting := run.position:
        return status_html("wait", say(lang, "status-waiting", place=waiting))
    seconds = int(run.seconds)
    if seconds < TELLING:
        return status_html("wait", say(lang, "status-running"))
    return status_html("wait", say(lang, "status-running-for", seconds=seconds, most=f"{run.options.time_limit:g}"))


def status_html(kind: str, words: str) -> str:
    """The status line of a run; kind is wait, good or bad."""
    return f'<span class="status {kind}" role="status">{escape(words)}</span>'


def _started(program: Callable[[], Program], options: Options) -> Run | Unusable:
    try:
        return _submit(program(), options)
    except Unusable as problem:
        return problem


def _with_files(program: Program) -> Program:
    return structs.replace(program, files=given())


def _submit(program: Program, options: Options, like: Trace | None = None) -> Run:
    opened = open_to(tuple(cell.text for cell in program.cells))
    program = _with_files(program)
    session = st.session_state.setdefault(SESSION, uuid4().hex)
    return default_runner().submit(program, options, session, visitor(st.context.ip_address), opened, like)


def _wait(work: Run, since: float, running: Callable[[Run], None]) -> Trace:
    """The run's result. As long as there is none, this goes no further: the page is drawn again and asks again.

    Only so does it hear what the user does: what happens on a page, a fragment, never interrupts it. It is drawn again
    at once when something happened, otherwise ever more seldom: a hundred who wait for their turn must not keep those
    who have one from their pictures.
    """
    if time.monotonic() - since > LOOK:
        running(work)
    began = time.monotonic()
    anew = began + max(ANEW, began - since)
    told = began
    stays = began + (FIRST_LOOK if _whole_app() else LOOK)
    try:
        while True:
            try:
                return work.result(LOOK)
            except TimeoutError:
                now = time.monotonic()
            if now - told > 1 or told == began:
                running(work)
                told = now
            if now > stays and (now > anew or rerun_requested()):
                break
    except Cancelled:
        st.stop()  # the server ends
    draw_anew()


def draw_anew() -> NoReturn:
    """Draw the page once more from its beginning."""
    try:
        st.rerun(scope="fragment")
    except (StreamlitAPIException, RuntimeError):  # everything is being drawn, or a fragment that nobody asked for
        st.rerun()


def _whole_app() -> bool:
    """Whether everything is being drawn, and not only the page, which is a fragment."""
    context = get_script_run_ctx()
    return context is None or not context.fragment_ids_this_run
