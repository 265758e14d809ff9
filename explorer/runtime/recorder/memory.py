"""Which entries of a tensor lie in this process's memory. All reads by address go through this file.

Inside torch.func a tensor is a wrapper without entries, around the one that torch computes with. Whether a small tensor
has a known layout is asked in one call: question by question takes eight times as long."""

import ctypes
import sys
from collections.abc import Callable
from typing import Any

import torch
from msgspec import Struct
from torch._C import TensorBase
from torch._C._dynamo import guards
from torch._functorch.pyfunctorch import temporarily_clear_interpreter_stack

_Tensor, _Parameter = torch.Tensor, torch.nn.Parameter
_NO_DISPATCH = torch.Tensor.__torch_dispatch__

# This process's memory as an array of bytes: slicing it copies four times as fast as a call through ctypes.
memory: Any = (ctypes.c_char * (1 << 56)).from_address(0)


class NoEntries(RuntimeError):
    """Raised if a tensor's entries cannot be read: freed, fake, on the meta device, of a wrapper, or quantized."""


def plain_tensor(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor that holds the entries: itself, or the local tensor of an unsharded DTensor.

    Other classes with `__torch_dispatch__` keep their entries where only their own code finds them. Raises NoEntries.
    """
    kind = type(tensor)
    if kind is _Tensor or kind is _Parameter or kind.__torch_dispatch__ is _NO_DISPATCH:
        return tensor
    distributed = sys.modules.get("torch.distributed.tensor")
    if distributed is not None and isinstance(tensor, distributed.DTensor):
        local: Any = tensor._local_tensor
        if local.shape == tensor.shape and not any(placement.is_partial() for placement in tensor.placements):
            return plain_tensor(local)
    raise NoEntries(kind.__name__)


def shard_of(tensor: torch.Tensor) -> torch.Tensor:
    """The part of a sharded DTensor that this process holds; any other tensor itself."""
    distributed = sys.modules.get("torch.distributed.tensor")
    if distributed is None or not isinstance(tensor, distributed.DTensor):
        return tensor
    return tensor if any(placement.is_partial() for placement in tensor.placements) else tensor._local_tensor


def is_fake(tensor: torch.Tensor) -> bool:
    """Whether a tensor has no entries although it claims a device, also a saved one that lost its class."""
    try:
        return TensorBase.untyped_storage(tensor).device.type == "meta"
    except RuntimeError:  # sparse, nested, wrappers of torch.func
        return False


def require(tensor: torch.Tensor) -> None:
    """Raise unless a tensor's storage holds every entry that its shape, strides and offset refer to.

    Raises NoEntries, or torch's error if there is no storage (sparse, nested, wrappers of torch.func).
    """
    if tensor.is_meta:
        raise NoEntries("meta")
    storage = TensorBase.untyped_storage(tensor)
    if not TensorBase.numel(tensor) or TensorBase._is_zerotensor(tensor):  # zero tensors of forward mode need no memory
        return
    sides = zip(tensor.shape, TensorBase.stride(tensor), strict=True)
    entries = TensorBase.storage_offset(tensor) + sum((size - 1) * stride for size, stride in sides) + 1
    if entries * TensorBase.element_size(tensor) > storage.nbytes() or (tensor.is_cpu and not storage.data_ptr()):
        raise NoEntries("freed")


def address_of(tensor: torch.Tensor, size: int) -> int:
    """The address of a contiguous CPU tensor's entries, 0 if its storage does not hold `size` bytes.

    That of torch's zero tensors, such as the gradient of `sgn`, is 0: their storage has none.
    """
    if not (address := TensorBase.data_ptr(tensor)):
        return 0
    storage = TensorBase.untyped_storage(tensor)
    start = storage.data_ptr()
    return address if start and address + size <= start + storage.nbytes() else 0


_Guards: Any = guards.TensorGuards  # torch's type stub has other arguments
_MOST = 1_000  # layouts before all are forgotten
_layouts: dict[tuple, "Layout"] = {}


class Layout(Struct, frozen=True, gc=False):
    """The facts that alike tensors share: of one class, in memory that can be read.

    Attributes:
        same: whether a tensor has this class, dtype, shape, strides, device and requires_grad, and the same dispatch
            keys, which tell lazy, fake, wrapped and inference tensors from others.
        size, entries: of them, in bytes and in numbers; span: bytes from the first entry to the end of the last.
        dense: whether they lie in row-major order, one after the other.
    """

    same: Callable[[torch.Tensor], bool]
    dtype: torch.dtype
    shape: torch.Size
    stride: tuple[int, ...]
    device: torch.device
    requires_grad: bool
    is_parameter: bool
    size: int
    entries: int
    span: int
    dense: bool


def layout_of(tensor: torch.Tensor) -> Layout | None:
    """The layout of a tensor whose entries were just read in memory; None of classes that are not torch's.

    All recordings share the layouts: to make one takes as long as to read a tensor.
    """
    kind = type(tensor)
    if kind is not _Tensor and kind is not _Parameter:
        return None
    shape, stride = tensor.shape, TensorBase.stride(tensor)
    key = kind, tensor.dtype, shape, stride, tensor.requires_grad, tensor.device
    layout = _layouts.get(key)
    if layout is None or not layout.same(tensor):
        if len(_layouts) >= _MOST:
            _layouts.clear()
        alike = _Guards(tensor, dynamic_dims_sizes=[list(shape)], dynamic_dims_strides=[list(stride)])
        entries, width, dense = shape.numel(), TensorBase.element_size(tensor), TensorBase.is_contiguous(tensor)
        last = entries - 1 if dense else sum((size - 1) * step for size, step in zip(shape, stride, strict=True))
        facts = tensor.dtype, shape, stride, tensor.device, tensor.requires_grad, kind is _Parameter
        _layouts[key] = layout = Layout(alike.check, *facts, entries * width, entries, (last + 1) * width, dense)
    return layout


_functorch = torch._C._functorch


def is_wrapped(tensor: torch.Tensor) -> bool:
    """Whether a tensor is a wrapper that vmap or grad passes to its function."""
    return _functorch.is_functorch_wrapped_tensor(tensor)


def inside(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor inside all wrappers: its `grad_fn` is a node of the outer graph."""
    while is_wrapped(tensor):
        tensor = _functorch.get_unwrapped(tensor)
    return tensor


def with_history(tensor: torch.Tensor) -> torch.Tensor:
    """The layer of a tensor whose history is recorded: of the innermost transform, without one the program's own."""
    return tensor if tensor.grad_fn is not None else inside(tensor)


def batched(tensor: torch.Tensor) -> torch.Tensor:
    """The entries of all examples: one leading axis for each vmap, the outermost first. Not part of any graph."""
    with temporarily_clear_interpreter_stack(), torch.no_grad():
        return TensorBase.contiguous(TensorBase.detach(_batched(tensor)[0]))


def _batched(tensor: torch.Tensor) -> tuple[torch.Tensor, int]:
    """A wrapped tensor's entries, and how many of their leading axes belong to a vmap."""
    if not is_wrapped(tensor):
        return tensor, 0
    within, leading = _batched(_functorch.get_unwrapped(tensor))
    if not _functorch.is_batchedtensor(tensor):
        return within, leading
    return TensorBase.movedim(within, _functorch.maybe_get_bdim(tensor) + leading, leading), leading + 1
