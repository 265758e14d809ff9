"""Calls of torch: whether a function is recorded, may write into its arguments, or exposes memory; a running call."""

import contextlib
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from types import FrameType, FunctionType

import torch
from msgspec import Struct
from torch.overrides import _get_overridable_functions

from explorer.runtime.recorder.source_map import CallSite

# Queries that do not touch a tensor's entries, and calls that are recorded elsewhere.
_UNRECORDED = frozenset(
    """
    __dir__ __format__ __hash__ __len__ __reduce_ex__ __repr__ __setstate__ __str__ _fix_weakref
    _get_tracing_state _has_compatible_shallow_copy_type _is_view _is_zerotensor _make_subclass
    _make_wrapper_subclass _set_grad_enabled backward can_cast data_ptr dim element_size get_default_dtype
    get_device has_names has_torch_function is_complex is_conj is_contiguous is_floating_point is_grad_enabled
    is_inference is_neg is_pinned is_same_size is_set_to is_shared is_signed is_storage is_tensor
    manual_seed ndimension nelement numel promote_types register_hook register_post_accumulate_grad_hook
    result_type retain_grad set_default_dtype size storage storage_offset stride untyped_storage
    """.split()
)
_PROPERTIES = {"T", "mT", "H", "mH", "data", "grad", "real", "imag"}
_WRITE_ALSO = {"__setitem__", "batch_norm", "instance_norm", "native_batch_norm", "__setstate__"}
_EXPOSE = {"numpy", "__array__", "__dlpack__", "__array_interface__", "share_memory_"}
_SHARE = {"detach", "data", "real", "imag", "as_tensor", "asarray", "frombuffer", "from_numpy", "from_dlpack", "grad"}
_Tensor, _SEQUENCES = torch.Tensor, (list, tuple)  # looked up for every argument of every call
_USER_HOOKS = {"register_hook", "register_post_accumulate_grad_hook"}


@dataclass(frozen=True, slots=True)
class TorchCall:
    """One torch function as the recorder sees it.

    Attributes:
        name, function: short and qualified name.
        recorded: whether it becomes an operation.
        writes: whether it may change entries of an argument.
        renews: whether it may replace a tensor's state without a write (requires_grad_, .data = ..., .grad = ...).
        exposes: whether other libraries can write into the memory afterwards.
        hooks: whether it attaches code of the program to the graph.
        shares: whether its result may lie in an argument's memory without being a view.
        code: its code object when it is written in Python.
        pure: whether it is torch's own and writes to nothing.
        own: whether it is torch's own and writes to its arguments at most.
        marks: whether it opens or closes a range of torch's profiler.
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


class Calls(dict):
    """Maps torch functions to TorchCall, on first use; the result never changes, so all recordings share one."""

    def __missing__(self, function) -> TorchCall:
        call = _classify(function)
        with contextlib.suppress(TypeError):  # an unhashable callable
            self[function] = call
        return call


CALLS = Calls()


def _classify(function) -> TorchCall:
    name = getattr(function, "__name__", None) or str(function)
    if name in ("__get__", "__set__", "__delete__"):
        attribute = getattr(getattr(function, "__self__", None), "__name__", "?")
        if name == "__get__":
            return TorchCall(attribute, f"torch.Tensor.{attribute}", attribute in _PROPERTIES, pure=True)
        return TorchCall(f"{attribute}=", f"torch.Tensor.{attribute}", True, renews=True, pure=attribute == "grad")
    if name in _UNRECORDED:
        return TorchCall(name, name, False, hooks=name in _USER_HOOKS)
    in_python = isinstance(function, FunctionType)
    writes = name in _WRITE_ALSO or (name.endswith("_") and not name.endswith("__")) or name.startswith("__i")
    if in_python and not writes:
        writes = _takes(function, "inplace", "running_mean")
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
    )


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
    """Torch's name of every function that a mode sees.

    Gathered once, when the first recording begins: torch changes warning filters for it, and Python then forgets which
    warnings it has shown.
    """
    return _get_overridable_functions()[1]


def tensors_in(value: object, found: list[torch.Tensor], depth: int = 0) -> list[torch.Tensor]:
    """All tensors in arguments or results, in order, through nested lists, tuples and dictionaries up to depth
    three.
    """
    if isinstance(value, torch.Tensor):
        found.append(value)
    elif depth < 4:
        if isinstance(value, list | tuple):
            for part in value:
                tensors_in(part, found, depth + 1)
        elif isinstance(value, dict):
            for part in value.values():
                tensors_in(part, found, depth + 1)
    return found


def tensors_of_call(args: tuple, kwargs: dict | None) -> list[torch.Tensor]:
    """The tensors among a call's arguments, those in lists and dictionaries included."""
    inputs: list[torch.Tensor] = []
    for argument in args:
        if isinstance(argument, _Tensor):
            inputs.append(argument)
        elif type(argument) in _SEQUENCES:
            tensors_in(argument, inputs)
    if kwargs:
        tensors_in(kwargs, inputs)
    return inputs


class Call(Struct, gc=False):
    """One call of the program, from before it runs until its results are recorded.

    Attributes:
        of: the function of torch; args, kwargs: what it was given; caller: the frame that called it.
        index: its id as an operation.
        inputs, identities: its tensors and their ids; outputs: the ids of its results.
        frame, callee: the program's frame, and the library frame that it called; span, site: the place there.
        opaque: whether it runs inside torch.func, where every tensor is a wrapper.
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
    outputs: int | Sequence[int] = ()
