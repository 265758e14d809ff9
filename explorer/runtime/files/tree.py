"""The files of a run: a small tree in memory that replaces the disk.

The program's folder is /notebook, which contains the given files. The program and the libraries can read what it
writes; everything is gone after the run. On the real disk only the installed libraries' own files can be read.

A given file is found under its name in every folder, unless the program has its own file there: notebooks name folders
of the machine they were written on.
"""

import errno
import io
import os
import posixpath
import stat
import time
import zlib
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from explorer.paths import FONT_FOLDERS, library_folders
from explorer.program import GivenFile
from explorer.runtime.files.open_files import NULL, OpenFile, buffered


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


HOME = "/notebook"
MOST_FILES = 1_000  # that a program may write, and as many folders
LEAST_BYTES, MOST_BYTES, MEMORY_SHARE = 16_000_000, 1_000_000_000, 0.08  # of written files, which lie in its memory
_MODES = {"r": (True, False), "w": (False, True), "a": (False, True), "x": (False, True)}


def _compared(path: str) -> str:
    """A path of the machine as paths are compared: with slashes, and on Windows in small letters."""
    return os.path.normcase(path).replace(os.sep, "/")


_FOLDERS = {path for place in library_folders() for path in (os.path.normpath(place), os.path.realpath(place))}
_LIBRARIES = tuple(map(_compared, (*_FOLDERS, *FONT_FOLDERS)))
_BELOW_LIBRARIES = tuple(f"{place}/" for place in _LIBRARIES)


class LookedFor(NamedTuple):
    """Where a missing file was looked for: as in Failure."""

    folder: str = ""
    outside: bool = False
    repository: str = ""


def most_bytes(memory_mb: float) -> int:
    """The bytes that a program may write into files, under its limit of memory."""
    return int(min(MOST_BYTES, max(LEAST_BYTES, memory_mb * 1_000_000 * MEMORY_SHARE)))


