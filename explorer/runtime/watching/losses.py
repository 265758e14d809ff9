"""The scalars whose backward runs, and the steps that a gradient scaler leaves out."""

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import torch
from torch.amp import grad_scaler

from explorer.runtime.replacements import replace
from explorer.runtime.watching.measures import unseen


def hear_backwards(undo: ExitStack, heard: Callable[[list[torch.Tensor]], None]) -> None:
    """Pass copies of the scalar roots to a function after every `backward()`, until `undo` closes."""
    original = torch.autograd._engine_run_backward  # type: ignore[attr-defined]

    def run_backward(outputs: Any, *args: Any, **kwargs: Any) -> Any:
        result = original(outputs, *args, **kwargs)
        if kwargs.get("accumulate_grad"):
            with unseen():
                losses = [one.detach().clone() for one in outputs if _is_loss(one)]
            heard(losses)
        return result

    replace(undo, (torch.autograd, "_engine_run_backward", run_backward))


def hear_skipped(undo: ExitStack, heard: Callable[[Any], None]) -> None:
    """Call a function with the optimizer whose step a `GradScaler` left out, until `undo` closes."""
    owner: Any = grad_scaler.GradScaler
    original = owner._maybe_opt_step

    def maybe_step(scaler: Any, optimizer: Any, state: Any, *args: Any, **kwargs: Any) -> Any:
        result = original(scaler, optimizer, state, *args, **kwargs)
        if any(one.item() for one in state["found_inf_per_device"].values()):
            heard(optimizer)
        return result

    replace(undo, (owner, "_maybe_opt_step", maybe_step))


def _is_loss(root: object) -> bool:
    return isinstance(root, torch.Tensor) and root.numel() == 1 and not root.is_complex()
