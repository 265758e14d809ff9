"""What runs one request in a process of its own: the one interface of forked children and of warm spare processes."""

import sys
from typing import Protocol

from explorer.sandbox.calls import ProcessCall
from explorer.sandbox.confine import Level
from explorer.sandbox.parent import Parent
from explorer.sandbox.spares import Spares
from explorer.sandbox.wire import Order


class Executor(Protocol):
    """Has processes in which a module is preloaded, and gives one to each call. Threads may share it."""

    @property
    def pid(self) -> int | None:
        """Of the preloaded process that the next call will use, None before the start."""

    def start(self) -> None:
        """Begins preloading and returns at once. Raises OSError."""

    def ready(self, timeout: float = 0.0) -> bool:
        """Whether a call would be served at once, waiting at most so many seconds for it."""

    def call(self, request: bytes, order: Order, most: int) -> ProcessCall:
        """A call to be waited for, which may take what the order says; its reply is at most `most` bytes."""

    def close(self) -> None:
        """Ends all processes. Open and later calls answer `cancelled`."""


def executor(module: str, least: Level = "none") -> Executor:
    """The executor for this system: forks of a preloaded parent on Linux, a warm spare process per call elsewhere."""
    return Parent(module, least) if sys.platform == "linux" else Spares(module, least)
