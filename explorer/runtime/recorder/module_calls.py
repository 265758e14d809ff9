"""Keep the last results of the program's modules, and the calls that entered them."""

import weakref
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import torch
from torch import get_autocast_dtype, is_autocast_enabled
from torch.utils._pytree import TreeSpec, tree_flatten, tree_unflatten

MOST_PARTS = 100  # most named parts of one result
_PLAIN = (type(None), bool, int, float, complex, str, bytes, torch.dtype, torch.device, torch.layout)
_UNNAMED = (torch.Tensor, torch.nn.Parameter, tuple, list, type(None))


def named_parts(result: Any) -> list[tuple[str, torch.Tensor]]:
    """Return the tensors in a dictionary or a dataclass by name."""
    if type(result) in _UNNAMED:  # common types, without a search
        return []
    parts: Any = ()
    if issubclass(type(result), dict):
        parts = dict.items(result)  # runs none of the program's code
    elif is_dataclass(result):
        parts = [(field.name, vars(result).get(field.name)) for field in fields(result) if hasattr(result, "__dict__")]
    found = [(str(name), part) for name, part in parts if issubclass(type(part), torch.Tensor)]
    return found[:MOST_PARTS]


class Gone(LookupError):
    """Raised if a module or an argument of its last call no longer exists."""


@dataclass(frozen=True)
class LastCall:
    """The last call of a module that no other module called. It keeps neither module nor arguments alive."""

    _module: weakref.ref
    _leaves: tuple[Any, ...]
    _form: TreeSpec
    _autocast: tuple[tuple[str, torch.dtype], ...]

    @classmethod
    def of(cls, module: torch.nn.Module, inputs: tuple, keywords: Mapping[str, Any]) -> "LastCall":
        """Note a call that is about to end."""
        leaves, form = tree_flatten((inputs, dict(keywords)))
        devices = ("cpu", "cuda") if torch.cuda.is_initialized() else ("cpu",)
        cast = tuple((one, get_autocast_dtype(one)) for one in devices if is_autocast_enabled(one))
        return cls(weakref.ref(module), tuple(map(_weak, leaves)), form, cast)

    def again(self) -> tuple[torch.nn.Module, tuple[Any, ...], dict[str, Any]]:
        """Return the module and its arguments. Raises Gone."""
        inputs, keywords = tree_unflatten([_strong(leaf) for leaf in self._leaves], self._form)
        return _strong(self._module), inputs, keywords

    @contextmanager
    def modes(self) -> Iterator[None]:
        """Set autocast as it was."""
        with ExitStack() as modes:
            for device, dtype in self._autocast:
                modes.enter_context(torch.autocast(device, dtype))
            yield


@dataclass(frozen=True)
class _Argument:
    """A tensor, or its replacement once it is freed (for floats, random numbers, which cost the same)."""

    tensor: weakref.ref
    shape: torch.Size
    dtype: torch.dtype
    device: torch.device
    requires_grad: bool

    def __call__(self) -> torch.Tensor | None:
        """Return a tensor, None if its numbers matter and are gone."""
        if (there := self.tensor()) is not None or not self.dtype.is_floating_point:
            return there
        made = torch.rand(self.shape, device=self.device).to(self.dtype)
        return made.requires_grad_(self.requires_grad)


def _weak(leaf: Any) -> Any:
    """Return a plain value itself, a weak reference to anything else."""
    if type(leaf) in _PLAIN:
        return leaf
    if type(leaf) in (torch.Tensor, torch.nn.Parameter):
        return _Argument(weakref.ref(leaf), leaf.shape, leaf.dtype, leaf.device, leaf.requires_grad)
    try:
        return weakref.ref(leaf)
    except TypeError:
        return _gone


def _gone() -> None:
    """Return None, as a dead reference does."""


def _strong(leaf: Any) -> Any:
    if type(leaf) in _PLAIN:
        return leaf
    if (there := leaf()) is None:
        raise Gone
    return there
