"""The results of os.scandir for a folder of the tree."""

import os
from collections.abc import Iterator
from typing import Any


class Entry:
    """An entry of os.scandir."""

    def __init__(self, files: Any, path: str, name: str) -> None:
        self._files, self.path, self.name = files, path, name

    def is_dir(self, *, follow_symlinks: bool = True) -> bool:
        return self._files.is_folder(self._files.path(self.path))

    def is_file(self, *, follow_symlinks: bool = True) -> bool:
        return not self.is_dir()

    def is_symlink(self) -> bool:
        return False

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        return self._files.stat(self.path)

    def __fspath__(self) -> str:
        return self.path


class Entries:
    """The iterator and context manager that os.scandir returns."""

    def __init__(self, entries: Iterator[Entry]) -> None:
        self._entries = entries

    def __iter__(self) -> "Entries":
        return self

    def __next__(self) -> Entry:
        return next(self._entries)

    def __enter__(self) -> "Entries":
        return self

    def __exit__(self, *problem) -> None:
        self.close()

    def close(self) -> None:
        """Nothing to close."""
