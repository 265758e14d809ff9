"""The factor with which each entry of a call's gradient counts in an entry that one of its nodes passed on."""

import math
from dataclasses import dataclass
from itertools import islice

import numpy as np

from explorer.analysis.autograd.edge_gradients import EdgeGradients, evaluated
from explorer.analysis.autograd.formulas import given_of
from explorer.analysis.autograd.gradients import output_gradient
from explorer.analysis.autograd.operands import array_of
from explorer.analysis.operations import operation_of, operation_of_node, stem_of
from explorer.analysis.operations.call import sent
from explorer.analysis.operations.rules import factors
from explorer.analysis.tensors.operations.view import OperationView, operation_view
from explorer.analysis.why.derivation_steps import PassedOn, adds_up, entry_at
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


def _of_one(node: int, output: int, pairs: list[tuple[int, Number, Number]]) -> EntryProducts:
    """The products with entries of one gradient: of each its position, its value, and its factor."""
    return EntryProducts([(node, output, *pair) for pair in pairs])


def products_of(trace: Trace, passing: EdgeGradients, subject: PassedOn, value: Value) -> EntryProducts | None:
    """The products that add up to an entry; None if unknown, or if they do not give what torch passed on."""
    amount = entry_at(value, subject.place)
    for found in (_as_asked, _by_operation, _by_map, _by_one_number):
        told = found(trace, passing, subject, value)
        if told is None or amount is None or not told.products:
            continue
        amounts = [*(g * factor for *_, g, factor in told.products), told.rest]
        if any(adds_up(amounts, amount, dtype) for dtype in (value.dtype, *_dtypes(trace, subject.backward, told))):
            return told
    return None


def _dtypes(trace: Trace, backward: int, told: EntryProducts) -> set[str]:
    """Of the multiplied gradients: what was computed in half precision adds up in it."""
    found = {output_gradient(trace, backward, node, output) for node, output, *_ in told.products}
    return {gradient.dtype for gradient in found if gradient is not None}


def view_of(trace: Trace, operation: int) -> OperationView:
    """The entry map of a call, cached with the Trace."""
    return trace.index.memoize(("why call", operation), lambda: operation_view(trace, operation, layers=True))


def _made_by(trace: Trace, view: OperationView, operation: int) -> tuple[int, int] | None:
    """The node and output that made the first result of a call."""
    row = view.outcomes[0].part.version
    if row < 0:
        return None
    above, output = trace.versions.node[row], max(trace.versions.output[row], 0)
    return (above, output) if above >= 0 and trace.nodes.operation[above] == operation else None


# ---- as torch was asked in a second run ----------------------------------------------------------------------------


def _as_asked(trace: Trace, passing: EdgeGradients, subject: PassedOn, value: Value) -> EntryProducts | None:
    known = trace.index.memoize(("asked products",), lambda: _asked_products(trace.asked))
    return known.get((subject.backward, subject.node, subject.edge, subject.place))


def _asked_products(asked: AskedEntries) -> dict[tuple[int, int, int, int], EntryProducts]:
    products = zip(asked.node, asked.output, asked.index, asked.gradient, asked.factor, strict=True)
    keys = zip(asked.backward, asked.passer, asked.edge, asked.at, strict=True)
    counts = zip(asked.listed, asked.left, asked.rest, strict=True)
    return {
        key: EntryProducts(list(islice(products, listed)), left, rest)
        for key, (listed, left, rest) in zip(keys, counts, strict=True)
    }


# ---- from the entry map of the whole call -----------------------------------------------------------


