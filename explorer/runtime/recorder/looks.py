"""Ask in one call whether a small tensor looks like the one before: question by question takes eight times as long."""

from collections.abc import Callable
from typing import Any

import torch
from msgspec import Struct
from torch._C._dynamo import guards

_Guards: Any = guards.TensorGuards  # torch's type stub has other arguments
_MOST = 256  # looks before all are forgotten


class Look(Struct, frozen=True, gc=False):
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


_NO_LOOK = Look(_never, torch.float32, torch.Size(), (), torch.device("cpu"), False, 0)


class Looks:
    """The looks of tensors of one kind, such as gradients.

    Attributes:
        last: the look of the last one; the next one most often has it too.

    Args:
        kind: the class of tensors that are looked at.
    """

    def __init__(self, kind: type = torch.Tensor) -> None:
        self.last, self._kind = _NO_LOOK, kind
        self._known: dict[tuple, Look] = {}

    def learn(self, tensor: torch.Tensor, size: int) -> None:
        """Note how a small contiguous tensor looks whose entries, of so many bytes, were just read in memory."""
        if type(tensor) is not self._kind or not size:
            self.last = _NO_LOOK
            return
        key = tensor.dtype, tensor.shape, tensor.stride(), tensor.requires_grad
        if (look := self._known.get(key)) is None:
            if len(self._known) >= _MOST:
                self._known.clear()
            self._known[key] = look = _look_of(tensor, *key, size)
        self.last = look


def _look_of(
    tensor: Any, dtype: torch.dtype, shape: torch.Size, stride: tuple[int, ...], requires_grad: bool, size: int
) -> Look:
    alike = _Guards(tensor, dynamic_dims_sizes=[list(shape)], dynamic_dims_strides=[list(stride)])
    return Look(alike.check, dtype, shape, stride, tensor.device, requires_grad, size)
