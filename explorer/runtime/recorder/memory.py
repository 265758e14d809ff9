"""Entries of tensors in this process's memory. All reads by address use this module.

Inside torch.func a tensor is a wrapper without entries, around torch's computed tensor. A small tensor's layout is
checked in a single call: separate questions take eight times as long.
"""

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
    """Raised if entries are unreadable: freed, fake, meta, wrapped or quantized."""


def plain_tensor(tensor: torch.Tensor) -> torch.Tensor:
    """Return the tensor with the entries.

    It is the tensor itself, or the local tensor of an unsharded DTensor. Other classes with `__torch_dispatch__` keep
    their entries in places known only to their own code. Raises NoEntries.
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
    """Return this process's part of a sharded DTensor, else the tensor."""
    distributed = sys.modules.get("torch.distributed.tensor")
    if distributed is None or not isinstance(tensor, distributed.DTensor):
        return tensor
    return tensor if any(placement.is_partial() for placement in tensor.placements) else tensor._local_tensor


def is_fake(tensor: torch.Tensor) -> bool:
    """Return whether a tensor has no entries although it claims a device."""
    try:
        return TensorBase.untyped_storage(tensor).device.type == "meta"
    except RuntimeError:  # sparse, nested, wrappers of torch.func
        return False


def require(tensor: torch.Tensor) -> None:
    """Raise unless the storage holds every entry of a tensor.

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
    """Return the address of a contiguous CPU tensor's entries.

    It is 0 if its storage does not hold `size` bytes, and for torch's zero tensors without a storage, such as the
    gradient of `sgn`.
    """
    if not (address := TensorBase.data_ptr(tensor)):
        return 0
    storage = TensorBase.untyped_storage(tensor)
    start = storage.data_ptr()
    return address if start and address + size <= start + storage.nbytes() else 0


_Guards: Any = guards.TensorGuards  # torch's type stub is wrong
MOST = 1_000  # layouts before the cache is cleared
_layouts: dict[tuple, "Layout"] = {}


class Layout(Struct, frozen=True, gc=False):
    """The common facts of similar tensors in readable memory.

    Attributes: same: whether a tensor has this class, dtype, shape, strides, device and requires_grad, and the same
    dispatch keys, which distinguish lazy, wrapped and inference tensors. A fake tensor without its class has the keys
    of a real one, but is not on the CPU. size, entries: in bytes and in numbers. span: bytes from the first entry to
    the end of the last. dense: whether they are consecutive in row-major order.
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
    """Return the layout of a tensor just read, None for classes not torch's.

    All recordings share the layouts: creating a layout takes as long as reading a tensor.
    """
    kind = type(tensor)
    if kind is not _Tensor and kind is not _Parameter:
        return None
    shape, stride = tensor.shape, TensorBase.stride(tensor)
    key = kind, tensor.dtype, shape, stride, tensor.requires_grad, tensor.device
    layout = _layouts.get(key)
    if layout is None or not layout.same(tensor):
        if len(_layouts) >= MOST:
            _layouts.clear()
        alike = _Guards(tensor, dynamic_dims_sizes=[list(shape)], dynamic_dims_strides=[list(stride)])
        entries, width, dense = shape.numel(), TensorBase.element_size(tensor), TensorBase.is_contiguous(tensor)
        last = entries - 1 if dense else sum((size - 1) * step for size, step in zip(shape, stride, strict=True))
        facts = tensor.dtype, shape, stride, tensor.device, tensor.requires_grad, kind is _Parameter
        _layouts[key] = layout = Layout(alike.check, *facts, entries * width, entries, (last + 1) * width, dense)
    return layout


_functorch = torch._C._functorch


def is_wrapped(tensor: torch.Tensor) -> bool:
    """Return whether a tensor is a wrapper that vmap or grad passes."""
    return _functorch.is_functorch_wrapped_tensor(tensor)


def inside(tensor: torch.Tensor) -> torch.Tensor:
    """Return the tensor inside all wrappers."""
    while is_wrapped(tensor):
        tensor = _functorch.get_unwrapped(tensor)
    return tensor


def with_history(tensor: torch.Tensor) -> torch.Tensor:
    """Return the layer of a tensor whose history is recorded.

    It is that of the innermost transform, otherwise the program's own.
    """
    return tensor if tensor.grad_fn is not None else inside(tensor)


def batched(tensor: torch.Tensor) -> torch.Tensor:
    """Return the entries of all examples, outside any graph.

    Each vmap has a leading axis, the outermost first. One of a single example is left out, as for a scalar's Jacobian.
    """
    with temporarily_clear_interpreter_stack(), torch.no_grad():
        whole, axes = _batched(tensor)
        single = tuple(axis for axis in range(axes) if whole.shape[axis] == 1)
        return TensorBase.contiguous(TensorBase.detach(TensorBase.squeeze(whole, single)))


def _batched(tensor: torch.Tensor) -> tuple[torch.Tensor, int]:
    """Return a wrapped tensor's entries and its number of vmap axes."""
    if not is_wrapped(tensor):
        return tensor, 0
    within, leading = _batched(_functorch.get_unwrapped(tensor))
    if not _functorch.is_batchedtensor(tensor):
        return within, leading
    return TensorBase.movedim(within, _functorch.maybe_get_bdim(tensor) + leading, leading), leading + 1
