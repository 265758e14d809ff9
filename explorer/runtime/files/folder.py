"""A folder of the machine below a run's own files: reads come from the disk, writes go to memory.

The kernel decides what can be opened. With `write`, writes below the folder go to the disk, and the run's own tree
only holds given files and files elsewhere.
"""

import errno
import io
import os
import posixpath
import stat
from collections.abc import Iterable
from pathlib import PurePosixPath

from explorer.program import Folder, GivenFile
from explorer.runtime.files.tree import LEAST_BYTES, Entries, Entry, Files, LookedFor, failed

_open, _descriptor, _chdir = io.open, os.open, os.chdir  # the real ones
_listdir, _stat, _lstat, _access, _readlink = os.listdir, os.stat, os.lstat, os.access, os.readlink
_mkdir, _rmdir, _remove, _rename = os.mkdir, os.rmdir, os.remove, os.rename


class FolderFiles(Files):
    """The tree of a run that may read a folder. Its files and folders appear under their real paths."""

    def __init__(self, full, given: Iterable[GivenFile], folder: Folder, most: int = LEAST_BYTES) -> None:
        super().__init__(full, given, folder.start or folder.path, most)
        self._open = folder.path  # the kernel opens this and nothing else
        self._named, self._write, self._repository = folder.named, folder.write, folder.repository
        self._gone: set[str] = set()  # paths on the disk that the run has removed
        self.folders |= {str(above) for above in PurePosixPath(self.home).parents}  # `../data` belongs to the run
        _chdir(self.home)  # for libraries that open files without Python

    def path(self, name) -> str:
        """The absolute path of a name; links to the folder are resolved."""
        path = super().path(name)
        if self._named and not self._inside(path) and _below(path, self._named):
            return self._open + path[len(self._named) :]
        return path

    def on_disk(self, path) -> str:
        """The absolute path of a file that is read from the disk, "" for others."""
        where = self.path(path)
        return where if self._real(where) and stat.S_ISREG(_stat(where).st_mode) else ""

    def known(self, path: str) -> bool:
        return super().known(path) or self._real(path)

    def meant(self, path: str) -> str:
        return path if self._real(path) else super().meant(path)

    def library(self, path: str) -> bool:
        return not self._inside(path) and super().library(path)

    def is_folder(self, path: str) -> bool:
        return super().is_folder(path) or (self._real(path) and stat.S_ISDIR(_stat(path).st_mode))

    def is_file(self, path: str) -> bool:
        return super().is_file(path) or (self._real(path) and stat.S_ISREG(_stat(path).st_mode))

    def content(self, path: str) -> bytes:
        if path in self.contents:
            return super().content(path)
        with self.open(path, "rb") as file:
            return file.read()

    def looked_for(self, name) -> LookedFor:
        """Whether a missing file lies outside the open folder, and in the repository around it."""
        path = self.path(name)
        outside = not self._inside(path)
        return LookedFor(self._open, outside, self._repository if outside and _below(path, self._repository) else "")

    def children(self, path: str) -> list[str]:
        names = set(super().children(path))
        if self._real(path):
            names |= {name for name in _listdir(path) if posixpath.join(path, name) not in self._gone}
        return sorted(names)

    def open(self, file, mode="r", buffering=-1, encoding=None, errors=None, newline=None, closefd=True, opener=None):
        """Replaces the builtin `open`: reads from the disk or the tree."""
        if isinstance(file, int):
            return _open(file, mode, buffering, encoding, errors, newline, closefd)
        path, changes = self.path(file), bool(set(mode) & set("wax+"))
        if opener is not None and self.is_folder(path):
            return super().open(file, mode, buffering, encoding, errors, newline, closefd, opener)
        if path not in self.contents and (self._changes(path) if changes else self._real(path)):
            self._check(path, file)
            encoding = encoding if "b" in mode else encoding or "utf-8"
            try:
                return _open(file, mode, buffering, encoding, errors, newline, True, lambda _, flags: _fd(path, flags))
            except PermissionError:
                raise _refused(file, "unwritable" if changes else "unreadable") from None
        if changes and self._real(path) and not self.is_folder(path):
            if "x" in mode:
                raise failed(errno.EEXIST, file)
            self._lift(path, file, "w" not in mode)
        self._adopt(posixpath.dirname(path))
        return super().open(file, mode, buffering, encoding, errors, newline, closefd, opener)

    def descriptor(self, path, flags, mode=0o777, *, dir_fd=None) -> int:
        where = self.path(path)
        changes = flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
        if where not in self.contents and (self._changes(where) if changes else self._real(where)):
            self._check(where, path)
            return _descriptor(where, flags, mode)
        return super().descriptor(path, flags, mode)

    # ---- in place of functions of os --------------------------------------------------------------------------------

    def listdir(self, path=".") -> list[str]:
        self._adopt(self.path(path))
        return super().listdir(path)

    def scandir(self, path="."):
        if self.library(self.path(path)):
            return super().scandir(path)
        given = os.fspath(path)
        return Entries(_DiskEntry(self, posixpath.join(given, name), name) for name in self.listdir(path))

    def stat(self, path, *, dir_fd=None, follow_symlinks=True) -> os.stat_result:
        where = "" if isinstance(path, int) else self.path(path)
        if where and not super().known(where) and self._real(where):
            return _stat(where) if follow_symlinks else _lstat(where)
        return super().stat(path)

    def lstat(self, path, *, dir_fd=None) -> os.stat_result:
        where = self.path(path)
        if self._inside(where) and not super().known(where) and not self._hidden(where):
            return _lstat(where)
        return self.stat(path)

    def access(self, path, mode, *, dir_fd=None, effective_ids=False, follow_symlinks=True) -> bool:
        where = self.path(path)
        if where not in self.contents and self._real(where):
            return (self._write or not mode & os.W_OK) and _access(where, mode, effective_ids=True)
        return super().access(path, mode)

    def readlink(self, path, *, dir_fd=None) -> str:
        where = self.path(path)
        return _readlink(where) if self._real(where) else super().readlink(path)

    def chdir(self, path) -> None:
        self._adopt(self.path(path))
        super().chdir(path)
        if self._real(self.cwd):
            _chdir(self.cwd)

    def mkdir(self, path, mode=0o777, *, dir_fd=None) -> None:
        where = self.path(path)
        if self._changes(where):
            return _mkdir(where, mode)
        self._adopt(posixpath.dirname(where))
        return super().mkdir(path, mode)

    def rmdir(self, path, *, dir_fd=None) -> None:
        where = self.path(path)
        if self._changes(where):
            return _rmdir(where)
        self._adopt(where)
        super().rmdir(path)
        return self._gone.add(where)

    def remove(self, path, *, dir_fd=None) -> None:
        where = self.path(path)
        if self._changes(where):
            return _remove(where)
        if not self._real(where) or where in self.contents or self.is_folder(where):
            self._adopt(where)
            super().remove(path)
        return self._gone.add(where)

    def rmtree(self, path, ignore_errors=False, onerror=None, *, onexc=None, dir_fd=None) -> None:
        where = self.path(path)
        if self._changes(where):
            for name in self.listdir(where) if self.is_folder(where) or not ignore_errors else ():
                inside = posixpath.join(where, name)
                self.rmtree(inside) if stat.S_ISDIR(_lstat(inside).st_mode) else self.remove(inside)
            return _rmdir(where)
        self._adopt(where)
        super().rmtree(path, ignore_errors)
        return self._gone.add(where)

    def rename(self, src, dst, *, src_dir_fd=None, dst_dir_fd=None) -> None:
        old, new = self.path(src), self.path(dst)
        if self._changes(old) and self._changes(new):
            return _rename(old, new)
        self._lift_all(old)
        self._adopt(posixpath.dirname(new))
        super().rename(src, dst)
        return self._gone.add(old)

    # ---- the disk ---------------------------------------------------------------------------------------------------

    def _inside(self, path: str) -> bool:
        return _below(path, self._open)

    def _hidden(self, path: str) -> bool:
        """Whether the run has removed a path, or a folder above it."""
        return any(_below(path, gone) for gone in self._gone)

    def _real(self, path: str) -> bool:
        """Whether a path is on the disk, neither covered by a file of the run nor removed."""
        if not self._inside(path) or path in self.contents or self._hidden(path):
            return False
        try:
            _stat(path)
        except (OSError, ValueError):
            return False
        return True

    def _changes(self, path: str) -> bool:
        """Whether a write to a path goes to the disk."""
        return self._write and self._inside(path) and path not in self.contents

    def _check(self, path: str, name) -> None:
        """Raise OSError for a file that cannot be opened, or whose opening might block."""
        try:
            mode = _stat(path).st_mode
        except OSError:
            return  # opening it says why
        reason = ""
        if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
            reason = "pipe"  # opening a pipe may block
        elif not self._inside(_resolved(path)):
            reason = "outside"
        if reason:
            raise _refused(name, reason)

    def _adopt(self, path: str) -> None:
        """Add a folder of the disk, and the folders above it, to the tree."""
        while self._inside(path) and path not in self.folders:
            if self._real(path) and stat.S_ISDIR(_stat(path).st_mode):
                self.folders.add(path)
            path = posixpath.dirname(path)

    def _lift(self, path: str, name, whole: bool) -> None:
        """Copy a file of the disk into the tree, where it can be changed."""
        content = bytearray()
        if whole:
            self._check(path, name)
            self.grow(_stat(path).st_size)
            with _open(path, "rb") as file:
                content += file.read()
        self._adopt(posixpath.dirname(path))
        self.contents[path] = content

    def _lift_all(self, path: str) -> None:
        self._adopt(path if self.is_folder(path) else posixpath.dirname(path))
        if self.is_folder(path):
            for name in self.children(path):
                self._lift_all(posixpath.join(path, name))
        elif self._real(path):
            self._lift(path, path, True)


