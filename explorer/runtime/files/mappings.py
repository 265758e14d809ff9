"""Descriptors of a program's own files, as far as a program asks for one: `mmap`, `os.fsync` and `os.fstat`.

A file of the tree has no descriptor. A program that asks for one gets a number that these functions know. Libraries
get none, as with files in memory elsewhere: they then read and write without it.
"""

import mmap
import os
from typing import Any

from explorer.runtime.files.open_files import Descriptor
from explorer.runtime.replacements import Replacement

_COPIED = {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS} if hasattr(mmap, "MAP_ANONYMOUS") else {}
_READ, _PRIVATE = getattr(mmap, "PROT_READ", -1), getattr(mmap, "MAP_PRIVATE", -1)  # Windows has neither
_fsync, _fstat = os.fsync, os.fstat  # the real ones


def of_descriptors() -> list[Replacement]:
    """The replacements for functions that take a descriptor."""
    replaced = [(mmap, "mmap", Mapping), (os, "fsync", _synced), (os, "fdatasync", _synced), (os, "fstat", _described)]
    return [(owner, name, function) for owner, name, function in replaced if hasattr(owner, name)]


def _synced(fd) -> None:
    if not isinstance(fd, Descriptor):
        _fsync(fd)


def _described(fd) -> os.stat_result:
    return fd.file.stat() if isinstance(fd, Descriptor) else _fstat(fd)


class Mapping(mmap.mmap):
    """A mapping of a file of the tree: memory of its own, whose changes are written to the file at once."""

    _content: Any = None  # the file's bytes, if changes go there
    _fixed = False

    def __new__(cls, fileno, length, *arguments, **options):
        """Raises ValueError as the real one."""
        if not isinstance(fileno, Descriptor):
            return super().__new__(cls, fileno, length, *arguments, **options)
        access, offset = options.get("access"), options.get("offset", 0)
        content = fileno.file.content
        whole = len(content) - offset
        if not whole and not length:
            raise ValueError("cannot mmap an empty file")
        if length > whole:
            raise ValueError("mmap length is greater than file size")
        if offset % mmap.ALLOCATIONGRANULARITY:
            raise OSError(22, os.strerror(22))
        made = super().__new__(cls, -1, length or whole, **_COPIED)
        super(Mapping, made).__setitem__(slice(None), bytes(content[offset : offset + len(made)]))
        made._fixed = access == mmap.ACCESS_READ or options.get("prot") == _READ
        copied = access == mmap.ACCESS_COPY or _PRIVATE in (*arguments[:1], options.get("flags"))
        made._content = None if made._fixed or copied else memoryview(content)[offset : offset + len(made)]
        return made

    def __setitem__(self, key, value) -> None:
        self._check()
        super().__setitem__(key, value)
        if self._content is not None:
            self._content[:] = self[:]

    def write(self, data) -> int:
        """Write at the position."""
        self._check()
        at = self.tell()
        count = super().write(data)
        if self._content is not None:
            self._content[at : at + count] = data
        return count

    def write_byte(self, byte) -> None:
        """Write one byte at the position."""
        self.write(bytes([byte]))

    def move(self, dest, src, count) -> None:
        """Copy bytes inside."""
        self._check()
        super().move(dest, src, count)
        if self._content is not None:
            self._content[:] = self[:]

    def flush(self, *part) -> None:
        """Everything has been written."""

    def close(self) -> None:
        """Let the file grow again."""
        super().close()
        if self._content is not None:
            self._content.release()
            self._content = None

    def _check(self) -> None:
        if self._fixed:
            raise TypeError("mmap can't modify a readonly memory map.")
