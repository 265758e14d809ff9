"""Statistics of every step of a watched training, in a file that grows by a row per step.

A file is a header and then rows, each with its length before it, so a process that is killed leaves every finished row.
A file may come from a stranger: lengths are bounded, and nothing in it is executed.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, BinaryIO, TypeVar

import msgspec
import numpy as np
from msgspec import Meta, Struct

STATISTICS = ".stats"  # suffix of a file of step statistics
STEPS = f"steps{STATISTICS}"  # name of that file in a training's folder
WATCHED = "EXPLORER_WATCHED"  # environment variable of the app: the file that it shows
GIVEN = ("gradient_norm",)  # columns of every measured step
FULL = (
    "gradient_largest",
    "gradient_zeros",
    "gradient_nonfinite",
    "value_norm",
    "value_largest",
    "value_nonfinite",
    "update_norm",
)  # columns of fully measured steps
MOST_NAMES = 512
MOST_ROWS = 5_000_000
MOST_BYTES = 2_000_000_000  # most bytes of a file
_MAGIC = b"autograd-explorer statistics 1\n"
_MOST_ROW = 1_000_000  # bytes
_Name = Annotated[str, Meta(max_length=1000)]
_Names = Annotated[list[_Name], Meta(max_length=MOST_NAMES)]
_MOST_PARTS = 20
_Part = Annotated[list[Annotated[str, Meta(max_length=200)]], Meta(min_length=1, max_length=3)]
_Floats = Annotated[list[float], Meta(max_length=1000)]


class Header(Struct, frozen=True):
    """First row of a file.

    Attributes:
        names: parameters as in `state_dict()`, or modules if the model has more than 512 parameters.
        entries: number of entries of each.
        torch: version of torch.
        modules: whether the names are modules'.
    """

    names: _Names
    entries: Annotated[list[int], Meta(max_length=MOST_NAMES)]
    torch: Annotated[str, Meta(max_length=100)]
    modules: bool = False


class StepRow(Struct, frozen=True, array_like=True):
    """One step of the optimizer.

    Attributes:
        step: its number, from 1.
        seconds: wall time since the step before.
        loss: sum of the scalars whose backward ran in this step. None without one.
        backwards: backward calls in this step.
        rates: learning rate of each parameter group.
        factor: number by which the gradients were multiplied between the last backward and the step, by clipping or
            unscaling. None: not by one number.
        norms: gradient norms as float32, -1 without a gradient. Empty if this step was not measured.
        full: the columns `FULL`, one after the other, as float32. Empty if this step was not measured in full.
        event: what happened here, in English, or "".
        batch: indices of the samples in the last batch that a DataLoader returned before the step.
        parts: what happened here, each as a kind and its numbers.
    """

    step: int
    seconds: float
    loss: float | None
    backwards: int
    rates: _Floats
    factor: float | None
    norms: Annotated[bytes, Meta(max_length=4 * MOST_NAMES)] = b""
    full: Annotated[bytes, Meta(max_length=4 * MOST_NAMES * len(FULL))] = b""
    event: Annotated[str, Meta(max_length=200)] = ""
    batch: Annotated[list[int], Meta(max_length=100_000)] = []
    parts: Annotated[list[_Part], Meta(max_length=_MOST_PARTS)] = []


class InvalidStatistics(ValueError):
    """Raised for a file that `explorer.watch` did not write."""


_Decoded = TypeVar("_Decoded")
_header, _row = msgspec.msgpack.Decoder(Header), msgspec.msgpack.Decoder(StepRow)


def begin(file: BinaryIO, header: Header) -> None:
    """Write the start of a file."""
    file.write(_MAGIC + _framed(msgspec.msgpack.encode(header)))
    file.flush()


def append(file: BinaryIO, rows: list[StepRow]) -> None:
    """Write rows at once."""
    file.write(b"".join(_framed(msgspec.msgpack.encode(row)) for row in rows))
    file.flush()


def _framed(data: bytes) -> bytes:
    return len(data).to_bytes(4, "little") + data


def read(path: Path) -> tuple[Header, list[StepRow]]:
    """Read a file, without a last row that was cut off. Raises InvalidStatistics."""
    with path.open("rb") as file:
        header = read_header(file)
        if header is None:
            raise InvalidStatistics("it has no header")
        return header, list(read_rows(file, header, MOST_BYTES))


def read_header(file: BinaryIO) -> Header | None:
    """Read the start of a file, None if it is not complete yet. Raises InvalidStatistics."""
    start = file.read(len(_MAGIC))
    if not _MAGIC.startswith(start):
        raise InvalidStatistics("it has no header")
    frame = next(_frames(file, _MOST_ROW), None) if start == _MAGIC else None
    if frame is None:
        return None
    header = _decoded(_header, frame)
    if len(header.entries) != len(header.names):
        raise InvalidStatistics("names without a number of entries")
    return header


def read_rows(file: BinaryIO, header: Header, most: int) -> Iterator[StepRow]:
    """Yield complete rows from here on, of up to so many bytes. Raises InvalidStatistics."""
    for frame in _frames(file, most):
        yield _fitting(_decoded(_row, frame), header)


def _decoded(decoder: msgspec.msgpack.Decoder[_Decoded], frame: bytes) -> _Decoded:
    try:
        return decoder.decode(frame)
    except msgspec.MsgspecError as problem:
        raise InvalidStatistics(str(problem)) from None


def _frames(file: BinaryIO, most: int) -> Iterator[bytes]:
    """Yield the rows' bytes up to the last complete one. The file's position is then behind the last one yielded."""
    until = file.tell() + most
    for _ in range(MOST_ROWS):
        at = file.tell()
        size = int.from_bytes(head := file.read(4), "little")
        if size > _MOST_ROW:
            raise InvalidStatistics("it is too large")
        if at + size > until or len(head) < 4 or len(data := file.read(size)) < size:
            file.seek(at)
            return
        yield data


def _fitting(row: StepRow, header: Header) -> StepRow:
    """Return the row. Raises InvalidStatistics if it has other columns than the header announces."""
    names = len(header.names)
    if len(row.norms) not in (0, 4 * names) or len(row.full) not in (0, 4 * names * len(FULL)):
        raise InvalidStatistics(f"step {row.step} has other columns than its header")
    return row


def numbers(row: StepRow, names: int) -> dict[str, np.ndarray]:
    """Return the row's measured columns, an entry per name. A gradient norm of -1 means no gradient."""
    found = {"gradient_norm": np.frombuffer(row.norms, "<f4")} if row.norms else {}
    full = np.frombuffer(row.full, "<f4").reshape(-1, names) if row.full else ()
    return {**found, **dict(zip(FULL, full, strict=False))}
