"""Find a program's imported neighbour files, as text and within limits.

A name means `name.py`, or every Python file in the folder `name`. Their imports are followed too. Text is searched,
never parsed.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field

from explorer.paths import installed
from explorer.program.cells import MAX_TEXT
from explorer.program.given_files import MAX_NAME, MAX_NEIGHBOURS, GivenFile
from explorer.safe_regex import linear

MOST_BYTES = 1_000_000  # total
MOST_LOOKED_AT = 10_000  # files and folders below a folder that an import names
_IMPORT = linear(r"(?m)^[ \t;]*(?:from[ \t]+(\w+)[\w.]*[ \t]+import\b|import[ \t]+([\w., \t]+))")


@dataclass
class FilesBeside:
    """Files found. Attributes: files. left_out: paths beyond the limits or unreadable."""

    files: list[GivenFile] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


def beside(folder: str, texts: list[str]) -> FilesBeside:
    """Find a folder's files that texts import, directly or indirectly."""
    neighbours, asked = FilesBeside(), [name for text in texts for name in imported(text)]
    seen = {name.removesuffix(".py") for name in installed(folder)}  # libraries installed with pip install --target
    while asked:
        name = asked.pop(0)
        if name in seen:
            continue
        seen.add(name)
        before = len(neighbours.files)
        for path in _paths(folder, name):
            _take(neighbours, folder, path)
        for file in neighbours.files[before:]:
            asked += imported(file.content.decode("utf-8", "replace"))
    return neighbours


def folder_files(folder: str) -> FilesBeside:
    """List every Python file in a folder, with the folder's name."""
    neighbours = FilesBeside()
    around, name = os.path.split(os.path.abspath(folder))
    for path in _below(around, name):
        _take(neighbours, around, path)
    return neighbours


def imported(text: str) -> list[str]:
    r"""List the top-level modules that a text imports, without relative imports.

    >>> imported("from models import *\nimport nets.blocks as b, data\nfrom . import x")
    ['models', 'nets', 'data']
    """
    names = []
    for line in _IMPORT.finditer(text):
        parts = [line[1]] if line[1] else [part.strip().partition(" ")[0] for part in line[2].split(",")]
        names += [part.partition(".")[0] for part in parts if part]
    return names


def _paths(folder: str, name: str) -> Iterator[str]:
    """Return a module's or package's paths below the folder."""
    if os.path.isfile(os.path.join(folder, f"{name}.py")):
        yield f"{name}.py"
    if os.path.isdir(os.path.join(folder, name)):
        yield from _below(folder, name)


def _below(folder: str, name: str) -> Iterator[str]:
    looked = 0
    for path, folders, files in os.walk(os.path.join(folder, name)):
        folders[:] = sorted(folder for folder in folders if not folder.startswith((".", "__pycache__")))
        looked += len(folders) + len(files)
        yield from (os.path.relpath(os.path.join(path, file), folder) for file in sorted(files) if file.endswith(".py"))
        if looked > MOST_LOOKED_AT:
            return


def _take(neighbours: FilesBeside, folder: str, path: str) -> None:
    shown = path.replace(os.sep, "/")
    left = MOST_BYTES - sum(len(file.content) for file in neighbours.files)
    if len(neighbours.files) >= MAX_NEIGHBOURS or len(shown) > MAX_NAME:
        neighbours.left_out.append(shown)
        return
    try:
        with open(os.path.join(folder, path), "rb") as file:
            content = file.read(MAX_TEXT + 1)
        shown.encode()
    except (OSError, UnicodeEncodeError):
        neighbours.left_out.append(shown)
        return
    if len(content) > min(MAX_TEXT, left):
        neighbours.left_out.append(shown)
        return
    neighbours.files.append(GivenFile(shown, content, beside=True))
