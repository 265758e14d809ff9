"""How many sessions one server has at a time where strangers come: who comes beyond them waits for a place."""

import math
import os
import threading
from collections.abc import Callable, Mapping
from functools import cache
from html import escape

import streamlit as st
from streamlit.runtime import get_instance
from streamlit.runtime.scriptrunner import get_script_run_ctx

from explorer.sandbox import BadLimit
from explorer.sandbox.hosted import hosted
from explorer.text import say
from explorer.ui.session.preferred import preferred_language, refuse

VARIABLE = "EXPLORER_SESSIONS"
USUAL = 120  # with more one process with Streamlit answers late on any machine: docs/scaling.md
MOST = 100_000
# The sheets of the pages are not sent to who waits.
WAITING = (
    '<main style="padding:3rem 0"><h1 style="font-size:1.25rem;padding:0 0 .75rem">Autograd Explorer</h1>'
    '<p class="notice" role="status">{words}</p></main>'
)
LOOK = 5.0  # seconds between two looks for a free place


class SessionPlaces:
    """So many places for sessions. Who has one keeps it while the browser is there. Threads may share it.

    Args:
        here: whether a session's browser is still connected.
    """

    def __init__(self, most: int, here: Callable[[str], bool]):
        self.most, self._here = most, here
        self._lock = threading.Lock()
        self._held: set[str] = set()

    def take(self, session: str) -> bool:
        """Whether a session has a place: its own, or one that is free."""
        with self._lock:
            if session not in self._held and len(self._held) >= self.most:
                self._held = {other for other in self._held if self._here(other)}
            if session in self._held or len(self._held) < self.most:
                self._held.add(session)
                return True
            return False


def most_sessions(environment: Mapping[str, str] = os.environ) -> int | None:
    """How many sessions there may be: what the variable says, else USUAL where strangers come, at home any number.

    Raises BadLimit.
    """
    said = environment.get(VARIABLE, "").strip()
    if not said:
        return USUAL if hosted() else None
    number = int(said) if said.isdecimal() and said.isascii() and len(said) < 10 else math.nan
    if not 1 <= number <= MOST:
        raise BadLimit(VARIABLE, said[:100], 1, MOST)
    return int(number)


def full() -> bool:
    """Whether this session has no place; then the page has said so, and opens by itself when there is one."""
    try:
        places = _places()
    except BadLimit as bad:
        refuse("bad-limit", **bad.values)
        return True
    if places is None or places.take(_session()):
        return False
    _wait()
    return True


@st.fragment(run_every=LOOK)
def _wait() -> None:
    places = _places()
    if places is None or places.take(_session()):
        st.rerun()
    words = say(preferred_language(), "server-full", most=places.most)
    st.html(WAITING.format(words=escape(words)))


@cache
def _places() -> SessionPlaces | None:
    most = most_sessions()
    return None if most is None else SessionPlaces(most, get_instance().is_active_session)


def _session() -> str:
    context = get_script_run_ctx()
    return "" if context is None else context.session_id
