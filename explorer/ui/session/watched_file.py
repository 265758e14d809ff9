"""The file of a watched training that this server shows, read as it grows."""

import os
from functools import cache
from pathlib import Path

from explorer.sandbox.hosting import hosted
from explorer.trace import MAX_OPENED, SUFFIX
from explorer.trace.growing_steps import GrowingSteps, ReadSteps
from explorer.trace.step_statistics import WATCHED, StepRow
from explorer.ui.components.session_values import SessionValue

_was_first = SessionValue[bool]("_watched_first", lambda: True)


def watched_path() -> Path | None:
    """Return the file, None if this server shows none. A hosted site never does."""
    path = os.environ.get(WATCHED)
    return Path(path) if path and not hosted() else None


def read_watched(path: Path) -> ReadSteps:
    """Return the steps in the file so far. All sessions share one reader."""
    return _reader(path).read()


@cache
def _reader(path: Path) -> GrowingSteps:
    return GrowingSteps(path)


def trace_path(path: Path, event: StepRow) -> Path | None:
    """Return the file with the Trace of an event's step or, if it could not run again, of the next."""
    names = (path.parent / f"step-{step:08d}{SUFFIX}" for step in (event.step, event.step + 1))
    return next((name for name in names if name.is_file()), None)


def trace_bytes(path: Path) -> bytes:
    """Read a Trace up to the size that the app opens. Raises OSError."""
    with path.open("rb") as file:
        return file.read(MAX_OPENED + 1)


def is_first_sight() -> bool:
    """Return whether this session shows its first page, on a server that shows a training."""
    return watched_path() is not None and _was_first.get() and not _was_first.put(False)
