"""Limits that a run enforces itself: its time, and what is left to do when there is no memory."""

import contextlib
import gc
import mmap
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from types import FrameType

from explorer.runtime.recorder.program_places import own_words

RESERVE = 32_000_000  # bytes kept free for ending a program
_PRIVATE: dict = {} if sys.platform == "win32" else {"flags": mmap.MAP_PRIVATE}  # shared memory need not be counted
_AGAIN_S = 0.05  # seconds until a time limit that the program caught is raised again


@contextlib.contextmanager
def called_after(strike: Callable[[int, FrameType | None], None], processor: float, clock: float) -> Iterator[None]:
    """A context that calls `strike` after so many seconds of the processor, or of the clock, and again until it ends.

    Code that blocks signals ends with its process.
    """
    timers = ((signal.ITIMER_PROF, signal.SIGPROF, processor), (signal.ITIMER_REAL, signal.SIGALRM, clock))
    before = {number: signal.signal(number, strike) for _, number, _ in timers}
    for timer, _, left in timers:
        signal.setitimer(timer, max(1e-3, left), _AGAIN_S)
    try:
        yield
    finally:
        for timer, number, _ in timers:
            signal.setitimer(timer, 0)
            signal.signal(number, before[number])


def reserved_memory() -> mmap.mmap | None:
    """Memory for ending a program that has taken all other; None if there is none left.

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
    told = own_words(problem)
    return "can't allocate memory" in told or "bad_alloc" in told