def _by_operation(trace: Trace, passing: EdgeGradients, subject: PassedOn, value: Value) -> EntryProducts | None:
    operation = trace.nodes.operation[subject.node]
    view = None if operation < 0 else view_of(trace, operation)
    if view is None or not view.outcomes or view.outcomes[0].reading is None:
        return None
    result, reading, made = view.outcomes[0].part, view.outcomes[0].reading, _made_by(trace, view, operation)
    if made is None:
        return None
    gradient, k = output_gradient(trace, subject.backward, *made), _operand(trace, view, subject)
    if gradient is None or gradient.shape != result.shape or k is None or k >= len(reading.reads):
        return None
    if view.operands[k].shape != value.shape:
        return None
    entries, terms = np.nonzero(reading.reads[k] == subject.place)
    told = factors(reading, [part.numbers for part in view.operands], result.numbers)
    factor = told[k] if k < len(told) else None
    if factor is None:  # read by one entry alone: its passed gradient tells the derivative
        alone = len(entries) == 1
        pairs = _alone(gradient, int(entries[0]), entry_at(value, subject.place)) if alone else []
        return _of_one(*made, pairs) if alone else None
    whole, total = array_of(gradient), array_of(value)
    if whole is not None and total is not None and np.isfinite(whole).all() and np.isfinite(total).all():
        promised = sent(reading.reads[k], factor, whole, total.size)
        if not np.allclose(promised, total.reshape(-1), 2e-3, 1e-6):
            return None
    pairs = []
    for entry, term in zip(entries.tolist(), terms.tolist(), strict=True):
        g = entry_at(gradient, entry)
        if g is None:
            return None
        pairs.append((entry, g, float(factor[entry, term])))
    return _of_one(*made, pairs)


def _alone(gradient: Value, place: int, amount: Number | None) -> list[tuple[int, Number, Number]]:
    """The product with one entry of a gradient, its factor found by division; nothing if that is not conclusive."""
    g = entry_at(gradient, place)
    if g is None or amount is None or isinstance(g, complex) or isinstance(amount, complex):
        return []
    return [(place, g, amount / g)] if g and math.isfinite(g) and math.isfinite(amount) else []


def _operand(trace: Trace, view: OperationView, subject: PassedOn) -> int | None:
    """Which operand of the call an edge leads to; several edges to one tensor count in order."""
    nodes, node = trace.nodes, subject.node
    edges = list(zip(nodes.edges[node], nodes.edge_inputs[node], strict=True))
    target, output = edges[subject.edge]
    rank = edges[: subject.edge].count((target, output))
    leaf = nodes.variable[target]
    fitting = []
    for k, part in enumerate(view.operands):
        if part.version < 0:
            continue
        made = trace.versions.node[part.version], max(trace.versions.output[part.version], 0)
        if (leaf >= 0 and part.tensor == leaf) or made == (target, output):
            fitting.append(k)
    return fitting[rank] if rank < len(fitting) else None


# ---- from the formulas of its nodes
# -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Map:
    """How the gradient of an output leads to another gradient: a matrix between their entries, rows those of the
    output.
    """

    node: int
    output: int
    matrix: np.ndarray


def _by_map(trace: Trace, passing: EdgeGradients, subject: PassedOn, value: Value) -> EntryProducts | None:
    """From the formula of the node, and of the nodes between it and the result of its call."""
    found = _through_call(trace, passing, subject.backward, subject.node, subject.edge, value.shape)
    if found is None or subject.place >= found.matrix.shape[1]:
        return None
    gradient, column = (
        output_gradient(trace, subject.backward, found.node, found.output),
        found.matrix[:, subject.place],
    )
    if gradient is None or not gradient.data or len(gradient.data) != len(column):
        return None
    pairs: list[tuple[int, Number, Number]] = [
        (place, g, float(column[place])) for place, g in enumerate(gradient.data) if column[place] != 0
    ]
    return _of_one(found.node, found.output, pairs or [(0, gradient.data[0], 0.0)])


def _through_call(
    trace: Trace, passing: EdgeGradients, backward: int, node: int, edge: int, shape: tuple[int, ...]
) -> _Map | None:
    """From the result of the call down to the gradient that one of its nodes passes on."""

    def make() -> _Map | None:
        own = _by_formula(passing, node, edge, shape)
        above = _from_result(trace, passing, backward, node, {}) if own is not None else None
        if own is None or above is None or above.matrix.shape[1] != own.shape[0]:
            above = None if own is None else _own(passing, node, len(own))
        if own is None or above is None:
            return None
        return _Map(above.node, above.output, above.matrix @ own)

    return trace.index.memoize(("why map", backward, node, edge), make)


def _own(passing: EdgeGradients, node: int, size: int) -> _Map | None:
    output = next((k for k, value_id in enumerate(passing.gradients[node]) if value_id >= 0), -1)
    return None if output < 0 else _Map(node, output, np.eye(size))


