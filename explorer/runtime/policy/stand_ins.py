"""Methods and functions that stand in for a library's own: the same, but for what would be reached through them."""

import builtins
import copy
import dataclasses
import functools
import hashlib
import io
import os
import string
import sys
import types
import warnings
from _string import formatter_field_name_split, formatter_parser

from explorer.runtime.policy.extra_stand_ins import extra_functions, extra_methods
from explorer.runtime.policy.symbolic import differentiate
from explorer.runtime.policy.torch_stand_ins import (
    checked_hook,
    copied_indices,
    functional_call,
    loader,
    parametrize,
    parts,
    plain_name,
    scheduler_state,
)

# Methods of pandas that may be named by a text, in `apply`, `agg` and their like.
BY_NAME = {
    *("abs", "all", "any", "bfill", "count", "cummax", "cummin", "cumprod", "cumsum", "cumcount", "describe"),
    *("diff", "ffill", "first", "idxmax", "idxmin", "last", "max", "mean", "median", "min", "ngroup"),
    *("nunique", "pct_change", "prod", "product", "quantile", "rank", "sem", "shift", "size", "skew", "std"),
    *("sum", "var", "mode", "kurt"),
}


def stand_in_methods(guards) -> dict[tuple[str, str], object]:
    """By the type's full name and the method's: functions whose first argument is the object."""
    named = [_by_name(guards, name) for name in ("apply", "agg", "aggregate", "transform", "pipe", "map")]
    pandas = (
        "pandas.core.generic.NDFrame",
        "pandas.core.groupby.groupby.BaseGroupBy",
        "pandas.core.window.rolling.BaseWindow",
    )
    module = "torch.nn.modules.module.Module"
    return {
        **extra_methods(guards),
        ("builtins.str", "format"): _formatter(guards),
        ("builtins.str", "format_map"): _map_formatter(guards),
        **{(kind, function.__name__): function for kind in pandas for function in named},
        ("pandas.core.generic.NDFrame", "pivot_table"): _by_name(guards, "pivot_table"),
        **{
            ("pandas.core.generic.NDFrame", name): _text_only(guards, name)
            for name in ("to_csv", "to_string", "to_markdown")
        },
        **{
            (module, name): plain_name(guards, name) for name in ("register_buffer", "register_parameter", "add_module")
        },
        **{(module, name): property(parts(guards, name)) for name in ("_modules", "_parameters", "_buffers")},
        (module, "register_forward_pre_hook"): checked_hook(guards, "register_forward_pre_hook"),
        ("torch.Tensor", "indices"): copied_indices,
        ("torch.optim.lr_scheduler.LRScheduler", "state_dict"): scheduler_state,
        ("numpy.random.mtrand.RandomState", "set_state"): _set_state(guards, None),
        ("torch.optim.optimizer.Optimizer", "register_step_pre_hook"): checked_hook(guards, "register_step_pre_hook"),
    }


def stand_in_functions(guards) -> dict[tuple[str, str], object]:
    """By the module's name and the function's."""
    saved: set[bytes] = set()
    return {
        **extra_functions(guards),
        ("torch", "save"): _save(guards, saved),
        ("torch", "load"): _load(guards, saved),
        **{("os", name): _on_path(guards, "os", name) for name in ("remove", "unlink", "rmdir", "rename", "replace")},
        ("shutil", "rmtree"): _on_path(guards, "shutil", "rmtree"),
        ("torch", "set_num_threads"): lambda count: None,
        **{(module, "DataLoader"): loader() for module in ("torch.utils.data", "torch.utils.data.dataloader")},
        ("torch.func", "functional_call"): functional_call(guards),
        ("torch.nn.utils.parametrize", "register_parametrization"): parametrize,
        ("pandas", "crosstab"): _crosstab(guards),
        ("pandas", "read_csv"): _read_csv(guards),
        ("copy", "deepcopy"): _deepcopy(guards),
        ("sympy", "diff"): differentiate,
        ("functools", "wraps"): _wraps(guards),
        ("numpy.random", "set_state"): _set_state(guards, lambda state: sys.modules["numpy"].random.set_state(state)),
        ("dataclasses", "dataclass"): _dataclass(guards),
        ("types", "SimpleNamespace"): _namespace(guards),
        ("warnings", "catch_warnings"): lambda *, record=False: warnings.catch_warnings(record=record),
    }


