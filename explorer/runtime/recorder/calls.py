"""Record calls of torch with their arguments and writes."""

import contextlib
import inspect
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from types import (
    BuiltinFunctionType,
    CodeType,
    FrameType,
    FunctionType,
    MethodDescriptorType,
    MethodWrapperType,
    WrapperDescriptorType,
)
from typing import Any

import msgspec
import torch
from msgspec import Struct
from torch._C import TensorBase
from torch.overrides import _get_overridable_functions, handle_torch_function

from explorer.runtime.recorder.loss_terms import reduces as _reduces
from explorer.runtime.recorder.source_map import CallSite
from explorer.trace.arguments import DEEP, DROPPED, EXACT, MOST

# Queries that do not touch a tensor's entries, and calls that are recorded elsewhere.
_UNRECORDED = frozenset(
    """
    __dir__ __format__ __hash__ __len__ __reduce_ex__ __repr__ __setstate__ __str__ _fix_weakref
    _get_tracing_state _has_compatible_shallow_copy_type _is_view _is_zerotensor _make_subclass
    _make_wrapper_subclass _set_grad_enabled backward can_cast data_ptr dim element_size get_default_dtype
    get_device has_names has_torch_function is_complex is_conj is_contiguous is_floating_point is_grad_enabled
    is_inference is_neg is_pinned is_same_size is_set_to is_shared is_signed is_storage is_tensor
    manual_seed ndimension nelement numel promote_types register_hook register_post_accumulate_grad_hook
    result_type retain_grad set_default_dtype size storage storage_offset stride untyped_storage _use_count
    """.split()
)
_PROPERTIES = {"T", "mT", "H", "mH", "data", "grad", "real", "imag"}
_UNVERSIONED = {"batch_norm", "instance_norm", "native_batch_norm", "_amp_foreach_non_finite_check_and_unscale_"}
_WRITE_ALSO = {"__setitem__", "__setstate__", *_UNVERSIONED}
_EXPOSE = {"numpy", "__array__", "__dlpack__", "__array_interface__", "share_memory_"}
_SHARE = {"detach", "data", "real", "imag", "as_tensor", "asarray", "frombuffer", "from_numpy", "from_dlpack", "grad"}
_Tensor, _Parameter, _NESTED = torch.Tensor, torch.nn.Parameter, (list, tuple, dict)  # looked up for every argument
_NoneType = type(None)
_TORCH, _HANDLE = torch.__file__.removesuffix("__init__.py"), handle_torch_function.__code__
_IN_C = {BuiltinFunctionType, MethodDescriptorType, MethodWrapperType, WrapperDescriptorType}
_USER_HOOKS = {"register_hook", "register_post_accumulate_grad_hook"}


@dataclass(frozen=True, slots=True)
class TorchCall:
    """A torch function from the recorder's perspective.

    Attributes: name, function: short and qualified name. recorded: whether it becomes an operation. writes: whether it
    may change entries of an argument. renews: whether it may replace a tensor's state without a write (requires_grad_,
    .data = ...). exposes: whether other libraries can write into the memory afterwards. hooks: whether it attaches code
    of the program to the graph. shares: whether its result may be in an argument's memory without being a view. code:
    its code object if it is written in Python. pure: whether it is torch's own and writes to nothing. own: whether it
    is torch's own and writes to its arguments at most. marks: whether it opens or closes a range of torch's profiler.
    unversioned: whether torch writes without a new version: running averages, gradients that a scaler divides. reduces:
    whether it may be a loss: a function of torch with a reduction argument, a mean or a sum. foreign: whether it is no
    function of torch.
    """

    name: str
    function: str
    recorded: bool
    writes: bool = False
    renews: bool = False
    exposes: bool = False
    hooks: bool = False
    shares: bool = True
    code: object = None
    pure: bool = False
    own: bool = False
    marks: bool = False
    unversioned: bool = False
    reduces: bool = False
    foreign: bool = False


class Calls(dict):
    """A map from torch functions to TorchCall, filled on first use.

    Results never change, so all recordings share one map.
    """

    def __missing__(self, function) -> TorchCall:
        call = classify(function)
        with contextlib.suppress(TypeError):  # an unhashable callable
            self[function] = call
        return call


CALLS = Calls()


