"""Terms of a loss, from repeating the torch call without its reduction."""

import inspect
import math
from collections.abc import Callable
from functools import cache
from typing import Any

import torch
from msgspec import Struct
from torch._C import TensorBase

from explorer.runtime.recorder.entries import flat, single
from explorer.trace import FULL
from explorer.trace.loss_terms import MOST_TERMS

_LEGACY = ("size_average", "reduce")  # arguments that overrule `reduction`
_PLAIN = {f"{home}.{name}" for home in ("torch", "torch.Tensor") for name in ("mean", "sum")}
_MOST_ENTRIES = 100_000  # largest operand of a mean or sum; in larger ones the search takes too long
_NEAR = 1e-3  # allowed relative difference between the terms' sum and the loss, which was rounded to its dtype


class LossRow(Struct, frozen=True, gc=False):
    """Terms of a call, as in trace.LossTerms.

    `terms` has (position, number, label) of the listed terms.
    """

    shape: tuple[int, ...]
    total: float
    divisor: float
    terms: tuple[tuple[int, float, int], ...]


@cache
def _signature(function) -> inspect.Signature | None:
    try:
        found = inspect.signature(function)
    except (ValueError, TypeError):
        return None
    return found if "reduction" in found.parameters else None


def reduces(qualified: str, function) -> bool:
    """Return whether a torch function has a reduction."""
    return qualified in _PLAIN or (qualified.startswith("torch.nn.functional.") and _signature(function) is not None)


class LossCall(Struct, gc=False):
    """A call that may be a loss, with terms on demand.

    Attributes: losses: where they go. index: the operation's id. args, kwargs: with an empty tensor in place
    of each. tensors: the value and strides of each, the call's result last. gradient: whether the result requires one.
    """

    losses: dict[int, LossRow]
    index: int
    function: Callable
    args: tuple
    kwargs: dict | None
    tensors: list[tuple[int, tuple[int, ...]]]
    gradient: bool

    def fill_in(self, values: Any) -> None:
        """Compute the terms. `values` is the ValueStore."""
        *held, result = [values.tensor(value, stride) for value, stride in self.tensors]
        if result is None or any(tensor is None for tensor in held):
            return
        given = iter(held)
        args = tuple([next(given) if isinstance(one, torch.Tensor) else one for one in self.args])
        named = {
            name: next(given) if isinstance(one, torch.Tensor) else one for name, one in (self.kwargs or {}).items()
        }
        if row := loss_row(self.function, args, named, result, self.gradient):
            self.losses[self.index] = row


def loss_row(function, args: tuple, kwargs: dict | None, result: torch.Tensor, gradient: bool) -> LossRow | None:
    """Return the terms of a scalar call, None if they do not explain it.

    Nothing of the program runs: the caller has ensured that its arguments are torch's own tensors.
    """
    signature = _signature(function)
    if signature is None:
        return _entries_row(args[0], result, gradient)
    bound = signature.bind(*args, **(kwargs or {}))
    given = bound.arguments
    if any(given.get(name) is not None for name in _LEGACY) or given.get("reduction", "mean") == "none":
        return None
    pair = given.get("input"), given.get("target")  # a ranking loss has two inputs, and broadcasts without a warning
    if all(isinstance(one, torch.Tensor) and TensorBase.is_floating_point(one) for one in pair):
        predicted, target = pair
        if predicted.shape != target.shape:
            return None  # torch would warn again about broadcasting
    given["reduction"] = "none"
    with torch.no_grad():
        each = function(*bound.args, **bound.kwargs)
        if not isinstance(each, torch.Tensor) or not TensorBase.numel(each):
            return None
        return _row(each, single(result), given)


def _entries_row(operand: torch.Tensor, result: torch.Tensor, gradient: bool) -> LossRow | None:
    """Return the terms of a mean or sum: the entries of its operand."""
    if not gradient or not FULL < TensorBase.numel(operand) <= _MOST_ENTRIES or TensorBase.is_complex(operand):
        return None
    with torch.no_grad():
        return _row(operand, single(result), {})


def _row(each: torch.Tensor, loss: float, given: dict) -> LossRow | None:
    terms, count = TensorBase.double(flat(each)), TensorBase.numel(each)
    total = single(TensorBase.sum(terms))
    divisor = _divisor(total, loss, count)
    if divisor is None:
        return None
    places = TensorBase.topk(TensorBase.abs(terms), min(MOST_TERMS, count)).indices
    terms_at = zip(_listed(places), _listed(terms, places), _labels(given, each, places), strict=True)
    return LossRow(tuple(each.shape), total, divisor, tuple(terms_at))


def _divisor(total: float, loss: float, count: int) -> float | None:
    """Return the divisor of the terms' sum, or None."""
    for divisor in (1.0, float(count)):
        if math.isclose(total / divisor, loss, rel_tol=_NEAR, abs_tol=1e-12):
            return divisor if total or count == 1 else float(count)
    if not math.isfinite(total) or not math.isfinite(loss):
        return float(count) if math.isnan(total) == math.isnan(loss) and total != 0 else None
    if not loss:
        return None
    divisor = total / loss  # sum of the labels' weights, number of labels not ignored, or rows of a batch
    return float(round(divisor)) if math.isclose(divisor, round(divisor), rel_tol=_NEAR) and round(divisor) else divisor


def _labels(given: dict, each: torch.Tensor, places: torch.Tensor) -> list[int]:
    target = given.get("target")
    if not isinstance(target, torch.Tensor) or TensorBase.is_floating_point(target) or target.shape != each.shape:
        return [-1] * TensorBase.numel(places)
    if given.get("input") is None or given["input"].shape == each.shape:  # a 0 or 1 for each entry is not a class
        return [-1] * TensorBase.numel(places)
    return [max(-1, label) for label in _listed(flat(target), places)]


def _listed(entries: torch.Tensor, places: torch.Tensor | None = None) -> list:
    return TensorBase.tolist(entries if places is None else TensorBase.__getitem__(entries, places))
