"""Local derivatives that torch computed in repeated calls (`Trace.slopes`).

A matrix of slopes has a row for each entry of the arriving gradient and a column for each passed one.
"""

from collections.abc import Sequence

import numpy as np

from explorer.trace import Trace, memoized

Maps = dict[tuple[int, int], np.ndarray]  # (node, output) of the arriving gradient → slopes
_INNER = 40  # nodes crossed inside one call


@memoized
def _matrices(trace: Trace) -> dict[tuple[int, int], dict[int, np.ndarray]]:
    return trace.slopes.matrices()


def slopes(trace: Trace, node: int, edge: int) -> Maps | None:
    """Map a node's outputs to the gradient over an edge."""
    found = _matrices(trace).get((node, edge))
    return None if found is None else {(node, output): matrix for output, matrix in found.items()}


def slopes_in_call(trace: Trace, node: int, edge: int) -> Maps | None:
    """Map a call's results to a passed gradient, None if unknown."""
    if is_result(trace, node):
        return slopes(trace, node, edge)
    return _within(trace, trace.nodes.operation[node]).get((node, edge))


@memoized
def _within(trace: Trace, operation: int) -> dict[tuple[int, int], Maps]:
    """Map (node, edge) to known maps from the call's results."""
    nodes, inner = trace.nodes, sorted(trace.index.made.get(operation, ()), reverse=True)
    arriving: dict[tuple[int, int], Maps | None] = {}  # (node, output) → slopes, None if a reader is unknown
    found: dict[tuple[int, int], Maps] = {}
    for node in inner if operation >= 0 and len(inner) <= _INNER else ():
        result = is_result(trace, node)
        for edge, target in enumerate(zip(nodes.edges[node], nodes.edge_inputs[node], strict=True)):
            own = slopes(trace, node, edge)
            maps = own if result or own is None else _product(own, arriving)
            if maps is not None:
                found[node, edge] = maps
            before = arriving.get(target, {})
            arriving[target] = None if before is None or maps is None else _total(before, maps)
    return found


def _product(own: Maps, arriving: dict[tuple[int, int], Maps | None]) -> Maps | None:
    """Chain a node's own slopes with those that arrive at its outputs."""
    total = Maps()
    for key, matrix in own.items():
        above = arriving.get(key)
        if not above or any(one.shape[1] != len(matrix) for one in above.values()):
            return None
        with np.errstate(invalid="ignore"):
            total = _total(total, {result: one @ matrix for result, one in above.items()})
    return total


def _total(maps: Maps, other: Maps) -> Maps:
    both = {**maps, **other}
    for key in maps.keys() & other.keys():
        both[key] = maps[key] + other[key] if maps[key].shape == other[key].shape else other[key]
    return both


def is_result(trace: Trace, node: int) -> bool:
    """Return whether a node created its call's result, rather than a step inside."""
    operation = trace.nodes.operation[node]
    outputs = trace.operations.outputs[operation] if operation >= 0 else []
    written = trace.operations.inputs[operation][:1] if operation >= 0 else []
    return any(trace.versions.node[row] == node for tensor in (*outputs, *written) for row in trace.versions_of(tensor))


def passed_on(trace: Trace, node: int, edge: int, arrived: Sequence[int]) -> np.ndarray | None:
    """Compute torch's passed gradient from arrived ones, None if unknown."""
    products = products_of(trace, node, edge, arrived)
    return None if products is None else products.sum(0)


def products_of(trace: Trace, node: int, edge: int, arrived: Sequence[int]) -> np.ndarray | None:
    """Return the products that `passed_on` sums along the first axis."""
    maps, found = slopes(trace, node, edge), list[np.ndarray]()
    for output, value_id in enumerate(arrived if maps is not None else ()):
        value, matrix = trace.value(value_id), maps.get((node, output))
        if value is None:
            continue
        if matrix is None or value.data is None or value.nonfinite or len(value.data) != len(matrix):
            return None  # NaN · 0 and ∞ · 0 are also NaN
        with np.errstate(all="ignore"):
            found.append(np.where(matrix == 0, 0, np.array(value.data)[:, None] * matrix))
    return np.concatenate(found) if found else None
