"""Objects described, and their parts read, without running code of the program."""

import inspect
from collections.abc import Iterator
from itertools import islice
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

import torch
from torch import nn

from explorer.trace.scene import LONGEST, MOST_BASES, MOST_ENTRIES, Thing

MISSING = object()
_MRO, _NAME = type.__dict__["__mro__"].__get__, type.__dict__["__name__"].__get__  # a metaclass may define its own
_QUALIFIED, _MODULE = type.__dict__["__qualname__"].__get__, type.__dict__["__module__"].__get__
_MODULES = (nn.Sequential, nn.ModuleList, nn.ModuleDict)
_FUNCTIONS = (FunctionType, BuiltinFunctionType)
_KEYS = (int, str, bool, float)
_MOST_KEYS = 10_000  # largest dict that is searched


def is_module_class(value: object) -> bool:
    """Return whether an object is a class of modules."""
    return issubclass(type(value), type) and any(base is nn.Module for base in _MRO(value))


def describe(value: Any, function: int = -1) -> Thing:
    """Describe an object. `function`: the line of the program's function behind it."""
    is_class = issubclass(type(value), type)
    of = value if is_class else type(value)
    thing = Thing(type_name(of), bases_of(of), is_class, function=function)
    if is_class:
        return thing
    bases = [f"{value.__module__}.{value.__qualname__}"[:LONGEST]] if of in _FUNCTIONS else thing.bases
    shape, dtype = _shape(value) if issubclass(of, torch.Tensor) else (None, "")
    item = next((type_name(type(one)) for one in dict.values(value)), "") if issubclass(of, dict) else ""
    entries = _entries(value)
    return Thing(thing.type, bases, False, shape, dtype, _count(value), entries, item, function)


def instance_of(made: type, function: int = -1) -> Thing:
    """Describe the unnamed object that a call of a module's class makes."""
    return Thing(type_name(made), bases_of(made), function=function)


def bases_of(of: type) -> list[str]:
    """Return a class and its bases, with their modules."""
    named = [base for base in _MRO(of) if base is not object][:MOST_BASES]
    return [f"{_module(base)}.{_QUALIFIED(base)}"[:LONGEST] for base in named]


def type_name(of: type) -> str:
    """Return a class's name, for torch's named tuples with their module."""
    name = _NAME(of)[:LONGEST]
    return f"return_types.{name}"[:LONGEST] if _module(of) == "torch.return_types" else name


def _module(of: type) -> str:
    module = _MODULE(of)
    return module if type(module) is str else "builtins"


def _shape(value: torch.Tensor) -> tuple[list[int] | None, str]:
    with torch._C.DisableTorchFunction():  # the tensor may be of a subclass
        try:
            return list(value.shape)[:64], str(value.dtype).removeprefix("torch.")
        except RuntimeError:  # a nested tensor has no shape
            return None, ""


def _count(value: Any) -> int:
    of = type(value)
    length = next((base.__len__ for base in (tuple, list, dict) if issubclass(of, base)), None)
    return length(value) if length is not None else len(_children(value)) if issubclass(of, _MODULES) else 0


def _children(value: Any) -> dict:
    return object.__getattribute__(value, "__dict__").get("_modules") or {}


def _entries(value: Any) -> list[str]:
    of = type(value)
    if issubclass(of, dict):
        return [key[:LONGEST] for key in islice(dict.keys(value), MOST_ENTRIES) if type(key) is str]
    if issubclass(of, _MODULES):
        return [type_name(type(child)) for child in islice(_children(value).values(), MOST_ENTRIES)]
    if of not in (tuple, list) and not type_name(of).startswith("return_types."):
        return []
    walk = list.__iter__(value) if issubclass(of, list) else tuple.__iter__(value)
    return [_entry(part) for part in islice(walk, MOST_ENTRIES)]


def _entry(part: Any) -> str:
    shape = _shape(part)[0] if issubclass(type(part), torch.Tensor) else None
    return type_name(type(part)) if shape is None else str(tuple(shape))[:LONGEST]


def read_step(value: Any, kind: str, key: Any) -> Any:
    """Return an attribute (".") or item ("[") of an object, MISSING if only running code could determine it."""
    if value is MISSING or key is MISSING:
        return MISSING
    return _item(value, key) if kind == "[" else _attribute(value, key)


def _item(value: Any, key: Any) -> Any:
    of = type(value)
    if issubclass(of, _MODULES):
        value = _children(value) if issubclass(of, nn.ModuleDict) else list(_children(value).values())
    if issubclass(type(value), dict) and type(key) in _KEYS:
        return _under_key(value, key)
    inside = type(value) in (list, tuple) and type(key) is int and -len(value) <= key < len(value)
    return value[key] if inside else MISSING


def _under_key(held: dict, key: Any) -> Any:
    """Return a value of a dict, without calling __eq__ of a foreign key with the same hash."""
    plain = dict.__len__(held) <= _MOST_KEYS and all(type(other) in _KEYS for other in dict.keys(held))
    return dict.get(held, key, MISSING) if plain else MISSING


def _attribute(value: Any, name: str) -> Any:
    if issubclass(type(value), torch.Tensor):
        return MISSING
    found = inspect.getattr_static(value, name, MISSING)
    if found is MISSING and issubclass(type(value), nn.Module):
        own = object.__getattribute__(value, "__dict__")
        kept = [own.get(part) for part in ("_modules", "_parameters", "_buffers")]
        found = [_under_key(held, name) for held in kept if type(held) is dict]
        return next((one for one in found if one is not MISSING), MISSING)
    if type(found) in (staticmethod, classmethod):
        return found.__func__
    plain = type(found) is FunctionType or issubclass(type(found), type)
    return found if plain or inspect.getattr_static(type(found), "__get__", MISSING) is MISSING else MISSING


def functions_behind(value: Any) -> Iterator[FunctionType]:
    """Yield the function that a call of an object runs, then those that its decorators replaced."""
    if type(value) is MethodType:
        value = value.__func__
    elif not issubclass(type(value), type) and type(value) is not FunctionType:
        value = inspect.getattr_static(type(value), "forward" if is_module_class(type(value)) else "__call__", None)
    for _ in range(10):
        if type(value) is not FunctionType:
            return
        yield value
        value = value.__dict__.get("__wrapped__")
