"""End slow or unwanted page parts by an exception in their drawing thread.

A thread of this module checks the other threads' clocks. It raises only while the drawing thread computes in our own
code, so that no lock of Streamlit or Python stays taken. C calls end when they return. Without a per-thread clock (only
Linux is supported), nothing is ended.
"""

import ctypes
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from explorer.once import once

BUDGET = 6.0  # CPU seconds for one part, without the parts inside it
EVERY = 0.1  # seconds between checks

_AT_WORK = frozenset("contextlib importlib _frozen_importlib _frozen_importlib_external streamlit threading".split())
_KEEPS_LOCKS = (
    "explorer.hosting",
    "explorer.once",
    "explorer.sandbox",
    "explorer.ui.components",
    "explorer.ui.streamlit_patches",
)


class TookTooLong(Exception):
    """Raised in a thread whose page part has used up its time."""


class _Part:
    """A part being drawn.

    Attributes:
        clock: clock of its thread. ends: deadline by that clock. is_ended: whether it was ended.
        wanted: returns whether it is still needed.
    """

    def __init__(self, thread: int, wanted: Callable[[], bool]):
        self.wanted = wanted
        self.clock = time.pthread_getcpuclockid(thread)
        self.began = time.thread_time()
        self.ends, self.is_ended = self.began + BUDGET, False


_TURNS = 100  # loop iterations in which a cross-thread exception arrives, since the interpreter checks in each
_lock = threading.Lock()
_drawn: dict[int, list[_Part]] = {}  # thread → its parts, innermost last
_begun = threading.Event()


@contextmanager
def limited(wanted: Callable[[], bool] = lambda: True) -> Iterator[None]:
    """Raise TookTooLong after BUDGET, or once no longer `wanted`.

    A thread of this module calls `wanted`. Nested parts have their own time.
    """
    if sys.platform != "linux":
        yield
        return
    thread = threading.get_ident()
    part = _Part(thread, wanted)
    with _lock:
        _drawn.setdefault(thread, []).append(part)
    _begun.set()
    _watcher()
    try:
        try:
            yield
        finally:
            _leave(thread, part)
    finally:
        _leave(thread, part)  # in case the first call was interrupted; nothing is raised after this one


def _leave(thread: int, part: _Part) -> None:
    with _lock:
        parts = _drawn.get(thread, [])
        if part not in parts:
            return
        parts.remove(part)
        if parts:
            parts[-1].ends += time.thread_time() - part.began
        else:
            del _drawn[thread]
    if part.is_ended:
        # A pending exception arrives here. Cancelling it would leave CPython's flag set, and Python 3.11 then never
        # leaves a traced function.
        with suppress(TookTooLong):
            for _ in range(_TURNS):
                pass


@once
def _watcher() -> threading.Thread:
    thread = threading.Thread(target=_watch, name="processor budget", daemon=True)
    thread.start()
    return thread


def _watch() -> None:
    while True:
        _begun.wait()
        time.sleep(EVERY)
        with _lock:
            for thread, parts in _drawn.items():
                _look(thread, parts[-1])
            if not _drawn:
                _begun.clear()


def _look(thread: int, part: _Part) -> None:
    """End an overdue part, if its thread is in an interruptible place."""
    try:
        late = not part.is_ended and (time.clock_gettime(part.clock) > part.ends or not part.wanted())
    except OSError:  # the thread has ended
        return
    if late and _computes(thread):
        part.is_ended = True
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(TookTooLong))


def _computes(thread: int) -> bool:
    """Return whether a thread is in our own code, or in a lock-free call from it."""
    frame = sys._current_frames().get(thread)
    while frame is not None:
        name = frame.f_globals.get("__name__", "")
        root = name.partition(".")[0]
        if root == "explorer":
            return not name.startswith(_KEEPS_LOCKS)
        if root in _AT_WORK:
            return False
        frame = frame.f_back
    return False
