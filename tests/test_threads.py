"""Objects shared by all sessions work for each one, whichever asks first."""

import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from explorer import text
from explorer.once import once

THREADS = 8


def at_once(call):
    """Return a function's results in THREADS threads that start together."""
    begin = Barrier(THREADS)
    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(lambda _: (begin.wait(), call())[1], range(THREADS)))


def test_concurrent_first_callers_get_the_same_object():
    assert len(set(map(id, at_once(once(object))))) == 1


def test_concurrent_first_sessions_find_the_texts():
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)  # the interpreter changes threads inside of each call
    try:
        for _ in range(20):
            for remembered in (text._bundle, text._add, text._format):
                remembered.cache_clear()
            assert set(at_once(lambda: text.say("en", "problems"))) == {"Problems"}
    finally:
        sys.setswitchinterval(interval)
