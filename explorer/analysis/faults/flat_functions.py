"""Gradients that are zero because a function is flat there, or equal because the rows of a weight are."""

from collections.abc import Iterator, Sequence

import numpy as np

from explorer.analysis.autograd.gradients import contributions, node_gradients
from explorer.analysis.faults.facts import Facts, is_zero, numbers
from explorer.analysis.faults.finding import Finding
from explorer.trace import Backward

_STEPS = tuple(f"{name}Backward" for name in ("Round", "Floor", "Ceil", "Trunc", "Sign", "Sgn", "Heaviside"))
_STOPS = tuple(
    f"{name}Backward"
    for name in (
        "Relu Threshold Clamp ClampMin ClampMax Hardtanh Sigmoid Tanh LeakyRelu Elu Softplus Hardsigmoid LogSigmoid"
    ).split()
)
_SUMS = frozenset("sum mean add iadd radd mul rmul div truediv stack cat flatten view reshape getitem".split())
_LAYERS = frozenset("linear conv1d conv2d conv3d matmul mm addmm baddbmm bmm __matmul__ einsum".split())
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
            if (
                not arrived
                or any(gradient is None for gradient in arrived)
                or all(is_zero(gradient) for gradient in arrived)
            ):
                continue
            edges = range(len(nodes.edges[node]))
            handed = [passed[node, edge] for edge in edges if (node, edge) in passed]
            if not handed or not all(map(facts.is_zero, handed)):
                continue
            leaf = _zero_leaf(facts, gradients, node)
            if leaf is None or (name.startswith("Relu") and _at_kink(facts, operation)):
                continue
            if kind == "gradient_stopped" and (_learns(facts, leaf) or is_met_margin(facts, operation)):
                continue
            values = {"name": facts.name(leaf), "code": facts.text(operation), "arrived": numbers(arrived[0])}
            yield Finding(kind, facts.place(operation), values, leaf, node, certain=not _learns(facts, leaf))
            return


def _learns(facts: Facts, leaf: int) -> bool:
    """Whether some backward brought a leaf a gradient other than 0."""
    calls = [call for call in facts.trace.backwards if call.status == "ok" and leaf in call.accumulated]
    for call in calls:
        at = call.accumulated.index(leaf)
        before, after = (facts.trace.value(values[at]) for values in (call.before, call.after))
        if after is None or not (after.is_zero or before == after):
            return True
    return False


def is_met_margin(facts: Facts, operation: int) -> bool:
    """Whether the value clamped at 0 is a term of the loss: a met margin, so nothing is lost."""
    made = facts.made(operation)
    if facts.names[operation].endswith("_loss"):
        return is_zero(made)
    if made is None or not is_zero(made):
        return False
    todo, seen = list(facts.operations.outputs[operation]), set(facts.operations.outputs[operation])
    while todo:
        tensor = todo.pop()
        if tensor in facts.roots:
            return True
        for user in facts.users.get(tensor, ()):
            if facts.names[user].strip("_") in _SUMS:
                fresh = set(facts.operations.outputs[user]) - seen
                seen |= fresh
                todo += fresh
    return False


def _at_kink(facts: Facts, operation: int) -> bool:
    """Whether an entry of relu's input is exactly 0, where only one side is flat."""
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
            arrived = [value for value in gradients[at] if value >= 0]
            if arrived and all(map(facts.is_zero, arrived)):
                return nodes.variable[at]
        fresh = {target for target in nodes.edges[at] if target >= 0} - seen
        seen |= fresh
        todo += fresh
    return None


def softmax_of_one(facts: Facts) -> Iterator[Finding]:
    """softmax over an axis of size 1 is always 1; for attention over one key this is only a note."""
    for operation in range(facts.count):
        name = facts.names[operation]
        if name not in ("softmax", "log_softmax", "cross_entropy") or not facts.leads_to_root[operation]:
            continue
        shape = facts.shape(facts.operations.inputs[operation][0])
        axis = (1 if len(shape) > 1 else 0) if name == "cross_entropy" else _axis(facts, operation)
        if axis is None or not -len(shape) <= axis < len(shape) or shape[axis] != 1:
            continue
        if facts.place(operation) and not _has_other_sizes(facts, operation):
            at = axis % len(shape)
            values: dict[str, str | int] = {"code": facts.text(operation), "shape": str(shape), "axis": at}
            layer = _is_of_layer(facts, facts.operations.inputs[operation][0])
            yield Finding("softmax_of_one", facts.place(operation), values, certain=layer)
            return


def _has_other_sizes(facts: Facts, operation: int) -> bool:
    """Whether the same place also ran with another shape: then the data determine the size."""
    span, name = facts.operations.span[operation], facts.names[operation]
    shapes = {
        facts.shape(facts.operations.inputs[other][0])
        for other in range(facts.count)
        if facts.operations.span[other] == span and facts.names[other] == name
    }
    return len(shapes) > 1


def _is_of_layer(facts: Facts, tensor: int) -> bool:
    """Whether an axis of size 1 belongs to a layer: one of its leaves has it too."""
    for _ in range(4):
        maker = facts.makers.get(tensor)
        if maker is None or not facts.operations.inputs[maker]:
            return False
        read = facts.operations.inputs[maker]
        if facts.names[maker] in _LAYERS:
            wants, leaf = facts.trace.tensors.requires_grad, facts.trace.tensors.is_leaf
            return any(wants[operand] and leaf[operand] and 1 in facts.shape(operand) for operand in read)
        tensor = read[0]
    return False


def _axis(facts: Facts, operation: int) -> int | None:
    given = facts.trace.arguments(operation).get(1, "dim", default=None)
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