def classify(function: Callable) -> TorchCall:
    """Classify a function of torch. CALLS caches the results."""
    name = getattr(function, "__name__", None) or str(function)
    if name in ("__get__", "__set__", "__delete__"):
        attribute = getattr(getattr(function, "__self__", None), "__name__", "?")
        if name == "__get__":
            return TorchCall(attribute, f"torch.Tensor.{attribute}", attribute in _PROPERTIES, pure=True)
        recorded = attribute != "_backward_hooks"  # torch sets it while mark_dirty ends a Function
        pure = attribute == "grad"  # the tensor itself does not change
        return TorchCall(f"{attribute}=", f"torch.Tensor.{attribute}", recorded, renews=not pure, pure=pure)
    if name in _UNRECORDED:
        return TorchCall(name, name, False, hooks=name in _USER_HOOKS, foreign=_is_foreign(function))
    in_python = isinstance(function, FunctionType)
    writes = name in _WRITE_ALSO or (name.endswith("_") and not name.endswith("__")) or name.startswith("__i")
    if in_python and not writes:
        writes = _takes(function, "inplace", "running_mean", "max_norm")
    writes = writes or name.startswith(("_foreach", "_fused"))
    qualified, marks = _qualified(function, name), name.startswith("_record_function")
    own = name not in _EXPOSE and qualified.startswith("torch.")
    return TorchCall(
        name=name,
        function=qualified,
        recorded=True,
        writes=writes,
        renews=name in ("requires_grad_", "set_", "resize_", "detach_", "unsqueeze_", "squeeze_", "t_", "transpose_"),
        exposes=name in _EXPOSE,
        shares=in_python or name in _SHARE,
        code=function.__code__ if in_python else None,
        pure=marks or (own and not writes),
        own=own,
        marks=marks,
        unversioned=name in _UNVERSIONED,
        reduces=_reduces(qualified, function),
        foreign=_is_foreign(function),
    )


def _is_foreign(function) -> bool:
    if type(function) is FunctionType:
        return not function.__code__.co_filename.startswith(_TORCH)
    return type(function) not in _IN_C and type(function).__module__.partition(".")[0] != "torch"


def replaced_by(function: Callable, asking: FrameType) -> Callable:
    """Return torch's function that the program has replaced, else `function`.

    Torch looks itself up by name, and so passes the program's function, which has called torch's.

    Args: asking: the frame that called the mode.
    """
    if asking.f_code is not _HANDLE:  # a method in C, which torch looks up in its class
        names = (name for name, method in list(vars(_Tensor).items()) if method is function)
        return getattr(TensorBase, next(names, ""), function)
    own = asking.f_back
    if own is None or not own.f_code.co_filename.startswith(_TORCH):
        return function
    if own.f_code not in _replaced:
        _replaced[own.f_code] = _function_of(own)
    return _replaced[own.f_code] or function


_replaced: dict[CodeType, Callable | None] = {}


def _function_of(frame: FrameType) -> Callable | None:
    """Return the function that runs in a torch frame."""
    code = frame.f_code
    known = (one for one in names_of_functions() if type(one) is FunctionType and one.__code__ is code)
    if (found := next(known, None)) is not None or code.co_freevars:
        return found
    made = FunctionType(code, frame.f_globals, code.co_name, (None,) * code.co_argcount)
    made.__kwdefaults__ = dict.fromkeys(code.co_varnames[code.co_argcount :][: code.co_kwonlyargcount])
    return made


def _takes(function, *names: str) -> bool:
    try:
        return not set(names).isdisjoint(inspect.signature(function).parameters)
    except (ValueError, TypeError):
        return True


def _qualified(function, name: str) -> str:
    try:
        return names_of_functions().get(function) or name
    except TypeError:  # an unhashable callable
        return getattr(function, "__qualname__", name)


@cache
def names_of_functions() -> dict[Callable, str]:
    """Return torch's name of every function that a mode sees.

    Gathered once, at the start of the first recording: torch changes warning filters for it, and Python then forgets
    the shown warnings.
    """
    try:
        return _get_overridable_functions()[1]
    except AttributeError:  # the program has replaced a function by an object without a name
        owners = ((torch, "torch"), (torch.Tensor, "torch.Tensor"), (torch.nn.functional, "torch.nn.functional"))
        named = ((value, f"{prefix}.{name}") for owner, prefix in owners for name, value in list(vars(owner).items()))
        return {value: name for value, name in named if type(value) in (FunctionType, *_IN_C)}


