"""Methods and functions that stand in for a library's own: the same, but for what would be reached through them."""

import builtins
import copy
import dataclasses
import functools
import io
import string
import sys
import types
import warnings
from _string import formatter_field_name_split
from collections.abc import Callable

import numpy

from explorer.runtime.policy.extra_stand_ins import extra_functions, extra_methods
from explorer.runtime.policy.files import (
    archives,
    array_files,
    downloads,
    folders,
    frame_files,
    frame_options,
    pickles,
    touched,
    write_array,
    written_frame,
)
from explorer.runtime.policy.files.frames import reads_attributes
from explorer.runtime.policy.memory import base_of, gather, random_state, saved_hooks, sliding_window_view
from explorer.runtime.policy.standard_stand_ins import namespace_class, standard_functions
from explorer.runtime.policy.symbolic import differentiate
from explorer.runtime.policy.syntax import plain
from explorer.runtime.policy.torch_stand_ins import (
    checked_hook,
    checked_saving,
    copied_indices,
    default_tensor_type,
    functional_call,
    jit_functions,
    loader,
    measuring_timer,
    parametrize,
    parts,
    plain_name,
    scheduler_state,
    stored,
    swap_tensors,
)

# Methods of pandas that may be named by a text, in `apply`, `agg` and their like.
BY_NAME = {
    *("abs", "all", "any", "bfill", "count", "cummax", "cummin", "cumprod", "cumsum", "cumcount", "describe"),
    *("diff", "ffill", "first", "idxmax", "idxmin", "last", "max", "mean", "median", "min", "ngroup"),
    *("nunique", "pct_change", "prod", "product", "quantile", "rank", "sem", "shift", "size", "skew", "std"),
    *("sum", "var", "mode", "kurt"),
}


PARTS = (
    *("_modules", "_parameters", "_buffers", "_forward_hooks", "_forward_pre_hooks", "_backward_hooks"),
    *("_backward_pre_hooks", "_state_dict_hooks"),
)
_ARRAYS = (("numpy", "ndarray"), ("numpy.typing", "NDArray"))


def stand_in_methods(guards) -> dict[tuple[str, str], Callable]:
    """What stands in for methods, by the type's full name and the method's; the first argument is the object."""
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
            ("pandas.core.generic.NDFrame", name): written_frame(guards, name)
            for name in ("to_csv", "to_string", "to_markdown", "to_html")
        },
        **{
            (module, name): plain_name(guards, name) for name in ("register_buffer", "register_parameter", "add_module")
        },
        **{(module, name): property(parts(guards, name)) for name in PARTS},
        (module, "register_forward_pre_hook"): checked_hook(guards, "register_forward_pre_hook"),
        ("torch.Tensor", "indices"): copied_indices,
        ("torch.optim.lr_scheduler.LRScheduler", "state_dict"): scheduler_state,
        ("pathlib.Path", "touch"): touched,
        ("numpy.ndarray", "tofile"): write_array(guards),
        ("torch.Tensor", "gather"): gather,
        ("numpy.ndarray", "resize"): _resize(guards),
        **{("torch.Tensor", name): stored(name) for name in ("storage", "untyped_storage")},
        ("torch._C._autograd.SavedTensor", "register_hooks"): _register_hooks,
        ("numpy.ndarray", "base"): property(base_of),
        ("numpy.random.mtrand.RandomState", "set_state"): _set_state(guards, None),
        ("torch.optim.optimizer.Optimizer", "register_step_pre_hook"): checked_hook(guards, "register_step_pre_hook"),
    }


def stand_in_functions(guards) -> dict[tuple[str, str], object]:
    """What stands in for functions, by the module's name and the function's."""
    return {
        **array_files(guards),
        **archives(guards),
        **frame_files(guards),
        **frame_options(guards),
        **folders(guards),
        **pickles(guards),
        **downloads(guards),
        **extra_functions(guards),
        ("torch.autograd.graph", "saved_tensors_hooks"): checked_saving(),
        ("torch", "set_num_threads"): lambda count: None,
        **{(module, "DataLoader"): loader() for module in ("torch.utils.data", "torch.utils.data.dataloader")},
        **jit_functions(),
        **standard_functions(guards),
        ("torch", "set_default_tensor_type"): default_tensor_type(guards),
        ("torch.utils", "swap_tensors"): swap_tensors,
        ("numpy.lib.stride_tricks", "sliding_window_view"): sliding_window_view,
        ("torch.utils.benchmark", "Timer"): measuring_timer(guards),
        ("torch.func", "functional_call"): functional_call(guards),
        ("torch.nn.utils.stateless", "functional_call"): functional_call(guards),
        ("torch.nn.utils.parametrize", "register_parametrization"): parametrize,
        **{(module, name): guards.shown_as[numpy.ndarray] for module, name in _ARRAYS},
        ("pandas", "crosstab"): _crosstab(guards),
        ("copy", "deepcopy"): _deepcopy(guards),
        ("sympy", "diff"): differentiate,
        ("functools", "wraps"): _wraps(guards),
        ("numpy.random", "set_state"): _set_state(guards, lambda state: sys.modules["numpy"].random.set_state(state)),
        ("dataclasses", "dataclass"): _dataclass(guards),
        ("types", "SimpleNamespace"): namespace_class(guards, "types", "SimpleNamespace"),
        ("warnings", "catch_warnings"): lambda *, record=False: warnings.catch_warnings(record=record),
    }


