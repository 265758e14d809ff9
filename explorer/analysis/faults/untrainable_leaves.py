"""Leaves that cannot learn: mutually zero weights, hooks that remove the gradient, data that became 0."""

import math
from collections.abc import Iterator

import numpy as np

from explorer.analysis.autograd.gradients import contributions
from explorer.analysis.faults.facts import Facts, numbers
from explorer.analysis.faults.finding import Finding
from explorer.analysis.faults.training_lookups import calls, named, optimizers, place_of, tensors_of
from explorer.trace import Backward

_FEW = 3  # backwards from which on a statement about all of them is made
_DIVIDES = ("__floordiv__", "floor_divide", "div", "long", "int", "to", "byte", "short")
_PASSES = ("float", "double", "to", "half", "view", "reshape", "unsqueeze", "type", "T", "t", "__getitem__", "clone")
_MULTIPLIES = ("matmul", "__matmul__", "linear", "mul", "__rmul__", "mm", "mv", "conv1d", "conv2d", "dot", "addmm")


def zeros_hold(facts: Facts) -> Iterator[Finding]:
    """Two or more weights that are 0 in every round with gradients 0, since each is multiplied by the other."""
    trained = [tensor for _, row, _ in optimizers(facts) for tensor in tensors_of(row)]
    found = []
    for leaf in trained:
        brought = [call for _, call in facts.calls if leaf in call.accumulated]
        if len(facts.shape(leaf)) < 2 or math.prod(facts.shape(leaf)) < 2 or len(brought) < _FEW:
            continue
        if all(_is_nothing(facts, leaf, call) for call in brought):
            found.append((leaf, brought[0]))
    moving = any(np.any(facts.entries(value)) for _, call in facts.calls for value in call.after if value >= 0)
    if len(found) < 2 or not moving:
        return
    leaf, first = found[0]
    wrote = [at for at in (facts.makers.get(leaf), *facts.writes(leaf)) if at is not None and at < first.operations]
    wrote = wrote or _zeros_like(facts, leaf, first.operations)
    places = [place for at in wrote if (place := facts.place(at)) is not None]
    if places:
        values: dict[str, str | int] = {
            "names": named(facts, [weight for weight, _ in found]),
            "rounds": len([call for _, call in facts.calls if leaf in call.accumulated]),
        }
        yield Finding("zeros_hold", places[-1], values, leaf)


def _zeros_like(facts: Facts, leaf: int, begin: int) -> list[int]:
    """The operation that made a parameter's zeros; nn.Parameter itself is not recorded as one."""
    for operation in range(begin):
        for made in facts.operations.outputs[operation]:
            if facts.shape(made) == facts.shape(leaf) and not facts.users.get(made) and facts.made_zero(operation):
                return [operation]
    return []


def _is_nothing(facts: Facts, leaf: int, call: Backward) -> bool:
    """Whether a leaf and its gradient are 0 in a backward."""
    after = call.after[call.accumulated.index(leaf)]
    return facts.is_zero(facts.value_before(leaf, call.operations)) and facts.is_zero(after)


def hook_zeroes(facts: Facts) -> Iterator[Finding]:
    """A hook of the program turns every gradient of a leaf into zeros. With optimizers only theirs count."""
    held = {tensor for _, row, _ in optimizers(facts) for tensor in tensors_of(row)}
    variable = facts.trace.nodes.variable
    for hook in calls(facts, "hook"):
        leaf, place = hook.subject, place_of(facts, hook.span)
        if (held and leaf not in held) or place is None:
            continue
        arrived: list[np.ndarray] = []
        for number, call in facts.calls:
            if leaf not in call.accumulated or not facts.is_zero(call.after[call.accumulated.index(leaf)]):
                continue
            passed = contributions(facts.trace, number)
            nodes = {node for node in call.order if variable[node] == leaf}
            came = [
                facts.entries(value)
                for (node, edge), value in passed.items()
                if facts.trace.nodes.edges[node][edge] in nodes and value >= 0
            ]
            if came and all(gradient is not None for gradient in came) and any(np.any(gradient) for gradient in came):
                arrived.append(np.asarray(came[0]))
        brought = sum(leaf in call.accumulated for _, call in facts.calls)
        if arrived and len(arrived) == brought:
            values: dict[str, str | int] = {
                "name": facts.name(leaf),
                "code": facts.trace.text(hook.span),
                "arrived": numbers(arrived[0]),
                "rounds": brought,
            }
            yield Finding("hook_zeroes", place, values, leaf)
            return


def data_lost(facts: Facts) -> Iterator[Finding]:
    """A division into whole numbers turns varied data to 0; they then multiply a leaf, whose gradient is 0."""
    wants = facts.trace.tensors.requires_grad
    for operation in range(facts.count):
        read, made = facts.operations.inputs[operation], facts.operations.outputs[operation]
        if facts.names[operation] not in _DIVIDES or not read or not made or not facts.leads_to_root[operation]:
            continue
        place = facts.place(operation)
        if place is None or wants[read[0]]:
            continue
        before = facts.before(read[0], operation)
        if before is None or before.dtype.kind not in "fiu" or np.unique(before).size < 3:
            continue
        if not facts.made_zero(operation):
            continue
        if not facts.dtype(made[0]).startswith(("int", "uint")) and not _rounds(facts, operation):
            continue
        multiplied = _multiplied(facts, made[0])
        if multiplied is None:
            continue
        values: dict[str, str | int] = {
            "code": facts.text(operation),
            "before": numbers(before),
            "name": facts.name(read[0]),
            "used": facts.text(multiplied),
        }
        yield Finding("data_lost", place, values, made[0])
        return


def _rounds(facts: Facts, operation: int) -> bool:
    return (
        facts.names[operation] in ("__floordiv__", "floor_divide")
        or "rounding_mode" in facts.trace.arguments(operation).named
    )


def _multiplied(facts: Facts, tensor: int) -> int | None:
    """The operation that multiplies a tensor, converted or reshaped, by one that requires a gradient."""
    todo, seen = [tensor], {tensor}
    while todo and len(seen) < 20:
        at = todo.pop()
        for user in facts.users.get(at, ()):
            name, read = facts.names[user], facts.operations.inputs[user]
            if name in _MULTIPLIES and any(
                facts.trace.tensors.requires_grad[operand] for operand in read if operand != at
            ):
                return user
            if name in _PASSES:
                fresh = [output for output in facts.operations.outputs[user] if output not in seen]
                seen.update(fresh)
                todo += fresh
    return None


RULES = (zeros_hold, hook_zeroes, data_lost)
