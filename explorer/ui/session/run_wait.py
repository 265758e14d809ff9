"""Wait for a run while redrawing the page, so that user input is noticed.

Also renders the run's status line.
"""

import math
import time
from collections.abc import Callable
from html import escape
from typing import NoReturn

import streamlit as st

from explorer.hosting.sessions import drawing
from explorer.sandbox import Cancelled, SubmittedRun
from explorer.text import say
from explorer.trace import Trace

LOOK = 0.2  # seconds between checks at a running program
# Seconds that a newly opened page waits before it is drawn again. Ended earlier, the first drawing of the whole app can
# leave the browser without the blocks around the page, and the page stays blank.
FIRST_LOOK = 3.0
REDRAW = 2.0  # seconds until a waiting page is drawn again for the first time
COARSE = 10  # estimated waits above this many seconds are rounded to five
SHOW_DURATION_AFTER = 2  # seconds after which a run's duration is shown
# By then the content belongs to the previous program, which a short run keeps to avoid flicker. No :has() of the page,
# which would check every element on every change.
_BEFORE = (
    "<style>.st-key-problems > * { visibility: hidden; }"
    " .st-key-right { opacity: .4; transition: opacity .3s; }</style>"
)


def wait_for(work: SubmittedRun, since: float, running: Callable[[SubmittedRun], None]) -> Trace:
    """Return the run's result. During the run, end this drawing and request another.

    Streamlit never interrupts a fragment, so a page sees a user's action only in its next drawing. That comes
    immediately after an action, otherwise at growing intervals, so that a hundred waiting pages leave time for those
    with results.
    """
    if time.monotonic() - since > LOOK:
        running(work)
    began = time.monotonic()
    next_drawing = began + max(REDRAW, began - since)
    last = began
    context = drawing()  # redraw of the page fragment, or of everything
    stays = began + (LOOK if context is not None and context.fragment_ids_this_run else FIRST_LOOK)
    try:
        while True:
            try:
                return work.result(LOOK)
            except TimeoutError:
                now = time.monotonic()
            if now - last > 1 or last == began:
                running(work)
                last = now
            if now > stays and (now > next_drawing or rerun_requested()):
                break
    except Cancelled:
        st.stop()  # the server ends
    draw_anew()


def draw_anew() -> NoReturn:
    """Draw the page once more from its beginning."""
    try:
        st.rerun(scope="fragment")
    except (st.errors.StreamlitAPIException, RuntimeError):  # everything is being drawn, or an unrequested fragment
        st.rerun()


def rerun_requested() -> bool:
    """Return whether the browser requested another drawing or left.

    Streamlit has no public name for it. If it is not found the answer is True, and the page redraws itself.
    """
    requests = getattr(drawing(), "script_requests", None)
    return getattr(getattr(requests, "_state", None), "name", "") != "CONTINUE"


def busy(run: SubmittedRun, lang: str) -> str:
    """Render the program's running time, or how long it waits."""
    if place := run.position:
        wait = run.expected_wait
        if wait is None:
            return status_html("wait", say(lang, "status-waiting.place", place=place))
        step = 1 if wait < COARSE else 5
        return status_html("wait", say(lang, "status-waiting", seconds=max(1, math.ceil(wait / step) * step)))
    seconds = int(run.seconds)
    if seconds < SHOW_DURATION_AFTER:
        return status_html("wait", say(lang, "status-running"))
    words = say(lang, "status-running-for", seconds=seconds, most=f"{run.options.time_limit:g}")
    return status_html("wait", words) + _BEFORE


def status_html(kind: str, words: str) -> str:
    """Render a run's status line. Kind is wait, good or bad."""
    return f'<span class="status {kind}" role="status">{escape(words)}</span>'
