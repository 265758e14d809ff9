"""Packed files, read only: `gzip.open` and `zipfile.ZipFile` over the program's own files."""

import builtins
import gzip
import io
import os
import posixpath
import zipfile

from explorer.runtime.notebook.files import MOST_BYTES
from explorer.runtime.policy.files.paths import checked, content


def archives(guards) -> dict[tuple[str, str], object]:
    """What stands in for archives, by the module's name and the function's."""
    return {("gzip", "open"): _unpacked(guards), ("zipfile", "ZipFile"): _zip_file(guards)}


def _unpacked(guards):
    def open(filename, mode="rb", compresslevel=9, encoding=None, errors=None, newline=None):
        if not mode.startswith("r"):
            guards.refuse(f"gzip.open(..., {mode!r:.20})", "file")
        read = io.BytesIO(gzip.decompress(content(guards, "gzip.open", filename)))
        return io.TextIOWrapper(read, encoding or "utf-8", errors, newline) if "t" in mode else read

    return open


class ZipFile:
    """A packed folder. Attributes: namelist: what it gives back; the rest is as in Python's own."""

    def __init__(self, guards, packed: zipfile.ZipFile) -> None:
        self._guards, self._packed = guards, packed

    def namelist(self) -> list[str]:
        """The names of its files."""
        return self._packed.namelist()

    def read(self, name, pwd=None) -> bytes:
        """The bytes of one of them. Raises KeyError."""
        if self._packed.getinfo(str(name)).file_size > MOST_BYTES:
            self._guards.files.full("size")
        return self._packed.read(str(name))

    def open(self, name, mode="r", pwd=None) -> io.BytesIO:
        """One of them, to read from."""
        return io.BytesIO(self.read(name))

    def extract(self, member, path=None, pwd=None) -> str:
        """Write one of them among the program's files; where it is."""
        place = posixpath.normpath("/" + str(member)).lstrip("/")  # nothing lies outside the folder
        target = posixpath.join(checked(self._guards, "zipfile.ZipFile.extract", path or "."), place)
        os.makedirs(target if str(member).endswith("/") else posixpath.dirname(target) or ".", exist_ok=True)
        if not str(member).endswith("/"):
            with builtins.open(target, "wb") as file:
                file.write(self.read(member))
        return target

    def extractall(self, path=None, members=None, pwd=None) -> None:
        """Write all of them."""
        for member in members or self.namelist():
            self.extract(member, path)

    def close(self) -> None:
        """Nothing is held."""

    def __enter__(self) -> "ZipFile":
        return self

    def __exit__(self, *problem) -> None:
        self.close()


def _zip_file(guards):
    def opened(file, mode="r", *arguments, **options):
        if mode != "r":
            guards.refuse(f"zipfile.ZipFile(..., {mode!r:.20})", "file")
        return ZipFile(guards, zipfile.ZipFile(io.BytesIO(content(guards, "zipfile.ZipFile", file))))

    return opened
