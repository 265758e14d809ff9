"""One object for all threads of the process."""

import os
from collections.abc import Callable
from functools import cache, wraps
from threading import Lock
from typing import TypeVar

Made = TypeVar("Made")


def once(make: Callable[[], Made]) -> Callable[[], Made]:
    """Call `make` once per process and return the same object ever after.

    Unlike `functools.cache`, two threads that are first at the same time get the same object.
    """
    lock, made = Lock(), cache(make)

    @wraps(make)
    def call() -> Made:
        with lock:
            return made()

    def forget() -> None:
        nonlocal lock
        lock = Lock()  # another thread may have held it
        made.cache_clear()

    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=forget)
    return call
