"""Processes that stay after their run to answer questions about it (explorer.workers.programs).

A stranger's program has run in such a process and may have changed anything in it. It remains confined, its answers are
checked like its Trace, and can only concern its own run. A process that is late, answers nonsense, computes unasked or
holds much memory is ended. Then a process that ran no program is asked with the Trace.
"""

import contextlib
import threading
import time
from collections.abc import Callable, Iterable

from explorer.sandbox.calls import Answer, ProcessCall
from explorer.sandbox.child_call import Child, ChildCall, Sender
from explorer.sandbox.limits import machine_memory
from explorer.sandbox.protocol import ChildLimits
from explorer.sandbox.watch import usage
from explorer.trace import Trace

ORDER = ChildLimits(seconds=1.5, lasting=6.0, memory_mb=200.0)  # limits of one answer about a run of the app
# processes, each holding at most 100 MB of its own
MOST = max(2, min(64, (machine_memory() or 1 << 32) // 500_000_000))
IDLE_S = 30.0  # seconds without a question after which a process ends
_LOOK_S = 1.0  # seconds between checks at those that stay
_BUSY_S = 0.3  # CPU seconds that a process may compute unasked
_ANSWERING = "answering"  # key next to a Trace's fields


class Staying:
    """A process that has run a program. Thread-safe, answering one question at a time."""

    def __init__(self, parent: Sender, child: Child) -> None:
        self._parent = parent
        self._child: Child | None = child
        self._call: ChildCall | None = None
        self._lock = threading.Lock()
        self._since = time.monotonic()  # time of its last answer
        self._used = usage(child.pid)  # usage at that time

    def ask(self, request: bytes, most: int) -> Answer:
        """Answer a question, "lost" if the process has ended or may no longer answer."""
        with self._lock:
            child = self._child
            if child is None or not child.is_silent():
                self._close()
                return Answer("lost")
            self._call = call = ChildCall(self._parent, request, ORDER, most, child=child)
            try:
                answer = call.wait()
            finally:
                self._child, self._call = call.left, None
                left = self._child
                self._since, self._used = time.monotonic(), None if left is None else usage(left.pid)
            return answer

    def idles(self, now: float) -> bool:
        """Return whether to end it: unused for long, or active unasked."""
        if self._call is not None:
            return False
        child = self._child
        first, used = self._used, None if child is None else usage(child.pid)
        if first is None or used is None or now - self._since > IDLE_S:
            return True
        return used.seconds - first.seconds > _BUSY_S or used.mb - first.mb > ORDER.memory_mb / 2

    def end(self) -> None:
        """End the process. A pending question is answered "lost"."""
        call = self._call
        if call is not None:
            call.cancel()
        with self._lock:
            self._close()

    def _close(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.close()


class StayingProcesses:
    """A runner's staying processes: one for each session, up to a total. Thread-safe.

    Attributes:
        is_open: returns whether a session's page is still open. Otherwise its process ends.
    """

    def __init__(self) -> None:
        self.is_open: Callable[[str], bool] = lambda session: True
        self._changed = threading.Condition()
        self._by_session: dict[str, Staying] = {}  # in order of arrival
        self._looks = self._closed = False

    def keep(self, session: str, trace: Trace, call: ProcessCall | None) -> None:
        """Keep a Trace's process for questions, ending its session's previous one.

        Args:
            call: call of the process, None to keep no process.
        """
        staying = None
        if isinstance(call, ChildCall) and call.left is not None and call.left.may_answer(ORDER):
            staying, call.left = Staying(call.parent, call.left), None
        with self._changed:
            ended = [self._by_session.pop(session, None)]
            if self._closed:
                ended.append(staying)
            elif staying is not None:
                trace.__dict__[_ANSWERING] = self._by_session[session] = staying
                many = len(self._by_session) > MOST
                ended.append(self._by_session.pop(next(iter(self._by_session))) if many else None)
            if not self._looks and self._by_session:
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
            ended, self._by_session = self._by_session, {}
            self._changed.notify_all()
        _end(ended.values())

    def _look(self) -> None:
        """End those that idle, until none is left."""
        while True:
            with self._changed:
                self._changed.wait(_LOOK_S)
                now = time.monotonic()
                kept = self._by_session.items()
                idle = {name: staying for name, staying in kept if staying.idles(now) or not self.is_open(name)}
                for name in idle:
                    del self._by_session[name]
                if not self._by_session:
                    self._looks = False
            _end(idle.values())
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
