"""Positions for a graph in DOT, from a child that is killed when it takes too long."""

import contextlib
import os
import threading

from explorer.sandbox.runner import Runner, default_runner
from explorer.sandbox.turns import Turns
from explorer.sandbox.wire import LAYOUT, Order

ORDER = Order(seconds=1.0, lasting=1.0, memory_mb=200.0)  # what one layout may take
AT_ONCE = max(2, os.cpu_count() or 1)  # layouts of all sessions
PATIENCE = 4.0  # seconds that a picture waits for its layout's turn
MAX_REPLY = 4_000_000  # bytes
MOST_KEPT = 64  # graphs; while a number in a program is turned the picture's layout stays what it is

_kept: dict[str, str] = {}  # positions by graph, the oldest first


class _Turn:
    """One layout that waits for its turn. A session draws one page at a time, so each has one at most."""

    session = visitor = ""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._came = threading.Event()
        self._given_up = False

    def begin(self) -> None:
        """Its turn has come."""
        with self._lock:
            if not self._given_up:
                return self._came.set()
        _turns.end(self)

    def came(self) -> bool:
        """Whether it has its turn, waiting PATIENCE for it."""
        _turns.ask(self)
        self._came.wait(PATIENCE)
        with self._lock:
            self._given_up = not self._came.is_set()
        if self._given_up:
            _turns.leave(self)
        return not self._given_up


_turns = Turns(AT_ONCE, _Turn.begin)


def layout(dot: str, runner: Runner | None = None) -> str | None:
    """Graphviz' JSON output for a graph; equal graphs of this server's last MOST_KEPT are laid out once.

    None when Graphviz cannot lay it out: not in the time, the memory or the size of reply it has, or because the DOT is
    not right; and when too many others wait for theirs. The caller then places the graph itself.
    """
    if (known := _kept.get(dot)) is not None:
        return known
    runner, turn = runner or default_runner(), _Turn()
    if not turn.came():
        runner.counts.layout("crowded")
        return None
    try:
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
        with contextlib.suppress(KeyError, StopIteration, RuntimeError):  # another thread was here
            del _kept[next(iter(_kept))]
    return positions
