"""Processes that stay after their run to answer questions about it (explorer.workers.programs).

A stranger's program has run in such a process and may have changed anything in it. It remains confined, and its answers
are checked like its Trace and can only concern its own run. It is stopped except while it answers, in a turn like a
run's. A process that is late, answers nonsense or holds much memory is ended. Then a process that ran no program is
asked with the Trace.
"""

import contextlib
import threading
from collections.abc import Callable, Iterable

from explorer.sandbox.calls import Answer, ProcessCall
from explorer.sandbox.child_call import Child, ChildCall, Sender
from explorer.sandbox.fair_queue import FairQueue, Place
from explorer.sandbox.limits import machine_memory
from explorer.sandbox.protocol import ChildLimits
from explorer.trace import Trace

ORDER = ChildLimits(seconds=1.5, lasting=6.0, memory_mb=200.0)  # limits of one answer about a run of the app
MOST = max(2, min(64, (machine_memory() or 1 << 32) // 500_000_000))  # processes; each adds at most 100 MB
_LOOK_S = 1.0  # seconds between checks of the waiting processes
_ANSWERING, _VISITOR = "answering", "visitor"  # keys next to a Trace's fields


class Staying:
    """A process that has run a program. Thread-safe; while it answers, another question is "lost".

    Args:
        turns: turns of its answers. visitor: as in explorer.sandbox.fair_queue.
    """

    def __init__(self, parent: Sender, child: Child, turns: FairQueue, visitor: str) -> None:
        self._parent, self._turns, self._visitor = parent, turns, visitor
        self._child: Child | None = child  # None while it answers
        self._lock = threading.Lock()
        self._ended = False

    def ask(self, request: bytes, most: int) -> Answer:
        """Answer a question. Returns "lost" if the process has ended or is busy, or if no turn comes in time."""
        place = Place(self._turns, self._visitor)
        try:
            child = self._swap(None) if self._child is not None and place.ask(ORDER.lasting, True) else None
            if child is None:
                return Answer("lost")
            call = ChildCall(self._parent, request, ORDER, most, child=child)
            answer = call.wait(place)
            if call.left is None or not call.left.may_answer(ORDER):
                self._ended = True
            if unused := self._swap(call.left):
                unused.close()
            return answer
        finally:
            place.give_back()

    def is_over(self) -> bool:
        """Return whether it has ended or its time has passed."""
        child = self._child
        return self._ended or (child is not None and child.is_over())

    def end(self) -> None:
        """End the process, after a pending question."""
        self._ended = True
        if child := self._swap(None):
            child.close()

    def _swap(self, child: Child | None) -> Child | None:
        """Keep this child, unless it has ended, and return the child that is not kept."""
        with self._lock:
            if child is not None and self._ended:
                return child
            kept, self._child = self._child, child
            return kept


class StayingProcesses:
    """A runner's staying processes: one for each session, up to a total. Thread-safe.

    Runs without a session have one for each visitor.

    Args:
        turns: turns of their answers.

    Attributes:
        is_open: returns whether a session's page is still open. Otherwise its process ends.
    """

    def __init__(self, turns: FairQueue) -> None:
        self.is_open: Callable[[str], bool] = lambda session: True
        self._turns = turns
        self._changed = threading.Condition()
        self._kept: dict[tuple[str, str], Staying] = {}  # keyed by session or visitor, in order of arrival
        self._looks = self._closed = False

    def keep(self, session: str, visitor: str, trace: Trace, call: ProcessCall | None) -> None:
        """Keep a Trace's process for questions, ending its session's previous one.

        Args:
            call: call of the process, None to keep no process.
        """
        trace.__dict__[_VISITOR] = visitor
        staying, key = None, (session, "" if session else visitor)
        if isinstance(call, ChildCall) and call.left is not None and call.left.may_answer(ORDER):
            staying, call.left = Staying(call.parent, call.left, self._turns, visitor), None
        with self._changed:
            ended: list[Staying | None] = [self._kept.pop(key, None)]
            if self._closed:
                ended.append(staying)
            elif staying is not None:
                trace.__dict__[_ANSWERING] = self._kept[key] = staying
                ended += [self._kept.pop(old) for old in list(self._kept)[:-MOST]]
            if not self._looks and self._kept:
                self._looks = True
                threading.Thread(target=self._look, name="staying", daemon=True).start()
        _end(ended)

    def forget(self, call: ProcessCall) -> None:
        """End the process of a call that is not kept."""
        if isinstance(call, ChildCall) and call.left is not None:
            call.left.close()

    def close(self) -> None:
        """End all of them."""
        with self._changed:
            self._closed = True
            ended, self._kept = self._kept, {}
            self._changed.notify_all()
        _end(ended.values())

    def _look(self) -> None:
        """End those whose time has passed or whose page is closed, until none is left."""
        while True:
            with self._changed:
                self._changed.wait(_LOOK_S)
                kept = self._kept.items()
                over = {key: one for key, one in kept if one.is_over() or not self.is_open(key[0])}
                for key in over:
                    del self._kept[key]
                if not self._kept:
                    self._looks = False
            _end(over.values())
            if not self._looks:
                return


def _end(staying: Iterable[Staying | None]) -> None:
    for one in staying:
        if one is not None:
            with contextlib.suppress(OSError):
                one.end()


def answering(trace: Trace) -> Staying | None:
    """Return the process that created a Trace, if it stays."""
    return trace.__dict__.get(_ANSWERING)


def visitor_of(trace: Trace) -> str:
    """Return the visitor whose run created a Trace, "" if unknown."""
    return trace.__dict__.get(_VISITOR, "")
