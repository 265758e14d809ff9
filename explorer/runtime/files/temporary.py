"""Temporary files and folders of a run, with names that are the same in every run."""

import builtins
import errno
import itertools
import os
import posixpath
import tempfile

from explorer.runtime.replacements import Replacement


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
