"""One session's program: run it once, keep what it left behind, and the last pictures of a program that ended well."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from uuid import uuid4

import streamlit as st

from explorer.autograd.cells import backward_of_cell, records_gradients
from explorer.picture import Picture, picture
from explorer.program import Program, Unusable
from explorer.sandbox import Cancelled, Run, default_runner, probe
from explorer.sandbox.hosted import LEAST
from explorer.trace import Failure, Limit, Options, Refusal, Trace

LOOK = 0.2  # seconds between two looks at a running program
MOST_PICTURES = 8  # kept of one run, so that chips switch at once
SHOWN, GOOD, SESSION = "_shown", "_good", "_session"  # session state

Wrong = (Failure, Refusal, Limit)


@dataclass(frozen=True)
class Shown:
    """A program that ran.

    Attributes:
        texts: of the cells that ran.
        result: its Trace, or why nothing was run.
        pictures: those drawn so far, by the backward they show (None: the one that a Trace shows by itself).
    """

    texts: tuple[str, ...]
    result: Trace | Unusable
    pictures: dict[int | None, Picture | None] = field(default_factory=dict)


@dataclass(frozen=True)
class Seen:
    """The picture that the page shows.

    Attributes:
        picture: None when there is none to draw.
        stale: whether it is that of an earlier program, because this one did not end well.
        backward: the index of its backward in the run's Trace, None when it shows none of them.
    """

    picture: Picture | None
    stale: bool = False
    backward: int | None = None


@dataclass(frozen=True)
class Good:
    """The last picture of a program, or of a cell, that ended well; cell is None when the cursor was in none."""

    picture: Picture
    cell: int | None


def ready() -> bool:
    """Whether programs can run at once; begins to preload what they need."""
    default_runner().start()
    return default_runner().ready()


def trusted() -> bool:
    """Whether a program from elsewhere may run before its reader asks: confinement keeps it from files and network."""
    return probe().reaches(LEAST)


def run(texts: tuple[str, ...], program: Callable[[], Program], running: Callable[[int], None]) -> Shown:
    """What a program left behind: runs it unless these very cells were the last ones run.

    While it runs, `running` tells so on the page, again and again, given how many runs stand before it.
    """
    shown = st.session_state.get(SHOWN)
    if shown is None or shown.texts != texts:
        shown = Shown(texts, _result(program, running))
        st.session_state[SHOWN] = shown
    return shown


def see(shown: Shown, cell: int | None, asked: int | None, unfinished: bool, lang: str) -> Seen:
    """The picture that belongs to a cell (None: to the program), or that of the backward that was asked for.

    Args:
        asked: index of a backward of this run that was chosen by hand.
        unfinished: whether the program only failed where somebody is typing: then the last picture is still good.
    """
    good = st.session_state.get(GOOD)
    if isinstance(shown.result, Unusable):
        return Seen(_in_language(good.picture, lang), True) if good else Seen(None)
    trace = shown.result
    failed = [i for i, one in enumerate(trace.cells) if any(isinstance(output, Wrong) for output in one.outputs)]
    alone = len(trace.cells) == 1
    here = 0 if alone else cell
    if asked is None and here in failed and good is not None and good.cell == here:
        return Seen(_in_language(good.picture, lang), not unfinished)
    chosen = asked if asked is not None else None if here is None or alone else backward_of_cell(trace, here)
    drawn = _drawn(shown, trace, chosen, lang)
    if here not in failed:
        st.session_state[GOOD] = Good(drawn, here) if drawn else None
    return Seen(drawn, False, None if drawn is None or drawn.view.backward < 0 else drawn.view.backward)


def lists_tensors(shown: Shown, cell: int | None, asked: int | None) -> bool:
    """Whether a cell's tensors are shown in place of a picture: one of several, and autograd had no part in it."""
    if cell is None or asked is not None or isinstance(shown.result, Unusable):
        return False
    return 1 < len(shown.result.cells) > cell and not records_gradients(shown.result, cell)


def _drawn(shown: Shown, trace: Trace, chosen: int | None, lang: str) -> Picture | None:
    if chosen not in shown.pictures:
        if len(shown.pictures) >= MOST_PICTURES:
            shown.pictures.pop(next(iter(shown.pictures)))
        shown.pictures[chosen] = picture(trace, lang, None if chosen is None else chosen + 1)
    drawn = shown.pictures[chosen]
    return _in_language(drawn, lang) if drawn is not None and drawn.view.cards else None


def _in_language(drawn: Picture | None, lang: str) -> Picture | None:
    return drawn if drawn is None or drawn.lang == lang else replace(drawn, lang=lang)


def _result(program: Callable[[], Program], running: Callable[[int], None]) -> Trace | Unusable:
    try:
        asked = program()
    except Unusable as problem:
        return problem
    session = st.session_state.setdefault(SESSION, uuid4().hex)
    return _wait(default_runner().submit(asked, Options(), session), running)


def _wait(run: Run, running: Callable[[int], None]) -> Trace:
    """The run's result. An edit made meanwhile ends this rerun of the page, and the run with it."""
    try:
        while True:
            try:
                return run.result(LOOK)
            except TimeoutError:
                running(run.position)  # as it writes to the page, Streamlit notices here that the page is to run again
    except Cancelled:
        st.stop()  # a newer run of this session took its place, and shows what came of it
    finally:
        run.cancel()
