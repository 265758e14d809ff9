"""A program's folder, and the files that its user provided.

The kernel keeps the program's writes from the disk (explorer.sandbox.own_files). A provided file also replaces a
missing file of the same name: notebooks name folders of their original machine.
"""

import builtins
import errno
import io
import itertools
import os
import posixpath
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from explorer.program import Folder, GivenFile
from explorer.program.given_files import HOME
from explorer.runtime.replacements import Replacement, replaced

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class LookedFor(NamedTuple):
    """Place where a missing file was looked for, as in Failure."""

    folder: str = ""
    outside: bool = False
    repository: str = ""


class Files:
    """The files of a run.

    Args: given: the files that the user provided. folder: a folder of the machine that the program may read. private:
    the folder for the program's own files, "" if there are none.

    Attributes: private, home: the folder for its own files, and the start of relative paths. given: the paths of the
    provided files, by name.
    """

    def __init__(self, given: Iterable[GivenFile], folder: Folder, private: str) -> None:
        self._files, self._folder, self.private = given, folder, private
        self.home = folder.start or folder.path or private
        self.given: dict[str, str] = {}

    @contextmanager
    def in_place(self) -> Iterator[None]:
        """Write the given files and run the program in its folder."""
        if not self.private:
            yield
            return
        before = os.getcwd()
        self._write()
        os.chdir(self.home)
        temporary = posixpath.dirname(HOME) if self.private == HOME else self.private
        names: list[Replacement] = [(tempfile, "tempdir", temporary), (tempfile, "_name_sequence", _Numbers())]
        found: list[Replacement] = [
            *((owner, "open", self._or_given(io.open, "r")) for owner in (builtins, io)),
            (os, "stat", self._or_given(os.stat, "")),
        ]
        try:
            with replaced([*names, *(found if self.given else [])]):
                yield
        finally:
            os.chdir(before)

    def _write(self) -> None:
        for file in self._files:
            path = os.path.normpath(os.path.join(self.private, file.name))
            if not path.startswith(os.path.join(self.private, "")):
                continue
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as written:
                written.write(file.content)
            if not file.beside:
                self.given[file.name] = path

    def _or_given(self, real: Callable, reads: str) -> Callable:
        """Make a function use a given file for a missing one."""

        def found(path: Any, *arguments: Any, **options: Any) -> Any:
            try:
                return real(path, *arguments, **options)
            except (FileNotFoundError, PermissionError):
                mode = str(arguments[0] if arguments else options.get("mode", "r")) if reads else ""
                given = None if set(mode) & set("wax+") or isinstance(path, int) else self.meant(path)
                if given is None:
                    raise
                return real(given, *arguments, **options)

        return found

    def meant(self, path: Any) -> str | None:
        """Return the given file with the same name as this path."""
        return self.given.get(posixpath.basename(os.fsdecode(path).replace(os.sep, "/")))

    def owns(self, path: str) -> bool:
        """Return whether a path is in the program's folders."""
        return any(_below(path, own) for own in (self.private, self._folder.path) if own)

    def reason(self, path: str) -> str:
        """Return why a file cannot be opened, as in Refusal."""
        if not self.private:
            return "no-files"
        named = os.path.abspath(path)
        if not self._folder.path or not (_below(named, self._folder.path) or _below(named, self._folder.named)):
            return "file"
        return "unreadable" if _below(os.path.realpath(named), self._folder.path) else "outside"

    def full(self, problem: BaseException) -> bool:
        """Return whether a program failed because its file space is full."""
        if (number := error_number(problem)) is not None:
            return number in _FULL
        of_library = type(problem).__module__ != "builtins" or isinstance(problem, RuntimeError | OSError)
        if not self.private or not isinstance(problem, Exception) or not of_library:
            return False
        try:  # a library in C only reports a failed write
            with tempfile.TemporaryFile(dir=self.private) as file:
                file.write(bytes(1 << 16))
        except OSError as found:
            return found.errno in _FULL
        return False

    def looked_for(self, name: Any) -> LookedFor:
        """Return whether a file is outside the open folder or its repository."""
        path, top = os.path.abspath(os.fsdecode(name)), self._folder.path
        real = os.path.realpath(path)
        own = _below(real, top) or _below(path, self._folder.named)
        outside = bool(top) and not own and not _made(os.path.dirname(real), os.path.dirname(top))
        return LookedFor(top, outside, self._folder.repository if _below(path, self._folder.repository) else "")


def error_number(problem: BaseException) -> int | None:
    """Return the system's error number; torch writes it at the message's end."""
    if isinstance(problem, OSError):
        return problem.errno
    text = str(problem) if isinstance(problem, RuntimeError) else ""
    return next((code for code in errno.errorcode if text.endswith(f": {os.strerror(code)} ({code})")), None)


class _Numbers(Iterator[str]):
    """Names of temporary files that are the same in every run."""

    def __init__(self) -> None:
        self._numbers = itertools.count(1)

    def __next__(self) -> str:
        return str(next(self._numbers))


def _made(folder: str, above: str) -> bool:
    """Return whether a program has created a folder itself, above its own."""
    try:
        return folder != above and bool(os.scandir(folder))
    except OSError:
        return False


def _below(path: str, folder: str) -> bool:
    return bool(folder) and (path == folder or path.startswith(os.path.join(folder, "")))
