"""Replace functions of torch that train and that no mode sees, so that recordings learn of the calls."""

import sys
from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any

import torch
from torch.nn.utils import clip_grad
from torch.optim import lr_scheduler, swa_utils

from explorer.runtime.recorder.training_log import rate_of
from explorer.runtime.replacements import Replacement

Tell = Callable[..., None]  # passes an event of a TrainingBook to all recordings of the thread
_SCHEDULERS = lr_scheduler.__file__


def of_training(tell: Tell) -> Iterator[Replacement]:
    """The replacements: the owner, the name, the new function."""
    yield torch.optim.Optimizer, "__init__", _made(torch.optim.Optimizer.__init__, tell)
    original: Any = clip_grad._clip_grads_with_norm_
    yield clip_grad, "_clip_grads_with_norm_", _clipped_by_norm(original, tell)
    for owner in (clip_grad, torch.nn.utils):
        yield owner, "clip_grad_value_", _clipped_by_value(owner.clip_grad_value_, tell)
    for module in (lr_scheduler, swa_utils):
        for var in list(vars(module).values()):
            own = isinstance(var, type) and var.__module__ == module.__name__
            if own and issubclass(var, lr_scheduler.LRScheduler) and "step" in vars(var):
                yield var, "step", _scheduled(vars(var)["step"], tell)


def _made(original, tell: Tell):
    @wraps(original)
    def init(self, *args, **kwargs):
        original(self, *args, **kwargs)
        tell("made", self)

    return init


def _clipped_by_norm(original, tell: Tell):
    @wraps(original)
    def clip(parameters, max_norm, total_norm, *args, **kwargs):
        held = [parameters] if isinstance(parameters, torch.Tensor) else list(parameters)
        tell("clipped", "clip_grad_norm_", held, max_norm, total_norm)
        return original(held, max_norm, total_norm, *args, **kwargs)

    return clip


def _clipped_by_value(original, tell: Tell):
    @wraps(original)
    def clip(parameters, clip_value, *args, **kwargs):
        held = [parameters] if isinstance(parameters, torch.Tensor) else list(parameters)
        tell("clipped", "clip_grad_value_", held, clip_value, None)
        return original(held, clip_value, *args, **kwargs)

    return clip


def _scheduled(original, tell: Tell):
    @wraps(original)
    def step(self, *args, **kwargs):
        if sys._getframe(1).f_code.co_filename == _SCHEDULERS:  # only the first call, or one of several in a chain
            return original(self, *args, **kwargs)
        optimizer = getattr(self, "optimizer", None)
        before = rate_of(optimizer) if optimizer is not None else float("nan")
        result = original(self, *args, **kwargs)
        tell("scheduled", self, before)
        return result

    return step
