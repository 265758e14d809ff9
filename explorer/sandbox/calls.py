"""One request to one process, and how it ended: what executors give and the runner reads."""

from typing import Literal, Protocol

from msgspec import Struct

Outcome = Literal["reply", "time", "memory", "crash", "result", "cancelled", "lost"]


class Answer(Struct, frozen=True):
    """How a call ended.

    Attributes:
        outcome: reply (the rest is in `reply`), time (killed at the limit), memory, crash (`detail`: the signal or exit
            status), result (more bytes than are read), cancelled, or lost (no process could be had, twice in a row;
            `detail`: what of a cluster was missing).
        told: what it said while it went on; of a reply nothing, which says it all.
        cell, line: the innermost place in the program at the time, where it is known (cells from 0, lines from 1).
    """

    outcome: Outcome
    reply: bytes = b""
    detail: str = ""
    told: tuple[bytes, ...] = ()
    cell: int | None = None
    line: int | None = None


class ProcessCall(Protocol):
    """One request to one process. `wait` is for one thread, `cancel` for any."""

    def wait(self) -> Answer:
        """Runs the request to its end. Raises OSError."""

    def cancel(self) -> None:
        """Kills the process, or keeps it from starting."""
