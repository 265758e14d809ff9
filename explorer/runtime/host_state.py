"""What a call moves in its host: the random generators, and of modules buffers, gradients and flags."""

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
    """The states of the global generators of Python, NumPy and torch, by name."""
    states = {"random": random.getstate(), "numpy": np.random.get_state(), "torch": torch.get_rng_state()}
    if torch.cuda.is_initialized():
        states["cuda"] = torch.cuda.get_rng_state_all()
    return states


def modules_of(what: Any, inputs: Iterable[Any]) -> list[nn.Module]:
    """The modules that a call can reach: itself, those that its function names, and those among its inputs."""
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
    """Give the random generators, and the modules' buffers, `.grad`, `requires_grad` and `training`, back as they were.

    What a parameter holds stays as it is.
    """
    every = list(dict.fromkeys(inner for module in modules for inner in module.modules()))
    states = random_states()
    trained = [(module, module.training) for module in every]
    buffers = [(module, name, _Kept(held)) for module in every for name, held in module._buffers.items()]
    parameters = dict.fromkeys(held for module in every for held in module._parameters.values() if held is not None)
    gradients = [(held, held.requires_grad, _Kept(held.grad)) for held in parameters]
    try:
        yield
    finally:
        for module, training in trained:
            module.training = training
        for module, name, kept in buffers:
            module._buffers[name] = kept.tensor
            kept.put_back()
        for parameter, requires, kept in gradients:
            parameter.requires_grad_(requires)
            if parameter.grad is not kept.tensor:
                parameter.grad = kept.tensor
            kept.put_back()
        random.setstate(states["random"])
        np.random.set_state(states["numpy"])
        torch.set_rng_state(states["torch"])
        if "cuda" in states:
            torch.cuda.set_rng_state_all(states["cuda"])


class _Kept:
    """A tensor and a copy of what it holds; both None for none."""

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
            if self._version >= 0:  # its version too: a graph of the host that has saved it finds what it saved
                torch._C._autograd._unsafe_set_version_counter((tensor,), (self._version,))
