"""Pausing Python's garbage collector where many objects are made that all stay."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def paused_collector() -> Iterator[None]:
    """Pause automatic garbage collection, which would rescan growing objects repeatedly.

    A threshold of 0 pauses it. The enabled flag stays as it is, since the program may read and change it.
    """
    before = gc.get_threshold()
    gc.set_threshold(0, *before[1:])
    try:
        yield
    finally:
        if gc.get_threshold()[0] == 0:
            gc.set_threshold(*before)
