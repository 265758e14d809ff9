"""Factors of gradient entries in an entry that a node passed on.

The factors are torch's own, from the repeated call (`autograd/slopes.py`) or a second run. For calls that only move or
add entries, such as reshaping a large tensor, the entry map supplies them too.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np

from explorer.analysis.explain.autograd.edge_gradients import EdgeGradients
from explorer.analysis.explain.autograd.gradients import output_gradient, version_place
from explorer.analysis.explain.autograd.slopes import slopes, slopes_in_call
from explorer.analysis.explain.entries.operation_view import OperationView, edges_of, operation_view
from explorer.analysis.explain.why.derivation_steps import PassedOn, entry_at
from explorer.analysis.run.objects import Node
from explorer.analysis.run.operations import operation_of, operation_of_node, stem_of
from explorer.analysis.run.operations.rules import uniform_factors
from explorer.analysis.run.rounding import adds_up
from explorer.trace import AskedEntries, Number, Trace, Value

Factors = dict[tuple[int, int, int], Number]  # (node, output, entry) of a multiplied gradient → factor


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


def products_of(passing: EdgeGradients, subject: PassedOn, value: Value) -> EntryProducts | None:
    """Return products that add up to an entry, or None."""
    trace, amount = passing.trace, entry_at(value, subject.place)
    if amount is None:
        return None
    asked = trace.index.memoize(("asked products",), lambda: _asked_products(trace.asked))
    own = asked.get((subject.backward, subject.node, subject.edge, subject.place))
    candidates = (_multiplied(trace, subject.backward, factors) for factors in _factors(passing, subject, value))
    for products in (own, *candidates):
        if products is None or not products.products:
            continue
        amounts = [*(g * factor for *_, g, factor in products.products), products.rest]
        above = [output_gradient(trace, subject.backward, node, output) for node, output, *_ in products.products]
        dtypes = {value.dtype, *(one.dtype for one in above if one is not None)}  # half-precision sums accumulate in it
        if any(adds_up(amounts, amount, dtype) for dtype in dtypes):
            return products
    return None


def _asked_products(asked: AskedEntries) -> dict[tuple[int, int, int, int], EntryProducts]:
    """Return the products that a second run requested from torch."""
    products = zip(asked.node, asked.output, asked.index, asked.gradient, asked.factor, strict=True)
    keys = zip(asked.backward, asked.passer, asked.edge, asked.at, strict=True)
    counts = zip(asked.listed, asked.left, asked.rest, strict=True)
    return {
        key: EntryProducts(list(islice(products, listed)), left, rest)
        for key, (listed, left, rest) in zip(keys, counts, strict=True)
    }


def _multiplied(trace: Trace, backward: int, factors: Factors) -> EntryProducts | None:
    """Return each factor with its entry, None if an entry was not recorded."""
    products = []
    for (node, output, place), factor in factors.items():
        g = entry_at(output_gradient(trace, backward, node, output), place)
        if g is None:
            return None
        products.append((node, output, place, g, factor))
    return EntryProducts(products)


def _factors(passing: EdgeGradients, subject: PassedOn, value: Value) -> Iterator[Factors]:
    """Yield the gradient entries behind an entry."""
    trace, node, edge, place = passing.trace, subject.node, subject.edge, subject.place
    for maps in (slopes_in_call(trace, node, edge), slopes(trace, node, edge)):
        if maps is not None:
            columns = {key: matrix[:, place] for key, matrix in maps.items() if place < matrix.shape[1]}
            counts = {key: np.flatnonzero(column).tolist() for key, column in columns.items()}
            counted = {(*key, at): columns[key][at].item() for key, places in counts.items() for at in places}
            key, column = next(iter(columns.items()), ((node, 0), np.zeros(0)))
            same = place if place < len(column) else 0  # entry to name if none contributes
            yield counted or ({(*key, same): 0.0} if len(column) else {})
    yield from _by_entry_map(trace, subject, value)
    output = next((k for k, value_id in enumerate(passing.gradients[node]) if value_id >= 0), -1)
    local = passing.local(node, edge)  # torch was not asked, for example because the call drew random numbers
    if local is not None and local.shape == value.shape:
        yield {(node, output, place): local.reshape(-1)[place].item()}
    if _keeps_order(passing.run.node(node), edge):
        yield {(node, output, place): 1.0}


def _keeps_order(node: Node, edge: int) -> bool:
    """Return whether a node only reshapes, or is a write that kept entries in place."""
    if stem_of(node.name) != "CopySlices":
        return operation_of_node(node.name).sentence == "reshape"
    wrote = operation_of(node.call.name) if node.call is not None else None
    return edge == 0 and wrote is not None and (wrote.entrywise or wrote.writes)


def view_of(trace: Trace, operation: int) -> OperationView:
    """Return the entry map of a call, cached with the Trace."""
    return trace.index.memoize(("why call", operation), lambda: operation_view(trace, operation, layers=True))


def _by_entry_map(trace: Trace, subject: PassedOn, value: Value) -> Iterator[Factors]:
    """Yield the factors of the whole call's map, if all entries count alike."""
    operation = trace.nodes.operation[subject.node]
    view = None if operation < 0 else view_of(trace, operation)
    if view is None or not view.outcomes or view.outcomes[0].reading is None:
        return
    result, reading = view.outcomes[0].part, view.outcomes[0].reading
    node, output = version_place(trace, result.version)
    edges = edges_of(trace, view.call, node, view.operands)
    own = ((subject.node, subject.edge),)
    if node < 0 or trace.nodes.operation[node] != operation or own not in edges:
        return
    k = edges.index(own)
    gradient, weights = output_gradient(trace, subject.backward, node, output), uniform_factors(reading)[k]
    if weights is None or gradient is None or gradient.shape != result.shape or view.operands[k].shape != value.shape:
        return
    entries, terms = np.nonzero(reading.reads[k] == subject.place)
    pairs = zip(entries.tolist(), terms.tolist(), strict=True)
    yield {(node, output, at): float(weights[at, term]) for at, term in pairs}
