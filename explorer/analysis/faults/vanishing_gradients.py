"""Gradients that shrink through squashing functions: many in a row, or saturated from the start."""

import math
from collections.abc import Iterator

import numpy as np

from explorer.analysis.faults.facts import Facts
from explorer.analysis.faults.finding import Finding
from explorer.analysis.faults.training_lookups import optimizers, share, tensors_of
from explorer.trace import Backward

_SQUASHES = ("sigmoid", "tanh")
_FEW = 3  # backwards from which on a statement about all of them is made
_IN_A_ROW = 4  # squashing functions between a weight and the loss
_VANISHED = 1e-6  # norm of a gradient, and its share of the largest one in the first round
_SATURATED = 1e-5  # distance of a sigmoid from 0 or 1, of a tanh from ±1
_MOST = 0.75  # share of the entries that are saturated in every round
_MASK = 1e8  # inputs beyond which an entry is masked on purpose
_LARGE = 30.0  # entries of data that saturate with any usual weights


def gradient_vanishes(facts: Facts) -> Iterator[Finding]:
    """A weight behind a row of sigmoids or tanhs gets a millionth of the largest gradient, and stays below that."""
    stepped = {tensor for _, row, _ in optimizers(facts) for tensor in tensors_of(row)}
    held = stepped or {leaf for leaf in facts.received if facts.trace.tensors.is_parameter[leaf]}
    small: dict[int, int] = {}
    rounds = 0
    shown: tuple[int, float, int, float] | None = None
    for _, call in facts.calls:
        norms = _norms(facts, call, held)
        if len(norms) < 2:
            continue
        rounds += 1
        largest = max(norms, key=lambda leaf: norms[leaf])
        for leaf, norm in norms.items():
            if 0 < norm < _VANISHED * (norms[largest] if rounds == 1 else 1.0):
                small[leaf] = small.get(leaf, 0) + 1
        lowest = min(norms, key=lambda leaf: norms[leaf])
        shown = shown or (lowest, norms[lowest], largest, norms[largest])
    always = [leaf for leaf, count in small.items() if count == rounds]
    functions = [facts.names[at] for at in _of_first_round(facts) if facts.names[at] in _SQUASHES]
    if not always or shown is None or len(functions) < _IN_A_ROW or shown[0] not in always:
        return
    if rounds < _FEW and shown[1] > _VANISHED:  # little is known: the gradient itself is tiny, too
        return
    place = facts.home(shown[0])
    if place is not None:
        values: dict[str, str | int] = {
            "name": facts.name(shown[0]),
            "norm": share(shown[1]),
            "other": facts.name(shown[2]),
            "large": share(shown[3]),
            "count": len(functions),
            "function": functions[0],
            "leaves": len(always),
        }
        yield Finding("gradient_vanishes", place, values, shown[0])


def _norms(facts: Facts, call: Backward, held: set[int]) -> dict[int, float]:
    """The norms of the gradients of weights (two axes or more) in a backward."""
    found = {}
    for leaf, before, after in zip(call.accumulated, call.before, call.after, strict=True):
        if leaf not in held or len(facts.shape(leaf)) < 2 or (before >= 0 and not facts.is_zero(before)):
            continue
        value = facts.trace.value(after)
        if value is not None and value.norm is not None and not value.nonfinite:
            found[leaf] = float(value.norm)
    return found


def _of_first_round(facts: Facts) -> range:
    return range(facts.calls[0][1].operations) if facts.calls else range(0)


def activation_saturated(facts: Facts) -> Iterator[Finding]:
    """A sigmoid or tanh is saturated for three quarters of its entries or more, in every round."""
    wants = facts.trace.tensors.requires_grad
    by_place: dict[tuple[int, int], list[int]] = {}
    for operation in range(facts.count):
        made = facts.operations.outputs[operation]
        if facts.names[operation] in _SQUASHES and made and wants[made[0]] and facts.leads_to_root[operation]:
            key = facts.operations.span[operation], facts.operations.module[operation]
            by_place.setdefault(key, []).append(operation)
    for operations in by_place.values():
        shares = [_saturated(facts, operation) for operation in operations]
        first, place = operations[0], facts.place(operations[0])
        if (
            place is None
            or len(operations) < _FEW
            or not all(share is not None and share[0] >= _MOST for share in shares)
        ):
            continue
        if not any(step.begin > first for step in facts.steps):
            continue
        part, size, low, high = shares[0] or (0.0, 0, 0.0, 0.0)
        data = _large_data(facts, facts.operations.inputs[first][0])
        source = facts.places.get(data) if data is not None else None
        values: dict[str, str | int] = {
            "code": facts.text(first),
            "function": facts.names[first],
            "saturated": round(part * size),
            "entries": size,
            "sampled": "no" if size == math.prod(facts.shape(facts.operations.outputs[first][0])) else "yes",
            "low": share(low),
            "high": share(high),
            "data": facts.name(data) if data is not None and source is not None else "none",
        }
        yield Finding("activation_saturated", source or place, values, facts.operations.outputs[first][0])
        return


def _saturated(facts: Facts, operation: int) -> tuple[float, int, float, float] | None:
    """The share of saturated entries, how many were recorded, and the range of the inputs; None if unknown."""
    given, made = facts.before(facts.operations.inputs[operation][0], operation), facts.made(operation)
    if given is None or made is None or made.size < 4 or not np.isfinite(given).all() or np.abs(given).max() > _MASK:
        return None
    limits = (0.0, 1.0) if facts.names[operation] == "sigmoid" else (-1.0, 1.0)
    near = np.minimum(np.abs(made - limits[0]), np.abs(made - limits[1])) < _SATURATED
    return float(near.mean()), int(made.size), float(given.min()), float(given.max())


def _large_data(facts: Facts, tensor: int) -> int | None:
    """The data that a layer got for these inputs, if their entries are large; otherwise None."""
    wants = facts.trace.tensors.requires_grad
    maker = facts.makers.get(tensor)
    read = facts.operations.inputs[maker] if maker is not None else []
    for operand in read:
        entries = facts.before(operand, maker) if maker is not None and not wants[operand] else None
        if entries is not None and entries.size and np.abs(entries).max() >= _LARGE:
            return operand
    return None


RULES = (gradient_vanishes, activation_saturated)
