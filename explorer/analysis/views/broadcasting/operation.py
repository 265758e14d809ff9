"""A broadcasting operation in a Trace: operands, result and gradients."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from explorer.analysis.explain.autograd.edge_gradients import EdgeGradients
from explorer.analysis.explain.autograd.formula_values import reduced
from explorer.analysis.explain.autograd.gradients import version_place
from explorer.analysis.run import rounding
from explorer.analysis.run.model import one_line, run_of
from explorer.analysis.run.names import name_of
from explorer.analysis.run.operations import operation_of
from explorer.analysis.views.broadcasting.alignment import Alignment, Shape, align
from explorer.analysis.views.broadcasting.question import OPERATORS, BroadcastQuestion
from explorer.trace import Failure, Trace, Value, real

MOST_PLACES = 200  # most operations offered from one program


@dataclass(frozen=True)
class BroadcastOperand:
    """One operand.

    Attributes:
        name: text in the program.
        shape, dtype: of the operand.
        values: entries, None unless all were recorded.
        gradient: gradient from this operation, in the operand's shape, or None.
        stored: whether it equals `.grad`.
        opaque: whether it has no plain entries (sparse).
        local, given: for each result entry, the derivative by the entry it read, and the upstream gradient times
            that. None without a formula.
        plain: whether every local derivative is 1 or −1, which needs no mention.
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
        operator: key of OPERATORS, "" without a formula.
        expression: text in the program. result: name of the result, or "".
        parts: the operands.
        alignment: alignment of their shapes.
        values: entries of the result, None if shapes clashed or entries are missing.
        upstream: gradient that arrived at the result, or None.
        loss: mean of the result, if backward started from it.
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
        operation: last execution. count: number of executions.
        cell, line, text: place and text.
        shapes: shapes of the operands. result: None if they clashed.
    """

    operation: int
    count: int
    cell: int
    line: int
    text: str
    shapes: tuple[Shape, ...]
    result: Shape | None


def of_program(trace: Trace, question: BroadcastQuestion) -> Broadcast | None:
    """Return the broadcast in a question's run, None unless all operands exist."""
    tensors = [trace.bound(name) for name in question.names]
    if None in tensors:
        return None
    rows, result = [trace.versions_of(tensor)[-1] for tensor in tensors], trace.bound(question.result)
    made = -1 if result is None else trace.versions_of(result)[-1]
    start = trace.bound("v")
    seed = None if start is None else trace.latest(start)
    call = question.operator, question.expression, question.result, question.names
    broadcast = _build(trace, *call, rows, made, (seed,))
    loss = trace["loss"] if made >= 0 and trace.bound("loss") is not None else None
    is_real = loss is not None and loss.data and not loss.dtype.startswith("complex")
    return replace(broadcast, loss=float(real(loss.data[0])) if is_real else None)


def unfloating(trace: Trace, question: BroadcastQuestion) -> tuple[str, ...]:
    """Return a question's integer or boolean operands, which cannot have gradients."""
    names = []
    for name, operand in zip(question.names, question.operands, strict=True):
        tensor = trace.bound(name)
        if operand.kind == "expression" and not operand.floating and tensor is not None:
            dtype = trace.string(trace.tensors.dtype[tensor]) or ""
            if "int" in dtype or dtype == "bool":
                names.append(name)
    return tuple(names)


def broadcasts(trace: Trace) -> tuple[BroadcastLine, ...]:
    """List operations with different operand shapes by place, loop rounds merged."""
    lines: dict[tuple, BroadcastLine] = {}
    for operation, shapes, result in _candidates(trace):
        span = trace.operations.span[operation]
        key = (span, shapes) if span >= 0 else (operation,)
        if key not in lines and len(lines) >= MOST_PLACES:
            continue
        text = one_line(trace.text(span))
        cell, line = (trace.spans[span].cell, trace.spans[span].line) if span >= 0 else (0, 0)
        count = lines[key].count + 1 if key in lines else 1
        name = trace.strings[trace.operations.name[operation]]
        lines[key] = BroadcastLine(operation, count, cell, line, text or name, shapes, result)
    return tuple(lines.values())


def of_operation(trace: Trace, line: BroadcastLine) -> Broadcast:
    """Return an operation's inputs, result and gradients in the last backward that reached it."""
    operation, operations = line.operation, trace.operations
    outputs, inputs = operations.outputs[operation], operations.inputs[operation]
    written = (row for tensor in outputs for row in trace.versions_of(tensor))
    made = next((row for row in written if trace.versions.operation[row] == operation), -1)
    rows = trace.index.rows_read(operation)
    name = trace.strings[operations.name[operation]]
    applied = operation_of(name)
    operator = applied.name if applied.name in OPERATORS and not applied.names.get(name) else ""
    words = [_word(trace, tensor, line.text, operation) for tensor in inputs]
    result = name_of(run_of(trace), outputs[0], operation) if outputs else ""
    return _build(trace, operator, line.text, result, words, rows, made)


def untensored(trace: Trace, question: BroadcastQuestion) -> tuple[str, ...]:
    """Return a question's operands that are not tensors."""
    failures = [output for cell in trace.cells for output in cell.outputs if isinstance(output, Failure)]
    first = failures[0] if failures else None
    if first is None or first.type != "AttributeError" or "requires_grad_" not in trace.text(first.span):
        return ()
    named = zip(question.names, question.operands, strict=True)
    return tuple(name for name, operand in named if operand.kind == "expression" and trace.bound(name) is None)


