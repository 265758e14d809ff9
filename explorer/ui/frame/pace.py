"""Rate limits for pages: a token bucket for each page and one for each visitor.

Otherwise a few pages with a hundred requests a second would keep all others waiting. Of a page that asks faster than
its bucket fills only the newest request is drawn; it is never lost and contains the earlier ones.
"""

import threading
import time
from collections.abc import Callable

WHOLE = 4.0  # tokens for drawing the whole app; one for the page alone, which is a fragment
TELLING = 12.0  # for reporting a dropped message, which our own pages never cause
OF_A_PAGE = 10.0, 24.0  # tokens a second, and the largest number of tokens
OF_A_VISITOR = 24.0, 120.0  # a class behind one router is one visitor
OF_READING = 0.1, 0.1  # seconds of the server's time a second that reading a visitor's messages may take
FORGOTTEN = 60.0  # seconds after which an inactive visitor is forgotten


class Bucket:
    """Tokens that arrive at a rate, up to a maximum."""

    def __init__(self, rate: float, most: float, now: Callable[[], float] = time.monotonic):
        self._rate, self._most, self._now = rate, most, now
        self._tokens, self._at = most, now()

    def wait(self, count: float = 1.0) -> float:
        """Seconds until there are this many, or until the bucket is full; 0.0 if there are."""
        now = self._now()
        self._tokens = min(self._most, self._tokens + (now - self._at) * self._rate)
        self._at = now
        return max(0.0, (min(count, self._most) - self._tokens) / self._rate)

    def take(self, count: float = 1.0) -> None:
        """Take this many tokens."""
        self._tokens -= count

    def idle(self) -> float:
        """Seconds since its last use."""
        return self._now() - self._at


class Paces:
    """A bucket for each visitor. Threads may share it."""

    def __init__(self, rate: float, most: float, now: Callable[[], float] = time.monotonic):
        self._rate, self._most, self._now = rate, most, now
        self._lock = threading.Lock()
        self._visitors: dict[str, Bucket] = {}

    def of(self, visitor: str) -> Bucket:
        """A visitor's bucket; inactive visitors are forgotten."""
        with self._lock:
            if visitor not in self._visitors:
                kept = {name: bucket for name, bucket in self._visitors.items() if bucket.idle() < FORGOTTEN}
                self._visitors = kept | {visitor: Bucket(self._rate, self._most, self._now)}
            return self._visitors[visitor]
