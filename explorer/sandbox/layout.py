"""Compute positions for a graph in DOT, in a child that is killed when it takes too long."""

import contextlib
import os
import threading

from explorer.program import LAYOUT as PRELOADED
from explorer.sandbox.drawing_turns import others_first
from explorer.sandbox.fair_queue import FairQueue
from explorer.sandbox.runner import Runner, default_runner
from explorer.sandbox.wire import LAYOUT, Order

ORDER = Order(seconds=1.0, lasting=4.0, memory_mb=200.0)  # one layout computes at most a second, also on a busy machine
AT_ONCE = max(2, os.cpu_count() or 1)  # layouts of all sessions
PATIENCE = 4.0  # seconds that a picture waits for the turn of its layout
MAX_REPLY = 4_000_000  # bytes
MOST_KEPT = 64  # graphs; while a user drags a number the layout usually stays the same

_kept: dict[str, str] = {}  # positions by graph, the oldest first


class _Turn:
    """A layout that waits for its turn. A session draws one page at a time, so it has at most one."""

    session = visitor = ""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._came = threading.Event()
        self._given_up = False

    def begin(self) -> None:
        """Called when its turn has come."""
        with self._lock:
            if not self._given_up:
                return self._came.set()
        _turns.end(self)

    def came(self) -> bool:
        """Whether it gets its turn within PATIENCE."""
        _turns.enqueue(self)
        self._came.wait(PATIENCE)
        with self._lock:
            self._given_up = not self._came.is_set()
        if self._given_up:
            _turns.leave(self)
        return not self._given_up


_turns = FairQueue(AT_ONCE, _Turn.begin)


def start_layouts() -> None:
    """Start what lays out graphs, and return at once: it gets ready while a first picture is computed."""
    with contextlib.suppress(OSError):
        default_runner().layouts.start(PRELOADED)


def layout(dot: str, runner: Runner | None = None) -> str | None:
    """Graphviz' JSON output for a graph; the last MOST_KEPT graphs of this server are cached.

    None if Graphviz cannot lay it out within its time, memory or size of reply, if the DOT is invalid, or if too many
    other layouts wait. The caller then places the graph itself.
    """
    if (known := _kept.get(dot)) is not None:
        return known
    with others_first():
        return _laid_out(dot, runner or default_runner())


def _laid_out(dot: str, runner: Runner) -> str | None:
    turn = _Turn()
    if not turn.came():
        runner.counts.layout("crowded")
        return None
    try:
        runner.layouts.start(PRELOADED)
        answer = runner.layouts.call(LAYOUT + dot.encode("utf-8", "replace"), ORDER, MAX_REPLY).wait()
    except OSError:
        runner.counts.layout("lost")
        return None
    finally:
        _turns.end(turn)
    runner.counts.layout(answer.outcome)
    if answer.outcome != "reply":
        return None
    positions = answer.reply.decode("utf-8", "replace")
    _kept[dot] = positions
    while len(_kept) > MOST_KEPT:
        with contextlib.suppress(KeyError, StopIteration, RuntimeError):  # another thread was faster
            del _kept[next(iter(_kept))]
    return positions
