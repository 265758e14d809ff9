"""What runs one request in a process of its own: the one interface of forked children and of warm spare processes."""

import sys
from typing import Literal, Protocol

from msgspec import Struct

from explorer.sandbox.confine import Level


class Answer(Struct, frozen=True):
    """How a call ended.

    Attributes:
        outcome: reply (the rest is in `reply`), time (killed at the limit), memory, crash (`detail`: the signal or exit
            status), result (more bytes than are read), cancelled, or lost (no process could be had, twice in a row).
        cell, line: the innermost place in the program at the time, where it is known (cells from 0, lines from 1).
    """

    outcome: Literal["reply", "time", "memory", "crash", "result", "cancelled", "lost"]
    reply: bytes = b""
    detail: str = ""
    cell: int | None = None
    line: int | None = None


class Call(Protocol):
    """One request to one process. `wait` is for one thread, `cancel` for any."""

    def wait(self) -> Answer:
        """Runs the request to its end. Raises OSError."""

    def cancel(self) -> None:
        """Kills the process, or keeps it from starting."""


class Executor(Protocol):
    """Has processes in which a module is preloaded, and gives one to each call. Threads may share it.

    Attributes:
        pid: of the preloaded process that the next call will use, None before the start.
    """

    pid: int | None

    def start(self) -> None:
        """Begins preloading and returns at once. Raises OSError."""

    def ready(self, timeout: float = 0.0) -> bool:
        """Whether a call would be served at once, waiting at most so many seconds for it."""

    def call(self, request: bytes, seconds: float, memory_mb: float, most: int) -> Call:
        """A call to be waited for: killed after so many seconds of wall time, its reply at most `most` bytes."""

    def close(self) -> None:
        """Ends all processes. Open and later calls answer `cancelled`."""


def executor(module: str, least: Level = "none") -> Executor:
    """The executor for this system: forks of a preloaded parent on Linux, a warm spare process per call elsewhere."""
    if sys.platform == "linux":
        from explorer.sandbox.parent import Parent

        return Parent(module, least)
    from explorer.sandbox.spares import Spares

    return Spares(module, least)
