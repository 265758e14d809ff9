"""Names that a program chooses and a library looks up, reads or sets: none of them is special.

What is checked of a program's own text says nothing of a name that a library makes an attribute of.
"""

import contextlib
import importlib
import inspect
from collections.abc import Callable
from functools import cache
from types import MappingProxyType
from typing import Any

from explorer.runtime.policy.syntax import is_special, plain


def closed_functions(guards) -> dict[tuple[str, str], Callable]:
    """The closed forms of functions that take such names, by module and name."""
    return {
        ("logging.Logger", "makeRecord"): _plain_record(guards),
        ("torch.distributions.distribution.Distribution", "__init__"): _plain_constraints(guards),
        ("pandas.plotting._core", "_load_backend"): _known_backend(guards),
        ("torch.nn.ParameterDict", "_key_to_attr"): _plain_key(guards),
        ("enum.EnumType", "_create_"): _plain_members(guards),
    }


# Types that find attributes under names a program chooses: parts of modules, columns of tables.
NAMED = (
    "torch.nn.modules.module.Module",
    "pandas.core.generic.NDFrame",
    "pandas.core.groupby.groupby.GroupBy",
    "pandas.core.window.rolling.BaseWindow",
    "pandas.api.typing.Resampler",
)

_running: list[bool] = []  # one for each run in this process that keeps special names from them


@contextlib.contextmanager
def no_special_names():
    """None of them under a special name, by which libraries ask any object for its memory."""
    for name in NAMED:
        module, _, kind = name.rpartition(".")
        _asks_first(getattr(importlib.import_module(module), kind))
    _running.append(True)
    try:
        with _pruned_parts():
            yield
    finally:
        _running.pop()


@contextlib.contextmanager
def _pruned_parts():
    """Pruning reads, sets and deletes an attribute by its name: that of a module, under a plain name."""
    import torch
    from torch.nn.utils.prune import BasePruningMethod as Method

    def check(module, name) -> None:
        if not isinstance(module, torch.nn.Module) or type(name) is not str or name[:1] == "_":
            raise TypeError(f"a module and the name of a parameter are wanted, not {type(module).__name__}, {name!r}")

    def apply(cls, module, name, *arguments, **keywords):
        check(module, name)
        if not isinstance(getattr(module, name), torch.Tensor):
            raise TypeError(f"{name} is no parameter of {type(module).__name__}")
        return before["apply"].__func__(cls, module, name, *arguments, **keywords)

    def checked(method: str) -> Callable:
        def on_module(self, module, *arguments, **keywords):
            check(module, getattr(self, "_tensor_name", None))
            return before[method](self, module, *arguments, **keywords)

        on_module.__name__ = on_module.__qualname__ = method
        return on_module

    before = {name: vars(Method)[name] for name in ("apply", "__call__", "apply_mask", "remove")}
    replaced = {"apply": classmethod(apply)} | {name: checked(name) for name in ("__call__", "apply_mask", "remove")}
    for name, function in replaced.items():
        setattr(Method, name, function)
    try:
        yield
    finally:
        for name, method in before.items():
            setattr(Method, name, method)


@cache
def _asks_first(kind: Any) -> None:
    """Has a type ask, from now on and for good, whether special names are answered.

    To change `__getattr__` is to write into each of its subclasses, hundreds in torch: done in a preloaded parent, it
    spares every child the copies of their pages.
    """
    found = kind.__getattr__

    def attribute(self, name):
        if _running and name[:2] == "__":
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        return found(self, name)

    kind.__getattr__ = attribute


def _known_backend(guards) -> Callable:
    """pandas imports whatever module is named as the one that draws."""
    import pandas

    load = pandas.plotting._core._load_backend

    def loaded(backend):
        if type(backend) is not str or backend != "matplotlib":
            guards.refuse("backend=", "keyword")
        return load(backend)

    return loaded


def _plain_key(guards) -> Callable:
    def key_to_attr(self, key):
        if not isinstance(key, str):
            raise TypeError(f"Index given to ParameterDict cannot be used as a key as it is not a string: {key!r}")
        key = plain(key)
        if is_special(key):
            guards.refuse(f"ParameterDict[{key!r}]", "internals")
        return key

    return key_to_attr


def _plain_record(guards) -> Callable:
    """What is logged may have attributes under names of the program (`extra`), and goes to its own handlers."""
    import logging

    make = logging.Logger.makeRecord

    def record(self, name, level, fn, lno, msg, args, exc_info, func=None, extra=None, sinfo=None):
        extra = None if extra is None else dict(guards.keywords(extra))
        return make(self, name, level, fn, lno, msg, args, exc_info, func, extra, sinfo)

    return record


def _plain_constraints(guards) -> Callable:
    """A distribution hands what it has under every name in `arg_constraints` to a check of the program's."""
    import torch

    before, name = torch.distributions.Distribution.__init__, "arg_constraints"

    def __init__(self, *arguments, **keywords):
        if not isinstance(self, torch.distributions.Distribution):
            raise TypeError(f"a distribution is wanted, not {type(self).__name__}")
        found = inspect.getattr_static(self, name)
        if type(found) is not dict:
            if not isinstance(found, property) or guards.is_own_function(found.fget):
                guards.refuse(f"{type(self).__name__}.{name}", "definition")
            return before(self, *arguments, **keywords)
        for one in found:
            if type(one) is not str or one[:1] == "_":
                guards.refuse(f"{type(self).__name__}.{name}[{one!r:.60}]", "internals")
        held = {key: value for key, value in vars(self).items() if key == name}
        vars(self)[name] = MappingProxyType(dict(found))  # a check might change it meanwhile
        try:
            before(self, *arguments, **keywords)
        finally:
            del vars(self)[name]
            vars(self).update(held)

    return __init__


def _plain_members(guards) -> Callable:
    import enum

    create = vars(enum.EnumType)["_create_"]

    def members(cls, class_name, names, **options):
        if isinstance(names, str):
            names = plain(names).replace(",", " ").split()
        names = list(dict.items(names)) if isinstance(names, dict) else list(names)
        names = [plain(one) if isinstance(one, str) else tuple(one) for one in names]
        names = [one if isinstance(one, str) else (plain(one[0]), *one[1:]) for one in names]
        for one in names:
            if is_special(one if isinstance(one, str) else one[0]):
                guards.refuse(f"Enum({class_name!r}, ...)", "internals")
        return create(cls, class_name, names, **options)

    return members
