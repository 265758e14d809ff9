"""Time for the search for bugs: a rule that takes too long ends, and the others still report.

Only the process's own seconds count, so other processes don't change the result. Without such a timer, as on Windows or
outside the main thread, a rule ends by itself, and none begins after the time.
"""

import contextlib
import signal
import threading
import time
from collections.abc import Callable, Iterator
from types import FrameType
from typing import TypeVar

S = TypeVar("S")
F = TypeVar("F")
_PART = 0.25  # share of the remaining time that one rule may take


class _OutOfTimeError(BaseException):
    """Raised inside a rule. Not an Exception, so that no rule takes it for an answer."""


class SearchTime:
    """Seconds of the processor left for a search. Attributes: unfinished: names of the rules that took too long."""

    def __init__(self, seconds: float) -> None:
        self.left = seconds
        self.unfinished: list[str] = []

    def limited(self, rule: Callable[[S], Iterator[F]]) -> Callable[[S], Iterator[F]]:
        """Return the rule limited to a share of the remaining time. It yields nothing after that."""

        def found(scene: S) -> Iterator[F]:
            findings, most = rule(scene), _PART * self.left
            while most > 0:
                begin = time.process_time()
                try:
                    with _timer(most):
                        finding = next(findings, None)
                except _OutOfTimeError:
                    most = 0.0
                    finding = None
                took = time.process_time() - begin
                self.left, most = self.left - took, most - took
                if finding is None:
                    break
                yield finding
            if most <= 0:
                self.unfinished.append(name_of(rule))

        return found


def name_of(rule: Callable[..., object]) -> str:
    """Return the name of a rule, or of the rule inside a segment rule."""
    inner = next((cell.cell_contents for cell in rule.__closure__ or () if callable(cell.cell_contents)), rule)
    return str(getattr(inner, "__name__", ""))


@contextlib.contextmanager
def _timer(seconds: float) -> Iterator[None]:
    """Raise _OutOfTimeError in the block after these seconds of the processor."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(number: int, frame: FrameType | None) -> None:
        raise _OutOfTimeError

    before = signal.signal(signal.SIGPROF, end)
    try:
        signal.setitimer(signal.ITIMER_PROF, seconds)
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
