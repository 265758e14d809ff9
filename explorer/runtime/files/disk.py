"""Replace the disk by a tree of files, for the program and for the libraries it calls."""

import builtins
import errno
import glob
import io
import itertools
import os
import pathlib
import posixpath
import shutil
import stat
import sys
import tempfile
import tokenize
from collections.abc import Callable
from contextlib import contextmanager
from typing import Any

import numpy.lib._datasource as datasource

from explorer.runtime.files.arrays import array_files
from explorer.runtime.files.libraries import of_libraries
from explorer.runtime.files.mappings import of_descriptors
from explorer.runtime.files.tree import Files
from explorer.runtime.replacements import Replacement, replaced


def temporary() -> list[Replacement]:
    """The replacements for functions of tempfile that use descriptors: owner, name, function."""
    numbers = itertools.count(1)

    def name(suffix=None, prefix=None, dir=None) -> str:
        return posixpath.join(os.fspath(dir or "/tmp"), f"{prefix or 'tmp'}{next(numbers)}{suffix or ''}")

    def mkdtemp(suffix=None, prefix=None, dir=None) -> str:
        made = name(suffix, prefix, dir)
        os.mkdir(made)
        return made

    def named_file(
        mode="w+b", buffering=-1, encoding=None, newline=None, suffix=None, prefix=None, dir=None, **options
    ):
        return builtins.open(name(suffix, prefix, dir), mode, buffering, encoding, options.get("errors"), newline)

    def inner(dir, prefix, suffix, *options) -> tuple[str, str]:
        """A path instead of a descriptor: `open` accepts what its opener returns."""
        made = name(suffix, prefix, dir)
        return made, made

    def mkstemp(suffix=None, prefix=None, dir=None, text=False):
        raise OSError(errno.EACCES, os.strerror(errno.EACCES), name(suffix, prefix, dir))

    return [
        (tempfile, "mkdtemp", mkdtemp),
        (tempfile, "mkstemp", mkstemp),
        # Libraries that imported the functions below before they were replaced.
        (tempfile, "_mkstemp_inner", inner),
        (tempfile, "_TemporaryFileWrapper", lambda file, *options, **more: file),
        (tempfile, "NamedTemporaryFile", named_file),
        (tempfile, "TemporaryFile", named_file),
    ]


_OF_OS = (
    *("mkdir", "rmdir", "remove", "rename", "listdir", "scandir", "stat", "lstat", "access", "chmod", "utime"),
    *("readlink", "listxattr", "chdir", "getcwd"),
)
_globber: Any = vars(glob).get("_StringGlobber")  # what pathlib globs with, from Python 3.13 on
_FORBIDDEN = ("chown", "lchown", "link", "symlink", "mkfifo", "mknod", "truncate", "setxattr", "removexattr")


@contextmanager
def virtual_files(files: Files):
    """Install a tree instead of the disk, for the duration of a context."""
    openers: Any = vars(datasource)["_file_openers"]  # NumPy's own, by file ending
    openers._load()
    patches = [*_of_python(files), *temporary(), *of_descriptors(), *of_libraries(files)]
    if sys.platform == "win32":
        patches += _of_windows(files)
    opener = openers._file_openers[None]
    openers._file_openers[None] = files.open
    try:
        with replaced(patches), array_files(files):
            yield
    finally:
        openers._file_openers[None] = opener


def _of_python(files: Files) -> list[Replacement]:
    def forbidden(path, *args, **kwargs):
        raise OSError(errno.EACCES, os.strerror(errno.EACCES), path)

    def touch(path, mode=0o666, exist_ok=True) -> None:
        path.open("ab" if exist_ok else "xb").close()

    def move(src, dst, copy_function=shutil.copy2):
        """Replaces shutil.move: Python's own asks whether the target exists, and a given file is found in every
        folder.
        """
        source, target = os.fspath(src), os.fspath(dst)
        if os.path.isdir(target):
            target = os.path.join(target, os.path.basename(source.rstrip("/")))
        os.rename(source, target)
        return target

    functions = {name: getattr(files, name) for name in _OF_OS}
    functions |= {"unlink": files.remove, "replace": files.rename, "open": files.descriptor}
    functions |= dict.fromkeys(_FORBIDDEN, forbidden)
    patches: list[Replacement] = [(os, *function) for function in functions.items() if hasattr(os, function[0])]
    patches += [(builtins, "open", files.open), (io, "open", files.open)]
    patches += [(tokenize, "_builtin_open", files.open), (shutil, "rmtree", files.rmtree)]
    patches += [(shutil, "move", move), (shutil, "_samefile", lambda a, b: files.path(a) == files.path(b))]
    if hasattr(_globber, "lstat"):  # in Python 3.13 alone it keeps both functions; later it asks os
        patches += [(_globber, name, staticmethod(getattr(files, name))) for name in ("scandir", "lstat")]
    return [*patches, (pathlib.Path, "touch", touch), (tempfile, "tempdir", "/tmp")]


def _of_windows(files: Files) -> list[Replacement]:
    """Functions of os.path that ask Windows itself, which does not know the tree."""

    def asks(kind: Callable[[int], bool]) -> Callable[[Any], bool]:
        def is_so(path) -> bool:
            try:
                return kind(files.stat(path).st_mode)
            except (OSError, ValueError):
                return False

        return is_so

    def absolute(path):
        return os.path.normpath(os.path.join(files.getcwd(), os.fspath(path)))

    def real(path, *, strict=False):
        if strict:
            files.stat(path)
        return absolute(path)

    exists = asks(lambda mode: True)
    tests = {"exists": exists, "lexists": exists, "isfile": asks(stat.S_ISREG), "isdir": asks(stat.S_ISDIR)}
    functions = {**tests, "islink": asks(stat.S_ISLNK), "abspath": absolute, "realpath": real}
    patches: list[Replacement] = [(os.path, *function) for function in functions.items()]
    if hasattr(_globber, "lexists"):  # from Python 3.14 on it keeps this function
        patches += [(_globber, "lexists", staticmethod(exists))]
    return patches
