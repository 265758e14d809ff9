"""NumPy's functions that read and write files. Arrays of Python objects stay out: they would be pickled."""

import gzip
import io
import sys
from typing import Any

from explorer.runtime.policy.files.paths import content, is_path, plain_content, put


def array_files(guards) -> dict[tuple[str, str], object]:
    """What stands in for NumPy's ways to files, by the module's name and the function's."""
    functions = (_save, _load, _savez, _savez_compressed, _savetxt, _loadtxt, _genfromtxt, _fromfile)
    return {("numpy", one.__name__[1:]): one(guards) for one in functions}


def write_array(guards):
    """In place of `ndarray.tofile`."""

    def tofile(self, fid, sep="", format="%s"):
        data = self.tobytes() if sep == "" else str(sep).join(str(format) % one for one in self.ravel()).encode()
        put(guards, "ndarray.tofile", fid, data)

    return tofile


def _numpy():
    return sys.modules["numpy"]


def _with_ending(file, ending: str):
    return f"{file}{ending}" if is_path(file) and not str(file).endswith(ending) else file


def _save(guards):
    def save(file, arr, allow_pickle=True):
        buffer = io.BytesIO()
        _numpy().save(buffer, arr, allow_pickle=False)
        put(guards, "numpy.save", _with_ending(file, ".npy"), buffer.getvalue())

    return save


def _load(guards):
    def load(file, mmap_mode=None, allow_pickle=False, fix_imports=True, encoding="ASCII"):
        read = io.BytesIO(content(guards, "numpy.load", file))
        if read.getvalue()[:6] != b"\x93NUMPY" and read.getvalue()[:2] != b"PK":
            guards.refuse("numpy.load", "pickle")  # what else NumPy takes for a pickle
        try:
            return _numpy().load(read, allow_pickle=False, encoding=encoding)
        except ValueError as problem:
            if "allow_pickle" in str(problem):
                guards.refuse("numpy.load(allow_pickle=True)", "pickle")
            raise

    return load


def _saved_together(guards, name: str):
    def together(file, *arrays, allow_pickle=True, **named):
        buffer = io.BytesIO()
        getattr(_numpy(), name)(buffer, *arrays, allow_pickle=False, **named)
        put(guards, f"numpy.{name}", _with_ending(file, ".npz"), buffer.getvalue())

    return together


def _savez(guards):
    return _saved_together(guards, "savez")


def _savez_compressed(guards):
    return _saved_together(guards, "savez_compressed")


def _savetxt(guards):
    def savetxt(fname, X, *arguments, **options):
        if not is_path(fname):
            return _numpy().savetxt(_file(guards, "numpy.savetxt", fname), X, *arguments, **options)
        buffer = io.BytesIO()
        _numpy().savetxt(buffer, X, *arguments, **options)
        packed = str(fname).endswith(".gz")
        put(guards, "numpy.savetxt", fname, gzip.compress(buffer.getvalue(), mtime=0) if packed else buffer.getvalue())

    return savetxt


def _file(guards, what: str, given: Any) -> io.IOBase:
    if not isinstance(given, io.IOBase):
        guards.refuse(what, "file")
    return given


def _from_text(guards, name: str):
    def read(fname, *arguments, **options):
        if is_path(fname):
            text = plain_content(guards, f"numpy.{name}", fname)
            encoding = options.pop("encoding", None)
            fname = io.StringIO(text.decode("latin-1" if encoding == "bytes" else encoding or "utf-8"))
        return getattr(_numpy(), name)(fname, *arguments, **options)

    read.__name__ = name
    return read


def _loadtxt(guards):
    return _from_text(guards, "loadtxt")


def _genfromtxt(guards):
    return _from_text(guards, "genfromtxt")


def _fromfile(guards):
    def fromfile(file, dtype=float, count=-1, sep="", offset=0):
        read = content(guards, "numpy.fromfile", file)[offset:]
        kind = _numpy().dtype(dtype)
        if sep != "":
            return _numpy().fromstring(read.decode(), kind, count, sep=sep)
        whole = len(read) // kind.itemsize if kind.itemsize else 0
        return _numpy().frombuffer(read, kind, whole if count < 0 else min(count, whole)).copy()

    return fromfile
