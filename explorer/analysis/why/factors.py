"""The factor with which each entry of a call's gradient counts in an entry that one of its nodes passed on."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np

from explorer.analysis.autograd.edge_gradients import EdgeGradients, evaluated
from explorer.analysis.autograd.gradients import output_gradient, version_place
from explorer.analysis.operations import operation_of, operation_of_node, stem_of
from explorer.analysis.operations.rules import factors
from explorer.analysis.rounding import adds_up
from explorer.analysis.tensors.operations.view import OperationView, operation_view
from explorer.analysis.why.derivation_steps import PassedOn, entry_at
from explorer.trace import FULL, AskedEntries, Number, Trace, Value

_INNER = 40  # nodes inside one call that are searched
_MOST = 4 * FULL * FULL  # entries of a map


@dataclass(frozen=True)
class EntryProducts:
    """The products that add up to an entry.

    Attributes:
        products: the node and output whose gradient was multiplied, the position of its entry, its value, its factor.
        left, rest: how many further products there are, and their sum.
    """

    products: list[tuple[int, int, int, Number, Number]]
    left: int = 0
    rest: Number = 0


@dataclass(frozen=True)
class _Read:
    """The entries of a gradient that an entry was computed from.

    Attributes:
        node, output: whose gradient.
        factors: by position of the entry; None: not recorded.
    """

    node: int
    output: int
    factors: dict[int, float | None]


def products_of(trace: Trace, passing: EdgeGradients, subject: PassedOn, value: Value) -> EntryProducts | None:
    """The products that add up to an entry; None if unknown, or if they do not give what torch passed on."""
    amount = entry_at(value, subject.place)
    if amount is None:
        return None
    asked = trace.index.memoize(("asked products",), lambda: _asked_products(trace.asked))
    own = asked.get((subject.backward, subject.node, subject.edge, subject.place))
    candidates = (_multiplied(trace, subject.backward, read, amount) for read in _reads(trace, passing, subject, value))
    for products in (own, *candidates):
        if products is None or not products.products:
            continue
        amounts = [*(g * factor for *_, g, factor in products.products), products.rest]
        if any(adds_up(amounts, amount, dtype) for dtype in (value.dtype, *_dtypes(trace, subject.backward, products))):
            return products
    return None


def _dtypes(trace: Trace, backward: int, products: EntryProducts) -> set[str]:
    """Of the multiplied gradients: what was computed in half precision adds up in it."""
    gradients = {output_gradient(trace, backward, node, output) for node, output, *_ in products.products}
    return {gradient.dtype for gradient in gradients if gradient is not None}


def _asked_products(asked: AskedEntries) -> dict[tuple[int, int, int, int], EntryProducts]:
    """What torch was asked in a second run."""
    products = zip(asked.node, asked.output, asked.index, asked.gradient, asked.factor, strict=True)
    keys = zip(asked.backward, asked.passer, asked.edge, asked.at, strict=True)
    counts = zip(asked.listed, asked.left, asked.rest, strict=True)
    return {
        key: EntryProducts(list(islice(products, listed)), left, rest)
        for key, (listed, left, rest) in zip(keys, counts, strict=True)
    }


def _multiplied(trace: Trace, backward: int, read: _Read, amount: Number) -> EntryProducts | None:
    """Each factor with its entry. A derivative is linear: of a single entry the factor is the quotient."""
    gradient = output_gradient(trace, backward, read.node, read.output)
    products: list[tuple[int, int, int, Number, Number]] = []
    for place, factor in read.factors.items():
        g = entry_at(gradient, place)
        if g is None:
            return None
        if factor is None:
            if len(read.factors) > 1 or isinstance(g, complex) or isinstance(amount, complex):
                return None
            if not g or not math.isfinite(g) or not math.isfinite(amount):
                return None
            factor = amount / g
        products.append((read.node, read.output, place, g, factor))
    return EntryProducts(products)


def _reads(trace: Trace, passing: EdgeGradients, subject: PassedOn, value: Value) -> Iterator[_Read]:
    """What an entry was computed from: entries of the gradient of the call's result, or of the node's own."""
    if (mapped := _by_entry_map(trace, subject, value)) is not None:
        yield mapped
    key = ("why maps", subject.backward, subject.node, subject.edge)
    for linear in trace.index.memoize(key, lambda: _maps(trace, passing, subject, value.shape)):
        yield _column(linear, subject.place)
    formula, gradient = passing.known(subject.node)[0][subject.edge], passing.gradient(subject.node)
    if gradient is None or formula.kind == "own":
        return
    single = math.prod(gradient.shape) == 1
    if single or (gradient.shape == value.shape and formula.is_entrywise) or _keeps_order(trace, subject):
        yield _Read(subject.node, _output_of(passing, subject.node), {0 if single else subject.place: None})


def _keeps_order(trace: Trace, subject: PassedOn) -> bool:
    """Whether a node only reshapes, or is a write that read no other entry than it left or wrote over."""
    name, operation = trace.strings[trace.nodes.name[subject.node]], trace.nodes.operation[subject.node]
    if stem_of(name) != "CopySlices":
        return operation_of_node(name).sentence == "reshape"
    wrote = operation_of(trace.strings[trace.operations.name[operation]] if operation >= 0 else "")
    return subject.edge == 0 and (wrote.entrywise or wrote.writes)


def _column(linear: "_Map", place: int) -> _Read:
    column = linear.matrix[:, place]
    counted = np.flatnonzero(column).tolist() or [0]
    return _Read(linear.node, linear.output, {at: float(column[at]) for at in counted})


def view_of(trace: Trace, operation: int) -> OperationView:
    """The entry map of a call, cached with the Trace."""
    return trace.index.memoize(("why call", operation), lambda: operation_view(trace, operation, layers=True))


def _by_entry_map(trace: Trace, subject: PassedOn, value: Value) -> _Read | None:
    """What the map of the whole call says; the only one of calls without a formula, such as a stack."""
    operation = trace.nodes.operation[subject.node]
    view = None if operation < 0 else view_of(trace, operation)
    if view is None or not view.outcomes or view.outcomes[0].reading is None:
        return None
    result, reading = view.outcomes[0].part, view.outcomes[0].reading
    node, output = version_place(trace, result.version)
    k = _operand(trace, view, subject)
    if node < 0 or trace.nodes.operation[node] != operation or k is None or k >= len(reading.reads):
        return None
    gradient = output_gradient(trace, subject.backward, node, output)
    if gradient is None or gradient.shape != result.shape or view.operands[k].shape != value.shape:
        return None
    entries, terms = np.nonzero(reading.reads[k] == subject.place)
    weights = factors(reading, [part.numbers for part in view.operands], result.numbers)[k]
    pairs = zip(entries.tolist(), terms.tolist(), strict=True)
    return _Read(node, output, {at: None if weights is None else float(weights[at, term]) for at, term in pairs})


def _operand(trace: Trace, view: OperationView, subject: PassedOn) -> int | None:
    """Which operand of the call an edge leads to; several edges to one tensor count in order."""
    nodes, node = trace.nodes, subject.node
    edges = list(zip(nodes.edges[node], nodes.edge_inputs[node], strict=True))
    rank = edges[: subject.edge].count(edges[subject.edge])
    fitting = [k for k, part in enumerate(view.operands) if version_place(trace, part.version) == edges[subject.edge]]
    return fitting[rank] if rank < len(fitting) else None


@dataclass(frozen=True)
class _Map:
    """How the gradient of an output leads to another gradient: a matrix between their entries, rows those of the
    output.
    """

    node: int
    output: int
    matrix: np.ndarray


def _maps(trace: Trace, passing: EdgeGradients, subject: PassedOn, shape: tuple[int, ...]) -> list[_Map]:
    """From the result of the call, and from the node itself, down to the gradient that the node passes on."""
    node = subject.node
    own, output = _by_formula(passing, node, subject.edge, shape), _output_of(passing, node)
    if own is None or output < 0:
        return []
    above, maps = _from_result(trace, passing, subject.backward, node, {}), [_Map(node, output, own)]
    if above is None or above.matrix.shape[1] != own.shape[0] or not len(above.matrix):
        return maps
    with np.errstate(invalid="ignore"):
        return [_Map(above.node, above.output, above.matrix @ own), *maps]


def _output_of(passing: EdgeGradients, node: int) -> int:
    """The first output of a node that got a gradient, -1 for none."""
    return next((k for k, value_id in enumerate(passing.gradients[node]) if value_id >= 0), -1)


def _from_result(
    trace: Trace, passing: EdgeGradients, backward: int, node: int, maps: dict[int, _Map | None]
) -> _Map | None:
    """From the result of the call to the gradient of a node inside it; identity for a node that made the result."""
    if node in maps:
        return maps[node]
    maps[node] = None  # also marks it as being computed
    output, gradient = _output_of(passing, node), passing.gradient(node)
    if output < 0 or gradient is None or gradient.data is None or len(maps) > _INNER:
        return None
    if is_result(trace, node) or trace.nodes.operation[node] < 0:
        maps[node] = _Map(node, output, np.eye(len(gradient.data)))
        return maps[node]
    operation, total = trace.nodes.operation[node], None
    for reader, edge, _ in passing.into.get((node, output), ()):
        if trace.nodes.operation[reader] != operation:
            return None
        above = _from_result(trace, passing, backward, reader, maps)
        own = None if above is None else _by_formula(passing, reader, edge, gradient.shape)
        if above is None or own is None or above.matrix.shape[1] != own.shape[0]:
            return None
        part = _Map(above.node, above.output, above.matrix @ own)
        if total is not None and (total.node, total.output) != (part.node, part.output):
            return None
        total = part if total is None else _Map(part.node, part.output, total.matrix + part.matrix)
    maps[node] = total
    return total


def is_result(trace: Trace, node: int) -> bool:
    """Whether a node made the result of its call, not a step inside it."""
    operation = trace.nodes.operation[node]
    outputs = trace.operations.outputs[operation] if operation >= 0 else []
    written = trace.operations.inputs[operation][:1] if operation >= 0 else []
    return any(trace.versions.node[row] == node for tensor in (*outputs, *written) for row in trace.versions_of(tensor))


def _by_formula(passing: EdgeGradients, node: int, edge: int, shape: tuple[int, ...]) -> np.ndarray | None:
    """The gradient that a node passes on for one unit of each entry of its gradient."""
    formulas, (_, _, arrays, gradient) = passing.known(node)
    formula, above = formulas[edge], arrays.get("G")
    size = math.prod(shape)
    if gradient is None or above is None or not 0 < above.size <= FULL or above.size * size > _MOST:
        return None
    rows = np.zeros((above.size, size))
    for place in range(above.size):
        unit = np.zeros(above.size)
        unit[place] = 1.0
        row = evaluated(formula, arrays | {"G": unit.reshape(above.shape)}, shape)
        if row is None:
            return None
        rows[place] = row.reshape(-1)
    return rows
