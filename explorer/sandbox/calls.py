"""One request to one process, how it ended, and what has such processes: forked children, warm spares, a cluster."""

from typing import Literal, Protocol

from msgspec import Struct

from explorer.program import Parts
from explorer.sandbox.watch import Turn
from explorer.sandbox.wire import Order

Outcome = Literal["reply", "time", "memory", "files", "crash", "result", "cancelled", "lost"]


class Answer(Struct, frozen=True):
    """How a call ended.

    Attributes:
        outcome: reply (the rest is in `reply`), time (killed at the limit), memory, files (too large), crash (`detail`:
            the signal or exit status), result (too many bytes), cancelled, or lost (no process was available, twice in
            a row; `detail`: the missing part of a cluster).
        messages: those sent before the reply; empty with a reply, which contains them.
        cell, line: the innermost place in the program at the time, if known (cells from 0, lines from 1).
    """

    outcome: Outcome
    reply: bytes = b""
    detail: str = ""
    messages: tuple[bytes, ...] = ()
    cell: int | None = None
    line: int | None = None


class ProcessCall(Protocol):
    """One request to one process. One thread calls `wait`; any may call `cancel`."""

    def wait(self, turn: Turn | None = None) -> Answer:
        """Run the request to its end; its turn rests while it computes nothing, where that is known. Raises OSError."""

    def interrupt(self) -> bool:
        """Request a reply with the results so far; False if this executor cannot."""

    def cancel(self) -> None:
        """Kill the process, or keep it from starting."""


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
        """Start with what short programs need, if that pays, and preload everything then. Raises OSError."""
        self.start()

    def ready(self, timeout: float = 0.0) -> bool:
        """Whether a call would be served at once, waiting at most this many seconds for it."""

    def call(self, request: bytes, order: Order, most: int) -> ProcessCall:
        """Create a call within the limits of `order`; its reply has at most `most` bytes."""

    def close(self) -> None:
        """End all processes. Open and later calls answer `cancelled`."""
