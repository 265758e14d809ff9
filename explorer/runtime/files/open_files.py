"""Open files of the tree: the raw stream of `open`, and numbers in place of descriptors."""

import io
import os
import stat
import sys
from typing import Any

NULL = "/dev/null"


class OpenFile(io.RawIOBase):
    """A file of the tree, opened. Attributes: content: its bytes; name, mode: as given."""

    def __init__(self, files: Any, content: bytearray, name, reads: bool, writes: bool, appends: bool) -> None:
        self._files, self.content, self.name = files, content, name
        self._reads, self._writes, self._appends, self._at = reads, writes, appends, 0
        self.mode = ("rb+" if reads else "ab" if appends else "wb") if writes else "rb"
        if appends:
            self._at = len(content)

    def fileno(self) -> int:
        """Raises io.UnsupportedOperation for libraries."""
        asking = sys._getframe(1).f_code.co_filename
        if asking.startswith(("<cell ", f"{self._files.home}/")) and not self._files.library(asking):
            return Descriptor.of(self)
        return super().fileno()

    def stat(self) -> os.stat_result:
        """As `os.fstat` describes it."""
        return self._files.described(str(self.name), stat.S_IFREG | 0o644, len(self.content))

    def readable(self) -> bool:
        return self._reads

    def writable(self) -> bool:
        return self._writes

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer) -> int:
        piece = self.content[self._at : self._at + len(buffer)]
        buffer[: len(piece)] = piece
        self._at += len(piece)
        return len(piece)

    def write(self, data) -> int:
        data = bytes(data)
        if self._appends:
            self._at = len(self.content)
        growth = self._at + len(data) - len(self.content)
        if self.name == NULL:
            return len(data)
        if growth > 0:
            self._files.grow(growth)
            self.content.extend(bytes(max(0, self._at - len(self.content))))
        self.content[self._at : self._at + len(data)] = data
        self._at += len(data)
        return len(data)

    def seek(self, offset: int, whence: int = 0) -> int:
        self._at = max(0, offset + (0, self._at, len(self.content))[whence])
        return self._at

    def tell(self) -> int:
        return self._at

    def truncate(self, size: int | None = None) -> int:
        size = self._at if size is None else size
        self._files.grow(max(0, size - len(self.content)))
        self.content[:] = self.content[:size].ljust(size, b"\0")
        return size


class Descriptor(int):
    """The number of an open file of the tree, above all that the system gives. Attributes: file: the open file."""

    file: OpenFile

    @classmethod
    def of(cls, file: OpenFile) -> "Descriptor":
        """The number of an open file."""
        made = cls((1 << 20) + id(file) % (1 << 20))
        made.file = file
        return made


def opened(file) -> OpenFile | None:
    """The open file of the tree behind a file object; None for any other."""
    while file is not None and not isinstance(file, OpenFile):
        file = getattr(file, "buffer", None) or getattr(file, "raw", None)
    return file


def buffered(raw: OpenFile):
    """The buffered reader or writer that `open` returns around an open file."""
    if raw.readable() and raw.writable():
        return io.BufferedRandom(raw)
    return io.BufferedWriter(raw) if raw.writable() else io.BufferedReader(raw)
