"""Limit a hosted server's sessions. Further visitors wait for a place."""

import math
import os
import threading
from collections.abc import Callable, Mapping
from html import escape

import streamlit as st

from explorer.hosting.sessions import is_here, own_session
from explorer.once import once
from explorer.sandbox import BadLimit
from explorer.sandbox.hosting import hosted, visitor
from explorer.text import say

VARIABLE = "EXPLORER_SESSIONS"
USUAL = 120  # with more, a process with Streamlit answers late on any machine: docs/scaling.md
MOST = 100_000
# Waiting visitors do not get the style sheets of pages.
WAITING = (
    '<main style="padding:3rem 0"><h1 style="font-size:1.25rem;padding:0 0 .75rem">Autograd Explorer</h1>'
    '<p class="notice" role="status">{words}</p></main>'
)
SHARES = 2  # on a hosted site, a visitor may use one in SHARES of the places
LOOK = 5.0  # seconds between checks for a free place


class Seats:
    """A fixed number of session places, kept while the browser is connected. Thread-safe.

    Args:
        most: total places.
        here: returns whether a session's browser is still connected.
        share: places of one visitor's sessions. None: all.
    """

    def __init__(self, most: int, here: Callable[[str], bool], share: int | None = None):
        self.most, self.share, self._here = most, share or most, here
        self._lock = threading.Lock()
        self._held: dict[str, str] = {}  # session → visitor

    def take(self, session: str, visitor: str = "") -> bool:
        """Return whether a session has a place, taking a free one."""
        with self._lock:
            if session not in self._held and not self._free(visitor):
                self._held = {other: who for other, who in self._held.items() if self._here(other)}
            if session not in self._held and not self._free(visitor):
                return False
            self._held[session] = visitor
            return True

    def has(self, session: str) -> bool:
        """Return whether a session has a place."""
        with self._lock:
            return session in self._held

    def crowded(self, visitor: str) -> bool:
        """Return whether a visitor's own sessions use up its share."""
        with self._lock:
            return len(self._held) < self.most and not self._free(visitor)

    def _free(self, visitor: str) -> bool:
        own = sum(who == visitor for who in self._held.values())
        return len(self._held) < self.most and own < self.share


def most_sessions(environment: Mapping[str, str] = os.environ) -> int | None:
    """Return the session limit: from the environment, USUAL if hosted, None at home.

    Raises BadLimit.
    """
    setting = environment.get(VARIABLE, "").strip()
    if not setting:
        return USUAL if hosted() else None
    number = int(setting) if setting.isdecimal() and setting.isascii() and len(setting) < 10 else math.nan
    if not 1 <= number <= MOST:
        raise BadLimit(VARIABLE, setting[:100], 1, MOST)
    return int(number)


def full(lang: str) -> bool:
    """Return whether this session lacks a place. Raises BadLimit."""
    places = _places()
    if places is None or places.take(own_session(), _visitor()):
        return False
    _wait(lang)
    return True


def has_place(session: str) -> bool:
    """Return whether a session has a place, or needs none."""
    try:
        places = _places()
    except BadLimit:
        return False
    return places is None or places.has(session)


@st.fragment(run_every=LOOK)
def _wait(lang: str) -> None:
    places = _places()
    if places is None or places.take(own_session(), _visitor()):
        st.rerun()
    if places.crowded(_visitor()):
        words = say(lang, "server-full-of-yours", most=places.share)
    else:
        words = say(lang, "server-full", most=places.most)
    st.html(WAITING.format(words=escape(words)))


@once
def _places() -> Seats | None:
    most = most_sessions()
    if most is None:
        return None
    share = math.ceil(most / SHARES) if hosted() else most
    return Seats(most, is_here, share)


def _visitor() -> str:
    return visitor(st.context.ip_address)
