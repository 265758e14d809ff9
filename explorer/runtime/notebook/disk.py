"""A tree of files in the place of the disk, for the program and for the libraries it calls."""

import builtins
import errno
import io
import os
import shutil
import tempfile
from contextlib import contextmanager
from typing import Any

from explorer.runtime.notebook.files import Files

_FORBIDDEN = ("chown", "lchown", "link", "symlink", "mkfifo", "mknod", "truncate", "setxattr", "removexattr")


@contextmanager
def virtual_files(files: Files):
    """Put a tree in the place of the disk; take it away again."""
    import numpy.lib._datasource as datasource
    import torch

    def forbidden(path, *args, **kwargs):
        raise OSError(errno.EACCES, os.strerror(errno.EACCES), path)

    real_save, real_load = torch.save, torch.load

    def save(obj, f, *args, **kwargs):
        if not isinstance(f, str | os.PathLike):
            return real_save(obj, f, *args, **kwargs)
        with files.open(f, "wb") as file:
            return real_save(obj, file, *args, **kwargs)

    def load(f, *args, **kwargs):
        if not isinstance(f, str | os.PathLike):
            return real_load(f, *args, **kwargs)
        with files.open(f, "rb") as file:
            return real_load(file, *args, **kwargs)

    openers: Any = vars(datasource)["_file_openers"]  # NumPy's own, by the end of a name
    openers._load()
    names = ("mkdir", "rmdir", "remove", "rename", "listdir", "scandir", "stat", "lstat", "access", "chmod", "utime")
    functions = {name: getattr(files, name) for name in (*names, "chdir", "getcwd")}
    functions |= {"unlink": files.remove, "replace": files.rename, "open": files.descriptor}
    functions |= {name: forbidden for name in _FORBIDDEN if hasattr(os, name)}
    patches = [(os, name, function) for name, function in functions.items()]
    patches += [(builtins, "open", files.open), (io, "open", files.open), (shutil, "rmtree", files.rmtree)]
    patches += [(torch, "save", save), (torch, "load", load)]
    patches.append((tempfile, "tempdir", "/tmp"))  # otherwise Python looks for a folder by way of descriptors
    before = [(owner, name, getattr(owner, name)) for owner, name, _ in patches]
    opener = openers._file_openers[None]
    try:
        for owner, name, function in patches:
            setattr(owner, name, function)
        openers._file_openers[None] = files.open
        yield
    finally:
        for owner, name, function in before:
            setattr(owner, name, function)
        openers._file_openers[None] = opener
