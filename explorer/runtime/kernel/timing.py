"""Timing within a run: `timeit`, torch's `Timer` and `%timeit` record only a single round.

`%timeit` measures as IPython does, with fewer rounds, so that it takes about a second.
"""

import gc
import itertools
import timeit
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any

from IPython.core.magics import execution

from explorer.runtime.replacements import Replacement, replaced

_ASKED_S = 0.2  # IPython's minimum duration of a measurement
_ENOUGH_S = 0.02  # long enough for IPython
_ALL_S = 1.0  # total time after which no measurement begins
_ROUNDS = 1_000_000  # default rounds of timeit


@contextmanager
def unrecorded_timing(quiet: Callable[[], AbstractContextManager], notice: Callable[[], None]) -> Iterator[None]:
    """Run timed rounds unrecorded except the first, with a shorter `%timeit`.

    It takes about a second.

    Args: quiet: a context that records nothing. notice: called if the only round of a timer is recorded, so that its
    time includes recording.
    """

    def seconds(timer: Any, number: int = _ROUNDS, shown: bool = True) -> float:
        """Replace `timeit.Timer.timeit`: the time of the rounds without recording."""
        first = number > 0 and not vars(timer).get("_recorded", False)
        timer._recorded = first or vars(timer).get("_recorded", False)
        if first and number == 1 and shown:
            notice()
        with _no_collection(), ExitStack() as unseen:
            began = 0.0

            def after_one() -> Iterator[None]:
                nonlocal began
                yield
                unseen.enter_context(quiet())
                began = timer.timer()

            if not first:
                unseen.enter_context(quiet())
            if not first or number == 1:
                return timer.inner(itertools.repeat(None, number), timer.timer)
            timer.inner(itertools.chain(after_one(), itertools.repeat(None, number - 1)), timer.timer)
            return (timer.timer() - began) * number / (number - 1)

    class Timer(execution.Timer):
        """Measures like IPython's timer."""

        def timeit(self, number: int = _ROUNDS) -> float:
            """Return the rounds' seconds, enough for IPython to choose their number."""
            spent = seconds(self, number, shown=False)
            return max(spent, _ASKED_S) if spent >= _ENOUGH_S else spent

        def repeat(self, repeat: int = 1, number: int = _ROUNDS) -> list[float]:
            """Return the seconds of each measurement."""
            spent = [seconds(self, number)]
            while len(spent) < repeat and sum(spent) < _ALL_S:
                spent.append(seconds(self, number))
            return spent

    class Result(execution.TimeitResult):
        """Reports how many measurements there were."""

        def __init__(self, loops, repeat, best, worst, all_runs, *further) -> None:
            super().__init__(loops, len(all_runs), best, worst, all_runs, *further)

    replacements: list[Replacement] = [(execution, "Timer", Timer), (execution, "TimeitResult", Result)]
    with replaced([*replacements, (timeit.Timer, "timeit", seconds)]):  # torch.utils.benchmark uses it too
        yield


@contextmanager
def _no_collection() -> Iterator[None]:
    """Pause the garbage collector, like timeit."""
    collected = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collected:
            gc.enable()