def checked_print(guards):
    """`print`, to the cell's own output or into a file of the program."""

    def print(*args, sep=" ", end="\n", file=None, flush=False):
        if file is not None and type(file) not in (io.StringIO, io.TextIOWrapper):
            guards.refuse("print(file=...)", "attribute")
        builtins.print(*args, sep=sep, end=end, file=file)

    print.__module__, print.__qualname__ = "builtins", "print"
    return print


def checked_help(guards, show):
    """`help` of functions and classes; of a text it would import what the text names."""

    def help(*request):
        if len(request) != 1 or not callable(request[0]):
            guards.refuse("help()", "internals")
        show(request[0])

    return help


# ---- text ----------------------------------------------------------------------------------------------------------


def _reads_attributes(template: str, depth: int = 0) -> bool:
    for _, field, specification, _ in formatter_parser(template):
        if field and any(is_attribute for is_attribute, _ in formatter_field_name_split(field)[1]):
            return True
        if specification and depth < 3 and _reads_attributes(specification, depth + 1):
            return True
    return False


def _formatter(guards):
    class Formatter(string.Formatter):
        def get_field(self, name, arguments, keywords):
            first, rest = formatter_field_name_split(name)
            found = self.get_value(first, arguments, keywords)
            for is_attribute, key in rest:
                found = guards.getattr(found, key) if is_attribute else found[key]
            return found, first

    def format(self, /, *arguments, **keywords):
        if not isinstance(self, str) or not _reads_attributes(self):
            return str.format(self, *arguments, **keywords)
        return Formatter().vformat(self, arguments, keywords)

    return format


def _map_formatter(guards):
    def format_map(self, mapping, /):
        if not isinstance(self, str) or not _reads_attributes(self):
            return str.format_map(self, mapping)
        guards.refuse("str.format_map", "attribute")

    return format_map


# ---- pandas --------------------------------------------------------------------------------------------------------


def _check_names(guards, given: object, depth: int = 0) -> object:
    """What is given in place of a function, its texts checked and its containers copied."""
    if isinstance(given, str):
        if given not in BY_NAME:
            guards.refuse(f"DataFrame.{given}", "attribute")
        return str(given)
    if callable(given) or given is None or depth > 3:
        return given
    if isinstance(given, dict):
        return {key: _check_names(guards, value, depth + 1) for key, value in dict.items(given)}
    if isinstance(given, list | tuple):
        return [_check_names(guards, value, depth + 1) for value in list(given)]
    guards.refuse(f"{type(given).__name__}", "attribute")


def _by_name(guards, method: str):
    def named(self, *arguments, **keywords):
        if method in ("map", "pipe"):  # a mapping, or any function
            given = arguments[0] if arguments else keywords.get("func")
            if method == "pipe" and isinstance(given, str | tuple):
                guards.refuse(f"{type(self).__name__}.pipe", "attribute")
        elif method == "pivot_table":
            if len(arguments) > 3:
                guards.refuse("pivot_table(values, index, columns, aggfunc)", "keyword")
            if "aggfunc" in keywords:
                keywords["aggfunc"] = _check_names(guards, keywords["aggfunc"])
        else:
            arguments = (*(_check_names(guards, one) for one in arguments[:1]), *arguments[1:])
            for key, value in keywords.items():
                if isinstance(value, tuple) and len(tuple(value)) == 2:  # column and function, as agg(x=("a", "sum"))
                    column, function = tuple(value)
                    keywords[key] = column, _check_names(guards, function)
                elif isinstance(value, tuple) or key in ("func", "arg"):
                    keywords[key] = _check_names(guards, value)
        return getattr(self, method)(*arguments, **keywords)

    named.__name__ = method
    return named


def _crosstab(guards):
    def crosstab(index, columns, **keywords):
        import pandas

        if "aggfunc" in keywords:
            keywords["aggfunc"] = _check_names(guards, keywords["aggfunc"])
        return pandas.crosstab(index, columns, **keywords)

    return crosstab


