"""`%timeit` within the time of a run: IPython's measuring, with fewer rounds; only the first is recorded."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

from IPython.core.magics import execution

_ASKED_S = 0.2  # IPython's minimum duration of a measurement
_ENOUGH_S = 0.02  # that one lasts here
_ALL_S = 1.0  # after which no further measurement begins


@contextmanager
def short_timing(quiet: Callable[[], AbstractContextManager]) -> Iterator[None]:
    """Let `%timeit` take about a second; `quiet()` is a context that records nothing."""

    class Timer(execution.Timer):
        """Measures like IPython's timer."""

        recorded = False  # one round of the code

        def timeit(self, number: int = 1) -> float:
            """The seconds for this many rounds; enough for IPython to choose their number."""
            spent = self._rounds(number)
            return max(spent, _ASKED_S) if spent >= _ENOUGH_S else spent

        def repeat(self, repeat: int = 1, number: int = 1) -> list[float]:
            """The seconds of each measurement."""
            spent = [self._rounds(number)]
            while len(spent) < repeat and sum(spent) < _ALL_S:
                spent.append(self._rounds(number))
            return spent

        def _rounds(self, number: int) -> float:
            spent = 0.0
            if number and not self.recorded:
                self.recorded = True
                number -= 1
                spent = super().timeit(1)
            with quiet():
                return spent + (super().timeit(number) if number else 0.0)

    class Result(execution.TimeitResult):
        """Reports how many measurements there were."""

        def __init__(self, loops, repeat, best, worst, all_runs, *further) -> None:
            super().__init__(loops, len(all_runs), best, worst, all_runs, *further)

    before = {"Timer": execution.Timer, "TimeitResult": execution.TimeitResult}
    vars(execution).update(Timer=Timer, TimeitResult=Result)
    try:
        yield
    finally:
        vars(execution).update(before)
