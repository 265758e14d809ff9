"""Run a program in float64 that draws the random numbers it draws in float32."""

import contextlib

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map

_FACTORIES = {"rand", "randn", "normal"}  # functions that use the default dtype if none is given
_WIDE, _NARROW = torch.float64, torch.float32


class NarrowDraws(TorchDispatchMode):
    """Draws random numbers in float32 and widens them: drawing in float64 would give other numbers."""

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        """Called by torch in place of every kernel."""
        with torch._C.DisableTorchFunction():  # a kernel without tensors would count as a call of the program
            return _run(function, args, kwargs or {})


def _run(function, args: tuple, kwargs: dict):
    if torch.Tag.nondeterministic_seeded not in function.tags:
        return function(*args, **kwargs)
    packet = function.overloadpacket.__name__
    if packet == "native_dropout":
        kept, mask = function(torch.ones_like(args[0], dtype=_NARROW), *args[1:], **kwargs)
        return args[0] * kept, mask
    narrow_args, narrow_kwargs = tree_map(_narrowed, (args, kwargs))
    if packet in _FACTORIES and narrow_kwargs.get("dtype") is None:
        narrow_kwargs["dtype"] = _NARROW
    drawn = function(*narrow_args, **narrow_kwargs)
    if packet.endswith("_") and isinstance(args[0], torch.Tensor):
        return args[0].copy_(drawn) if drawn is not args[0] else drawn
    return tree_map(_widened, drawn)


def _narrowed(value):
    if isinstance(value, torch.Tensor):
        return value.to(_NARROW) if value.dtype is _WIDE else value
    return _NARROW if value is _WIDE else value


def _widened(value):
    return value.to(_WIDE) if isinstance(value, torch.Tensor) and value.dtype is _NARROW else value


def wide_call(function, args: tuple, kwargs: dict | None) -> tuple:
    """A call of the program with float64 in place of float32."""
    if function is torch.Tensor.float:
        function = torch.Tensor.double
    if any(argument is _NARROW for argument in args):
        args = tuple(_WIDE if argument is _NARROW else argument for argument in args)
    if kwargs and any(kwarg is _NARROW for kwarg in kwargs.values()):
        kwargs = {name: _WIDE if value is _NARROW else value for name, value in kwargs.items()}
    return function, args, kwargs


def widen(tensor: torch.Tensor) -> None:
    """A float32 tensor that the program made outside torch, for example from an array, as float64."""
    if tensor.dtype is _NARROW and tensor.grad_fn is None:
        with contextlib.suppress(RuntimeError):
            tensor.data = tensor.data.double()