class Files:
    """The tree of files.

    Attributes:
        folders, contents: by absolute path; home: the program's folder; cwd: where relative paths start.
        given: the paths of the given files, by name.
        full: called with "size" or "count" when the tree would exceed that bound; it raises.
    """

    def __init__(self, full, given: Iterable[GivenFile] = (), home: str = HOME, most: int = LEAST_BYTES) -> None:
        """`most`: bytes that the program may write."""
        self.home = home
        self.folders = {"/", "/tmp", HOME, home}
        self.contents: dict[str, bytearray] = {}
        self._began, self._changed = time.time(), dict[str, float]()  # seconds of the machine's clock, by path
        self.given: dict[str, str] = {}
        for file in given:
            path = posixpath.normpath(f"{home}/{file.name}")
            if not path.startswith(f"{home}/"):
                continue
            if not file.beside:
                self.given[file.name] = path
            self.contents[path] = bytearray(file.content)
            while (path := posixpath.dirname(path)) not in self.folders:
                self.folders.add(path)
        self._count = len(self.contents)
        self._most = most + sum(map(len, self.contents.values()))
        self.cwd = home
        self.full = full
        self._lacking = 0  # bytes of the last growth, if it did not fit

    def path(self, name) -> str:
        """The absolute path of a name. Raises TypeError for anything that is not a path."""
        name = os.fsdecode(name).replace(os.sep, "/")
        drive, below = os.path.splitdrive(name)
        if drive:  # on Windows: a file of a library, or one that is searched in the tree
            path = posixpath.normpath(name)
            return path if self.library(path) else posixpath.normpath("/" + below.lstrip("/"))
        return posixpath.normpath("/" + posixpath.join(self.cwd, name).lstrip("/"))

    def meant(self, path: str) -> str:
        """The absolute path that is read instead of this one: the same, or that of a given file with its last part."""
        if path in self.contents or path in self.folders:
            return path
        given = self.given.get(posixpath.basename(path), path)
        return given if given in self.contents else path

    def known(self, path: str) -> bool:
        """Whether the tree has a file or folder at an absolute path."""
        return path in self.contents or path in self.folders

    def is_folder(self, path: str) -> bool:
        """Whether there is a folder at an absolute path."""
        return path in self.folders

    def is_file(self, path: str) -> bool:
        """Whether there is a file at an absolute path."""
        return path in self.contents

    def content(self, path: str) -> bytes:
        """The bytes of the file at an absolute path."""
        return bytes(self.contents[path])

    def on_disk(self, path) -> str:
        """The absolute path of a file that libraries read from the disk themselves, "" for a file of the tree."""
        return ""

    def looked_for(self, name) -> LookedFor:
        """Where a missing file was looked for."""
        return LookedFor()

    def children(self, path: str) -> list[str]:
        """The names in a folder, sorted."""
        before = path.rstrip("/") + "/"
        everything = [*self.folders, *self.contents]
        return sorted(
            {entry[len(before) :].split("/")[0] for entry in everything if entry.startswith(before) and entry != path}
            - {""}
        )

    def grow(self, count: int) -> None:
        """Check that `count` more bytes fit."""
        self._lacking = 0
        if sum(map(len, self.contents.values())) + count > self._most:
            self._lacking = count
            self.full("size")

    def create(self, path: str, name) -> bytearray:
        """A new empty file. Raises OSError."""
        if path in self.folders:
            raise failed(errno.EISDIR, name)
        if posixpath.dirname(path) not in self.folders:
            raise failed(errno.ENOENT, name)
        if path not in self.contents and len(self.contents) >= MOST_FILES + self._count:
            self.full("count")
        content = self.contents[path] = bytearray()
        return content

    def open(self, file, mode="r", buffering=-1, encoding=None, errors=None, newline=None, closefd=True, opener=None):
        """Replaces the builtin `open`, with its arguments and its errors."""
        if isinstance(file, int):
            raise failed(errno.EBADF, str(file))
        if opener is not None and self.is_folder(self.path(file)):  # a temporary file in it
            return self.open(opener(file, os.O_RDWR), mode, buffering, encoding, errors, newline)
        path, kind = self.path(file), mode.replace("b", "").replace("t", "").replace("+", "")
        if kind not in _MODES:
            raise ValueError(f"invalid mode: {mode!r}")
        if kind == "r" and "+" not in mode and self.library(path):
            return _open(path, mode, buffering, encoding, errors, newline)
        raw = (
            OpenFile(self, bytearray(), file, True, True, False)
            if path == NULL
            else self._raw(file, self.meant(path) if kind == "r" else path, kind, "+" in mode)
        )
        if "b" in mode:
            if encoding is not None or errors is not None or newline is not None:
                raise ValueError("binary mode doesn't take an encoding, errors or newline argument")
            return raw if buffering == 0 else buffered(raw)
        text = io.TextIOWrapper(buffered(raw), encoding or "utf-8", errors, newline, buffering == 1)
        text.mode = mode  # type: ignore[misc] # as `open` does it
        return text

    def _raw(self, name, path: str, kind: str, both: bool) -> OpenFile:
        if path in self.folders:
            raise failed(errno.EISDIR, name)
        if kind == "x" and path in self.contents:
            raise failed(errno.EEXIST, name)
        content = self.contents.get(path)
        if content is None:
            if kind == "r":
                raise failed(errno.ENOENT, name)
            content = self.create(path, name)
        elif kind == "w":
            try:
                del content[:]
            except BufferError:  # an array is mapped on the old bytes
                content = self.contents[path] = bytearray()
        reads, writes = _MODES[kind]
        if writes or both:
            self._changed[path] = time.time()
        if writes and self._lacking:  # Python drops what a file raises that is closed because nothing refers to it
            self.grow(self._lacking)
        return OpenFile(self, content, name, reads or both, writes or both, kind == "a")

    # ---- in place of functions of os --------------------------------------------------------------------------------

    def mkdir(self, path, mode=0o777, *, dir_fd=None) -> None:
        where = self.path(path)
        if self.known(where):
            raise failed(errno.EEXIST, path)
        if posixpath.dirname(where) not in self.folders:
            raise failed(errno.ENOENT, path)
        if len(self.folders) >= MOST_FILES:
            self.full("count")
        self.folders.add(where)

    def rmdir(self, path, *, dir_fd=None) -> None:
        where = self.path(path)
        if where not in self.folders:
            raise failed(errno.ENOTDIR if where in self.contents else errno.ENOENT, path)
        if where == "/" or self.children(where):
            raise failed(errno.ENOTEMPTY, path)
        self.folders.remove(where)

    def remove(self, path, *, dir_fd=None) -> None:
        where = self.path(path)
        if where not in self.contents:
            raise failed(errno.EISDIR if where in self.folders else errno.ENOENT, path)
        del self.contents[where]

    def rmtree(self, path, ignore_errors=False, onerror=None, *, onexc=None, dir_fd=None) -> None:
        where = self.path(path)
        if where not in self.folders and not ignore_errors:
            raise failed(errno.ENOENT, path)
        inside = [entry for entry in [*self.folders, *self.contents] if entry == where or entry.startswith(where + "/")]
        for entry in inside:
            self.folders.discard(entry)
            self.contents.pop(entry, None)

    def rename(self, src, dst, *, src_dir_fd=None, dst_dir_fd=None) -> None:
        old, new = self.path(src), self.path(dst)
        if not self.known(old) or posixpath.dirname(new) not in self.folders:
            raise failed(errno.ENOENT, src)
        if new in self.folders:
            raise failed(errno.EISDIR if old in self.contents else errno.ENOTEMPTY, dst)
        if old in self.contents:
            self.contents[new] = self.contents.pop(old)
            self._changed[new] = self._changed.pop(old, self._began)
            return
        for folder in [folder for folder in self.folders if folder == old or folder.startswith(old + "/")]:
            self.folders.remove(folder)
            self.folders.add(new + folder[len(old) :])
        for content in [content for content in self.contents if content.startswith(old + "/")]:
            self.contents[new + content[len(old) :]] = self.contents.pop(content)

    def listdir(self, path=".") -> list[str]:
        where = self.path(path)
        if self.library(where):
            return _listdir(where)
        if where not in self.folders:
            raise failed(errno.ENOTDIR if where in self.contents else errno.ENOENT, path)
        return self.children(where)

    def scandir(self, path="."):
        given = os.fspath(path)
        if self.library(self.path(path)):
            return _scandir(given)
        return Entries(Entry(self, posixpath.join(given, name), name) for name in self.listdir(path))

    def stat(self, path, *, dir_fd=None, follow_symlinks=True) -> os.stat_result:
        if isinstance(path, int):
            return _stat(path)
        where = self.path(path)
        if self.library(where):
            return _stat(where)
        where = self.meant(where)
        if where == NULL:
            return os.stat_result((stat.S_IFCHR | 0o666, 0, 0, 1, 0, 0, 0, 0, 0, 0))
        if where in self.contents:
            return self.described(where, stat.S_IFREG | 0o644, len(self.contents[where]))
        if where in self.folders:
            return self.described(where, stat.S_IFDIR | 0o755, 4096)
        raise failed(errno.ENOENT, path)

    def described(self, path: str, mode: int, size: int) -> os.stat_result:
        """The result of `os.stat` for a file or folder."""
        changed = self._changed.get(path, self._began)
        nanoseconds = int(changed * 1e9)
        fields = (mode, _number(path), 0, 1, 0, 0, size)
        return os.stat_result((*fields, *(int(changed),) * 3, *(changed,) * 3, *(nanoseconds,) * 3))

    def lstat(self, path, *, dir_fd=None) -> os.stat_result:
        return self.stat(path)

    def access(self, path, mode, *, dir_fd=None, effective_ids=False, follow_symlinks=True) -> bool:
        where = self.path(path)
        return self.known(self.meant(where)) or (self.library(where) and not mode & os.W_OK and _access(where, mode))

    def readlink(self, path, *, dir_fd=None) -> str:
        self.stat(path)
        raise failed(errno.EINVAL, path)

    def listxattr(self, path=None, *, follow_symlinks=True) -> list[str]:
        return []

    def chmod(self, path, mode, *, dir_fd=None, follow_symlinks=True) -> None:
        self.stat(path)

    def utime(self, path, times=None, *, ns=None, dir_fd=None, follow_symlinks=True) -> None:
        self.stat(path)
        changed = ns[1] / 1e9 if ns else times[1] if times else time.time()
        self._changed[self.meant(self.path(path))] = changed

    def chdir(self, path) -> None:
        where = self.path(path)
        if where not in self.folders:
            raise failed(errno.ENOENT, path)
        self.cwd = where

    def getcwd(self) -> str:
        return self.cwd

    def descriptor(self, path, flags, mode=0o777, *, dir_fd=None) -> int:
        """Replaces os.open: files in memory have no descriptors."""
        where = self.path(path)
        if flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT) or not self.library(where):
            raise failed(errno.EACCES, path)
        return _descriptor(where, flags, mode)

    def library(self, path: str) -> bool:
        """Whether an absolute path belongs to the installed libraries, which are on the real disk."""
        place = _compared(path)
        return (place in _LIBRARIES or place.startswith(_BELOW_LIBRARIES)) and not self.known(path)


_open, _stat, _descriptor = io.open, os.stat, os.open  # the real ones
_listdir, _scandir, _access = os.listdir, os.scandir, os.access


def failed(code: int, name) -> OSError:
    """The OSError with this number about a path."""
    return OSError(code, os.strerror(code), os.fspath(name) if isinstance(name, os.PathLike) else name)


def _number(path: str) -> int:
    """A number that identifies a file, like an inode."""
    return zlib.crc32(path.encode("utf-8", "surrogateescape"))
