"""An operation that broadcast, from a Trace: operands, result, and gradients."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from explorer.analysis.broadcasting.alignment import Alignment, Shape, align
from explorer.analysis.broadcasting.backward_sums import agrees, contributions
from explorer.analysis.broadcasting.operators import OPERATORS
from explorer.analysis.broadcasting.question import BroadcastQuestion
from explorer.analysis.operations import operation_of
from explorer.trace import Backward, Failure, Trace, Value, real

MOST_PLACES = 200  # operations of one program that are offered


@dataclass(frozen=True)
class BroadcastOperand:
    """One operand.

    Attributes:
        name: its text in the program.
        shape, dtype: of it.
        values: its entries, None if they were not all recorded.
        gradient: the gradient from this operation, in its own shape; or None.
        stored: whether that equals its `.grad`.
        opaque: whether it has no plain entries at all (sparse).
        local, given: per entry of the result the derivative by the entry it read, and upstream gradient times that;
            None without a formula.
        plain: whether every local derivative is 1 or −1, so that a sentence need not say it.
    """

    name: str
    shape: Shape
    dtype: str
    values: np.ndarray | None = None
    gradient: np.ndarray | None = None
    stored: bool = False
    opaque: bool = False
    local: np.ndarray | None = None
    given: np.ndarray | None = None
    plain: bool = False


@dataclass(frozen=True)
class Broadcast:
    """One operation.

    Attributes:
        operator: a key of OPERATORS, "" for one without a formula here.
        expression: its text in the program; result: the name of its result, or "".
        parts: the operands.
        alignment: of their shapes.
        values: of the result, None if shapes clashed or not all entries were recorded.
        upstream: the gradient that arrived at the result, or None.
        loss: the mean of the result, if backward started from it.
    """

    operator: str
    expression: str
    result: str
    parts: tuple[BroadcastOperand, ...]
    alignment: Alignment
    values: np.ndarray | None = None
    upstream: np.ndarray | None = None
    loss: float | None = None


@dataclass(frozen=True)
class BroadcastLine:
    """An operation of a program whose operands have different shapes.

    Attributes:
        operation: its last execution; count: how many there were.
        cell, line, text: its place and text.
        shapes: of its operands; result: None if they clashed.
    """

    operation: int
    count: int
    cell: int
    line: int
    text: str
    shapes: tuple[Shape, ...]
    result: Shape | None


def of_program(trace: Trace, question: BroadcastQuestion) -> Broadcast | None:
    """The broadcast in the run of a question; None if not all operands exist."""
    tensors = [trace.bound(name) for name in question.names]
    if None in tensors:
        return None
    parts = []
    for name, tensor in zip(question.names, tensors, strict=True):
        row = trace.versions_of(tensor)[-1]
        grad = _array(trace.value(trace.tensors.grad[tensor]))
        gradient = _arrived(trace, row) if grad is None else grad
        parts.append(_part(trace, name, tensor, row, gradient, grad is not None))
    shapes = tuple(part.shape for part in parts)
    made = Broadcast(question.operator, question.expression, question.result, tuple(parts), align(shapes))
    result = trace.bound(question.result)
    if result is None:
        return made
    upstream = _array(trace.value(trace.tensors.grad[result]))
    began = any(len(back.order) for back in trace.backwards)  # torch refuses a v of another shape first
    if upstream is None and question.start != "mean" and (given := trace.bound("v")) is not None and began:
        upstream = _array(trace.latest(given))
    loss = trace["loss"] if trace.bound("loss") is not None else None
    values = _array(trace.latest(result))
    is_real = loss is not None and loss.data and not loss.dtype.startswith("complex")
    number = float(real(loss.data[0])) if is_real else None
    made = _with_terms(replace(made, values=values, upstream=upstream, loss=number))
    if len(made.parts) == 2 and any(part.given is None for part in made.parts):
        return _share(trace, made, result)
    return made


def unfloating(trace: Trace, question: BroadcastQuestion) -> tuple[str, ...]:
    """The operands of a question that are whole numbers or booleans, which can have no gradient."""
    found = []
    for name, operand in zip(question.names, question.operands, strict=True):
        tensor = trace.bound(name)
        if operand.kind == "expression" and not operand.floating and tensor is not None:
            dtype = trace.string(trace.tensors.dtype[tensor]) or ""
            if "int" in dtype or dtype == "bool":
                found.append(name)
    return tuple(found)


def broadcasts(trace: Trace) -> tuple[BroadcastLine, ...]:
    """The operations of a program whose operands' shapes differ, by place; rounds of a loop are one."""
    found: dict[tuple, BroadcastLine] = {}
    for operation, shapes, result in _candidates(trace):
        span = trace.operations.span[operation]
        key = (span, shapes) if span >= 0 else (operation,)
        if key not in found and len(found) >= MOST_PLACES:
            continue
        text = _one_line(trace.text(span))
        cell, line = (trace.spans[span].cell, trace.spans[span].line) if span >= 0 else (0, 0)
        count = found[key].count + 1 if key in found else 1
        name = trace.strings[trace.operations.name[operation]]
        found[key] = BroadcastLine(operation, count, cell, line, text or name, shapes, result)
    return tuple(found.values())


