"""Replace attributes of modules and classes for a time.

A Python function of torch or of the standard library stays the same object, and only its code changes. Other code may
compare it by identity, pickle it by name, keep it in a table, or have imported it before.
"""

import inspect
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import update_wrapper
from types import FunctionType
from typing import Any

import torch

Replacement = tuple[Any, str, object]  # owner, name of the attribute, its temporary value
_INHERITED = object()
_TORCH = torch.__file__.removesuffix("__init__.py")
_STANDARD = {threading.__file__, inspect.getfile(warnings.catch_warnings)}
_wrappers: dict[tuple[Any, str], tuple[Any, Any, list[Replacement]]] = {}  # (owner, name) → original, code, result
handlers: list[Callable] = []  # called by functions whose code is replaced
_NUMBER = 1_234_567  # placeholder for a handler's number in the code below


def wrapped(owner: Any, name: str, wrap: Callable[[Any], Any]) -> list[Replacement]:
    """Create replacements that wrap the attribute's present value.

    They are created once for each value of the attribute.

    Args: wrap: the same for all recordings.
    """
    original = vars(owner)[name] if name in vars(owner) else getattr(owner, name)
    function = getattr(original, "__func__", original)
    code = getattr(function, "__code__", None)
    made = _wrappers.get((owner, name))
    if made is None or made[0] != original or made[1] is not code:
        in_place = name in vars(owner) and _is_of_a_library(function)
        replacements = _in_place(original, function, wrap) if in_place else [(owner, name, wrap(original))]
        made = _wrappers[owner, name] = original, code, replacements
    return made[2]


def _is_of_a_library(function: Any) -> bool:
    if type(function) is not FunctionType or len(function.__closure__ or ()) >= len(_FORWARDING):
        return False
    filename = function.__code__.co_filename
    return filename.startswith(_TORCH) or filename in _STANDARD


def _in_place(original: Any, function: FunctionType, wrap: Callable[[Any], Any]) -> list[Replacement]:
    """Return replacements of a function's code and of its signature."""
    copy, before = _copied(function), function.__code__
    new = wrap(copy if original is function else type(original)(copy))
    bare = _FORWARDING[len(function.__closure__ or ())].__code__
    code = bare.replace(
        co_consts=tuple(len(handlers) if one == _NUMBER else one for one in bare.co_consts),
        co_name=before.co_name,
        co_qualname=before.co_qualname,
        co_filename=before.co_filename,
        co_firstlineno=before.co_firstlineno,
    )
    handlers.append(getattr(new, "__func__", new))
    return [(function, "__signature__", inspect.signature(function)), (function, "__code__", code)]


def _copied(function: FunctionType) -> FunctionType:
    """Return another function with the present code of a function."""
    copy = FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )
    copy.__kwdefaults__ = function.__kwdefaults__
    update_wrapper(copy, function)
    del copy.__wrapped__  # type: ignore[attr-defined]
    return copy


def _forwarding() -> list[Any]:
    """Return functions with 0, 1 and 2 free variables that call a handler.

    A function's code must keep its number of free variables. Compilers can follow the import.
    """
    a = b = None

    def none(*args, **kwargs):
        from explorer.runtime.replacements import handlers

        return handlers[1_234_567](*args, **kwargs)

    def one(*args, **kwargs):
        if False:
            _ = a
        from explorer.runtime.replacements import handlers

        return handlers[1_234_567](*args, **kwargs)

    def two(*args, **kwargs):
        if False:
            _ = a, b
        from explorer.runtime.replacements import handlers

        return handlers[1_234_567](*args, **kwargs)

    return [none, one, two]


_FORWARDING = _forwarding()


def replace(undo: ExitStack, *replacements: Replacement, yields: bool = True) -> None:
    """Replace attributes in order until `undo` closes.

    With `yields`, other code's later settings stay.
    """
    done: list[tuple[Any, str, object, object]] = []

    def give_back() -> None:
        for owner, name, new, before in reversed(done):
            held = _held(owner, name)
            if yields and held is not new:
                continue
            if before is not _INHERITED:
                setattr(owner, name, before)
            elif held is not _INHERITED:
                delattr(owner, name)

    undo.callback(give_back)
    for owner, name, new in replacements:
        before = _held(owner, name)
        done.append((owner, name, new, before))  # recorded first, so that an interrupt leaves nothing behind
        setattr(owner, name, new)


def _held(owner: Any, name: str) -> object:
    return owner.__code__ if name == "__code__" else vars(owner).get(name, _INHERITED)


@contextmanager
def replaced(replacements: Iterable[Replacement]) -> Iterator[None]:
    """Yield a context with these attributes."""
    with ExitStack() as undo:
        replace(undo, *replacements, yields=False)
        yield
