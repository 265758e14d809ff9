"""Which entries of a tensor lie in this process's memory. All reads by address go through this file."""

import ctypes
import sys
from typing import Any

import torch

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
        return tensor.untyped_storage().device.type == "meta"
    except RuntimeError:  # sparse, nested, wrappers of torch.func
        return False


def require(tensor: torch.Tensor) -> None:
    """Raise unless a tensor's storage holds every entry that its shape, strides and offset refer to.

    Raises NoEntries, or torch's error if there is no storage (sparse, nested, wrappers of torch.func).
    """
    if tensor.is_meta:
        raise NoEntries("meta")
    storage = tensor.untyped_storage()
    if not tensor.numel() or tensor._is_zerotensor():  # zero tensors of forward mode need no memory
        return
    sides = zip(tensor.shape, tensor.stride(), strict=True)
    entries = tensor.storage_offset() + sum((size - 1) * stride for size, stride in sides) + 1
    if entries * tensor.element_size() > storage.nbytes() or (tensor.is_cpu and not storage.data_ptr()):
        raise NoEntries("freed")


def address_of(tensor: torch.Tensor, size: int) -> int:
    """The address of a contiguous CPU tensor's entries, 0 if its storage does not hold `size` bytes."""
    address, storage = tensor.data_ptr(), tensor.untyped_storage()
    start = storage.data_ptr()
    return address if start and address + size <= start + storage.nbytes() else 0
