"""Gradients that are zero because a function is flat where the program stands, or equal because the rows are."""

from collections.abc import Iterator, Sequence

import numpy as np

from explorer.autograd.gradients import contributions, node_gradients
from explorer.diagnose.facts import Facts, is_zero, numbers
from explorer.diagnose.finding import Finding
from explorer.trace import Backward

_STEPS = tuple(f"{name}Backward" for name in ("Round", "Floor", "Ceil", "Trunc", "Sign", "Sgn", "Heaviside"))
_STOPS = tuple(
    f"{name}Backward"
    for name in (
        "Relu Threshold Clamp ClampMin ClampMax Hardtanh Sigmoid Tanh LeakyRelu Elu Softplus Hardsigmoid LogSigmoid"
    ).split()
)
_SMALL = 64  # entries up to which rows of a weight are compared


def flat(facts: Facts) -> Iterator[Finding]:
    """A node gets a gradient, passes zeros, and the whole gradient of a leaf below it is 0."""
    nodes = facts.trace.nodes
    for number, call in facts.calls:
        gradients, passed = node_gradients(facts.trace, number), contributions(facts.trace, number)
        for node in call.order:
            name = facts.trace.strings[nodes.name[node]]
            kind = "step_function" if name.startswith(_STEPS) else "gradient_stopped" if name.startswith(_STOPS) else ""
            operation = nodes.operation[node]
            if not kind or operation < 0 or not facts.place(operation):
                continue
            arrived = [facts.entries(value) for value in gradients[node] if value >= 0]
            if not arrived or any(one is None for one in arrived) or all(is_zero(one) for one in arrived):
                continue
            edges = range(len(nodes.edges[node]))
            handed = [facts.entries(passed[node, edge]) for edge in edges if (node, edge) in passed]
            if not handed or not all(is_zero(one) for one in handed):
                continue
            leaf = _zero_leaf(facts, gradients, node)
            if leaf is not None and not (name.startswith("Relu") and _at_kink(facts, operation)):
                values = {"name": facts.name(leaf), "code": facts.text(operation), "arrived": numbers(arrived[0])}
                yield Finding(kind, facts.place(operation), values, leaf, node)
                return


def _at_kink(facts: Facts, operation: int) -> bool:
    """Whether relu stands at 0 with an entry, where it is flat on one side only."""
    given = (
        facts.before(facts.operations.inputs[operation][0], operation) if facts.operations.inputs[operation] else None
    )
    return given is not None and bool((given == 0).any())


def _zero_leaf(facts: Facts, gradients: Sequence[tuple[int, ...]], node: int) -> int | None:
    """A leaf below a node whose whole gradient is 0."""
    nodes = facts.trace.nodes
    todo, seen = [node], {node}
    while todo:
        at = todo.pop()
        if nodes.variable[at] >= 0:
            arrived = [facts.entries(value) for value in gradients[at] if value >= 0]
            if arrived and all(is_zero(one) for one in arrived):
                return nodes.variable[at]
        fresh = {target for target in nodes.edges[at] if target >= 0} - seen
        seen |= fresh
        todo += fresh
    return None


def softmax_of_one(facts: Facts) -> Iterator[Finding]:
    """softmax over an axis of size 1 is 1 whatever goes in."""
    for operation in range(facts.count):
        name = facts.names[operation]
        if name not in ("softmax", "log_softmax", "cross_entropy") or not facts.leads_to_root[operation]:
            continue
        shape = facts.shape(facts.operations.inputs[operation][0])
        axis = (1 if len(shape) > 1 else 0) if name == "cross_entropy" else _axis(facts, operation)
        if axis is None or not -len(shape) <= axis < len(shape) or shape[axis] != 1:
            continue
        if facts.place(operation):
            at = axis % len(shape)
            values: dict[str, str | int] = {"code": facts.text(operation), "shape": str(shape), "axis": at}
            yield Finding("softmax_of_one", facts.place(operation), values)
            return


def _axis(facts: Facts, operation: int) -> int | None:
    by_position, by_name = facts.given(operation)
    given = by_name.get("dim", by_position[1] if len(by_position) > 1 else None)
    return given if isinstance(given, int) and not isinstance(given, bool) else None


def symmetric(facts: Facts) -> Iterator[Finding]:
    """A weight whose rows are equal and get equal gradients, twice: its units stay copies of one another."""
    for leaf in facts.leaves:
        shape = facts.shape(leaf)
        calls = [call for _, call in facts.calls if leaf in call.accumulated]
        if len(shape) != 2 or shape[0] < 2 or shape[0] * shape[1] > _SMALL or len(calls) < 2:
            continue
        if not all(_rows_equal(facts, leaf, shape, call) for call in calls):
            continue
        wrote = [at for at in (facts.makers.get(leaf), *facts.writes(leaf)) if at is not None]
        first = [at for at in wrote if at < calls[0].operations and facts.place(at)]
        if first:
            values: dict[str, str | int] = {"name": facts.name(leaf), "rows": shape[0]}
            yield Finding("symmetric", facts.place(first[-1]), values, leaf)
            return


def _rows_equal(facts: Facts, leaf: int, shape: tuple[int, ...], call: Backward) -> bool:
    entries, gradient = facts.before(leaf, call.operations), facts.entries(call.after[call.accumulated.index(leaf)])
    size = shape[0] * shape[1]
    if entries is None or gradient is None or entries.size != size or gradient.size != size:
        return False
    entries, gradient = entries.reshape(shape), gradient.reshape(shape)
    same = (entries == entries[0]).all() and np.allclose(gradient, gradient[0], rtol=1e-5, atol=0)
    return bool(same and np.any(gradient))


RULES = (flat, softmax_of_one, symmetric)
