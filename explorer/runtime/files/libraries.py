"""Libraries of C++ and Rust that open a path themselves: each is given a program's own file in place of its name."""

import json
import os
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import Any
from urllib.parse import quote, unquote, urlsplit

import torch

from explorer.runtime.files.open_files import opened
from explorer.runtime.files.tree import Files
from explorer.runtime.replacements import Replacement

_ORDER = ("timeout", "detect_types", "isolation_level", "check_same_thread", "factory", "cached_statements", "uri")


def connect(files: Files) -> list[Replacement]:
    """The replacement for `sqlite3.connect`."""
    real = sqlite3.connect

    def connect(database, *arguments, **options):
        options |= zip(_ORDER, arguments, strict=False)
        name = os.fsdecode(database)
        if options.get("uri") and name.startswith("file:"):
            address = urlsplit(name)
            name = ":memory:" if "memory" in address.query else unquote(address.path)
        if name in ("", ":memory:"):
            return real(database, **options)
        path = files.path(name)
        if not files.is_folder(os.path.dirname(path)) or files.is_folder(path):
            raise sqlite3.OperationalError("unable to open database file")
        options |= {"uri": True, "factory": _kept(files, path, options.get("factory", sqlite3.Connection))}
        made = real(f"file:/{id(files)}{quote(path)}?vfs=memdb", **options)  # connections to one path share it
        try:
            _load(real, files, files.meant(path), made)
        except BaseException:
            sqlite3.Connection.close(made)
            raise
        return made

    return [(sqlite3, "connect", connect), (sqlite3.dbapi2, "connect", connect)]


def _load(real: Callable, files: Files, path: str, into: sqlite3.Connection) -> None:
    """Fill a database without open connections from its file."""
    content = files.content(path) if files.is_file(path) else b""
    if not content or into.execute("PRAGMA page_count").fetchone()[0]:
        return
    source = real(":memory:")
    try:
        source.deserialize(content)
        source.backup(into)
    finally:
        source.close()


def _kept(files: Files, path: str, base: type) -> type:
    """A connection that writes its database to its file."""

    class Connection(base):  # type: ignore[misc,valid-type]
        def _keep(self) -> None:
            with files.open(path, "wb") as file:
                file.write(self.serialize())

        def commit(self) -> None:
            super().commit()
            self._keep()

        def executescript(self, script):
            made = super().executescript(script)
            self._keep()
            return made

        def __exit__(self, *raised):
            passes = super().__exit__(*raised)
            self._keep()
            return passes

        def close(self) -> None:
            if self.in_transaction:
                self.rollback()
            self._keep()
            super().close()

    return Connection


_SAFETENSORS = ("safetensors", "safetensors.torch", "safetensors.numpy")


def of_libraries(files: Files) -> list[Replacement]:
    """The replacements for functions of libraries."""
    return [
        _by_file(files, torch, "load", 0, "rb"),
        _by_file(files, torch.jit, "save", 1, "wb"),
        _by_file(files, torch.jit, "load", 0, "rb"),
        *((kind, "save", _saved(files)) for kind in (torch.jit.ScriptModule, torch.jit.RecursiveScriptModule)),
        (torch._C, "PyTorchFileWriter", _writer(files)),
        (torch._C, "PyTorchFileReader", _reader(files)),
        (torch.UntypedStorage, "from_file", _mapped(files)),
        (torch.autograd.profiler.profile, "export_chrome_trace", _chrome_trace),
        *connect(files),
        *_of_safetensors(files),
    ]


def _given(files: Files, path, mode: str) -> AbstractContextManager:
    """The argument that a library gets instead of a path: an open file, or a path on the disk that it can read."""
    on_disk = files.on_disk(path) if mode == "rb" else ""
    return nullcontext(on_disk) if on_disk else files.open(path, mode)


def _by_file(files: Files, owner, name: str, place: int, mode: str) -> Replacement:
    """The same function, given an open file where it was given a path."""
    real = getattr(owner, name)

    def function(*args, **kwargs):
        path = args[place] if place < len(args) else kwargs.get("f")
        if not isinstance(path, str | os.PathLike) or kwargs.get("mmap"):
            return real(*args, **kwargs)
        with _given(files, path, mode) as file:
            if place < len(args):
                return real(*args[:place], file, *args[place + 1 :], **kwargs)
            return real(*args, **kwargs | {"f": file})

    function.__name__, function.__doc__ = name, real.__doc__
    return owner, name, function


