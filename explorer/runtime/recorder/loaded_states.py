"""Find optimizers that loaded the state of other parameters, because torch matches it by position."""

from collections.abc import Iterable, Iterator
from typing import Any

import torch

from explorer.runtime.recorder.own_steps import is_watched

_LARGEST = 1_000_000  # largest parameter that is compared


def strayed(optimizer: Any, others: Iterable[Any]) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """Yield each parameter with the state of another one, and that other parameter, before the first step.

    The parameter equals one in an earlier optimizer, but its state is that optimizer's state for a different one.
    """
    if not others or is_watched():
        return
    with torch._C.DisableTorchFunction(), torch.no_grad():
        held = [(one, state) for one in _held(optimizer) if (state := optimizer.state.get(one)) and one.is_cpu]
        for leaf, state in held:
            name = next((name for name, one in state.items() if _tells(one, leaf)), "")
            owner = next((one for other in others if (one := _owner(leaf, name, state, other)) is not None), None)
            if name and owner is not None:
                yield leaf, owner


def _held(optimizer: Any) -> list[torch.Tensor]:
    return [one for group in optimizer.param_groups for one in group["params"] if one.numel() <= _LARGEST]


def _tells(state: object, leaf: torch.Tensor) -> bool:
    """Return whether a state has an entry for each entry of its parameter."""
    if not isinstance(state, torch.Tensor):
        return False
    return state.shape == leaf.shape and state.numel() > 1 and bool(state.any())


def _owner(leaf: torch.Tensor, name: str, state: dict, other: Any) -> torch.Tensor | None:
    """Return the parameter whose state a leaf has, if the leaf equals another parameter."""
    alike = [one for one in _held(other) if one.shape == leaf.shape and one.dtype is leaf.dtype]
    states = {id(one): other.state.get(one, {}).get(name) for one in alike}
    equal = [one for one in alike if torch.equal(one, leaf)]
    owners = [one for one in alike if (own := states[id(one)]) is not None and torch.equal(own, state[name])]
    is_right = not equal or any(one is owner for one in equal for owner in owners)
    return owners[0] if owners and not is_right else None
