"""The files of a run: a small tree in memory that stands where the program expects a disk.

The program lives in /notebook, where it finds the files that it was given. What it writes is read again by it and by
the libraries, and is gone with the run; of the real disk only the installed libraries' own files can be read.

A file that was given is read under its name in whatever folder a program looks for it, unless the program has one of
its own there: notebooks name folders of the machine they were written on.
"""

import errno
import io
import os
import posixpath
import stat
import sysconfig
from collections.abc import Iterable, Iterator

from explorer.program import GivenFile

HOME = "/notebook"
MOST_BYTES, MOST_FILES = 16_000_000, 1_000  # that a program writes; as many folders as files

_LIBRARIES = tuple(
    {os.path.normpath(sysconfig.get_path(name)) + "/" for name in ("stdlib", "platstdlib", "purelib", "platlib")}
)
_REAL = {"/dev/null", "/dev/zero"}
_MODES = {"r": (True, False), "w": (False, True), "a": (False, True), "x": (False, True)}


class Files:
    """The tree.

    Attributes:
        folders, contents: by absolute path; cwd: where relative paths start.
        given: where the files lie that a person gave the program, by name.
        full: called with "size" or "count" when the tree would exceed that bound; it raises.
    """

    def __init__(self, full, given: Iterable[GivenFile] = ()) -> None:
        self.folders = {"/", "/tmp", HOME}
        self.contents: dict[str, bytearray] = {}
        self.given: dict[str, str] = {}
        for one in given:
            path = posixpath.normpath(f"{HOME}/{one.name}")
            if not path.startswith(f"{HOME}/"):
                continue
            if not one.beside:
                self.given[one.name] = path
            self.contents[path] = bytearray(one.content)
            while (path := posixpath.dirname(path)) not in self.folders:
                self.folders.add(path)
        self._count = len(self.contents)
        self._most = MOST_BYTES + sum(map(len, self.contents.values()))
        self.cwd = HOME
        self.full = full

    def path(self, name) -> str:
        """The absolute path of a name. Raises TypeError for what is no name."""
        name = os.fsdecode(name)
        return posixpath.normpath("/" + posixpath.join(self.cwd, name).lstrip("/"))

    def meant(self, path: str) -> str:
        """The absolute path that is read for this one: the same, or that of a given file with its last part."""
        if path in self.contents or path in self.folders:
            return path
        given = self.given.get(posixpath.basename(path), path)
        return given if given in self.contents else path

    def known(self, path: str) -> bool:
        """Whether there is a file or folder of ours at an absolute path."""
        return path in self.contents or path in self.folders

    def children(self, path: str) -> list[str]:
        """The names in a folder, sorted."""
        before = path.rstrip("/") + "/"
        everything = [*self.folders, *self.contents]
        return sorted(
            {one[len(before) :].split("/")[0] for one in everything if one.startswith(before) and one != path} - {""}
        )

    def grow(self, count: int) -> None:
        """Make sure that `count` bytes more have room."""
        if sum(map(len, self.contents.values())) + count > self._most:
            self.full("size")

    def create(self, path: str, name) -> bytearray:
        """A new empty file. Raises OSError."""
        if path in self.folders:
            raise _error(errno.EISDIR, name)
        if posixpath.dirname(path) not in self.folders:
            raise _error(errno.ENOENT, name)
        if path not in self.contents and len(self.contents) >= MOST_FILES + self._count:
            self.full("count")
        content = self.contents[path] = bytearray()
        return content

    def open(self, file, mode="r", buffering=-1, encoding=None, errors=None, newline=None, closefd=True, opener=None):
        """In place of the builtin `open`, with its arguments and its errors."""
        if isinstance(file, int):
            raise _error(errno.EBADF, str(file))
        path, kind = self.path(file), mode.replace("b", "").replace("t", "").replace("+", "")
        if kind not in _MODES:
            raise ValueError(f"invalid mode: {mode!r}")
        if path in _REAL or (kind == "r" and "+" not in mode and self._library(path)):
            return _open(path, mode, buffering, encoding, errors, newline)
        raw = self._raw(file, self.meant(path) if kind == "r" else path, kind, "+" in mode)
        if "b" in mode:
            if encoding is not None or errors is not None or newline is not None:
                raise ValueError("binary mode doesn't take an encoding, errors or newline argument")
            return raw if buffering == 0 else _buffered(raw)
        text = io.TextIOWrapper(_buffered(raw), encoding or "utf-8", errors, newline, buffering == 1)
        text.mode = mode  # type: ignore[misc] # as `open` does it
        return text

    def _raw(self, name, path: str, kind: str, both: bool) -> "_Raw":
        if path in self.folders:
            raise _error(errno.EISDIR, name)
        if kind == "x" and path in self.contents:
            raise _error(errno.EEXIST, name)
        content = self.contents.get(path)
        if content is None:
            if kind == "r":
                raise _error(errno.ENOENT, name)
            content = self.create(path, name)
        elif kind == "w":
            del content[:]
        reads, writes = _MODES[kind]
        return _Raw(self, content, name, reads or both, writes or both, kind == "a")

    # ---- in place of functions of os --------------------------------------------------------------------------------

    def mkdir(self, path, mode=0o777, *, dir_fd=None) -> None:
        where = self.path(path)
        if self.known(where):
            raise _error(errno.EEXIST, path)
        if posixpath.dirname(where) not in self.folders:
            raise _error(errno.ENOENT, path)
        if len(self.folders) >= MOST_FILES:
            self.full("count")
        self.folders.add(where)

    def rmdir(self, path, *, dir_fd=None) -> None:
        where = self.path(path)
        if where not in self.folders:
            raise _error(errno.ENOTDIR if where in self.contents else errno.ENOENT, path)
        if where == "/" or self.children(where):
            raise _error(errno.ENOTEMPTY, path)
        self.folders.remove(where)

    def remove(self, path, *, dir_fd=None) -> None:
        where = self.path(path)
        if where not in self.contents:
            raise _error(errno.EISDIR if where in self.folders else errno.ENOENT, path)
        del self.contents[where]

    def rmtree(self, path, ignore_errors=False, onerror=None, *, dir_fd=None) -> None:
        where = self.path(path)
        if where not in self.folders and not ignore_errors:
            raise _error(errno.ENOENT, path)
        inside = [one for one in [*self.folders, *self.contents] if one == where or one.startswith(where + "/")]
        for one in inside:
            self.folders.discard(one)
            self.contents.pop(one, None)

    def rename(self, src, dst, *, src_dir_fd=None, dst_dir_fd=None) -> None:
        old, new = self.path(src), self.path(dst)
        if not self.known(old) or posixpath.dirname(new) not in self.folders:
            raise _error(errno.ENOENT, src)
        if new in self.folders:
            raise _error(errno.EISDIR if old in self.contents else errno.ENOTEMPTY, dst)
        if old in self.contents:
            self.contents[new] = self.contents.pop(old)
            return
        for one in [one for one in self.folders if one == old or one.startswith(old + "/")]:
            self.folders.remove(one)
            self.folders.add(new + one[len(old) :])
        for one in [one for one in self.contents if one.startswith(old + "/")]:
            self.contents[new + one[len(old) :]] = self.contents.pop(one)

    def listdir(self, path=".") -> list[str]:
        where = self.path(path)
        if where not in self.folders:
            raise _error(errno.ENOTDIR if where in self.contents else errno.ENOENT, path)
        return self.children(where)

    def scandir(self, path=".") -> "Entries":
        given = os.fspath(path)
        return Entries(Entry(self, posixpath.join(given, name), name) for name in self.listdir(path))

    def stat(self, path, *, dir_fd=None, follow_symlinks=True) -> os.stat_result:
        if isinstance(path, int):
            return _stat(path)
        where = self.path(path)
        if where in _REAL or self._library(where):
            return _stat(where)
        where = self.meant(where)
        if where in self.contents:
            return os.stat_result((stat.S_IFREG | 0o644, 0, 0, 1, 0, 0, len(self.contents[where]), 0, 0, 0))
        if where in self.folders:
            return os.stat_result((stat.S_IFDIR | 0o755, 0, 0, 1, 0, 0, 4096, 0, 0, 0))
        raise _error(errno.ENOENT, path)

    def lstat(self, path, *, dir_fd=None) -> os.stat_result:
        return self.stat(path)

    def access(self, path, mode, *, dir_fd=None, effective_ids=False, follow_symlinks=True) -> bool:
        return self.known(self.meant(self.path(path)))

    def chmod(self, path, mode, *, dir_fd=None, follow_symlinks=True) -> None:
        self.stat(path)

    def utime(self, path, times=None, *, ns=None, dir_fd=None, follow_symlinks=True) -> None:
        self.stat(path)

    def chdir(self, path) -> None:
        where = self.path(path)
        if where not in self.folders:
            raise _error(errno.ENOENT, path)
        self.cwd = where

    def getcwd(self) -> str:
        return self.cwd

    def descriptor(self, path, flags, mode=0o777, *, dir_fd=None) -> int:
        """In place of os.open: there are no descriptors for files in memory."""
        where = self.path(path)
        if flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT) or not (where in _REAL or self._library(where)):
            raise _error(errno.EACCES, path)
        return _descriptor(where, flags, mode)

    def _library(self, path: str) -> bool:
        return path.startswith(_LIBRARIES) and not self.known(path)


