"""Methods and functions that stand in for a library's own: the same, but for what would be reached through them."""

import builtins
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
from collections.abc import MutableMapping

from explorer.runtime.policy.syntax import is_special

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
        ("builtins.str", "format"): _formatter(guards),
        ("builtins.str", "format_map"): _map_formatter(guards),
        **{(kind, function.__name__): function for kind in pandas for function in named},
        ("pandas.core.generic.NDFrame", "pivot_table"): _by_name(guards, "pivot_table"),
        **{
            ("pandas.core.generic.NDFrame", name): _text_only(guards, name)
            for name in ("to_csv", "to_string", "to_markdown")
        },
        **{
            (module, name): _plain_name(guards, name)
            for name in ("register_buffer", "register_parameter", "add_module")
        },
        **{(module, name): property(_parts(guards, name)) for name in ("_modules", "_parameters", "_buffers")},
        (module, "register_forward_pre_hook"): _checked_hook(guards, "register_forward_pre_hook"),
        ("torch.optim.optimizer.Optimizer", "register_step_pre_hook"): _checked_hook(guards, "register_step_pre_hook"),
    }


def stand_in_functions(guards) -> dict[tuple[str, str], object]:
    """By the module's name and the function's."""
    saved: set[bytes] = set()
    return {
        ("torch", "save"): _save(guards, saved),
        ("torch", "load"): _load(guards, saved),
        **{("os", name): _on_path(guards, "os", name) for name in ("remove", "unlink", "rmdir", "rename", "replace")},
        ("shutil", "rmtree"): _on_path(guards, "shutil", "rmtree"),
        ("torch", "set_num_threads"): lambda count: None,
        **{(module, "DataLoader"): _loader() for module in ("torch.utils.data", "torch.utils.data.dataloader")},
        ("torch.func", "functional_call"): _functional_call(guards),
        ("torch.nn.utils.parametrize", "register_parametrization"): _parametrize,
        ("pandas", "crosstab"): _crosstab(guards),
        ("pandas", "read_csv"): _read_csv(guards),
        ("functools", "wraps"): _wraps(guards),
        ("dataclasses", "dataclass"): _dataclass(guards),
        ("types", "SimpleNamespace"): _namespace(guards),
        ("warnings", "catch_warnings"): lambda *, record=False: warnings.catch_warnings(record=record),
    }


def checked_print(guards):
    """`print`, to the cell's own output or into a file of the program."""

    def print(*values, sep=" ", end="\n", file=None, flush=False):
        if file is not None and type(file) not in (io.StringIO, io.TextIOWrapper):
            guards.refuse("print(file=...)", "attribute")
        builtins.print(*values, sep=sep, end=end, file=file)

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
    if isinstance(given, tuple):  # (column, function) of a named aggregation
        return tuple([*tuple(given)[:-1], _check_names(guards, given[-1], depth + 1)])
    if isinstance(given, list):
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
                if isinstance(value, tuple) or key in ("func", "arg"):
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


# ---- torch ---------------------------------------------------------------------------------------------------------


class Parts(MutableMapping):
    """The parts of a module by name, as `_modules` has them. Only parts go in: a module finds its attributes there."""

    def __init__(self, guards, parts: dict, what: str) -> None:
        self._guards, self._parts, self._what = guards, parts, what

    def __getitem__(self, name):
        return self._parts[name]

    def __setitem__(self, name, part) -> None:
        import torch

        if is_special(str(name)) or not isinstance(part, torch.nn.Module | torch.Tensor | None):
            self._guards.refuse(f"Module.{self._what}[{name!r}] =", "write")
        self._parts[name] = part

    def __delitem__(self, name) -> None:
        del self._parts[name]

    def __iter__(self):
        return iter(self._parts)

    def __len__(self) -> int:
        return len(self._parts)

    def __repr__(self) -> str:
        return repr(self._parts)


def _parts(guards, name: str):
    return lambda module: Parts(guards, getattr(module, name), name)


@functools.cache
def _loader() -> type:
    """A DataLoader that loads in the program's own process, the only one it has."""
    import torch.utils.data

    class DataLoader(torch.utils.data.DataLoader):
        def __init__(
            self, dataset, batch_size=1, shuffle=None, sampler=None, batch_sampler=None, num_workers=0, *rest, **options
        ):
            for name in ("multiprocessing_context", "prefetch_factor", "persistent_workers"):
                options.pop(name, None)
            super().__init__(dataset, batch_size, shuffle, sampler, batch_sampler, 0, *rest, **options)

    DataLoader.__module__, DataLoader.__qualname__ = "torch.utils.data.dataloader", "DataLoader"
    return DataLoader


def _plain_name(guards, method: str):
    def register(self, name, *arguments, **keywords):
        if isinstance(name, str) and is_special(name):
            guards.refuse(f"Module.{method}({name!r})", "internals")
        return getattr(self, method)(name, *arguments, **keywords)

    register.__name__ = method
    return register


def _checked_hook(guards, method: str):
    """A hook may give a call other arguments by name; they are checked like those in a call."""

    def register(self, hook, *arguments, **keywords):
        @functools.wraps(hook)
        def checked(*given):
            result = hook(*given)
            if isinstance(result, tuple) and len(result) == 2 and isinstance(result[1], dict):
                guards.keywords(result[1])
            return result

        return getattr(self, method)(checked, *arguments, **keywords)

    register.__name__ = method
    return register


def _functional_call(guards):
    def functional_call(module, parameter_and_buffer_dicts, args=None, kwargs=None, **options):
        import torch

        if kwargs is not None:
            kwargs = dict(guards.keywords(kwargs))
        return torch.func.functional_call(module, parameter_and_buffer_dicts, args, kwargs, **options)

    return functional_call


def _parametrize(module, tensor_name, parametrization):
    from torch.nn.utils.parametrize import register_parametrization

    return register_parametrization(module, tensor_name, parametrization)


# ---- the standard library ------------------------------------------------------------------------------------------


def _wraps(guards):
    def wraps(wrapped):
        def decorate(wrapper):
            if not (guards.is_own_function(wrapper) or (isinstance(wrapper, type) and guards.is_own(wrapper))):
                guards.refuse(f"functools.wraps(...)({guards.said(wrapper)})", "write")
            return functools.update_wrapper(wrapper, wrapped)

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
