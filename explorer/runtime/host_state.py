"""Save state that a call changes in its host."""

import inspect
import random
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import nn


def random_states() -> dict[str, Any]:
    """Return the global random states of Python, NumPy and torch, by name."""
    states = {"random": random.getstate(), "numpy": np.random.get_state(), "torch": torch.get_rng_state()}
    if torch.cuda.is_initialized():
        states["cuda"] = torch.cuda.get_rng_state_all()
    return states


def modules_of(what: Any, inputs: Iterable[Any]) -> list[nn.Module]:
    """Return the modules that a call can reach."""
    given = [what, *inputs]
    while isinstance(given[0], partial):
        given[:1] = [given[0].func, *given[0].args, *given[0].keywords.values()]
    function = inspect.unwrap(given[0]) if callable(given[0]) else None
    given.append(getattr(function, "__self__", None))
    if (code := getattr(function, "__code__", None)) is not None:
        given += [function.__globals__.get(name) for name in code.co_names]
        given += inspect.getclosurevars(function).nonlocals.values()
    return [one for one in given if isinstance(one, nn.Module)]


@contextmanager
def put_back(modules: Iterable[nn.Module]) -> Iterator[None]:
    """Restore the random generators and the modules' state after a context.

    The state is buffers, `.grad`, `requires_grad` and `training`. Parameters keep their entries.
    """
    before = HostState(modules, whole=False)
    try:
        yield
    finally:
        before.put_back()


class HostState:
    """The current random generators, buffers, `.grad`, `requires_grad` and `training`.

    `whole` adds the parameters' entries, and the attributes: tensors, lists, dictionaries and sets with their contents.
    """

    def __init__(self, modules: Iterable[nn.Module], whole: bool = True) -> None:
        every = list(dict.fromkeys(inner for module in modules for inner in module.modules()))
        self._random = random_states()
        self._trained = [(module, module.training) for module in every]
        self._buffers = [(module, name, _Kept(held)) for module in every for name, held in module._buffers.items()]
        parameters = dict.fromkeys(held for module in every for held in module._parameters.values() if held is not None)
        self._gradients = [(held, held.requires_grad, _Kept(held.grad)) for held in parameters]
        self._attributes = [_Attributes(module) for module in every] if whole else []
        self._parameters = [_Kept(held) for held in parameters] if whole else []

    def put_back(self) -> None:
        """Restore everything."""
        for attributes in self._attributes:
            attributes.put_back()
        for module, training in self._trained:
            module.training = training
        for module, name, kept in self._buffers:
            module._buffers[name] = kept.tensor
            kept.put_back()
        for kept in self._parameters:
            kept.put_back()
        for parameter, requires, kept in self._gradients:
            parameter.requires_grad_(requires)
            if parameter.grad is not kept.tensor:
                parameter.grad = kept.tensor
            kept.put_back()
        self.put_back_random()

    def put_back_random(self) -> None:
        """Restore the random generators."""
        random.setstate(self._random["random"])
        np.random.set_state(self._random["numpy"])
        torch.set_rng_state(self._random["torch"])
        if "cuda" in self._random:
            torch.cuda.set_rng_state_all(self._random["cuda"])


class _Attributes:
    """The attributes of a module. A compiled script keeps its own."""

    def __init__(self, module: nn.Module) -> None:
        self._held = vars(module) if not isinstance(module, torch.jit.ScriptModule) else {}
        self._before = dict(self._held)
        self._contents = [(held, held.copy()) for held in self._before.values() if isinstance(held, dict | list | set)]
        self._tensors = [_Kept(held) for held in self._before.values() if isinstance(held, torch.Tensor)]

    def put_back(self) -> None:
        self._held.clear()
        self._held.update(self._before)
        for held, contents in self._contents:
            held.clear()
            held.extend(contents) if isinstance(held, list) else held.update(contents)
        for kept in self._tensors:
            kept.put_back()


class _Kept:
    """A tensor and a copy of its entries, both None for none."""

    def __init__(self, tensor: torch.Tensor | None) -> None:
        self.tensor = tensor
        readable = tensor is not None and not torch.nn.parameter.is_lazy(tensor)
        self._copy = tensor.detach().clone() if readable else None
        self._version = tensor._version if readable and not tensor.is_inference() else -1

    def put_back(self) -> None:
        tensor = self.tensor
        if tensor is None or self._copy is None:
            return
        moved = self._version < 0 or tensor._version != self._version
        if moved or not torch.equal(tensor, self._copy):  # batch norm writes without a new version
            tensor.detach().copy_(self._copy)
            if self._version >= 0:  # its version too: a graph of the host that has saved it finds its saved tensor
                torch._C._autograd._unsafe_set_version_counter((tensor,), (self._version,))