class _DiskEntry(Entry):
    """An entry of os.scandir, from the disk or the tree."""

    def is_symlink(self) -> bool:
        return stat.S_ISLNK(self._files.lstat(self.path).st_mode)

    def is_file(self, *, follow_symlinks: bool = True) -> bool:
        return self._files.is_file(self._files.path(self.path))

    def inode(self) -> int:
        """A number that identifies the file."""
        return self.stat().st_ino


def _below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")


def _refused(name, reason: str) -> OSError:
    """An error that carries the reason of a refusal."""
    problem = failed(errno.EACCES, name)
    problem.__dict__["refused_for"] = reason
    return problem


def _fd(path: str, flags: int) -> int:
    return _descriptor(path, flags | os.O_CLOEXEC, 0o666)


def _resolved(path: str) -> str:
    """The path without links, resolved by hand: Python's function would call our replacements."""
    parts, place, links = path.split("/")[::-1], "", 0
    while parts:
        part = parts.pop()
        if part in ("", "."):
            continue
        if part == "..":
            place = posixpath.dirname(place).rstrip("/")
            continue
        try:
            target = _readlink(f"{place}/{part}")
        except OSError:
            place = f"{place}/{part}"
            continue
        links += 1
        if links > 40:
            return ""
        place = "" if target.startswith("/") else place
        parts += target.split("/")[::-1]
    return place or "/"