def checked_print(guards):
    """`print`, to the cell's own output or into a file of the program."""

    def print(*args, sep=" ", end="\n", file=None, flush=False):
        if file is not None and type(file) not in (io.StringIO, io.TextIOWrapper):
            guards.refuse("print(file=...)", "attribute")
        for value in args:
            if isinstance(value, types.ModuleType):
                repr(value)  # one that is not to be shown says so before the first word stands there
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


def _formatter(guards):
    class Formatter(string.Formatter):
        def get_field(self, name, arguments, keywords):
            first, rest = formatter_field_name_split(name)
            found = self.get_value(first, arguments, keywords)
            for is_attribute, key in rest:
                found = guards.getattr(found, key) if is_attribute else found[key]
            return found, first

    def format(self, /, *arguments, **keywords):
        if not isinstance(self, str) or not reads_attributes(self):
            return str.format(self, *arguments, **keywords)
        return Formatter().vformat(self, arguments, keywords)

    return format


def _map_formatter(guards):
    def format_map(self, mapping, /):
        if not isinstance(self, str) or not reads_attributes(self):
            return str.format_map(self, mapping)
        guards.refuse("str.format_map", "attribute")

    return format_map


# ---- pandas --------------------------------------------------------------------------------------------------------


def _check_names(guards, given: object, depth: int = 0) -> object:
    """What is given in place of a function, its texts checked and its containers copied."""
    if isinstance(given, str):
        given = plain(given)
        if given not in BY_NAME:
            guards.refuse(f"DataFrame.{given}", "attribute")
        return given
    if callable(given) or given is None or depth > 3:
        return given
    if isinstance(given, dict):
        return {key: _check_names(guards, value, depth + 1) for key, value in dict.items(given)}
    if isinstance(given, list | tuple):
        return [_check_names(guards, value, depth + 1) for value in list(given)]
    return guards.refuse(f"{type(given).__name__}", "attribute")


def _handed_on(guards, given: object) -> object:
    """A dictionary that pandas gives to the function as its arguments by name."""
    return dict(guards.keywords(given)) if isinstance(given, dict) else given


def _by_name(guards, method: str):
    def named(self, *arguments, **keywords):
        keywords = {
            key: _handed_on(guards, value) if key[-6:] == "kwargs" else value for key, value in keywords.items()
        }
        arguments = (*arguments[:1], *(_handed_on(guards, one) for one in arguments[1:]))
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
            unnamed = not arguments and "func" not in keywords  # then every keyword names a function
            arguments = (*(_check_names(guards, one) for one in arguments[:1]), *arguments[1:])
            for key, value in keywords.items():
                if isinstance(value, tuple) and len(tuple(value)) == 2:  # column and function, as agg(x=("a", "sum"))
                    column, function = tuple(value)
                    keywords[key] = column, _check_names(guards, function)
                elif isinstance(value, tuple) or key in ("func", "arg") or (isinstance(value, str) and unnamed):
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


# ---- the standard library ------------------------------------------------------------------------------------------


def _deepcopy(guards):
    def deepcopy(x, memo=None):
        if memo is not None:  # it would get everything that was met on the way, as it is
            guards.refuse("copy.deepcopy(memo=...)", "internals")
        return copy.deepcopy(x)

    return deepcopy


def _set_state(guards, of_module):
    """Set the state of NumPy's generator, whose place in its 624 numbers is used unchecked."""

    def set_state(*arguments):
        *generator, state = arguments
        try:
            state = random_state(state)
        except (ValueError, TypeError, KeyError):
            guards.refuse("numpy.random.set_state", "memory")
        return generator[0].set_state(state) if generator else of_module(state)

    return set_state


def _resize(guards):
    def resize(self, *shape, refcheck=True):
        """Resize in place, to as many entries: another number would move the memory away under its readers."""
        shape = numpy.broadcast_shapes(shape[0] if len(shape) == 1 else shape)
        if numpy.prod(shape, dtype=object) != self.size:
            guards.refuse("ndarray.resize", "moved")
        self.shape = shape

    return resize


def _register_hooks(self, pack_hook, unpack_hook):
    return self.register_hooks(*saved_hooks(pack_hook, unpack_hook))


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
