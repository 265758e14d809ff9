"""Statistics of a server's runs and layouts: only numbers, no program text and no users."""

import threading
from bisect import bisect_left
from collections import Counter

from msgspec import Struct

from explorer.sandbox.hosting import RunRecord

SECONDS = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0)  # upper ends of the histogram's classes


class Times(Struct, frozen=True):
    """A histogram of times.

    Attributes:
        classes: the number of times between consecutive bounds of SECONDS, then of those above the last.
        total: their sum, in seconds.
    """

    classes: tuple[int, ...] = (0,) * (len(SECONDS) + 1)
    total: float = 0.0

    def and_one(self, seconds: float) -> "Times":
        """The histogram with one more time."""
        place = bisect_left(SECONDS, seconds)
        classes = tuple(count + (i == place) for i, count in enumerate(self.classes))
        return Times(classes, self.total + seconds)


class Ended(Struct, frozen=True):
    """The counts of a server since its start.

    Attributes:
        runs: by status, as in RunRecord.
        limits: how often each limit struck.
        layouts: by outcome: reply, time, memory, result, crash, cancelled, lost, or crowded (no turn in time).
        seconds, waited: of the runs: of running, and of waiting for their turn.
    """

    runs: dict[str, int]
    limits: dict[str, int]
    layouts: dict[str, int]
    seconds: Times
    waited: Times


class Counts:
    """The counters of a server. Threads may share them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._runs: Counter[str] = Counter()
        self._limits: Counter[str] = Counter()
        self._layouts: Counter[str] = Counter()
        self._seconds = self._waited = Times()

    def run(self, record: RunRecord) -> None:
        """Count a run that is over."""
        with self._lock:
            self._runs[record.status] += 1
            self._limits.update(set(record.limits))
            self._seconds = self._seconds.and_one(record.seconds)
            self._waited = self._waited.and_one(record.waited)

    def layout(self, outcome: str) -> None:
        """Count a layout that is over or was given up."""
        with self._lock:
            self._layouts[outcome] += 1

    def ended(self) -> Ended:
        """The counts as they are now."""
        with self._lock:
            return Ended(dict(self._runs), dict(self._limits), dict(self._layouts), self._seconds, self._waited)