def _from_result(
    trace: Trace, passing: EdgeGradients, backward: int, node: int, known: dict[int, _Map | None]
) -> _Map | None:
    """From the result of the call to the gradient of a node inside it; identity for a node that made the result."""
    if node in known:
        return known[node]
    known[node] = None  # also marks it as being computed
    output = next((k for k, value_id in enumerate(passing.gradients[node]) if value_id >= 0), -1)
    gradient = passing.gradient(node)
    if output < 0 or gradient is None or gradient.data is None or len(known) > _INNER:
        return None
    if is_result(trace, node) or trace.nodes.operation[node] < 0:
        known[node] = _Map(node, output, np.eye(len(gradient.data)))
        return known[node]
    operation, found = trace.nodes.operation[node], None
    for reader, edge, _ in passing.into.get((node, output), ()):
        if trace.nodes.operation[reader] != operation:
            return None
        above = _from_result(trace, passing, backward, reader, known)
        own = None if above is None else _by_formula(passing, reader, edge, gradient.shape)
        if above is None or own is None or above.matrix.shape[1] != own.shape[0]:
            return None
        part = _Map(above.node, above.output, above.matrix @ own)
        if found is not None and (found.node, found.output) != (part.node, part.output):
            return None
        found = part if found is None else _Map(part.node, part.output, found.matrix + part.matrix)
    known[node] = found
    return found


def is_result(trace: Trace, node: int) -> bool:
    """Whether a node made the result of its call, not a step inside it."""
    operation = trace.nodes.operation[node]
    outputs = trace.operations.outputs[operation] if operation >= 0 else []
    written = trace.operations.inputs[operation][:1] if operation >= 0 else []
    return any(trace.versions.node[row] == node for tensor in (*outputs, *written) for row in trace.versions_of(tensor))


def _by_formula(passing: EdgeGradients, node: int, edge: int, shape: tuple[int, ...]) -> np.ndarray | None:
    """The gradient that a node passes on for one unit of each entry of its gradient."""
    told, (_, _, arrays, gradient) = passing.known(node)
    formula, above = told[edge], arrays.get("G")
    size = math.prod(shape)
    if gradient is None or above is None or above.size > FULL or above.size * size > _MOST:
        return None
    rows = np.zeros((above.size, size))
    for place in range(above.size):
        unit = np.zeros(above.size)
        unit[place] = 1.0
        found = evaluated(formula, arrays | {"G": unit.reshape(above.shape)}, shape)
        if found is None:
            return None
        rows[place] = found.reshape(-1)
    return rows


# ---- from a single number -------------------------------------------------------------------------------------


def _by_one_number(trace: Trace, passing: EdgeGradients, subject: PassedOn, value: Value) -> EntryProducts | None:
    """If one entry alone was multiplied, its factor is the product divided by it.

    This holds for every derivative, which is linear; not for a backward that the program wrote itself.
    """
    node = subject.node
    formula = passing.known(node)[0][subject.edge]
    gradient, amount = passing.gradient(node), entry_at(value, subject.place)
    if gradient is None or amount is None or formula.kind == "own" or isinstance(amount, complex):
        return None
    name = trace.strings[trace.nodes.name[node]]
    single, stem, operation = math.prod(gradient.shape) == 1, stem_of(name), operation_of_node(name)
    evaluating = given_of(trace, node).get("training") == "False" and stem.endswith("BatchNorm") and subject.edge == 0
    same = (operation.entrywise or evaluating) and gradient.shape == value.shape
    if stem == "CopySlices" and subject.edge == 0 and gradient.shape == value.shape:
        written = trace.nodes.operation[node]
        wrote = operation_of(trace.strings[trace.operations.name[written]] if written >= 0 else "")
        same = wrote.entrywise or wrote.writes  # an entry that was not written over stays
    same = same or (operation.sentence == "reshape" and math.prod(gradient.shape) == math.prod(value.shape))
    if not single and not same:
        return None
    output = next((k for k, found in enumerate(passing.gradients[node]) if found >= 0), 0)
    return _of_one(node, output, _alone(gradient, 0 if single else subject.place, amount))
