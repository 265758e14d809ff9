"""One request to one process, and how it ended: what executors return to the runner."""

from typing import Literal, Protocol

from msgspec import Struct

Outcome = Literal["reply", "time", "memory", "crash", "result", "cancelled", "lost"]


class Answer(Struct, frozen=True):
    """How a call ended.

    Attributes:
        outcome: reply (the rest is in `reply`), time (killed at the limit), memory, crash (`detail`: the signal or exit
            status), result (too many bytes), cancelled, or lost (no process was available, twice in a row; `detail`:
            the missing part of a cluster).
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

    def wait(self) -> Answer:
        """Run the request to its end. Raises OSError."""

    def interrupt(self) -> bool:
        """Request a reply with the results so far; False if this executor cannot."""

    def cancel(self) -> None:
        """Kill the process, or keep it from starting."""
