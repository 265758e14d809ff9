"""Ask in one call whether a small tensor has a known layout: question by question takes eight times as long."""

from collections.abc import Callable
from typing import Any

import torch
from msgspec import Struct
from torch._C._dynamo import guards

_Guards: Any = guards.TensorGuards  # torch's type stub has other arguments
_MOST = 256  # layouts before all are forgotten


class Layout(Struct, frozen=True, gc=False):
    """The facts that alike tensors share: of one class, contiguous, in memory that can be read.

    Attributes:
        same: whether a tensor has this class, dtype, shape, strides, device and requires_grad, and the same dispatch
            keys, which tell lazy, fake, wrapped and inference tensors from others.
        size: bytes of the entries.
    """

    same: Callable[[torch.Tensor], bool]
    dtype: torch.dtype
    shape: torch.Size
    stride: tuple[int, ...]
    device: torch.device
    requires_grad: bool
    size: int


def _never(_tensor: torch.Tensor) -> bool:
    return False


_NONE = Layout(_never, torch.float32, torch.Size(), (), torch.device("cpu"), False, 0)


class LayoutCache:
    """The layouts of tensors of one kind, such as gradients.

    Attributes:
        last: the layout of the last one; the next one most often has it too.

    Args:
        kind: the class of these tensors.
    """

    def __init__(self, kind: type = torch.Tensor) -> None:
        self.last, self._kind = _NONE, kind
        self._layouts: dict[tuple, Layout] = {}

    def learn(self, tensor: torch.Tensor, size: int) -> None:
        """Note the layout of a small contiguous tensor whose entries, of so many bytes, were just read in memory."""
        if type(tensor) is not self._kind or not size:
            self.last = _NONE
            return
        key = tensor.dtype, tensor.shape, tensor.stride(), tensor.requires_grad
        if (layout := self._layouts.get(key)) is None:
            if len(self._layouts) >= _MOST:
                self._layouts.clear()
            self._layouts[key] = layout = _layout_of(tensor, *key, size)
        self.last = layout


def _layout_of(
    tensor: Any, dtype: torch.dtype, shape: torch.Size, stride: tuple[int, ...], requires_grad: bool, size: int
) -> Layout:
    alike = _Guards(tensor, dynamic_dims_sizes=[list(shape)], dynamic_dims_strides=[list(stride)])
    return Layout(alike.check, dtype, shape, stride, tensor.device, requires_grad, size)
