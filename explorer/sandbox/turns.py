"""Whose turn it is: so many at once, one of each session, the sessions in the order in which they asked."""

import threading
from collections import deque
from collections.abc import Callable
from typing import Protocol


class Waiter(Protocol):
    """What waits for a turn. `session` is "" for one that belongs to none: it replaces nothing."""

    session: str


class Turns:
    """Gives at most `most` turns at a time. Threads may share it.

    A session has at most one turn and one waiter; its newest waiter takes the place of the older one in the queue. A
    session that has had its turn goes to the end.

    Args:
        begin: called, outside the lock, with every waiter whose turn comes. Who has a turn gives it back with `end`.
    """

    def __init__(self, most: int, begin: Callable[[Waiter], None]):
        self._most, self._begin = most, begin
        self._lock = threading.Lock()
        self._queue: deque[Waiter] = deque()
        self._running: list[Waiter] = []

    def ask(self, waiter: Waiter) -> Waiter | None:
        """Queues a waiter. Returns the older one of its session that it replaces, which will get no turn."""
        with self._lock:
            place = self._place_of(waiter.session)
            replaced = None
            if place is None:
                self._queue.append(waiter)
            else:
                replaced, self._queue[place] = self._queue[place], waiter
            begun = self._next()
        self._call(begun)
        return replaced

    def end(self, waiter: Waiter) -> None:
        """Gives back a turn."""
        with self._lock:
            self._running = [other for other in self._running if other is not waiter]
            begun = self._next()
        self._call(begun)

    def leave(self, waiter: Waiter) -> None:
        """Gives up waiting; does nothing for one that has its turn."""
        with self._lock:
            self._queue = deque(other for other in self._queue if other is not waiter)

    def position(self, waiter: Waiter) -> int:
        """1 for the first in the queue; 0 for one that has its turn, had it or never asked."""
        with self._lock:
            return next((i for i, other in enumerate(self._queue, 1) if other is waiter), 0)

    def waiting(self) -> list[Waiter]:
        """The queue, first in front."""
        with self._lock:
            return list(self._queue)

    def _place_of(self, session: str) -> int | None:
        return next((i for i, other in enumerate(self._queue) if session and other.session == session), None)

    def _next(self) -> list[Waiter]:
        busy = {waiter.session for waiter in self._running} - {""}
        begun = []
        for waiter in list(self._queue):
            if len(self._running) >= self._most:
                break
            if waiter.session not in busy:
                self._queue.remove(waiter)
                self._running.append(waiter)
                busy |= {waiter.session} - {""}
                begun.append(waiter)
        return begun

    def _call(self, begun: list[Waiter]) -> None:
        for waiter in begun:
            self._begin(waiter)
