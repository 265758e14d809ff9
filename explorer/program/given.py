"""Files that a person gives a program to read: their names and bytes, bounded. Nobody parses them but the program."""

import unicodedata
from typing import Annotated

from msgspec import Meta, Struct

MAX_FILES = 10
MAX_FILE = 5_000_000  # bytes of one
MAX_ALL = 6_000_000  # bytes of all together
MAX_NAME = 200  # characters


class GivenFile(Struct, frozen=True):
    """One file. Attributes: name: by which programs open it, without folders; content: its bytes, as they are."""

    name: Annotated[str, Meta(min_length=1, max_length=MAX_NAME)]
    content: Annotated[bytes, Meta(max_length=MAX_FILE)]


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


def with_file(files: tuple[GivenFile, ...], name: str, content: bytes) -> tuple[GivenFile, ...]:
    """The files with one more; one of the same name gives way. Raises TooMuch."""
    name = file_name(name)
    others = tuple(one for one in files if one.name != name)
    size = sum(len(one.content) for one in others) + len(content)
    if len(content) > MAX_FILE:
        raise TooMuch("file", len(content), MAX_FILE)
    if len(others) >= MAX_FILES:
        raise TooMuch("count", len(others) + 1, MAX_FILES)
    if size > MAX_ALL:
        raise TooMuch("all", size, MAX_ALL)
    return (*others, GivenFile(name, content))