def of_operation(trace: Trace, place: BroadcastLine) -> Broadcast:
    """One operation: what it read, its result, and the gradients in the last backward that reached it."""
    operation, operations = place.operation, trace.operations
    text = place.text
    outputs = operations.outputs[operation]
    written = [
        row for tensor in outputs for row in trace.versions_of(tensor) if trace.versions.operation[row] == operation
    ]
    name = trace.strings[operations.name[operation]]
    back = _last_backward(trace, operation)
    parts = []
    for tensor, version in zip(operations.inputs[operation], operations.input_versions[operation], strict=True):
        row = _version_row(trace, tensor, version, operation)
        gradient = _array(trace.value(_passed(trace, operation, row, tensor, back))) if back is not None else None
        grad = _array(trace.value(trace.tensors.grad[tensor]))
        stored = gradient is not None and grad is not None and np.array_equal(grad, gradient, equal_nan=True)
        parts.append(_part(trace, _word(trace, tensor, text, operation), tensor, row, gradient, stored))
    alignment = align(tuple(part.shape for part in parts))
    values = _array(trace.value(trace.versions.value[written[0]])) if written else None
    upstream = None
    if written and back is not None and (node := trace.versions.node[written[0]]) in back.order:
        arrived = back.arrived[back.order.index(node)]
        output = max(trace.versions.output[written[0]], 0)
        upstream = _array(trace.value(arrived[output])) if 0 <= output < len(arrived) else None
    if alignment.result is not None and values is not None and values.shape != alignment.result:
        values, upstream = None, None  # a loss: its entrywise comparison is not in the Trace
    result = _bound_name(trace, outputs[0], operation) if outputs else ""
    applied = operation_of(name)
    operator = applied.name if applied.name in OPERATORS and not applied.names.get(name) else ""
    made = Broadcast(operator, text, result, tuple(parts), alignment, values, upstream)
    return _with_terms(made)


def untensored(trace: Trace, question: BroadcastQuestion) -> tuple[str, ...]:
    """The operands of a question that are not tensors: a number, a list, a text."""
    failures = [output for cell in trace.cells for output in cell.outputs if isinstance(output, Failure)]
    first = failures[0] if failures else None
    if first is None or first.type != "AttributeError" or "requires_grad_" not in trace.text(first.span):
        return ()
    named = zip(question.names, question.operands, strict=True)
    return tuple(name for name, operand in named if operand.kind == "expression" and trace.bound(name) is None)


def _share(trace: Trace, made: Broadcast, result: int) -> Broadcast:
    """The broadcast with the gradients from this operation alone; `.grad` may hold more."""
    operation = trace.maker(result)
    if operation < 0 or len(trace.operations.inputs[operation]) != 2 or made.operator == "square":
        return made
    place = BroadcastLine(operation, 1, 0, 0, made.expression, made.alignment.shapes, made.alignment.result)
    shares = of_operation(trace, place).parts
    parts = [
        own if share.gradient is None else replace(own, gradient=share.gradient, stored=share.stored)
        for own, share in zip(made.parts, shares, strict=True)
    ]
    return _with_terms(replace(made, parts=tuple(parts)))


def _with_terms(found: Broadcast) -> Broadcast:
    """The broadcast with the gradients of every read, if their sums equal torch's recorded gradients."""
    values = [part.values for part in found.parts]
    if found.operator == "" or found.upstream is None or len(values) < 2 or any(value is None for value in values):
        return found
    if found.upstream.shape != found.alignment.result:
        return found
    if any(array.dtype.kind == "c" for array in (*values, found.upstream)):
        return found
    parts = []
    for part, (local, given) in zip(found.parts, contributions(found.operator, values, found.upstream), strict=True):
        fits = part.gradient is not None and agrees(given, part.shape, part.gradient)
        plain = fits and local.size > 0 and bool((local == local.flat[0]).all()) and abs(local.flat[0]) == 1
        parts.append(replace(part, local=local, given=given, plain=plain) if fits else part)
    return replace(found, parts=tuple(parts))


