"""Call a function in the program's thread when its time is over: by the system's timers, on Windows by a thread."""

import _thread
import signal
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import Protocol

Strike = Callable[[int, FrameType | None], None]
_AGAIN_S = 0.05  # seconds until `strike` is called again


class Timers(Protocol):
    """Calls a function after so many seconds of the processor, or of the clock, and again until it ends."""

    def now(self, again: float) -> None:
        """Call it at once, then every `again` seconds."""

    def end(self) -> None:
        """Call it no more."""


class _Alarms:
    """Timers of the system. Code that blocks signals ends with its process."""

    def __init__(self, strike: Strike, processor: float, clock: float) -> None:
        timers = ((signal.ITIMER_PROF, signal.SIGPROF, processor), (signal.ITIMER_REAL, signal.SIGALRM, clock))
        self._before = [(timer, number, signal.signal(number, strike)) for timer, number, _ in timers]
        for timer, _, left in timers:
            signal.setitimer(timer, max(1e-3, left), _AGAIN_S)

    def now(self, again: float) -> None:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 1e-3, again)

    def end(self) -> None:
        for timer, number, before in self._before:
            signal.setitimer(timer, 0)
            signal.signal(number, before)


class _Watchdog:
    """A thread that looks at both times and interrupts the program's thread: a signal that wakes it from a sleep.

    Code that does not return to Python's interpreter is not interrupted; its process is killed later.
    """

    def __init__(self, strike: Strike, processor: float, clock: float) -> None:
        self._before = signal.signal(signal.SIGINT, strike)
        self._processor, self._clock = time.process_time() + processor, time.monotonic() + clock
        self._again, self._next = _AGAIN_S, 0.0
        self._changed, self._ended = threading.Condition(), False
        _thread.start_new_thread(self._watch, ())  # which the program does not count among its threads

    def now(self, again: float) -> None:
        with self._changed:
            self._clock, self._again = 0.0, again
            self._changed.notify()

    def end(self) -> None:
        with self._changed:
            self._ended = True
            self._changed.notify()
        signal.signal(signal.SIGINT, self._before)

    def _watch(self) -> None:
        with self._changed:
            while not self._ended:
                now = time.monotonic()
                if now >= self._next and (now >= self._clock or time.process_time() >= self._processor):
                    self._next = now + self._again
                    signal.raise_signal(signal.SIGINT)
                self._changed.wait(_AGAIN_S / 2)


def called_after(strike: Strike, processor: float, clock: float) -> Timers:
    """Timers that call `strike` after so many seconds of the processor, or of the clock."""
    return (_Alarms if hasattr(signal, "setitimer") else _Watchdog)(strike, processor, clock)