def _build(
    trace: Trace,
    operator: str,
    expression: str,
    result: str,
    words: Sequence[str],
    rows: Sequence[int],
    made: int,
    asked: tuple[Value | None] | None = None,
) -> Broadcast:
    """Build a broadcast from its input and result versions (-1: none).

    Args:
        asked: starting gradient on the page. Then only a backward called by the program counts.
    """
    operands = [_operand(trace, word, row) for word, row in zip(words, rows, strict=True)]
    alignment = align(tuple(operand.shape for operand in operands))
    values = _array(trace.value_at(made)) if made >= 0 else None
    if alignment.result is not None and values is not None and values.shape != alignment.result:
        values = None  # a loss; its entrywise comparison is not in the Trace
    broadcast = Broadcast(operator, expression, result, tuple(operands), alignment, values)
    node, output = version_place(trace, made)
    called = [asked is None or call.kind != "implicit" for call in trace.backwards]
    calls = [at for at, call in enumerate(trace.backwards) if called[at] and node in call.order]
    if not calls or trace.nodes.variable[node] >= 0:
        return broadcast
    passing = EdgeGradients(trace, calls[-1], "")
    arrived = passing.gradients[node]
    upstream = _whole(trace, arrived[output], made, *(asked or ())) if output < len(arrived) else None
    if upstream is None or upstream.shape != alignment.result:
        upstream = None
    places = [version_place(trace, row) for row in rows]
    chained = len(rows) > 2 or operator == "square"
    read = _reads(passing, node, places, np.ones(alignment.result or ()), chained)
    parts = [
        _with_gradient(passing, operand, row, read[place], upstream if operator else None) if place in read else operand
        for operand, row, place in zip(operands, rows, places, strict=True)
    ]
    return replace(broadcast, parts=tuple(parts), upstream=upstream)


def _reads(
    passing: EdgeGradients, top: int, places: Sequence[tuple[int, int]], ones: np.ndarray, chained: bool
) -> dict[tuple[int, int], tuple[int, int, np.ndarray | None]]:
    """Map operand places to the node and edge of their gradient, and local derivatives.

    A local derivative belongs to a result entry and the entry it read. None if unknown.

    Args:
        ones: ones in the result's shape.
        chained: whether operands of earlier operations on the line count too.
    """
    run, nodes = passing.run, passing.trace.nodes
    reads: dict[tuple[int, int], tuple[int, int, np.ndarray | None]] = {}
    made_by, line, todo = nodes.operation, run.node(top).line, [(top, ones)]
    while todo:
        node, through = todo.pop()
        for edge, place in enumerate(zip(nodes.edges[node], nodes.edge_inputs[node], strict=True)):
            local = passing.local(node, edge) if place[0] >= 0 and place not in reads else None
            with np.errstate(all="ignore"):
                fits = local is not None and through is not None
                fits = fits and align((local.shape, ones.shape)).result == ones.shape
                local = through * np.broadcast_to(local, ones.shape) if fits else None
            if place in places:
                reads.setdefault(place, (node, edge, local))
            elif place[0] >= 0 and (run.node(place[0]).line == line if chained else made_by[place[0]] == made_by[top]):
                todo.append((place[0], local))
    return reads


def _with_gradient(
    passing: EdgeGradients,
    operand: BroadcastOperand,
    row: int,
    read: tuple[int, int, np.ndarray | None],
    upstream: np.ndarray | None,
) -> BroadcastOperand:
    """Add the gradients of an operand and, if known, of each of its reads."""
    trace, (node, edge, local) = passing.trace, read
    gradient = _whole(trace, passing.passed.get((node, edge), -1), row)
    if gradient is None or gradient.shape != operand.shape:
        return operand
    grad = _array(_grad(trace, row))
    stored = grad is not None and np.array_equal(grad, gradient, equal_nan=True)
    operand = replace(operand, gradient=gradient, stored=stored)
    if local is None or upstream is None or "c" in (upstream.dtype.kind, gradient.dtype.kind):
        return operand
    with np.errstate(all="ignore"):
        given = local * upstream
        agree = rounding.agrees(reduced(given, operand.shape), gradient, read=[given])
    if not agree:
        return operand
    plain = local.size > 0 and bool((local == local.flat[0]).all()) and abs(local.flat[0]) == 1
    return replace(operand, local=local, given=given, plain=plain)


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


def _operand(trace: Trace, name: str, row: int) -> BroadcastOperand:
    value, tensor = trace.value_at(row), trace.index.tensor_of(row)
    shape = value.shape if value is not None else tuple(trace.shapes[trace.tensors.shape[tensor]])
    dtype = trace.string(trace.tensors.dtype[tensor]) or ""
    opaque = value is not None and value.data is None and not value.sample
    return BroadcastOperand(name, shape, dtype, _array(value), opaque=opaque)


def _grad(trace: Trace, row: int) -> Value | None:
    """Return `.grad` of a version's tensor."""
    return trace.value(trace.tensors.grad[trace.index.tensor_of(row)])


def _whole(trace: Trace, gradient: int, row: int, *others: Value | None) -> np.ndarray | None:
    """Return all entries of a version's gradient, if large from an equal recorded value."""
    value = trace.value(gradient)
    for candidate in (value, _grad(trace, row), *others) if value is not None else ():
        if candidate is not None and candidate.data is not None and rounding.same_value(candidate, value):
            return candidate.array()
    return None


def _array(value: Value | None) -> np.ndarray | None:
    """Return all entries in their shape, None unless all were recorded."""
    return None if value is None else value.array()


def _word(trace: Trace, tensor: int, text: str, operation: int) -> str:
    """Return an operand's name, expression, or torch's name."""
    if name := name_of(run_of(trace), tensor, operation):
        return name
    maker = trace.maker(tensor)
    code = one_line(trace.text(trace.operations.span[maker])) if maker >= 0 else ""
    if code and code != text and code in text:
        return code
    return trace.strings[trace.operations.name[maker]] if maker >= 0 else "·"
