"""One session's program: run it once, keep what it left behind, and the last picture of a program that ended well."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import streamlit as st

from explorer.picture import Picture, picture
from explorer.program import Unusable, read_program
from explorer.sandbox import Run, default_runner
from explorer.trace import Options, Trace

LOOK = 0.2  # seconds between two looks at a running program
SHOWN, GOOD = "_shown", "_good"  # session state


@dataclass(frozen=True)
class Shown:
    """What the page shows.

    Attributes:
        source: the program's text.
        result: its Trace, or why nothing was run.
        picture: its graph, None when there is none to draw.
        stale: whether the picture is that of an earlier program, because this one did not end well.
    """

    source: str
    result: Trace | Unusable
    picture: Picture | None
    stale: bool


def ready() -> bool:
    """Whether programs can run at once; begins to preload what they need."""
    default_runner().start()
    return default_runner().ready()


def show(source: str, lang: str, running: Callable[[], None]) -> Shown:
    """What to show for a program: runs it unless this very text was the last one run.

    While it runs, `running` tells so on the page, again and again.
    """
    shown = st.session_state.get(SHOWN)
    if shown is None or shown.source != source:
        shown = _picture(source, _result(source, running), lang)
        st.session_state[SHOWN] = shown
    return replace(shown, picture=shown.picture and replace(shown.picture, lang=lang))


def _result(source: str, running: Callable[[], None]) -> Trace | Unusable:
    try:
        program = read_program("", source.encode("utf-8", "surrogatepass"))
    except Unusable as problem:
        return problem
    return _wait(default_runner().submit(program, Options()), running)


def _wait(run: Run, running: Callable[[], None]) -> Trace:
    """The run's result. An edit made meanwhile ends this rerun of the page, and the run with it."""
    try:
        while True:
            try:
                return run.result(LOOK)
            except TimeoutError:
                running()  # as it writes to the page, Streamlit notices here that the page is to run again
    finally:
        run.cancel()


def _picture(source: str, result: Trace | Unusable, lang: str) -> Shown:
    drawn = picture(result, lang) if isinstance(result, Trace) else None
    if drawn is not None and not drawn.view.cards:
        drawn = None
    if isinstance(result, Trace) and result.status == "ok":
        st.session_state[GOOD] = drawn
        return Shown(source, result, drawn, stale=False)
    good = st.session_state.get(GOOD)
    return Shown(source, result, good or drawn, stale=good is not None)