def tensors_in(value: object, tensors: list[torch.Tensor], depth: int = 0) -> list[torch.Tensor]:
    """Return all tensors in arguments or results, in order.

    The search descends three levels into lists, tuples and dictionaries.
    """
    if isinstance(value, torch.Tensor):
        tensors.append(value)
    elif depth < 4:
        if isinstance(value, list | tuple):
            for part in value:
                tensors_in(part, tensors, depth + 1)
        elif isinstance(value, dict):
            for part in value.values():
                tensors_in(part, tensors, depth + 1)
    return tensors


def tensors_of_call(args: tuple, kwargs: dict | None) -> list[torch.Tensor]:
    """Return the tensors among a call's arguments, also in containers."""
    inputs: list[torch.Tensor] = []
    for argument in args:
        kind = type(argument)
        if kind is int or kind is float or kind is bool or kind is _NoneType:
            continue
        if kind is _Tensor or kind is _Parameter or isinstance(argument, _Tensor):
            inputs.append(argument)
        elif kind is list or kind is tuple:
            tensors_in(argument, inputs)
    for value in kwargs.values() if kwargs else ():
        kind = type(value)
        if kind is int or kind is float or kind is bool or kind is _NoneType:
            continue
        if isinstance(value, _Tensor):
            inputs.append(value)
        elif isinstance(value, _NESTED):
            tensors_in(value, inputs, 1)
    return inputs


class BegunCall(Struct, gc=False):
    """A call of the program, from its start until its results are recorded.

    Attributes: of: the function of torch. args, kwargs: its arguments. caller: the frame that called it. index: its id
    as an operation. inputs, identities: its tensors and their ids. frame, callee: the program's frame, and the library
    frame that it called. span, site: the place there. opaque: whether it runs inside torch.func, where every tensor is
    a wrapper.
    """

    of: TorchCall
    args: tuple
    kwargs: dict | None
    caller: FrameType
    index: int = 0
    inputs: Sequence[torch.Tensor] = ()
    identities: tuple[int, ...] = ()
    span: int = -1
    frame: FrameType | None = None
    callee: FrameType | None = None
    site: CallSite | None = None
    opaque: bool = False


_Slice, _Dots, _Dtype = slice, type(Ellipsis), torch.dtype
_PLAIN = (type(None), bool, str)
_encode = msgspec.json.encode


_ANY = torch.empty(0)  # in kept arguments in place of a tensor
_CONSTANTS = frozenset({int, float, bool, str, _NoneType, _Dtype, _Dots})
_NUMBERS, _BOUNDS = frozenset({int, float, bool}), frozenset({int, _NoneType})
_NOW, _FEW = object(), 16
OF_TORCH = frozenset({_Tensor, _Parameter})


class _TooLong(Exception):
    pass


def kept_arguments(args: tuple, kwargs: dict | None, tensors: int) -> str | tuple[tuple, dict | None, int]:
    """Return what `arguments_text` needs later, or its text now."""
    kept = [*map(_kept, args), *map(_kept, kwargs.values())] if kwargs else list(map(_kept, args))
    if any(one is _NOW for one in kept):
        return arguments_text(args, kwargs, tensors)
    if kwargs:
        return tuple(kept[: len(args)]), dict(zip(kwargs, kept[len(args) :], strict=True)), tensors
    return "" if all(one is _ANY for one in kept) else (tuple(kept), None, tensors)


def _kept(argument: Any, deep: int = 2) -> Any:
    """Return an argument with `_ANY` in place of tensors, `_NOW` if it is long or the program may change it."""
    kind = type(argument)
    if kind in OF_TORCH:
        return _ANY
    if kind is tuple or kind is list:
        parts = [_kept(part, deep - 1) for part in argument] if deep and len(argument) <= _FEW else [_NOW]
        return _NOW if any(part is _NOW for part in parts) else kind(parts)
    if kind is _Slice:
        return argument if _BOUNDS.issuperset(map(type, (argument.start, argument.stop, argument.step))) else _NOW
    return argument if kind in _CONSTANTS or (kind is torch.Size and _NUMBERS.issuperset(map(type, argument))) else _NOW


