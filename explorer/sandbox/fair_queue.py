"""Turns: a fixed number at once, shared fairly between visitors, then their sessions.

The server's drawings have turns too.
"""

import heapq
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from statistics import fmean
from typing import Generic, Protocol, TypeVar

_RECENT = 20  # finished turns used to estimate a wait


class Waiter(Protocol):
    """A request waiting for a turn.

    Attributes:
        session: "" without a session: it replaces nothing.
        visitor: visitor of the session. "" if unknown, and all unknown visitors count as one.
    """

    session: str
    visitor: str


AnyWaiter = TypeVar("AnyWaiter", bound=Waiter)


class QueueFull(Exception):
    """Raised if a visitor has too many waiters."""


class FairQueue(Generic[AnyWaiter]):
    """Grants at most `most` turns at a time. Thread-safe.

    A session has at most one turn and one waiter. Its newest waiter replaces an older one in the queue. After its turn
    a session moves to the end of its visitor's queue. The next turn is for the visitor with the fewest current turns,
    among equals the least recently served. So opening many sessions is no advantage while others wait. One extra turn
    beyond `most` is reserved for a known visitor without a turn, so that a visitor with all turns does not block
    others.

    An idle waiter with a turn rests, and others get the turn meanwhile. While `resting` waiters rest, their visitors
    begin nothing more, because each holds memory.

    Args:
        most: number of turns, or a function that returns it.
        begin: called, outside the lock, with every waiter that gets its first turn, which `end` returns.
        crowd: maximum waiters of a known visitor.
        resting: see above.
        clock: time in seconds.
    """

    def __init__(
        self,
        most: int | Callable[[], int],
        begin: Callable[[AnyWaiter], None],
        crowd: int = 200,
        resting: int = 8,
        clock: Callable[[], float] = time.monotonic,
    ):
        self._most = most if callable(most) else lambda: most
        self._begin, self._crowd, self._rests, self._clock = begin, crowd, resting, clock
        self._lock = threading.Lock()
        self._queue: list[AnyWaiter] = []
        self._running: list[AnyWaiter] = []
        self._resting: list[AnyWaiter] = []
        self._woken: list[AnyWaiter] = []  # waiters that rested and have rejoined the queue
        self._given = 0  # turns granted since the start
        self._since: dict[str, int] = {}  # visitor → count of granted turns at their last turn, or at their arrival
        self._used: dict[int, float] = {}  # seconds of turns by the waiter's id, minus the present one's start
        self._lengths: deque[float] = deque(maxlen=_RECENT)  # seconds of the last ended turns

    def enqueue(self, waiter: AnyWaiter, first: bool = False) -> AnyWaiter | None:
        """Queue a waiter. Return the older one of its session that it replaces.

        Args:
            first: whether it comes before others of its visitor.

        Raises:
            QueueFull: its visitor has too many waiters.
        """
        with self._change():
            waiting = (i for i, other in enumerate(self._queue) if other.session == waiter.session)
            place = next((i for i in waiting if waiter.session and not _holds(self._woken, self._queue[i])), None)
            replaced = None
            if place is not None:
                replaced, self._queue[place] = self._queue[place], waiter
            elif waiter.visitor and sum(other.visitor == waiter.visitor for other in self._queue) >= self._crowd:
                raise QueueFull
            else:
                self._queue.insert(0 if first else len(self._queue), waiter)
            self._since.setdefault(waiter.visitor, self._given)
        return replaced

    def end(self, waiter: AnyWaiter) -> None:
        """Return a turn, even if it rests or waits to continue."""
        with self._change():
            if id(waiter) in self._used:
                self._lengths.append(self._elapsed(waiter))
            self._take_out(waiter)
            self._used.pop(id(waiter), None)

    def rest(self, waiter: AnyWaiter) -> None:
        """Release a waiter's turn until it wakes."""
        with self._change():
            if _holds(self._running, waiter):
                self._used[id(waiter)] = self._elapsed(waiter)
                self._take_out(waiter)
                self._resting.append(waiter)

    def wake(self, waiter: AnyWaiter) -> None:
        """Request the turn again, before others of its visitor. `has_turn` shows when it arrives."""
        with self._change():
            if _holds(self._resting, waiter):
                self._take_out(waiter)
                self._queue.insert(0, waiter)
                self._woken.append(waiter)

    def has_turn(self, waiter: AnyWaiter) -> bool:
        """Return whether a waiter has its turn and does not rest."""
        with self._lock:
            return _holds(self._running, waiter)

    def again(self) -> None:
        """Grant newly available turns."""
        with self._change():
            pass

    def leave(self, waiter: AnyWaiter) -> None:
        """Leave the queue. Does nothing for a waiter that has or had its turn."""
        with self._lock:
            if not _holds(self._woken, waiter):
                self._queue = [other for other in self._queue if other is not waiter]
            self._forget()

    def position(self, waiter: AnyWaiter) -> int:
        """Return 1 for the first in the queue, 0 outside it."""
        return next((i for i, other in enumerate(self.waiting(), 1) if other is waiter), 0)

    def expected_wait(self, waiter: AnyWaiter) -> float | None:
        """Estimate a waiter's seconds to its turn, None if unknown."""
        position = self.position(waiter)
        with self._lock:
            elapsed = [self._elapsed(other) for other in self._running]
            return expected_wait(position, elapsed, self._lengths, self._most())

    def waiting(self) -> list[AnyWaiter]:
        """Return the waiters that have had no turn yet, first in front."""
        with self._lock:
            return [waiter for waiter in self._ordered() if not _holds(self._woken, waiter)]

    def _elapsed(self, waiter: AnyWaiter) -> float:
        return self._used[id(waiter)] + (self._clock() if _holds(self._running, waiter) else 0.0)

    def _take_out(self, waiter: AnyWaiter) -> None:
        for place in (self._queue, self._running, self._resting, self._woken):
            place[:] = [other for other in place if other is not waiter]

    @contextmanager
    def _change(self) -> Iterator[None]:
        """Wrap a change, after which turns may be granted."""
        with self._lock:
            yield
            begun = self._next()
        for waiter in begun:
            self._begin(waiter)

    def _ordered(self) -> list[AnyWaiter]:
        """Order the queue by its visitors' turns, present or expected, then by waiting time."""
        turns = Counter(waiter.visitor for waiter in self._running)
        places = []
        for arrived, waiter in enumerate(self._queue):
            places.append((turns[waiter.visitor], self._since[waiter.visitor], arrived))
            turns[waiter.visitor] += 1
        return [self._queue[arrived] for *_, arrived in sorted(places)]

    def _next(self) -> list[AnyWaiter]:
        begun = []
        while (waiter := next(filter(self._may_begin, self._ordered()), None)) is not None:
            if not _holds(self._woken, waiter):
                begun.append(waiter)
            self._take_out(waiter)
            self._running.append(waiter)
            self._used[id(waiter)] = self._used.get(id(waiter), 0.0) - self._clock()
            self._given += 1
            self._since[waiter.visitor] = self._given
        self._forget()
        return begun

    def _may_begin(self, waiter: AnyWaiter) -> bool:
        """Return whether a queued waiter may have its turn now."""
        if not self._room(waiter):
            return False
        if _holds(self._woken, waiter):
            return True
        here = [*self._running, *self._resting, *self._woken]
        if waiter.session and any(other.session == waiter.session for other in here):
            return False
        resting = [*self._resting, *self._woken]
        return len(resting) < self._rests or all(other.visitor != waiter.visitor for other in resting)

    def _room(self, waiter: AnyWaiter) -> bool:
        most = self._most()
        if len(self._running) < most:
            return True
        newcomer = bool(waiter.visitor) and all(other.visitor != waiter.visitor for other in self._running)
        return newcomer and len(self._running) == most

    def _forget(self) -> None:
        """Forget visitors who neither wait nor have a turn."""
        here = {waiter.visitor for waiter in (*self._queue, *self._running, *self._resting)}
        self._since = {visitor: since for visitor, since in self._since.items() if visitor in here}


