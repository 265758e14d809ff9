"""One object for all threads of the process."""

from collections.abc import Callable
from functools import cache, wraps
from threading import Lock
from typing import TypeVar

Made = TypeVar("Made")


def once(make: Callable[[], Made]) -> Callable[[], Made]:
    """A function that calls `make` the first time and returns the same object ever after.

    `functools.cache` gives each of two threads that are first at the same time an object of its own.
    """
    lock, made = Lock(), cache(make)

    @wraps(make)
    def call() -> Made:
        with lock:
            return made()

    return call
