"""Enforce a run's own time and memory limits."""

import _signal  # see explorer.runtime.signals
import _thread
import contextlib
import gc
import mmap
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from types import FrameType
from typing import Protocol

from explorer.runtime.recorder.source_map import safe_str

Strike = Callable[[int, FrameType | None], None]
_AGAIN_S = 0.05  # seconds until `strike` is called again


class Timers(Protocol):
    """Calls a function after some seconds of processor or clock, repeatedly."""

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
    """A thread that checks both times and interrupts the program's thread.

    The signal also wakes it from a sleep. Code that does not return to Python's interpreter is not interrupted. Its
    process is killed later.
    """

    def __init__(self, strike: Strike, processor: float, clock: float) -> None:
        self._before = signal.signal(signal.SIGINT, strike)
        self._processor, self._clock = time.process_time() + processor, time.monotonic() + clock
        self._again, self._next = _AGAIN_S, 0.0
        self._changed, self._ended = threading.Condition(), False
        _thread.start_new_thread(self._watch, ())  # a thread that the program cannot see

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
    """Create timers that call `strike` after seconds of processor or clock."""
    return (_Alarms if hasattr(signal, "setitimer") else _Watchdog)(strike, processor, clock)


HOLDS = hasattr(signal, "pthread_sigmask")  # False on Windows
_FATAL = ("SIGXCPU", "SIGSEGV", "SIGBUS", "SIGFPE", "SIGILL", "SIGABRT", "SIGTRAP", "SIGSYS")
HELD = _signal.valid_signals() - {getattr(signal, name, None) for name in _FATAL}
RESERVE = 32_000_000  # bytes kept free for ending a program
_PRIVATE: dict = {} if sys.platform == "win32" else {"flags": mmap.MAP_PRIVATE}  # shared memory need not be counted
_STOP_AGAIN_S = 0.5  # until a stop that the program caught is raised again: programs catch it to show their results


class TimeLimit:
    """The total time of a program's cells, with a context for each stretch.

    Attributes: stopping: whether the user has stopped the run.

    Args: processor: seconds of the processor, so that other load costs nothing. clock: seconds of the clock. up: called
    at the end of the time, or if the user stops the run. Its arguments are the running frame, and the seconds since the
    first stretch if it was stopped, otherwise None. It raises, or is called again.
    """

    def __init__(self, processor: float, clock: float, up: Callable[[FrameType | None, float | None], None]) -> None:
        self._processor, self._clock, self._up = processor, clock, up
        self._began: tuple[float, float] | None = None  # CPU and wall-clock time at the start
        self._timers: Timers | None = None
        self.stopping = False

    def __enter__(self) -> None:
        if self._began is None:
            self._began = time.process_time(), time.monotonic()
        if self.stopping:
            self._strike(0, None)  # immediate, because nothing has begun that would be left half done
        processor = self._began[0] + self._processor - time.process_time()
        clock = self._began[1] + self._clock - time.monotonic()
        self._timers = called_after(self._strike, processor, clock)
        if self.stopping:
            self.stop()

    def __exit__(self, *problem) -> None:
        timers, self._timers = self._timers, None
        timers.end()

    def _strike(self, _signal: int, frame: FrameType | None) -> None:
        self._up(frame, time.monotonic() - self._began[1] if self.stopping else None)

    def stop(self, *_signal: object) -> None:
        """End the run as a time limit does."""
        self.stopping = True
        if self._timers is not None:
            self._timers.now(_STOP_AGAIN_S)


@contextlib.contextmanager
def stoppable(limit: TimeLimit | AbstractContextManager) -> Iterator[None]:
    """Let interrupts stop the run within a context, also held interrupts."""
    if not isinstance(limit, TimeLimit):
        yield
        return
    before = signal.signal(signal.SIGINT, limit.stop)
    held = HOLDS and signal.SIGINT in signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        if held:
            _signal.pthread_sigmask(signal.SIG_BLOCK, HELD)  # the program has ended, and so have its handlers
        signal.signal(signal.SIGINT, before)


@contextlib.contextmanager
def without_handlers() -> Iterator[None]:
    """Delay the program's signal handlers, which may print or raise."""
    before = _signal.pthread_sigmask(signal.SIG_BLOCK, HELD) if HOLDS else ()
    try:
        yield
    finally:
        if HOLDS:
            _signal.pthread_sigmask(signal.SIG_SETMASK, before)


def hold_interrupts() -> None:
    """Hold interrupts until a run is stoppable."""
    if HOLDS:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    else:
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def reserved_memory() -> mmap.mmap | None:
    """Reserve memory for ending an exhausted program, None if impossible.

    It is mapped and never written to: writing 8 000 pages would take longer than most programs.
    """
    with contextlib.suppress(OSError):
        return mmap.mmap(-1, RESERVE, **_PRIVATE)
    return None


def release_frames(problem: BaseException) -> None:
    """Clear the frames of an exception, which keep objects alive."""
    seen: set[int] = set()
    left: list[BaseException | None] = [problem]
    while left:
        held = left.pop()
        if held is not None and id(held) not in seen:
            seen.add(id(held))
            left += [held.__cause__, held.__context__]
            traceback.clear_frames(held.__traceback__)
            held.__traceback__ = None
    gc.collect()


def out_of_memory(problem: BaseException) -> bool:
    """Return whether an error reports that memory is exhausted."""
    if isinstance(problem, MemoryError):
        return True
    if not isinstance(problem, RuntimeError):
        return False
    message = safe_str(problem)
    return "can't allocate memory" in message or "bad_alloc" in message
