"""The interface of everything that runs one request in a process of its own: forked children, warm spare processes."""

import sys
from typing import Protocol

from explorer.program import Parts
from explorer.sandbox.calls import ProcessCall
from explorer.sandbox.confine import Level
from explorer.sandbox.parent import Parent
from explorer.sandbox.spares import Spares
from explorer.sandbox.wire import Order


class Executor(Protocol):
    """Has processes that preload a module, and gives each call one of them. Threads may share it."""

    @property
    def pid(self) -> int | None:
        """The pid of the preloaded process that the next call will use, None before the start."""

    def start(self, parts: Parts | None = None) -> None:
        """Start preloading what programs need (explorer.program.needs), None for everything, and return at once.

        Raises OSError.
        """

    def start_soon(self) -> None:
        """Start preloading everything; the first programs may run before. Raises OSError."""

    def ready(self, timeout: float = 0.0) -> bool:
        """Whether a call would be served at once, waiting at most this many seconds for it."""

    def call(self, request: bytes, order: Order, most: int) -> ProcessCall:
        """Create a call within the limits of `order`; its reply has at most `most` bytes."""

    def close(self) -> None:
        """End all processes. Open and later calls answer `cancelled`."""


def executor(module: str, least: Level = "none") -> Executor:
    """The executor for this system: forks of a preloaded parent on Linux, a warm spare process per call elsewhere."""
    return Parent(module, least) if sys.platform == "linux" else Spares(module, least)
