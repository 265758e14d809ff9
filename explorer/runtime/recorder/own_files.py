"""Distinguish the user's own files from libraries in `record()`, and name them."""

import ast
import functools
import linecache
import os
import sys
from collections.abc import Callable
from types import CodeType

import torch

from explorer.paths import library_folders, target_folders
from explorer.runtime.recorder.source import SourceIndex, index_source

MOST_FILES = 100  # most files whose text a Trace holds
MOST_TEXT = 1_000_000  # total characters of all files
LONGEST = 300_000  # longest file
_TYPED = ("<ipython-input", "<python-input", "<doctest")  # file names of typed code that has lines nevertheless
_INSTALLED = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")
_LIBRARIES = tuple(os.path.join(folder, "") for folder in {*library_folders(), os.path.dirname(torch.__file__)})


class OwnFiles:
    """The user's files as their code runs.

    `take` adds a file to the recording and returns its cell.

    Attributes: refused: how many exceeded the bounds.
    """

    def __init__(self, take: Callable[[str, str, SourceIndex], int]) -> None:
        self._take, self._left, self._folder = take, MOST_TEXT, ""
        self.sources: list[str] = []
        self.names: list[str] = []
        self.refused = 0

    def begin(self, code: CodeType, scope: dict) -> None:
        """Add the first file under any name, with blank lines without a text."""
        filename = code.co_filename
        self._folder = os.path.dirname(os.path.abspath(filename))
        source = _text(filename, scope)
        source = source if source.strip() else _blank(code)
        self.refused = int(len(source) > LONGEST)
        self._add(filename, "" if self.refused else source)

    def learn(self, filename: str) -> int:
        """Return the cell of a running file, -1 for a library's or textless file."""
        if is_library(filename):
            return -1
        source = _text(filename)
        if not source.strip():
            return -1
        if len(self.sources) >= MOST_FILES or len(source) > min(self._left, LONGEST):
            self.refused += 1
            return -1
        return self._add(filename, source)

    def _add(self, filename: str, source: str) -> int:
        self._left -= len(source)
        self.sources.append(source)
        self.names.append(called(filename, self._folder))
        return self._take(filename, source, _index(source))


def is_library(filename: str) -> bool:
    """Return whether a file belongs to Python, a package or this package."""
    if filename.startswith("<"):
        return not filename.startswith(_TYPED)
    return _is_installed(filename if filename.startswith(os.sep) else os.path.abspath(filename))


@functools.lru_cache(maxsize=10_000)
def _is_installed(filename: str) -> bool:
    path = os.path.normpath(filename)
    return path.startswith((*_LIBRARIES, *_targets(tuple(sys.path)))) or any(part in path for part in _INSTALLED)


@functools.lru_cache(maxsize=8)
def _targets(_path: tuple[str, ...]) -> tuple[str, ...]:
    """Return packages and modules installed into other folders of the path."""
    packages = (package for packages in target_folders().values() for package in packages)
    return tuple(package if os.path.isfile(package) else os.path.join(package, "") for package in packages)


def called(filename: str, folder: str) -> str:
    """Return a file's displayed name: its path below a folder, or its name.

    For a notebook, it is the cell.

    >>> called("/home/ada/train/models/net", "/home/ada/train"), called("/opt/shared/net", "/home/ada/train")
    ('models/net', 'net')
    """
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    number = getattr(getattr(shell, "compile", None), "_filename_map", {}).get(filename)
    if number is not None:
        return f"In [{number}]"
    path, within = os.path.abspath(filename), os.path.join(folder, "")
    if folder and path.startswith(within):
        return path[len(within) :].replace(os.sep, "/")
    return os.path.basename(path)


def _text(filename: str, scope: dict | None = None) -> str:
    """Return a file's text, the same object for each recording."""
    lines = linecache.getlines(filename, scope)
    known = _texts.get(filename)
    if known is None or known[0] is not lines:
        text = "".join(lines).replace("\r\n", "\n").replace("\r", "\n")
        if len(_texts) >= MOST_FILES:
            _texts.clear()
        known = _texts[filename] = lines, text
    return known[1]


_texts: dict[str, tuple[list[str], str]] = {}  # file name → its lines in `linecache`, and its text


def _blank(code: CodeType) -> str:
    """Return blank lines for code without a text, for example from `python -c` and `exec`."""
    widths, todo = {1: 0}, [code]
    while todo:
        at = todo.pop()
        todo += [constant for constant in at.co_consts if isinstance(constant, CodeType)]
        for line, end_line, column, end_column in at.co_positions():
            for row, wide in ((line, column), (end_line, end_column)):
                if row is not None and wide is not None:
                    widths[row] = max(widths.get(row, 0), wide)
    return "\n".join(" " * widths.get(row, 0) for row in range(1, max(widths) + 1))


@functools.lru_cache(maxsize=64)
def _index(source: str) -> SourceIndex:
    try:
        return index_source(ast.parse(source))
    except (SyntaxError, ValueError, RecursionError):  # a console line, a generated file
        return SourceIndex()
