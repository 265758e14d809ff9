"""Files given to a program: bounded names and bytes that only the program parses."""

import unicodedata
from typing import Annotated

from msgspec import Meta, Struct

MAX_FILES = 10  # given by the user
MAX_NEIGHBOURS = 100  # Python files included from the program's folder
MAX_FILE = 40_000_000  # bytes of one
MAX_ALL = 48_000_000  # bytes of all files
HOSTED_FILE, HOSTED_ALL = 5_000_000, 6_000_000  # limits on a hosted site, where files occupy server memory
MAX_NAME = 200  # characters

HOME = "/tmp/notebook"  # folder of a confined run's files
MOST_FILES = 10_000  # in one run, given files included
LEAST_BYTES, MOST_BYTES, MEMORY_SHARE = 16_000_000, 1_000_000_000, 0.08  # written by a program, kept in memory


def most_bytes(memory_mb: float) -> int:
    """Return how many bytes a program may write to files, given its memory limit."""
    return int(min(MOST_BYTES, max(LEAST_BYTES, memory_mb * 1_000_000 * MEMORY_SHARE)))


class GivenFile(Struct, frozen=True):
    """A file given to a program.

    Attributes:
        name: name that programs open: without folders, or the path below the program's folder.
        content: its raw bytes.
        beside: whether it is from the program's folder. Then only its exact path finds it.
    """

    name: Annotated[str, Meta(min_length=1, max_length=MAX_NAME)]
    content: Annotated[bytes, Meta(max_length=MAX_FILE)]
    beside: bool = False


class Folder(Struct, frozen=True):
    """A local folder that a run may read.

    Attributes:
        path: absolute path without symbolic links, or "".
        named: absolute path as typed, if different.
        write: whether writes go to disk rather than to the run's memory.
        network: whether the run has network access.
        start: subfolder where relative paths start, or "".
        repository: root of its repository, or "". Error messages offer to open it.
    """

    path: str = ""
    named: str = ""
    write: bool = False
    network: bool = False
    start: str = ""
    repository: str = ""


NO_FOLDER = Folder()


class TooMuch(Exception):
    """A file exceeds a limit. Attributes: kind: file, all or count. size, most: bytes, or number of files."""

    def __init__(self, kind: str, size: int, most: int) -> None:
        super().__init__(kind, size, most)
        self.kind, self.size, self.most = kind, size, most

    def values(self, name: str) -> dict[str, str]:
        """Return the values of its message about a file."""
        most = str(self.most) if self.kind == "count" else size_text(self.most)
        return {"why": self.kind, "name": name, "size": size_text(self.size), "most": most}


def size_text(count: int) -> str:
    """Write a number of bytes readably.

    >>> size_text(228_145)
    '228 KB'
    """
    if count < 1_000:
        return f"{count} B"
    return f"{count / 1_000:.0f} KB" if count < 1_000_000 else f"{count / 1_000_000:.1f} MB"


def file_name(given: str) -> str:
    r"""Return a file's name without folders and invisible characters.

    >>> file_name("C:\\data\\names.txt")
    'names.txt'
    """
    last = given.replace("\\", "/").rstrip("/").rpartition("/")[2]
    shown = "".join(character for character in unicodedata.normalize("NFC", last) if character.isprintable())[
        -MAX_NAME:
    ]
    return shown if shown.strip(". ") else "file"


def with_file(
    files: tuple[GivenFile, ...], name: str, content: bytes, most: int = MAX_FILE, altogether: int = MAX_ALL
) -> tuple[GivenFile, ...]:
    """Add or replace a file. Raises TooMuch."""
    name = file_name(name)
    others = tuple(file for file in files if file.name != name)
    size = sum(len(other.content) for other in others) + len(content)
    if len(content) > most:
        raise TooMuch("file", len(content), most)
    if len(others) >= MAX_FILES:
        raise TooMuch("count", len(others) + 1, MAX_FILES)
    if size > altogether:
        raise TooMuch("all", size, altogether)
    return (*others, GivenFile(name, content))
