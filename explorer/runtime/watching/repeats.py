"""Run a step of a training again, from the state it began in."""

import copy
import random
import sys
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch

from explorer.runtime.watching.measures import unseen


@dataclass(frozen=True)
class RandomState:
    """The states of torch's generators, of `random` and of NumPy."""

    torch: torch.Tensor
    devices: tuple[Any, ...]
    python: Any
    numpy: Any

    @classmethod
    def now(cls) -> "RandomState":
        """Return the current state."""
        numpy = sys.modules.get("numpy.random")
        devices = tuple(torch.cuda.get_rng_state_all()) if torch.cuda.is_initialized() else ()
        return cls(torch.get_rng_state(), devices, random.getstate(), numpy.get_state() if numpy else None)

    def restore(self) -> None:
        """Set all generators."""
        torch.set_rng_state(self.torch)
        if self.devices:
            torch.cuda.set_rng_state_all(list(self.devices))
        random.setstate(self.python)
        if self.numpy is not None:
            sys.modules["numpy.random"].set_state(self.numpy)


class TrainingState:
    """Copies of a model's tensors, their gradients, an optimizer's state, and that of further objects.

    Args:
        model, optimizer: torch's.
        also: further objects with `state_dict()`, such as a scheduler, a gradient scaler or an average of the weights.
    """

    def __init__(self, model: torch.nn.Module, optimizer: torch.optim.Optimizer, also: Iterable[Any]) -> None:
        self._model, self._optimizer = model, optimizer
        with unseen():
            tensors = [*model.parameters(), *model.buffers()]
            self._values = [(one, one.detach().clone()) for one in tensors]
            self._gradients = [
                (one, one.grad, None if one.grad is None else one.grad.detach().clone()) for one in model.parameters()
            ]
            self._state = {key: _copied(value) for key, value in optimizer.state.items()}
        self._groups = [{k: v for k, v in group.items() if k != "params"} for group in optimizer.param_groups]
        self._training = [(module, module.training) for module in model.modules()]
        self._also = [(one, copy.deepcopy(one.state_dict())) for one in also]

    def restore(self) -> None:
        """Restore everything, in the same tensors."""
        with unseen():
            for tensor, value in self._values:
                tensor.data.copy_(value)  # keeps the version, because a graph of the loop may need the old one
            for tensor, gradient, value in self._gradients:
                tensor.grad = gradient
                if gradient is not None:
                    gradient.data.copy_(value)
            self._optimizer.state.clear()
            self._optimizer.state.update({key: _copied(value) for key, value in self._state.items()})
        for group, kept in zip(self._optimizer.param_groups, self._groups, strict=True):
            group.update(kept)
        for module, training in self._training:
            module.training = training
        for one, state in self._also:
            one.load_state_dict(copy.deepcopy(state))

    def equals(self, other: "TrainingState") -> bool:
        """Return whether values, gradients and the optimizer's state are equal bit by bit."""
        mine, theirs = ([value for _, value in one._values] for one in (self, other))
        mine += [_or_none(value) for *_, value in self._gradients] + _tensors(self._state)
        theirs += [_or_none(value) for *_, value in other._gradients] + _tensors(other._state)
        return len(mine) == len(theirs) and all(map(_same_bits, mine, theirs))


def _or_none(value: torch.Tensor | None) -> torch.Tensor:
    return torch.empty(0) if value is None else value


def _copied(value: Any) -> Any:
    """Copy tensors and the dictionaries and lists that hold them."""
    if isinstance(value, torch.Tensor):
        return value.detach().clone()
    if isinstance(value, dict):
        return {key: _copied(one) for key, one in value.items()}
    if isinstance(value, list | tuple | deque):
        return type(value)(_copied(one) for one in value)
    return copy.copy(value)


def _tensors(value: Any) -> list[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        return [tensor for one in value.values() for tensor in _tensors(one)]
    if isinstance(value, list | tuple | deque):
        return [tensor for one in value for tensor in _tensors(one)]
    return []


def _same_bits(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Return whether two tensors have equal bits, so NaN equals itself."""
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    if torch.equal(one, other):
        return True
    return one.contiguous().view(-1).view(torch.uint8).equal(other.contiguous().view(-1).view(torch.uint8))


@dataclass(frozen=True)
class _Call:
    """One call of the step: its arguments, and the random generators' states at its start."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    random: RandomState
    versions: list[int]

    def run(self, step: Callable[..., Any]) -> None:
        """Call the step again."""
        self.random.restore()
        step(*self.args, **self.kwargs)


class Repeater:
    """Keeps the last calls of a training's step, so that the last one can run again.

    A copy of the state is made every `every` calls. Between copies only arguments and generators are kept.

    Args:
        state: copies the present state.
        every: calls between two copies.
    """

    def __init__(self, state: Callable[[], TrainingState], every: int) -> None:
        self._state, self._every = state, every
        self._start: TrainingState | None = None
        self._calls: list[_Call] = []

    def calling(self, args: tuple[Any, ...], kwargs: dict[str, Any], first: bool) -> None:
        """Keep a call that is about to begin.

        Args: first: whether it is the first since the optimizer's last step, so a copy may be made.
        """
        if self._start is None or (first and len(self._calls) >= self._every):
            self._start, self._calls = self._state(), []
        versions = [one._version for one in _tensors([args, kwargs])]
        self._calls.append(_Call(args, kwargs, RandomState.now(), versions))

    def again(self, step: Callable[..., Any], last: int, recorded: Callable[[Callable[[], None]], None]) -> bool | None:
        """Run the last calls again, recorded, and restore the present state.

        Return whether they ended in the same state, bit by bit. None if an argument was changed since, so nothing ran.

        Args:
            step: the training's step.
            last: number of calls since the optimizer's step before.
            recorded: runs a function under a recording.
        """
        if self._start is None or any(_changed(call) for call in self._calls):
            return None
        now, generators = self._state(), RandomState.now()
        try:
            self._start.restore()
            for call in self._calls[:-last]:
                call.run(step)
            recorded(partial(_run, self._calls[-last:], step))
            return self._state().equals(now)
        finally:
            now.restore()
            generators.restore()


def _run(calls: list[_Call], step: Callable[..., Any]) -> None:
    for call in calls:
        call.run(step)


def _changed(call: _Call) -> bool:
    return call.versions != [one._version for one in _tensors([call.args, call.kwargs])]
