"""The Python files beside a program that its imports name: from the folder it lies in, as text, within bounds.

A name means `name.py`, or everything of Python in the folder `name`; what those import themselves comes along as well.
The text is searched for imports, never parsed.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field

from explorer.patterns import linear
from explorer.program.cells import MAX_TEXT
from explorer.program.given import MAX_BESIDE, MAX_NAME, GivenFile

MOST_BYTES = 1_000_000  # of all of them
MOST_LOOKED_AT = 10_000  # files and folders below a folder that is named
_IMPORT = linear(r"(?m)^[ \t;]*(?:from[ \t]+(\w+)[\w.]*[ \t]+import\b|import[ \t]+([\w., \t]+))")


@dataclass
class FilesBeside:
    """What was found. Attributes: files; left_out: the paths of those that have no room, or cannot be read."""

    files: list[GivenFile] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


def beside(folder: str, texts: list[str]) -> FilesBeside:
    """The files of a folder that texts import, and those that they import in turn."""
    found, asked, seen = FilesBeside(), [name for text in texts for name in imported(text)], set()
    while asked:
        name = asked.pop(0)
        if name in seen:
            continue
        seen.add(name)
        before = len(found.files)
        for path in _paths(folder, name):
            _take(found, folder, path)
        for one in found.files[before:]:
            asked += imported(one.content.decode("utf-8", "replace"))
    return found


def folder_files(folder: str) -> FilesBeside:
    """Everything of Python in a folder that is given, under the folder's name."""
    found = FilesBeside()
    around, name = os.path.split(os.path.abspath(folder))
    for path in _below(around, name):
        _take(found, around, path)
    return found


def imported(text: str) -> list[str]:
    """The first parts of what a text imports, in order; not those that begin with a dot.

    >>> imported("from models import *\\nimport nets.blocks as b, data\\nfrom . import x")
    ['models', 'nets', 'data']
    """
    names = []
    for line in _IMPORT.finditer(text):
        parts = [line[1]] if line[1] else [part.strip().partition(" ")[0] for part in line[2].split(",")]
        names += [part.partition(".")[0] for part in parts if part]
    return names


def _paths(folder: str, name: str) -> Iterator[str]:
    """Of a module or a package, below the folder."""
    if os.path.isfile(os.path.join(folder, f"{name}.py")):
        yield f"{name}.py"
    if os.path.isdir(os.path.join(folder, name)):
        yield from _below(folder, name)


def _below(folder: str, name: str) -> Iterator[str]:
    looked = 0
    for path, folders, files in os.walk(os.path.join(folder, name)):
        folders[:] = sorted(one for one in folders if not one.startswith((".", "__pycache__")))
        looked += len(folders) + len(files)
        yield from (os.path.relpath(os.path.join(path, one), folder) for one in sorted(files) if one.endswith(".py"))
        if looked > MOST_LOOKED_AT:
            return


def _take(found: FilesBeside, folder: str, path: str) -> None:
    shown = path.replace(os.sep, "/")
    left = MOST_BYTES - sum(len(one.content) for one in found.files)
    if len(found.files) >= MAX_BESIDE or len(shown) > MAX_NAME:
        found.left_out.append(shown)
        return
    try:
        with open(os.path.join(folder, path), "rb") as file:
            content = file.read(MAX_TEXT + 1)
        shown.encode()
    except (OSError, UnicodeEncodeError):
        found.left_out.append(shown)
        return
    if len(content) > min(MAX_TEXT, left):
        found.left_out.append(shown)
        return
    found.files.append(GivenFile(shown, content, beside=True))