def _candidates(trace: Trace) -> Iterator[tuple[int, tuple[Shape, ...], Shape | None]]:
    operations, shapes = trace.operations, trace.shapes
    for operation in range(len(operations)):
        name = trace.strings[operations.name[operation]]
        inputs = operations.inputs[operation]
        applied = operation_of(name)
        if len(inputs) < 2 or not (applied.broadcasts or applied.compares) or operations.in_backward[operation] >= 0:
            continue
        given = tuple(tuple(shapes[trace.tensors.shape[tensor]]) for tensor in inputs)
        if len(set(given)) == 1:
            continue
        result = align(given).result
        outputs = operations.outputs[operation]
        if result is None and operations.error[operation] >= 0:
            yield operation, given, None
        elif result is not None and outputs:
            made = tuple(shapes[trace.tensors.shape[outputs[0]]])
            if made == result or applied.compares:
                yield operation, given, result


def _part(
    trace: Trace, name: str, tensor: int, row: int, gradient: np.ndarray | None, stored: bool
) -> BroadcastOperand:
    value = trace.value_at(row)
    shape = value.shape if value is not None else tuple(trace.shapes[trace.tensors.shape[tensor]])
    dtype = trace.string(trace.tensors.dtype[tensor]) or ""
    if gradient is not None and gradient.shape != shape:
        gradient = None
    opaque = value is not None and value.data is None and not value.sample
    return BroadcastOperand(name, shape, dtype, _array(value), gradient, stored, opaque)


def _array(value: Value | None) -> np.ndarray | None:
    """All entries in their shape, None if they were not all recorded."""
    return None if value is None else value.array()


def _version_row(trace: Trace, tensor: int, version: int, operation: int) -> int:
    """The row of `versions` that an operation read."""
    rows = trace.versions_of(tensor)
    exact = [row for row in rows if trace.versions.version[row] == version]
    before = [row for row in exact or rows if trace.versions.operation[row] < operation]
    return (before or exact or rows)[-1]


def _arrived(trace: Trace, row: int) -> np.ndarray | None:
    """The gradient of a non-leaf tensor in the last backward."""
    node, output = trace.versions.node[row], max(trace.versions.output[row], 0)
    for back in reversed(trace.backwards):
        if node in back.order:
            arrived = back.arrived[back.order.index(node)]
            return _array(trace.value(arrived[output])) if 0 <= output < len(arrived) else None
    return None


def _nodes_of(trace: Trace, operation: int) -> list[int]:
    return [node for node, maker in enumerate(trace.nodes.operation) if maker == operation]


def _last_backward(trace: Trace, operation: int) -> Backward | None:
    nodes = set(_nodes_of(trace, operation))
    return next((back for back in reversed(trace.backwards) if nodes & set(back.order)), None)


def _passed(trace: Trace, operation: int, row: int, tensor: int, back: Backward) -> int:
    """The contribution of an operation's nodes to this input's gradient, or −1."""
    nodes = trace.nodes
    place = (trace.versions.node[row], max(trace.versions.output[row], 0))
    if place[0] < 0:
        place = (next((node for node, leaf in enumerate(nodes.variable) if leaf == tensor), -1), 0)
    if place[0] not in back.order:
        return -1
    arrived = back.arrived[back.order.index(place[0])]
    reached = {node for node in back.order}
    leading = [
        (node, edge)
        for node in reached
        for edge, (target, output) in enumerate(zip(nodes.edges[node], nodes.edge_inputs[node], strict=True))
        if (target, output) == place
    ]
    own = [edge for edge in leading if nodes.operation[edge[0]] == operation]
    if not own:
        return -1
    if len(leading) == 1:
        return arrived[place[1]] if place[1] < len(arrived) else -1
    recorded = zip(back.contribution_from, back.contribution_edge, back.contribution_value, strict=True)
    return next((value for node, edge, value in recorded if (node, edge) == own[0]), -1)


def _word(trace: Trace, tensor: int, text: str, operation: int) -> str:
    """The word for an operand: its name in the operation's text, its own expression, or torch's name."""
    if (name := _bound_name(trace, tensor, operation)) != "":
        return name
    maker = trace.maker(tensor)
    said = _one_line(trace.text(trace.operations.span[maker])) if maker >= 0 else ""
    if said and said != text and said in text:
        return said
    return trace.strings[trace.operations.name[maker]] if maker >= 0 else "·"


def _bound_name(trace: Trace, tensor: int, operation: int) -> str:
    names: Sequence[str] = [
        binding.name for binding in trace.index.bindings.get(tensor, ()) if not 0 <= binding.until < operation
    ]
    return names[0] if names else ""


def _one_line(text: str) -> str:
    return " ".join(part.strip() for part in text.split("\n"))
