"""Runs that a user asks for beside a card: they go on in the background while the page is drawn again."""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from html import escape

import streamlit as st

from explorer.drawing.picture import Picture

POLL = 0.4  # seconds between two checks whether the runs have ended


def pending(key: str, picture: Picture, *more: object) -> Future | None:
    """The request for this run and backward, or None.

    Args:
        key: session state: what was requested, for which picture, and its pending answer.
    """
    trace, about, answer = st.session_state.get(key, (None, (), None))
    return answer if trace is picture.trace and about == (picture.view.backward, *more) else None


def ask(key: str, picture: Picture, work: Callable[[], object], *more: object) -> Future:
    """Start the runs in the background."""
    answer: Future = Future()

    def run() -> None:
        try:
            answer.set_result(work())
        except BaseException as problem:
            answer.set_exception(problem)

    st.session_state[key] = picture.trace, (picture.view.backward, *more), answer
    threading.Thread(target=run, name=key.strip("_"), daemon=True).start()
    return answer


@st.fragment(run_every=POLL)
def waiting(key: str, words: str) -> None:
    """Show that the runs are in progress, until they end; the page is then drawn again."""
    answer = st.session_state.get(key, (None, (), None))[2]
    if answer is None or answer.done():
        st.rerun()
    st.html(f'<p class="numbers" role="status">{escape(words)}</p>')
