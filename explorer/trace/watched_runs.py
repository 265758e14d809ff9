"""Index of a watched training: JSON lines for its start, recorded steps and losses.

Each line is one write, so a killed process leaves at most a cut last line, which readers skip. The file may be
untrusted: it is read within limits and evaluates nothing.
"""

import math
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import Meta, Struct

from explorer.safe_regex import plain

MOST_INDEX = 64_000_000  # bytes of an index that are read
MOST_LINE = 1_000_000  # bytes of one line
MOST_STEPS = 1_000  # recorded steps of an index that are read: of more, every second one, every fourth
MOST_LOSSES = 1_000_000  # that are read
MOST_PARAMETERS = 300  # for one step
INDEX = "index.jsonl"
_TRACE = plain(r"[A-Za-z0-9_-]{1,80}\.trace")

Number = float | Literal["nan", "inf", "-inf"] | None
_Name = Annotated[str, Meta(max_length=400)]
_Count = Annotated[int, Meta(ge=0, le=10**12)]


class ParameterNumbers(Struct, array_like=True, frozen=True):
    """One parameter at one step.

    Attributes:
        gradient: norm of `.grad` after backward (reduced by then under DistributedDataParallel).
        value: norm before the update. update: norm of the change.
        zeros: share of zero gradient entries. units: share of units without a gradient.
        shape: tensor shape.
        sampled: whether update, and zeros below 1, were computed from a sample.
    """

    gradient: Number
    value: Number
    update: Number
    zeros: Number
    units: Number
    shape: tuple[_Count, ...]
    sampled: bool = False

    @property
    def ratio(self) -> Number:
        """Update/value ratio, None if one is unknown or the value is 0."""
        if not isinstance(self.update, float | int) or not isinstance(self.value, float | int) or not self.value:
            return None
        return self.update / self.value


class WatchBegun(Struct, frozen=True, tag="run"):
    """The first line. Attributes: program: its file name. began: Unix time."""

    program: _Name
    began: float


class WatchedLosses(Struct, frozen=True, tag="losses"):
    """Losses of the steps after the previous line."""

    losses: list[Number]


class WatchedStep(Struct, frozen=True, tag="step"):
    """One recorded step.

    Attributes:
        step: optimizer step, from 1.
        rates: learning rates by the optimizer's name.
        parameters: by name. left: number of further ones.
        faults: number of faults in its report.
        trace: its file next to the index, "" if dropped.
    """

    step: _Count
    rates: dict[str, Number]
    parameters: dict[str, ParameterNumbers]
    left: _Count
    faults: _Count
    trace: _Name


_Line = WatchBegun | WatchedLosses | WatchedStep
_decoder = msgspec.json.Decoder(_Line)


def number(value: float | None) -> Number:
    """Round a number for the index to six digits, NaN and infinity as text.

    >>> number(1 / 3), number(math.inf), number(None)
    (0.333333, 'inf', None)
    """
    if value is None:
        return None
    if not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    return float(f"{value:.6g}")


def line_of(row: _Line) -> bytes:
    """Encode one line of the index."""
    return msgspec.json.encode(row) + b"\n"


@dataclass(frozen=True)
class WatchIndex:
    """An index as written so far.

    Attributes:
        folder: folder of the index and its Traces.
        steps: recorded steps. losses: of every step from 1, NaN if missing.
        written: Unix time of the last change.
    """

    folder: Path
    begun: WatchBegun
    steps: tuple[WatchedStep, ...]
    losses: tuple[float, ...]
    written: float

    def file(self, step: WatchedStep) -> Path | None:
        """Return a step's Trace file, None if missing or invalid."""
        path = self.folder / step.trace
        return path if _TRACE.fullmatch(step.trace) and path.is_file() else None


_Index = TypeVar("_Index", bound=WatchIndex)


def read_index(folder: Path, kind: type[_Index]) -> _Index | None:
    """Read a folder's index as `kind`, skipping invalid lines.

    None if it is not a file, too large, or starts wrongly.
    """
    data = read_regular(folder / INDEX, MOST_INDEX)
    if data is None or len(data) > MOST_INDEX:
        return None
    begun, *rows = map(_row, data.split(b"\n")[:-1] or [b""])
    if not isinstance(begun, WatchBegun):
        return None
    losses: list[float] = []
    for row in rows:
        if isinstance(row, WatchedLosses) and len(losses) < MOST_LOSSES:
            losses += [math.nan if loss is None else float(loss) for loss in row.losses]
    steps = {row.step: row for row in rows if isinstance(row, WatchedStep)}
    ordered = [steps[step] for step in sorted(steps)]
    while len(ordered) > MOST_STEPS:
        ordered = [*ordered[:-1:2], ordered[-1]]
    return kind(folder, begun, tuple(ordered), tuple(losses), (folder / INDEX).stat().st_mtime)


def _row(line: bytes) -> Any:
    try:
        return _decoder.decode(line) if len(line) <= MOST_LINE else None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def read_regular(path: Path, most: int) -> bytes | None:
    """Read at most `most` + 1 bytes of a regular file, otherwise return None."""
    try:
        opened = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        return None
    with open(opened, "rb") as file:
        return file.read(most + 1) if stat.S_ISREG(os.fstat(opened).st_mode) else None
