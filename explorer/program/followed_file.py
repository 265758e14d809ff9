"""The program of `app --open FILE:LINE`, reloaded when an editor saves it."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

PROGRAM = "EXPLORER_PROGRAM"  # environment variable of the app: the file, with a line


@dataclass(frozen=True)
class FollowedFile:
    """A file and a line, 0 if there is none."""

    path: Path
    line: int = 0

    def __str__(self) -> str:
        return f"{self.path}:{self.line}" if self.line else str(self.path)


def followed(text: str) -> FollowedFile:
    r"""Parse a file and line as editors and tracebacks write them.

    >>> followed("train.py:12").line, followed("train.py").line, followed("C:\\train.py").line
    (12, 0, 0)
    """
    path, colon, line = text.rpartition(":")
    if colon and line.isascii() and line.isdigit() and len(line) < 7:
        return FollowedFile(Path(path), int(line))
    return FollowedFile(Path(text))


def from_environment(environment: Mapping[str, str] = os.environ) -> FollowedFile | None:
    """Return the file that this server follows, or None."""
    text = environment.get(PROGRAM, "")
    return followed(text) if text else None


def state_of(path: Path) -> tuple[int, int] | None:
    """Return the file's version mark, None while missing."""
    try:
        facts = path.stat()
    except OSError:
        return None
    return facts.st_mtime_ns, facts.st_size


def text_of(path: Path, most: int) -> bytes | None:
    """Return at most `most` + 1 bytes of the file, None if unreadable."""
    try:
        with path.open("rb") as file:
            return file.read(most + 1)
    except OSError:
        return None