def _text_only(guards, method: str):
    def written(self, path=None, *arguments, **keywords):
        path = keywords.pop("path_or_buf", keywords.pop("buf", path))
        if path is not None:
            _check_path(guards, f"{type(self).__name__}.{method}", path)
        return getattr(self, method)(path, *arguments, **keywords)

    written.__name__ = method
    return written


def _read_csv(guards):
    def read_csv(filepath_or_buffer, *arguments, **keywords):
        import pandas

        if isinstance(filepath_or_buffer, str) and "://" in filepath_or_buffer:
            guards.refuse(f"pandas.read_csv({filepath_or_buffer!r:.60})", "network")
        return pandas.read_csv(filepath_or_buffer, *arguments, **keywords)

    return read_csv


# ---- files ---------------------------------------------------------------------------------------------------------


def _check_path(guards, what: str, path: object) -> None:
    """A path lies in the program's own folders, or it is a file the program has opened."""
    if isinstance(path, io.IOBase):
        return
    if not isinstance(path, str) or "://" in path or not os.path.isdir(os.path.dirname(path) or "."):
        guards.refuse(what, "file")


def _on_path(guards, module: str, name: str):
    def changed(path, *arguments, **keywords):
        _check_path(guards, f"{module}.{name}", path)
        return getattr(sys.modules[module], name)(path, *arguments, **keywords)

    changed.__name__ = name
    return changed


def _save(guards, saved: set[bytes]):
    def save(obj, f):
        import torch

        _check_path(guards, "torch.save", f)
        buffer = io.BytesIO()
        torch.save(obj, buffer)
        content = buffer.getvalue()
        saved.add(hashlib.sha256(content).digest())
        if not isinstance(f, str):
            f.write(content)
            return
        with builtins.open(f, "wb") as file:
            file.write(content)

    return save


def _load(guards, saved: set[bytes]):
    def load(f, map_location=None, *, weights_only=True, mmap=None):
        import torch

        _check_path(guards, "torch.load", f)
        if isinstance(f, str):
            with builtins.open(f, "rb") as file:
                content = file.read()
        else:
            content = f.read()
        if not isinstance(content, bytes) or hashlib.sha256(content).digest() not in saved:
            guards.refuse("torch.load", "pickle")
        return torch.load(io.BytesIO(content), map_location=map_location, weights_only=weights_only)

    return load


# ---- the standard library ------------------------------------------------------------------------------------------


def _deepcopy(guards):
    def deepcopy(x, memo=None):
        if memo is not None:  # it would get everything that was met on the way, as it is
            guards.refuse("copy.deepcopy(memo=...)", "internals")
        return copy.deepcopy(x)

    return deepcopy


def _set_state(guards, of_module):
    """Of NumPy's generator, whose place in its 624 numbers is used unchecked."""

    def set_state(*arguments):
        *generator, state = arguments
        state = tuple(state)
        if len(state) < 3 or not 0 <= int(state[2]) <= 624:
            guards.refuse("numpy.random.set_state", "memory")
        state = (*state[:2], int(state[2]), *state[3:])
        return generator[0].set_state(state) if generator else of_module(state)

    return set_state


def _wraps(guards):
    def wraps(wrapped):
        def decorate(wrapper):
            if not (guards.is_own_function(wrapper) or (isinstance(wrapper, type) and guards.is_own(wrapper))):
                guards.refuse(f"functools.wraps(...)({guards.said(wrapper)})", "write")
            own = guards.is_own_function(wrapped)
            return functools.update_wrapper(wrapper, wrapped, updated=("__dict__",) if own else ())

        return decorate

    return wraps


def _dataclass(guards):
    def dataclass(kind=None, /, **options):
        def decorate(kind):
            if not guards.is_own(kind):
                guards.refuse(f"dataclass({guards.said(kind)})", "write")
            return guards.adopt(dataclasses.dataclass(kind, **options))

        return decorate if kind is None else decorate(kind)

    return dataclass


def _namespace(guards):
    class namespace(types.SimpleNamespace):
        def __init__(self, **values) -> None:
            super().__init__(**guards.keywords(values))

    namespace.__module__, namespace.__qualname__ = "types", "SimpleNamespace"
    return namespace
