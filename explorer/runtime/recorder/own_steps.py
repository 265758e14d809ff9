"""Compute torch's own optimizer step on copies of single leaves, with the optimizer's class."""

from collections import defaultdict
from collections.abc import Container
from typing import Any

import numpy as np
import torch

_FROM = "torch.optim."
_WHOLE = ("LBFGS",)  # optimizers whose step depends on all leaves together
_AT_ONCE = ("foreach", "fused")  # options that update several tensors in one call
_TENSOR = dict(vars(torch.Tensor))
_TORCH = {name: one for name, one in vars(torch).items() if hasattr(torch._C._VariableFunctions, name)}


def own_step(optimizer: Any, leaves: Container[int]) -> dict[int, np.ndarray]:
    """Return by how much a step that is about to run would move some leaves (by id), each of them once.

    Only optimizers of torch itself are known.
    """
    kind = type(optimizer)
    if not f"{kind.__module__}.".startswith(_FROM) or kind.__name__ in _WHOLE or is_watched():
        return {}
    if optimizer.defaults.get("differentiable") or not hasattr(kind.step, "__wrapped__"):
        return {}  # the subclass defines its own step
    with torch._C.DisableTorchFunction(), torch.no_grad():
        return _moved_alone(optimizer, leaves)


def is_watched() -> bool:
    """Return whether code of the program would see the copies: a mode, a profiler or another function of torch's."""
    held, base = vars(torch.Tensor), torch._C.TensorBase
    known = (_TENSOR.get(name, getattr(base, name, one)) is one for name, one in held.items())  # other names are new
    is_replaced = not (_TENSOR.keys() <= held.keys() and all(known))
    is_replaced = is_replaced or any(vars(torch).get(name) is not one for name, one in _TORCH.items())
    return is_replaced or bool(torch._C._len_torch_dispatch_stack() or torch.autograd._profiler_enabled())


def _moved_alone(optimizer: Any, leaves: Container[int]) -> dict[int, np.ndarray]:
    copies: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}
    groups, state = [], defaultdict[Any, Any](dict)
    for group in optimizer.param_groups:
        held = [one for one in group["params"] if id(one) in leaves and id(one) not in copies and _is_plain(one)]
        for leaf in held:
            copy = leaf.detach().clone().requires_grad_()
            copy.grad = leaf.grad.clone()
            copies[id(leaf)] = leaf, copy
            state[copy] = {name: _copied(one) for name, one in optimizer.state.get(leaf, {}).items()}
        options = {name: False for name in _AT_ONCE if name in group}
        groups.append({**group, **options, "params": [copies[one][1] for one in dict.fromkeys(map(id, held))]})
    if not copies:
        return {}
    twin = object.__new__(type(optimizer))
    vars(twin).update(vars(optimizer), param_groups=groups, state=state)
    type(optimizer).step.__wrapped__(twin)
    return {key: (copy - leaf).double().flatten().numpy() for key, (leaf, copy) in copies.items()}


def _is_plain(leaf: torch.Tensor) -> bool:
    gradient, is_whole = leaf.grad, type(leaf) in (torch.Tensor, torch.nn.Parameter)  # not part of a sharded parameter
    return (
        is_whole and gradient is not None and leaf.is_cpu and gradient.layout is torch.strided and not leaf.is_complex()
    )


def _copied(value: object) -> object:
    return value.clone() if isinstance(value, torch.Tensor) else value