def expected_wait(position: int, elapsed: Sequence[float], lengths: Sequence[float], most: int) -> float | None:
    """Estimate the seconds until a place's turn, None if unknown.

    A turn that already takes longer than the average is expected to take as long again.

    Args:
        elapsed: seconds of the present turns.
        lengths: seconds of the last ended turns.
        most: number of turns.
    """
    if not lengths or most < 1:
        return None
    average = fmean(lengths)
    free_in = [average - seconds if seconds < average else seconds for seconds in elapsed]
    free_in += [0.0] * (most - len(elapsed))
    heapq.heapify(free_in)
    wait = 0.0
    for _ in range(position):
        wait = heapq.heappop(free_in)
        heapq.heappush(free_in, wait + average)
    return wait


def _holds(waiters: list[AnyWaiter], waiter: AnyWaiter) -> bool:
    return any(other is waiter for other in waiters)


PATIENCE = 0.3  # seconds


class Place:
    """A thread's place in a queue. Attributes: visitor: as in Waiter."""

    session = ""  # so that places don't replace one another

    def __init__(self, turns: FairQueue, visitor: str) -> None:
        self._turns, self.visitor, self._begun = turns, visitor, threading.Event()

    def begin(self) -> None:
        """Take the turn. Called by the queue."""
        self._begun.set()

    def ask(self, patience: float = PATIENCE, first: bool = False) -> bool:
        """Wait for a turn. Return whether there was one within these seconds. Args: first: as in `enqueue`."""
        self._begun.clear()
        with suppress(QueueFull):
            self._turns.enqueue(self, first)
        return self._begun.wait(patience)

    def rest(self) -> None:
        """Give up the turn for a while."""
        self._turns.rest(self)

    def wake(self) -> None:
        """Ask for the turn again."""
        self._turns.wake(self)

    def has_turn(self) -> bool:
        """Return whether it has a turn and does not rest."""
        return self._turns.has_turn(self)

    def give_back(self) -> None:
        """Return the turn, or leave the queue."""
        self._turns.end(self)


_turns = FairQueue[Place](1, Place.begin)
_here = threading.local()  # `drawing` of this thread


@contextmanager
def in_turn(visitor: str) -> Iterator[None]:
    """Wait for this visitor's turn."""
    drawing = _here.drawing = Place(_turns, visitor)
    drawing.ask()
    try:
        yield
    finally:
        _here.drawing = None
        drawing.give_back()


@contextmanager
def others_first() -> Iterator[None]:
    """Let other sessions draw while this one waits for something else."""
    drawing = getattr(_here, "drawing", None)
    if drawing is not None:
        drawing.give_back()
    try:
        yield
    finally:
        if drawing is not None:
            drawing.ask()
