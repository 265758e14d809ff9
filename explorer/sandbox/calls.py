"""Requests to a process and their outcomes."""

from typing import Literal, Protocol

from msgspec import Struct

from explorer.program import Parts
from explorer.sandbox.fair_queue import Place
from explorer.sandbox.protocol import ChildLimits

Outcome = Literal["reply", "time", "memory", "files", "crash", "result", "cancelled", "lost"]


class Answer(Struct, frozen=True):
    """Outcome of a call.

    Attributes:
        outcome: reply (see `reply`), time (killed at the limit), memory, files (too large), crash (`detail`:
            signal or exit status), result (too many bytes), cancelled, or lost (twice no process, `detail`: missing
            part of a cluster).
        messages: messages before the reply, empty with a reply, which contains them.
        cell, line: innermost program place, if known (cells from 0, lines from 1).
    """

    outcome: Outcome
    reply: bytes = b""
    detail: str = ""
    messages: tuple[bytes, ...] = ()
    cell: int | None = None
    line: int | None = None


class ProcessCall(Protocol):
    """One request to one process. One thread calls `wait`, and any may call `cancel`."""

    def wait(self, turn: Place | None = None) -> Answer:
        """Run the request to its end, resting its turn while idle. Raises OSError."""

    def interrupt(self) -> bool:
        """Request a reply with the results so far. Returns False if this executor cannot."""

    def cancel(self) -> None:
        """Kill the process, or keep it from starting."""


class Executor(Protocol):
    """Preloads processes and assigns one to each call. Thread-safe."""

    @property
    def pid(self) -> int | None:
        """Pid of the preloaded process for the next call, None before the start."""

    def start(self, parts: Parts | None = None) -> None:
        """Start preloading what programs need, None for everything. Return immediately.

        Raises OSError.
        """

    def start_soon(self) -> None:
        """Start with the needs of short programs if worthwhile, then preload all. Raises OSError."""
        self.start()

    def ready(self, timeout: float = 0.0) -> bool:
        """Return whether a call would be served immediately, waiting at most `timeout` seconds."""

    def call(self, request: bytes, order: ChildLimits, most: int) -> ProcessCall:
        """Create a call within the limits of `order`. Its reply has at most `most` bytes."""

    def close(self) -> None:
        """End all processes. Open and later calls answer `cancelled`."""
