"""Wait for a run while the page is drawn again and again, so that it notices what the user does."""

import time
from collections.abc import Callable
from typing import NoReturn

import streamlit as st
from streamlit.errors import StreamlitAPIException
from streamlit.runtime.scriptrunner import get_script_run_ctx

from explorer.sandbox import Cancelled, Run
from explorer.trace import Trace
from explorer.ui.streamlit_patches.reruns import rerun_requested

LOOK = 0.2  # seconds between two looks at a running program
# Seconds that a page which was opened waits before it is drawn again. A drawing of the whole app that is given up for
# another, while the browser asks for the page alone, can leave the browser without the blocks the page stands in: it
# then stays blank.
FIRST_LOOK = 3.0
ANEW = 2.0  # seconds after which a page that waits is drawn again at the latest, the first time


def wait_for(work: Run, since: float, running: Callable[[Run], None]) -> Trace:
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
