"""Limits that a run enforces itself: its time, and its end when memory is exhausted."""

import contextlib
import gc
import mmap
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from types import FrameType

from explorer.runtime.recorder.source_map import safe_str
from explorer.runtime.timers import Timers, called_after

HOLDS = hasattr(signal, "pthread_sigmask")  # not on Windows
RESERVE = 32_000_000  # bytes kept free for ending a program
_PRIVATE: dict = {} if sys.platform == "win32" else {"flags": mmap.MAP_PRIVATE}  # shared memory need not be counted
_STOP_AGAIN_S = 0.5  # until a stop that the program caught is raised again: programs catch it to show their results


class TimeLimit:
    """The time that a program's cells may take, together: a context for each stretch of them.

    Attributes:
        stopping: whether the user has stopped the run.

    Args:
        processor: seconds of the processor, so that other load takes nothing away; clock: seconds of the clock.
        up: called when they are over, or when the user stops the run: with the frame that runs, and the seconds since
            the first stretch if it was stopped, otherwise None. It raises, or is called again.
    """

    def __init__(self, processor: float, clock: float, up: Callable[[FrameType | None, float | None], None]) -> None:
        self._processor, self._clock, self._up = processor, clock, up
        self._began: tuple[float, float] | None = None  # processor and clock
        self._timers: Timers | None = None
        self.stopping = False

    def __enter__(self) -> None:
        if self._began is None:
            self._began = time.process_time(), time.monotonic()
        if self.stopping:
            self._strike(0, None)  # at once: nothing has begun that would be left half done
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
    """A context in which an interrupt stops the run, also one that came while interrupts were held."""
    if not isinstance(limit, TimeLimit):
        yield
        return
    before = signal.signal(signal.SIGINT, limit.stop)
    held = HOLDS and signal.SIGINT in signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        if held:
            hold_interrupts()
        signal.signal(signal.SIGINT, before)


def hold_interrupts() -> None:
    """Let interrupts wait until a run is stoppable; a system that cannot do so ignores them."""
    if HOLDS:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    else:
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def reserved_memory() -> mmap.mmap | None:
    """Reserved memory for ending a program that has used up its own; None if it cannot be reserved.

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
    """Whether an error says that there is no memory left."""
    if isinstance(problem, MemoryError):
        return True
    if not isinstance(problem, RuntimeError):
        return False
    message = safe_str(problem)
    return "can't allocate memory" in message or "bad_alloc" in message
