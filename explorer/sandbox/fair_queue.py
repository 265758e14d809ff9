"""Whose turn it is: a fixed number at once, shared fairly between visitors, then between the sessions of a visitor."""

import threading
from collections import Counter
from collections.abc import Callable
from typing import Generic, Protocol, TypeVar


class Waiter(Protocol):
    """A request that waits for a turn.

    Attributes:
        session: "" if it belongs to none: it replaces nothing.
        visitor: the visitor of the session, "" if unknown: all unknown ones count as a single visitor.
    """

    session: str
    visitor: str


AnyWaiter = TypeVar("AnyWaiter", bound=Waiter)


class QueueFull(Exception):
    """Raised if a visitor has too many waiters."""


class FairQueue(Generic[AnyWaiter]):
    """Gives at most `most` turns at a time. Threads may share it.

    A session has at most one turn and one waiter; its newest waiter replaces the older one in the queue. After its
    turn a session goes to the end of its visitor's queue. The next turn goes to the visitor with the fewest turns now;
    among equals to the least recently served. So opening many sessions gains nothing while others wait. One turn
    more than `most` is reserved for a known visitor without a turn, so that a visitor with all turns does not block
    the others.

    Args:
        most: the number of turns, or a function that returns it, called whenever a turn may be given.
        begin: called, outside the lock, with every waiter that gets a turn. The turn is given back with `end`.
        crowd: the most waiters of a known visitor.
    """

    def __init__(self, most: int | Callable[[], int], begin: Callable[[AnyWaiter], None], crowd: int = 200):
        self._most = most if callable(most) else lambda: most
        self._begin, self._crowd = begin, crowd
        self._lock = threading.Lock()
        self._queue: list[AnyWaiter] = []
        self._running: list[AnyWaiter] = []
        self._given = 0  # turns, since the beginning
        self._since: dict[str, int] = {}  # per visitor: the count of given turns at their last one, or at their arrival

    def enqueue(self, waiter: AnyWaiter) -> AnyWaiter | None:
        """Queues a waiter. Returns the older one of its session that it replaces, which will get no turn.

        Raises QueueFull.
        """
        with self._lock:
            place = self._place_of(waiter.session)
            replaced = None
            if place is not None:
                replaced, self._queue[place] = self._queue[place], waiter
            elif waiter.visitor and self._waiting_of(waiter.visitor) >= self._crowd:
                raise QueueFull
            else:
                self._queue.append(waiter)
            self._since.setdefault(waiter.visitor, self._given)
            begun = self._next()
        self._call(begun)
        return replaced

    def end(self, waiter: AnyWaiter) -> None:
        """Gives back a turn."""
        with self._lock:
            self._running = [other for other in self._running if other is not waiter]
            begun = self._next()
        self._call(begun)

    def again(self) -> None:
        """Give the turns that are available now; called when there may be more than before."""
        with self._lock:
            begun = self._next()
        self._call(begun)

    def leave(self, waiter: AnyWaiter) -> None:
        """Leave the queue; does nothing for a waiter that has its turn."""
        with self._lock:
            self._queue = [other for other in self._queue if other is not waiter]
            self._forget()

    def position(self, waiter: AnyWaiter) -> int:
        """1 for the first in the queue; 0 for a waiter that has or had its turn, or never asked."""
        return next((i for i, other in enumerate(self.waiting(), 1) if other is waiter), 0)

    def waiting(self) -> list[AnyWaiter]:
        """The queue, first in front."""
        with self._lock:
            return self._ordered()

    def _place_of(self, session: str) -> int | None:
        return next((i for i, other in enumerate(self._queue) if session and other.session == session), None)

    def _waiting_of(self, visitor: str) -> int:
        return sum(other.visitor == visitor for other in self._queue)

    def _ordered(self) -> list[AnyWaiter]:
        """The queue ordered by the turns that its visitors have, or will have by then; then by waiting time."""
        turns = Counter(waiter.visitor for waiter in self._running)
        places = []
        for arrived, waiter in enumerate(self._queue):
            places.append((turns[waiter.visitor], self._since[waiter.visitor], arrived))
            turns[waiter.visitor] += 1
        return [self._queue[arrived] for *_, arrived in sorted(places)]

    def _next(self) -> list[AnyWaiter]:
        busy = {waiter.session for waiter in self._running} - {""}
        begun = []
        while True:
            waiter = next(
                (candidate for candidate in self._ordered() if candidate.session not in busy and self._room(candidate)),
                None,
            )
            if waiter is None:
                break
            self._queue = [other for other in self._queue if other is not waiter]
            self._running.append(waiter)
            self._given += 1
            self._since[waiter.visitor] = self._given
            busy |= {waiter.session} - {""}
            begun.append(waiter)
        self._forget()
        return begun

    def _room(self, waiter: AnyWaiter) -> bool:
        most = self._most()
        if len(self._running) < most:
            return True
        known = bool(waiter.visitor) and all(other.visitor != waiter.visitor for other in self._running)
        return known and len(self._running) == most

    def _forget(self) -> None:
        """Forget visitors who neither wait nor have a turn."""
        here = {waiter.visitor for waiter in (*self._queue, *self._running)}
        self._since = {visitor: since for visitor, since in self._since.items() if visitor in here}

    def _call(self, begun: list[AnyWaiter]) -> None:
        for waiter in begun:
            self._begin(waiter)
