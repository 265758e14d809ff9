"""Files that a person gives a program to read: their names and bytes, bounded. Nobody parses them but the program."""

import unicodedata
from typing import Annotated

from msgspec import Meta, Struct

MAX_FILES = 10  # that a person gives
MAX_BESIDE = 100  # files of Python that come along from the program's folder
MAX_FILE = 40_000_000  # bytes of one
MAX_ALL = 48_000_000  # bytes of all together
HOSTED_FILE, HOSTED_ALL = 5_000_000, 6_000_000  # the same where strangers give them: they lie in the server's memory
MAX_NAME = 200  # characters


class GivenFile(Struct, frozen=True):
    """One file.

    Attributes:
        name: by which programs open it: without folders, or its path below the program's own folder.
        content: its bytes, as they are.
        beside: whether it came along with the program, whose folder has it: it is found there alone.
    """

    name: Annotated[str, Meta(min_length=1, max_length=MAX_NAME)]
    content: Annotated[bytes, Meta(max_length=MAX_FILE)]
    beside: bool = False


class TooMuch(Exception):
    """A file that has no room. Attributes: kind: file, all or count; size, most: in bytes, or of files."""

    def __init__(self, kind: str, size: int, most: int) -> None:
        super().__init__(kind, size, most)
        self.kind, self.size, self.most = kind, size, most


def file_name(given: str) -> str:
    """The name of a file without its folders, and without characters that nobody can see.

    >>> file_name("C:\\\\data\\\\names.txt")
    'names.txt'
    """
    last = given.replace("\\", "/").rstrip("/").rpartition("/")[2]
    shown = "".join(one for one in unicodedata.normalize("NFC", last) if one.isprintable())[-MAX_NAME:]
    return shown if shown.strip(". ") else "file"


def with_file(
    files: tuple[GivenFile, ...], name: str, content: bytes, most: int = MAX_FILE, altogether: int = MAX_ALL
) -> tuple[GivenFile, ...]:
    """The files with one more, within bounds in bytes; one of the same name gives way. Raises TooMuch."""
    name = file_name(name)
    others = tuple(one for one in files if one.name != name)
    size = sum(len(one.content) for one in others) + len(content)
    if len(content) > most:
        raise TooMuch("file", len(content), most)
    if len(others) >= MAX_FILES:
        raise TooMuch("count", len(others) + 1, MAX_FILES)
    if size > altogether:
        raise TooMuch("all", size, altogether)
    return (*others, GivenFile(name, content))