def _saved(files: Files) -> Callable:
    """`model.save(path)` of a scripted model."""

    def save(self, f, **options) -> None:
        with files.open(f, "wb") as file:
            file.write(self.save_to_buffer(**options))

    return save


def _chrome_trace(self, path, metadata=None, use_python_export=True) -> None:
    """A profile as Chrome shows it, written by torch's own Python in place of its C++."""
    try:
        from torch.profiler._chrome_trace_export import export_chrome_trace
    except ImportError:  # an older torch
        self.function_events.export_chrome_trace(path)
    else:
        export_chrome_trace(self.kineto_results, path, metadata)


def _writer(files: Files) -> type:
    """Torch's archives, as `torch.save` writes them."""

    class PyTorchFileWriter(torch._C.PyTorchFileWriter):
        def __init__(self, target, *options, **named) -> None:
            if isinstance(target, str):
                folder = os.path.dirname(target)
                if folder and not files.is_folder(files.path(folder)):
                    raise RuntimeError(f"Parent directory {folder} does not exist.")
                target = files.open(target, "wb", 0)
            super().__init__(target, *options, **named)

    return PyTorchFileWriter


def _reader(files: Files) -> type:
    class PyTorchFileReader(torch._C.PyTorchFileReader):
        def __init__(self, source) -> None:
            if isinstance(source, str) and not files.on_disk(source):
                source = files.open(source, "rb", 0)
            super().__init__(source)

    return PyTorchFileReader


def _mapped(files: Files) -> Callable:
    """A mapping of a file of the tree shares its bytes."""
    real = torch.UntypedStorage.from_file

    def from_file(filename, shared=False, nbytes=0, **options):
        if files.on_disk(filename):
            return real(filename, shared, nbytes, **options)
        with files.open(filename, "r+b" if shared else "rb", 0) as file:
            raw = opened(file)
            assert raw is not None, "what is not on the disk is of the tree"
            content = raw.content if shared else bytearray(raw.content)
        if nbytes > len(content):
            raise RuntimeError(f"unable to mmap {nbytes} bytes from file <{filename}>: Invalid argument (22)")
        return torch.frombuffer(content, dtype=torch.uint8, count=nbytes or -1).untyped_storage()

    return from_file


def _of_safetensors(files: Files) -> Iterator[Replacement]:
    package: Any = sys.modules.get("safetensors.torch")
    if package is None:
        return
    library: Any = sys.modules["safetensors"]
    real = library.safe_open

    def serialize_file(tensor_dict, filename, metadata=None) -> None:
        with files.open(filename, "wb") as file:
            file.write(library.serialize(tensor_dict, metadata))

    def safe_open(filename, framework="pt", device="cpu", **options):
        if files.on_disk(filename):
            return real(filename, framework, device=device, **options)
        with files.open(filename, "rb") as file:
            return _Safe(library, file.read(), framework)

    for name in _SAFETENSORS:
        module: Any = sys.modules.get(name)
        if module is not None:
            yield module, "serialize_file", serialize_file
            yield module, "safe_open", safe_open


class _Safe:
    """As `safetensors.safe_open`, of bytes."""

    def __init__(self, library: Any, content: bytes, framework: str) -> None:
        by = library.torch if framework in ("pt", "torch", "pytorch") else library.numpy
        self._tensors = by.load(content)
        length = int.from_bytes(content[:8], "little")
        self._metadata = json.loads(content[8 : 8 + length]).get("__metadata__")

    def __enter__(self) -> "_Safe":
        return self

    def __exit__(self, *raised: object) -> None: ...

    def keys(self) -> list[str]:
        """As the library sorts them."""
        return sorted(self._tensors)

    offset_keys = keys

    def metadata(self) -> dict[str, str] | None:
        """The metadata written into the file."""
        return self._metadata

    def get_tensor(self, name: str):
        """A tensor of the file."""
        return self._tensors[name]

    def get_tensors(self, names=None) -> dict:
        """These, or all."""
        return {name: self._tensors[name] for name in names or self.keys()}

    def get_slice(self, name: str) -> "_Slice":
        """A tensor of the file that is read in slices."""
        return _Slice(self._tensors[name])


class _Slice:
    def __init__(self, tensor) -> None:
        self._tensor = tensor

    def __getitem__(self, place):
        return self._tensor[place]

    def get_shape(self) -> list[int]:
        """Of the whole tensor."""
        return list(self._tensor.shape)