_open, _stat, _descriptor = io.open, os.stat, os.open  # the real ones


def _error(code: int, name) -> OSError:
    return OSError(code, os.strerror(code), os.fspath(name) if isinstance(name, os.PathLike) else name)


def _buffered(raw: "_Raw"):
    if raw.readable() and raw.writable():
        return io.BufferedRandom(raw)
    return io.BufferedWriter(raw) if raw.writable() else io.BufferedReader(raw)


class _Raw(io.RawIOBase):
    """An open file. Attributes: name, mode: as given."""

    def __init__(self, files: Files, content: bytearray, name, reads: bool, writes: bool, appends: bool) -> None:
        self._files, self._content, self.name = files, content, name
        self._reads, self._writes, self._appends, self._at = reads, writes, appends, 0
        self.mode = ("rb+" if reads else "ab" if appends else "wb") if writes else "rb"
        if appends:
            self._at = len(content)

    def readable(self) -> bool:
        return self._reads

    def writable(self) -> bool:
        return self._writes

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer) -> int:
        piece = self._content[self._at : self._at + len(buffer)]
        buffer[: len(piece)] = piece
        self._at += len(piece)
        return len(piece)

    def write(self, data) -> int:
        data = bytes(data)
        if self._appends:
            self._at = len(self._content)
        growth = self._at + len(data) - len(self._content)
        if growth > 0:
            self._files.grow(growth)
            self._content.extend(bytes(max(0, self._at - len(self._content))))
        self._content[self._at : self._at + len(data)] = data
        self._at += len(data)
        return len(data)

    def seek(self, offset: int, whence: int = 0) -> int:
        self._at = max(0, offset + (0, self._at, len(self._content))[whence])
        return self._at

    def tell(self) -> int:
        return self._at

    def truncate(self, size: int | None = None) -> int:
        size = self._at if size is None else size
        self._files.grow(max(0, size - len(self._content)))
        self._content[:] = self._content[:size].ljust(size, b"\0")
        return size


class Entry:
    """What os.scandir yields."""

    def __init__(self, files: Files, path: str, name: str) -> None:
        self._files, self.path, self.name = files, path, name

    def is_dir(self, *, follow_symlinks: bool = True) -> bool:
        return self._files.path(self.path) in self._files.folders

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
        """Nothing is held."""
