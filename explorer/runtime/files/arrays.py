"""Replace NumPy's file functions that need a descriptor: `tofile`, `fromfile` and `memmap`.

A file of the tree has no descriptor. Its bytes are read and written directly, and a mapping is an array over them.
"""

import builtins
import ctypes
import gc
import math
import operator
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import numpy

from explorer.runtime.files.open_files import opened
from explorer.runtime.files.tree import Files
from explorer.runtime.replacements import replaced

_MODES = {"readonly": "r", "copyonwrite": "c", "readwrite": "r+", "write": "w+"}


@contextmanager
def array_files(files: Files) -> Iterator[None]:
    """Install the replacements while a program runs."""
    methods: Any = gc.get_referents(vars(numpy.ndarray))[0]  # methods of a C type, which cannot be assigned
    tofile, methods["tofile"] = methods["tofile"], _tofile()
    _changed(numpy.ndarray)
    try:
        made, read = _mapped(numpy.memmap.__new__), _fromfile(files, numpy.fromfile)
        with replaced([(numpy.memmap, "__new__", made), (numpy, "fromfile", read)]):
            yield
    finally:
        methods["tofile"] = tofile
        _changed(numpy.ndarray)


def _changed(kind: type) -> None:
    """Tell Python that the methods of a type have changed: it caches where it found them."""
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(kind))


def _fromfile(files: Files, real: Callable) -> Callable:
    def fromfile(file, dtype=float, count=-1, sep="", offset=0, **options):
        named = isinstance(file, str | os.PathLike)
        if not named and opened(file) is None:
            return real(file, dtype, count, sep, offset, **options)
        with files.open(file, "rb") if named else nullcontext(file) as source:
            start = source.tell() + offset
            source.seek(start)
            read = source.read()
            if sep != "":
                return numpy.fromstring(read.decode(), dtype, count, sep=sep)
            kind = numpy.dtype(dtype)
            whole = len(read) // kind.itemsize if kind.itemsize else 0
            made = numpy.frombuffer(read, kind, whole if count < 0 else min(count, whole)).copy()
            source.seek(start + made.nbytes)
            return made

    return fromfile


def _tofile() -> Callable:
    def tofile(self, fid, sep="", format="%s") -> None:
        """Write the array to a file as text or binary (default)."""
        if sep == "" and self.dtype.hasobject:
            raise OSError("cannot write object arrays to a file in binary mode")
        data = self.tobytes()
        if sep != "":
            data = sep.join((format or "%s") % (entry,) for entry in self.ravel().tolist()).encode()
        named = isinstance(fid, str | bytes | os.PathLike)
        with builtins.open(fid, "wb") if named else nullcontext(fid) as file:
            file.write(data)

    return tofile


def _mapped(real: Callable) -> Callable:
    """An array that shares a file's bytes: a write to either changes both."""

    def __new__(subtype, filename, dtype=numpy.uint8, mode="r+", offset=0, shape=None, order="C"):
        kind = _MODES.get(mode, mode)
        if kind not in _MODES.values() or (kind == "w+" and shape is None):  # let NumPy raise its own error
            return real(subtype, filename, dtype, mode, offset, shape, order)
        named = not hasattr(filename, "read")
        with builtins.open(filename, ("r" if kind == "c" else kind) + "b") if named else nullcontext(filename) as file:
            raw = opened(file)
            if raw is None:
                return real(subtype, file, dtype, mode, offset, shape, order)
            file.flush()
            size = numpy.dtype(dtype).itemsize
            if shape is None:
                if (len(raw.content) - offset) % size:
                    raise ValueError("Size of available data is not a multiple of the data-type size.")
                shape = ((len(raw.content) - offset) // size,)
            shape = tuple(shape) if isinstance(shape, tuple | list) else (operator.index(shape),)
            needed = offset + math.prod(shape) * size
            if needed > len(raw.content):
                if kind in ("r", "c"):
                    raise ValueError("mmap length is greater than file size")
                raw.truncate(needed)
            content: Any = bytearray(raw.content) if kind == "c" else raw.content
            content = memoryview(content)  # while it exists, the file's bytes cannot move
            content = content.toreadonly() if kind == "r" else content
        made = numpy.ndarray.__new__(subtype, shape, dtype=dtype, buffer=content, offset=offset, order=order)
        made._mmap, made.offset, made.mode = content, offset, kind
        made.filename = os.path.abspath(os.fspath(filename)) if named else None
        return made

    return __new__
