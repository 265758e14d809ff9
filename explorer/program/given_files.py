"""Files that a user gives a program to read: names and bytes, bounded. Only the program parses them."""

import unicodedata
from typing import Annotated

from msgspec import Meta, Struct

MAX_FILES = 10  # that a user gives
MAX_BESIDE = 100  # Python files taken along from the program's folder
MAX_FILE = 40_000_000  # bytes of one
MAX_ALL = 48_000_000  # bytes of all together
HOSTED_FILE, HOSTED_ALL = 5_000_000, 6_000_000  # the same on a hosted site, where they lie in the server's memory
MAX_NAME = 200  # characters

HOME = "/tmp/notebook"  # where a confined run has its own files
MOST_FILES = 10_000  # of a run, with those that are given
LEAST_BYTES, MOST_BYTES, MEMORY_SHARE = 16_000_000, 1_000_000_000, 0.08  # that a program writes; they lie in memory


def most_bytes(memory_mb: float) -> int:
    """The bytes that a program may write into files, under its limit of memory."""
    return int(min(MOST_BYTES, max(LEAST_BYTES, memory_mb * 1_000_000 * MEMORY_SHARE)))


class GivenFile(Struct, frozen=True):
    """A file given to a program.

    Attributes:
        name: the name by which programs open it: without folders, or its path below the program's own folder.
        content: its bytes, as they are.
        beside: whether it comes from the program's own folder; then only its exact path finds it.
    """

    name: Annotated[str, Meta(min_length=1, max_length=MAX_NAME)]
    content: Annotated[bytes, Meta(max_length=MAX_FILE)]
    beside: bool = False


class Folder(Struct, frozen=True):
    """A folder of the machine that a run may read.

    Attributes:
        path: an absolute path without symbolic links; "" for none.
        named: the absolute path that the user typed, if it differs.
        write: whether what the program writes there is written on the disk, and not in the run's memory.
        network: whether the run may reach other machines.
        start: the folder in it where relative paths start; "" for itself.
        repository: the root of the repository that it lies in, "" for none: what an error message offers to open.
    """

    path: str = ""
    named: str = ""
    write: bool = False
    network: bool = False
    start: str = ""
    repository: str = ""


NO_FOLDER = Folder()


class TooMuch(Exception):
    """A file exceeds a bound. Attributes: kind: file, all or count; size, most: in bytes, or of files."""

    def __init__(self, kind: str, size: int, most: int) -> None:
        super().__init__(kind, size, most)
        self.kind, self.size, self.most = kind, size, most


def file_name(given: str) -> str:
    """The name of a file without its folders and without invisible characters.

    >>> file_name("C:\\\\data\\\\names.txt")
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
    """Add a file, within the bounds; it replaces one of the same name. Raises TooMuch."""
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
