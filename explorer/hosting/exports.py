"""Make downloads on demand, one per visitor at a time.

Streamlit makes every requested file at once and to the end. Here a file waits for its visitor's turn, and ends like an
overdue page part or one of a closed page.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from weakref import WeakValueDictionary

import streamlit as st

from explorer.hosting import processor_budget
from explorer.hosting.sessions import is_here, own_session
from explorer.sandbox.fair_queue import in_turn
from explorer.sandbox.hosting import visitor

WAITING = 2  # files of one visitor, being made or waiting: each holds one of the server's few threads for downloads


class NotMade(Exception):
    """Raised if a file's page is closed or its visitor has too many waiting."""


class _Gate:
    def __init__(self) -> None:
        self.lock, self.places = threading.Lock(), threading.Semaphore(WAITING)


_gates: WeakValueDictionary[str, _Gate] = WeakValueDictionary()  # visitor → gate, while a file is being made
_lock = threading.Lock()


def on_demand(make: Callable[[], bytes | str]) -> Callable[[], bytes | str]:
    """Return a download button's function, for a thread of Streamlit's."""
    session, who = own_session(), visitor(st.context.ip_address)

    def made() -> bytes | str:
        with _one_at_a_time(who):
            if not is_here(session):
                raise NotMade
            with in_turn(who), processor_budget.limited(lambda: is_here(session)):
                return make()

    return made


@contextmanager
def _one_at_a_time(who: str) -> Iterator[None]:
    with _lock:
        gate = _gates.setdefault(who, _Gate())
    if not gate.places.acquire(blocking=False):
        raise NotMade
    try:
        with gate.lock:
            yield
    finally:
        gate.places.release()