def only_tensors(args: tuple) -> tuple[tuple, None, int] | str:
    """Return what `kept_arguments` would if all arguments are torch's own tensors, otherwise ""."""
    return ((_ANY,) * len(args), None, len(args)) if OF_TORCH.issuperset(map(type, args)) else ""


def arguments_text(args: tuple, kwargs: dict | None, tensors: int) -> str:
    """Encode a call's `[positional, by name]` arguments as JSON.

    `trace/arguments.py` reads it. It is "" if there are only tensors, or too many arguments. The k-th tensor is
    {"tensor": k}, a slice {"slice": [start, stop, step]}, a tuple {"tuple": [...]}, Ellipsis {"dots": true}, a dtype
    {"dtype": name}, a number missing in JSON {"float": "nan"}, and anything else {"other": type}.

    Args:
        tensors: how many tensors the call got. A text that counts differently is not kept.

    >>> arguments_text((torch.ones(2), 0), {"keepdim": True}, 1)
    '[[{"tensor":0},0],{"keepdim":true}]'
    """
    if not kwargs:
        if all(isinstance(argument, _Tensor) for argument in args):
            return ""
        if len(args) == 2 and isinstance(args[0], _Tensor):  # a + b, a * 2: Python's own form of the number
            kind = type(args[1])
            if (kind is float and math.isfinite(args[1])) or (kind is int and -EXACT < args[1] < EXACT):
                return f'[[{{"tensor":0}},{args[1]!r}],{{}}]'
    counted = [0, 0]  # tensors, everything
    try:
        positional = [_plain(argument, counted, DEEP) for argument in args]
        named = {name: _plain(argument, counted, DEEP) for name, argument in (kwargs or {}).items()}
        text = _encode([positional, named]).decode()
    except (_TooLong, UnicodeEncodeError):  # too long, or text with a lone surrogate
        return ""
    return text if len(text) <= MOST and counted[0] == tensors else ""


def without_tensors(text: str, present: Sequence[bool]) -> str:
    """Replace dropped tensors in a call's text by Other(DROPPED).

    The remaining tensors are counted from 0 again.

    Args:
        text: of `arguments_text`.
        present: for each tensor of the call whether it is left.

    >>> without_tensors('[[{"tensor":0},{"tensor":1},2],{}]', [False, True])
    '[[{"other":"Tensor"},{"tensor":0},2],{}]'
    """
    left = accumulate(present, initial=0)
    parts = [{"tensor": number} if one else {"other": DROPPED} for number, one in zip(left, present, strict=False)]

    only_tensors = [{"tensor": number} for number in range(len(present))]

    def replaced(part: Any) -> Any:
        if isinstance(part, list):
            return [replaced(one) for one in part]
        if isinstance(part, dict):
            return parts[part["tensor"]] if "tensor" in part else {key: replaced(one) for key, one in part.items()}
        return part

    positional, named = msgspec.json.decode(text) if text else (only_tensors, {})
    # The names of arguments are the program's: only their values are parts.
    without = _encode([replaced(positional), {name: replaced(one) for name, one in named.items()}]).decode()
    return without if len(without) <= MOST else f'[[{{"other":"{DROPPED}"}}],{{}}]'


def _plain(value: Any, counted: list[int], deep: int) -> object:
    counted[1] += 1
    if counted[1] > MOST or deep < 0:
        raise _TooLong
    kind = type(value)
    if kind is int:
        return value if -EXACT < value < EXACT else {"other": "int"}
    if kind is str and len(value) > MOST:
        raise _TooLong
    if kind in _PLAIN:
        return value
    if kind is float:
        return value if math.isfinite(value) else {"float": str(value)}
    if isinstance(value, _Tensor):
        counted[0] += 1
        return {"tensor": counted[0] - 1}
    if kind is _Slice:
        return {"slice": [_plain(part, counted, deep - 1) for part in (value.start, value.stop, value.step)]}
    if kind is _Dots:
        return {"dots": True}
    if kind is _Dtype:
        return {"dtype": str(value).removeprefix("torch.")}
    if kind is list:  # iterating a subclass would run code of the program
        return [_plain(part, counted, deep - 1) for part in value]
    if kind is tuple or kind is torch.Size:
        return {"tuple": [_plain(part, counted, deep - 1) for part in value]}
    return {"other": kind.__name__[:40]}
