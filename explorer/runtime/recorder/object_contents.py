"""Read the contents of objects without running their code."""

import sys
from collections.abc import Iterator, Mapping
from itertools import islice
from types import (
    BuiltinFunctionType,
    FunctionType,
    GetSetDescriptorType,
    MappingProxyType,
    MemberDescriptorType,
    ModuleType,
)
from typing import Any

import torch

from explorer.runtime.recorder.own_files import is_library
from explorer.runtime.recorder.source import Path

MOST = 5_000  # most objects visited by one walk
WIDEST = 200  # most entries of one list or dictionary
DEEPEST = 3  # most steps from a variable
_PARTS = ("_parameters", "_buffers", "_modules")
_PLAIN = (list, tuple)
_FOUND = (torch.Tensor, torch.nn.Module, torch.optim.Optimizer)
_OF_TORCH = (torch.Tensor, torch.nn.Module, type)  # for issubclass(), as isinstance() reads an object's __class__
_KEY = 60  # most characters shown per key
_DESCRIPTORS = (GetSetDescriptorType, MemberDescriptorType)
# Kinds of objects without contents, by id(): a class of the program may have its own hash.
_KINDS = int, float, bool, complex, str, bytes, type, type(None), torch.dtype, torch.device
EMPTY = frozenset(map(id, (*_KINDS, ModuleType, FunctionType, BuiltinFunctionType)))


def contents(value: Any) -> Iterator[tuple[str, object]]:
    """Yield an object's contents with paths: `["g"]`, `[0]`, `.model`.

    Objects without contents are left out. Attributes are read from the program's own classes. Of a library's objects,
    as trainers and agents are, the public ones that hold a module. torch names the parts of a module.
    """
    kind = type(value)
    if id(kind) in EMPTY:
        return
    if issubclass(kind, dict):
        for key, held in islice(dict.items(value), WIDEST):
            if id(type(held)) not in EMPTY and (type(key) is int or (type(key) is str and len(key) <= _KEY)):
                yield f'["{key}"]' if type(key) is str else f"[{key}]", held
    elif issubclass(kind, _PLAIN):
        entries = islice(list.__iter__(value) if issubclass(kind, list) else tuple.__iter__(value), WIDEST)
        yield from ((f"[{i}]", held) for i, held in enumerate(entries) if id(type(held)) not in EMPTY)
    elif not issubclass(kind, _OF_TORCH) and (attributes := _attributes(value, kind)):
        own = _is_own(kind)
        for name, held in islice(attributes.items(), WIDEST):
            if id(type(held)) in EMPTY or type(name) is not str:
                continue
            if own or (issubclass(type(held), torch.nn.Module) and not name.startswith("_")):
                yield f".{name}", held


def _attributes(value: object, kind: type) -> Mapping[Any, Any]:
    """Return an object's attributes, {} if unsafe to read."""
    for base in kind.__mro__:
        if (found := vars(base).get("__dict__")) is not None:
            attributes = found.__get__(value) if type(found) in _DESCRIPTORS else None
            return attributes if type(attributes) in (dict, MappingProxyType) else {}
    return {}


def read_path(path: Path, *scopes: Mapping[str, object]) -> object:
    """Return the object at a path, None if unsafe to read."""
    value = next((scope[path.head] for scope in scopes if path.head in scope), None)
    for kind, key in path.steps:
        value = _read_step(value, kind, key)
    return value


def _read_step(value: Any, kind: str, key: Any) -> object:
    try:
        if kind == "[":
            if issubclass(type(value), dict):
                return dict.get(value, key)
            return value[key] if type(value) in _PLAIN and type(key) is int else None
        if issubclass(type(value), torch.Tensor):
            return None
        attributes = _attributes(value, type(value))
        if key in attributes:
            return attributes[key]
        for part in _PARTS if issubclass(type(value), torch.nn.Module) else ():
            if isinstance(held := attributes.get(part), dict) and key in held:
                return dict.__getitem__(held, key)
    except (AttributeError, LookupError):
        pass
    return None


def reachable(variables: dict, deepest: int = DEEPEST) -> Iterator[tuple[str, Any]]:
    """Yield the modules, tensors and optimizers reached in a few steps, with the program's expressions.

    The nearest come first, those in a list of a module before the same list's of a variable. Variables themselves and
    private `_names` are left out.
    """
    level = [
        (name, value)
        for name, value in variables.items()
        if id(type(value)) not in EMPTY and type(name) is str and not name.startswith("_")
    ]
    seen: set[int] = set()
    left = MOST
    for _ in range(deepest):
        below: list[tuple[str, object]] = []
        modules = [(name, value) for name, value in level if issubclass(type(value), torch.nn.Module)]
        listed = [(name + step, held) for name, module in modules for step, held in _unregistered(module)]
        for name, value in [*listed, *level]:
            if id(value) in seen or issubclass(type(value), torch.nn.Module):
                continue
            seen.add(id(value))
            for step, held in contents(value):
                left -= 1
                if left < 0:
                    return
                if issubclass(type(held), _FOUND):
                    yield name + step, held
                if not issubclass(type(held), _OF_TORCH):
                    below.append((name + step, held))
        level = below


def _unregistered(module: torch.nn.Module) -> Iterator[tuple[str, object]]:
    """Yield a module's plain lists and dictionaries, whose layers torch does not know."""
    todo, seen = [("", module)], {id(module)}
    own: dict[int, bool] = {}
    for path, part in todo:
        attributes, kind = object.__getattribute__(part, "__dict__"), type(part)
        if id(kind) not in own:
            own[id(kind)] = _is_own(kind)
        if own[id(kind)]:
            for name, held in attributes.items():
                if type(name) is str and not name.startswith("_") and type(held) in (list, tuple, dict):
                    yield f"{path}.{name}", held
        children = attributes.get("_modules")
        for name, child in children.items() if isinstance(children, dict) else ():
            if issubclass(type(child), torch.nn.Module) and id(child) not in seen and len(seen) < MOST:
                seen.add(id(child))
                todo.append((f"{path}.{name}", child))


def _is_own(kind: type) -> bool:
    """Return whether a class is the program's own, not a library's."""
    if kind.__module__ == "__main__":
        return True
    module = sys.modules.get(kind.__module__)
    file = vars(module).get("__file__") if type(module) is ModuleType else None
    return isinstance(file, str) and not is_library(file)
