"""pickle, and what torch saves: a run reads what this very run has written, and nothing else.

A pickle says by name which classes and functions it needs. What a name means may have changed since it was written, so
a name of the program's own stands for what it stood for then. Methods are not written: they are names too.
"""

import hashlib
import io
import pickle
import types
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType, SimpleNamespace

from explorer.runtime.policy.files.paths import content, put

_BOUND = (MethodType, type(object().__str__), type(str.join), type(int.__add__), types.ClassMethodDescriptorType)


class Written:
    """The pickles of one run: for each, by its bytes, what its names stand for."""

    def __init__(self) -> None:
        self._meant: dict[bytes, dict[tuple[str, str], object]] = {}
        self.lengths: set[int] = set()

    def add(self, data: bytes, meant: dict[tuple[str, str], object]) -> None:
        """Remember a pickle."""
        self._meant[hashlib.sha256(data).digest()] = meant
        self.lengths.add(len(data))

    def get(self, data: bytes) -> dict[tuple[str, str], object] | None:
        """What the names in these bytes stand for; None for bytes that this run has not written."""
        return self._meant.get(hashlib.sha256(data).digest())


def _pickler(meant: dict[tuple[str, str], object]) -> type:
    class Pickler(pickle.Pickler):
        def reducer_override(self, thing):
            bound = isinstance(thing, BuiltinFunctionType) and not isinstance(thing.__self__, ModuleType | None)
            if bound or isinstance(thing, _BOUND):
                raise pickle.PicklingError(f"Can't pickle {thing.__name__}: methods are not written here")
            if isinstance(thing, type | FunctionType):
                meant[thing.__module__, thing.__qualname__] = thing
            return NotImplemented

    return Pickler


def _unpickler(meant: dict[tuple[str, str], object]) -> type:
    class Unpickler(pickle.Unpickler):
        def find_class(self, module, name):
            if (module, name) in meant:
                return meant[module, name]
            if module == "__main__" or "." in name or (module, name) == ("builtins", "getattr"):
                raise pickle.UnpicklingError(f"{module}.{name} was not written here")
            return super().find_class(module, name)

    return Unpickler


def pickles(guards) -> dict[tuple[str, str], object]:
    """What stands in for pickle's and torch's ways to files, by the module's name and the function's."""
    written = Written()

    def dumps(obj, protocol=None, **options):
        meant: dict = {}
        buffer = io.BytesIO()
        _pickler(meant)(buffer, protocol).dump(obj)
        written.add(buffer.getvalue(), meant)
        return buffer.getvalue()

    def dump(obj, file, protocol=None, **options):
        put(guards, "pickle.dump", file, dumps(obj, protocol))

    def loads(data, **options):
        data = bytes(data)
        meant = written.get(data)
        if meant is None:
            guards.refuse("pickle.loads", "pickle")
        return _unpickler(meant)(io.BytesIO(data)).load()

    def load(file, **options):
        start = file.tell() if isinstance(file, io.IOBase) else 0
        rest = content(guards, "pickle.load", file)
        for length in sorted(written.lengths):  # several may stand in one file
            if length <= len(rest) and written.get(rest[:length]) is not None:
                file.seek(start + length)
                return loads(rest[:length])
        if not rest:
            raise EOFError("Ran out of input")
        guards.refuse("pickle.load", "pickle")

    functions = {("pickle", one.__name__): one for one in (dumps, dump, loads, load)}
    return functions | {("torch", "save"): _save(guards, written), ("torch", "load"): _load(guards, written)}


def _save(guards, written: Written):
    def save(obj, f, *rest, **options):
        import torch

        meant: dict = {}
        buffer = io.BytesIO()
        torch.save(obj, buffer, pickle_module=SimpleNamespace(Pickler=_pickler(meant), __name__="pickle"))
        written.add(buffer.getvalue(), meant)
        put(guards, "torch.save", f, buffer.getvalue())

    return save


def _load(guards, written: Written):
    def load(f, map_location=None, pickle_module=None, *, weights_only=None, mmap=None, **options):
        import torch

        read = content(guards, "torch.load", f)
        meant = written.get(read)
        if meant is None:
            guards.refuse("torch.load", "pickle")
        if weights_only is not False:
            return torch.load(io.BytesIO(read), map_location, weights_only=True)
        names = SimpleNamespace(Unpickler=_unpickler(meant), __name__="pickle")
        return torch.load(io.BytesIO(read), map_location, names, weights_only=False)

    return load
