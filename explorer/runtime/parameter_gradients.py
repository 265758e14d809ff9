"""The gradients of a model's parameters for a test, computed without touching `.grad`."""

from dataclasses import dataclass
from typing import Any

import torch


@dataclass(frozen=True)
class ParameterGradient:
    """A parameter and its gradient.

    Attributes: name: its name in `named_parameters`. state: flows, none, zero, nonfinite or frozen
    (requires_grad=False). nans, infinite: numbers of such gradient entries. entries: number of its entries.
    """

    name: str
    state: str
    nans: int = 0
    infinite: int = 0
    entries: int = 0


class NoLoss(TypeError):
    """Raised for an argument that is not a loss. Its text describes the argument."""


def arrived(model: torch.nn.Module, loss: Any) -> tuple[ParameterGradient, ...]:
    """Return a loss's gradient at each parameter of a model.

    The graph and every `.grad` stay unchanged. Raises NoLoss if it is not a tensor.
    """
    if not isinstance(loss, torch.Tensor):
        raise NoLoss(f"a tensor, or a function that returns one, is needed as loss, not {type(loss).__name__}")
    named = list(model.named_parameters())
    asking = [parameter for _, parameter in named if parameter.requires_grad]
    gradients: dict[int, torch.Tensor | None] = {}
    if loss.requires_grad and asking:
        start = torch.ones_like(loss)
        taken = torch.autograd.grad(loss, asking, start, retain_graph=True, allow_unused=True)
        gradients = {id(parameter): gradient for parameter, gradient in zip(asking, taken, strict=True)}
    return tuple(_gradient_of(name, parameter, gradients.get(id(parameter))) for name, parameter in named)


def _gradient_of(name: str, parameter: torch.Tensor, gradient: torch.Tensor | None) -> ParameterGradient:
    if not parameter.requires_grad:
        return ParameterGradient(name, "frozen")
    if gradient is None:
        return ParameterGradient(name, "none")
    entries = gradient.coalesce().values() if gradient.is_sparse else gradient
    nans, infinite = int(torch.isnan(entries).sum()), int(torch.isinf(entries).sum())
    flat = not entries.numel() or bool((entries == 0).all())
    state = "nonfinite" if nans or infinite else "zero" if flat and parameter.numel() else "flows"
    return ParameterGradient(name, state, nans, infinite, entries.numel())
