"""Optimizers that hold the wrong tensors: a copy, another model, nothing."""

from collections.abc import Iterator, Mapping

import numpy as np

from explorer.analysis.faults.facts import Facts, Phase
from explorer.analysis.faults.finding import Finding
from explorer.analysis.faults.training_lookups import (
    named,
    optimizer_name,
    optimizer_place,
    optimizers,
    step_of,
    tensors_of,
)

_MOST = 200  # tensors of an optimizer that are compared


def held_instead(facts: Facts, phase: Phase) -> Mapping[str, str | int]:
    """Why a step changes nothing, as values for the sentence.

    `cause` is cleared (the tensors had gradients, and lost them), generator (a group is empty), copy (it holds a later
    copy of a tensor that got gradients), replaced (before it), other or unknown.
    """
    step = step_of(facts, phase)
    if step is None or step.subject < 0:
        return {"cause": "unknown", "optimizer": "", "line": 0, "held": "", "received": ""}
    row = facts.trace.log.optimizers[step.subject]
    held, made = tensors_of(row), optimizer_place(facts, step.subject)
    received = sorted(facts.received - set(held))
    values: dict[str, str | int] = {
        "optimizer": optimizer_name(facts, step.subject),
        "line": made.line if row.span >= 0 and made is not None else 0,
        "held": named(facts, held),
        "received": named(facts, received),
    }
    pair = _equal_pair(facts, held, received)
    if set(held) & facts.received:
        cause = "cleared"
    elif any(group.count == 0 for group in row.groups):
        cause = "generator"
    elif pair is not None:
        cause = "copy" if pair[0] > pair[1] else "replaced"
        values |= {"held": named(facts, [pair[0]]), "received": named(facts, [pair[1]])}
    elif held and received:
        cause = "other"
    else:
        cause = "unknown"
    return values | {"cause": cause}


def _equal_pair(facts: Facts, held: list[int], received: list[int]) -> tuple[int, int] | None:
    """A tensor of an optimizer and one with gradients that have the same entries, if these are varied."""
    for own in held[:_MOST]:
        for other in received[:_MOST]:
            if facts.shape(own) != facts.shape(other):
                continue
            first, second = _first(facts, own), _first(facts, other)
            if first is None or second is None or first.size != second.size or np.unique(first).size < 2:
                continue
            if np.array_equal(first, second):
                return own, other
    return None


def _first(facts: Facts, tensor: int) -> np.ndarray | None:
    """The entries of a tensor before the first backward."""
    begin = facts.calls[0][1].operations if facts.calls else facts.count
    found = facts.before(tensor, begin)
    if found is None:
        rows = facts.trace.versions_of(tensor)
        found = facts.entries(facts.trace.versions.value[rows[0]]) if rows else None
    return found


def frozen_in_optimizer(facts: Facts) -> Iterator[Finding]:
    """An optimizer holds a plain tensor that never requires a gradient, or a group of only frozen parameters."""
    tensors = facts.trace.tensors
    asked = {"requires_grad_", "requires_grad="}
    for at, row, _ in optimizers(facts):
        place = optimizer_place(facts, at)
        held = tensors_of(row)
        if place is None or not any(tensor in facts.received for tensor in held):
            continue
        plain = [
            tensor
            for tensor in held
            if not tensors.requires_grad[tensor]
            and not tensors.is_parameter[tensor]
            and not any(facts.names[user] in asked for user in facts.users.get(tensor, ()))
        ]
        frozen = [
            tensor
            for group in row.groups
            if group.count and group.count == len(group.tensors) and len(row.groups) > 1
            for tensor in group.tensors
            if not any(tensors.requires_grad[tensor] or tensor in facts.received for tensor in group.tensors)
        ]
        found = plain or frozen
        if found:
            values: dict[str, str | int] = {"optimizer": optimizer_name(facts, at), "names": named(facts, found)}
            yield Finding("frozen_in_optimizer", place, values, found[0], certain=bool(plain))
            return


RULES = (frozen_in_optimizer,)
