"""The statistics of a training that runs, read as its file grows, within a fixed time and memory.

A page shows some steps and all events. The file may come from a stranger.
"""

import os
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import BinaryIO

from msgspec import structs

from explorer.trace.step_statistics import Header, InvalidStatistics, StepRow, read_header, read_rows

MOST_SHOWN = 600  # most steps kept; at least half of that once there are more
MOST_EVENTS = 100
PER_READ = 32_000_000  # most bytes that one call reads
MOST_READ = 1_000_000_000  # most bytes read of a file


@dataclass(frozen=True)
class ReadSteps:
    """Steps read from a file.

    Attributes:
        problem: "missing", "foreign" (`explorer.watch` did not write it), "waiting" (no step yet), "" otherwise.
        header: None with a problem.
        rows: every `stride`-th step.
        events: the first steps in which something happened.
        steps: number of steps. stride: 1 if all of them are in `rows`.
        left_out: number of further events.
        bytes: how many were read. more: whether the file has more of them.
    """

    problem: str = ""
    header: Header | None = None
    rows: tuple[StepRow, ...] = ()
    events: tuple[StepRow, ...] = ()
    steps: int = 0
    stride: int = 1
    left_out: int = 0
    bytes: int = 0
    more: bool = False


class GrowingSteps:
    """Reads the new part of a growing file each time, or all of it if the file was replaced."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = Lock()
        self._restart(0)

    def _restart(self, identity: int) -> None:
        self._identity, self._at = identity, 0
        self._header: Header | None = None
        self._rows: list[StepRow] = []
        self._events: list[StepRow] = []
        self._steps, self._stride, self._left_out = 0, 1, 0
        self._shown = ReadSteps("waiting")

    def read(self) -> ReadSteps:
        """Read new steps and return all shown ones, as the same object if nothing is new."""
        with self._lock:
            try:
                with self.path.open("rb") as file:
                    state = os.fstat(file.fileno())
                    if state.st_ino != self._identity or state.st_size < self._at:
                        self._restart(state.st_ino)
                    if self._at < min(state.st_size, MOST_READ):
                        self._advance(file, state.st_size)
            except InvalidStatistics:
                self._restart(-1)
                self._shown = ReadSteps("foreign")
            except OSError:
                self._restart(-1)
                self._shown = ReadSteps("missing")
            return self._shown

    def _advance(self, file: BinaryIO, size: int) -> None:
        file.seek(self._at)
        if self._header is None:
            self._header = read_header(file)
            if self._header is None:
                return
            self._at = file.tell()
        for row in read_rows(file, self._header, PER_READ):
            self._take(row)
        if file.tell() == self._at and self._shown.header is not None:
            return
        self._at = file.tell()
        self._shown = ReadSteps(
            "" if self._steps else "waiting", self._header, tuple(self._rows), tuple(self._events), self._steps,
            self._stride, self._left_out, self._at, self._at < size,
        )  # fmt: skip

    def _take(self, row: StepRow) -> None:
        """Keep a row if it is due or has an event, without the columns that no page shows."""
        due = self._steps % self._stride == 0
        self._steps += 1
        if not due and not row.event:
            return
        row = structs.replace(row, full=b"", batch=row.batch[:1])
        if row.event and len(self._events) < MOST_EVENTS:
            self._events.append(row)
        elif row.event:
            self._left_out += 1
        if due:
            self._rows.append(row)
        if len(self._rows) > MOST_SHOWN:
            self._rows, self._stride = self._rows[::2], 2 * self._stride
