"""Backward through one call: the gradient from each entry of the result to each entry it was computed from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from explorer.analysis.autograd.gradients import version_place
from explorer.analysis.operations.call import CallPart, OperationCall
from explorer.analysis.operations.reading import Reading, sent
from explorer.analysis.operations.rules import factors
from explorer.trace import Trace, Value


@dataclass(frozen=True)
class Back:
    """Gradients around one call.

    Attributes:
        result: that of the (first) result.
        operands: the gradient of each operand, or None.
        factors: per operand an array like its reads: the derivative of an entry of the result by the entry that was
            read. None if unknown; otherwise factors times the result's gradients add up to the operand's gradient.
        shared: per operand whether the number is the tensor's whole gradient, of which this call may be only one part.
    """

    result: Value
    operands: tuple[Value | None, ...]
    factors: tuple[np.ndarray | None, ...]
    shared: tuple[bool, ...]


def back_of(
    trace: Trace,
    call: OperationCall,
    operands: Sequence[CallPart],
    result: CallPart,
    reading: Reading | None,
    gradients: Sequence[tuple[int, ...]],
    added: Mapping[tuple[int, int], int],
) -> Back | None:
    """The gradients around a call; None if none went through it."""
    node, output = version_place(trace, result.version)
    if node < 0 or trace.nodes.variable[node] >= 0:  # a leaf: no node of the call
        return None
    arrived = _at(trace, gradients, node, output)
    if arrived is None or arrived.shape != result.shape:
        return None
    edges = _edges(trace, call, node)
    found, shared = [], []
    for part in operands:
        value, whole = _reached(trace, part, node, edges, gradients, added)
        found.append(value if value is not None and value.shape == part.shape else None)
        shared.append(whole)
    if all(value is None for value in found):
        return None
    told = factors(reading, [part.numbers for part in operands], result.numbers) if reading else [None] * len(found)
    checked = [_checked(part, reading, k, told[k], arrived, found[k]) for k, part in enumerate(operands)]
    return Back(arrived, tuple(found), tuple(checked), tuple(shared))


def _checked(
    part: CallPart, reading: Reading | None, k: int, factor: np.ndarray | None, arrived: Value, reached: Value | None
) -> np.ndarray | None:
    """The factors, if they give torch's gradients."""
    if factor is None or reached is None or arrived.data is None or reached.data is None or not part.size:
        return None
    promised = sent(reading.reads[k], factor, np.array(arrived.data, float), part.size)
    good = len(reached.data) == part.size and np.allclose(promised, np.array(reached.data), 1e-3, 1e-6, equal_nan=True)
    return factor if good else None


def _at(trace: Trace, gradients: Sequence[tuple[int, ...]], node: int, output: int) -> Value | None:
    if not 0 <= node < len(gradients) or output >= len(gradients[node]):
        return None
    value = trace.value(gradients[node][output])
    return value if value is not None and not value.dtype.startswith("complex") else None


def _edges(trace: Trace, call: OperationCall, node: int) -> list[tuple[int, int]]:
    """The edges of this call's nodes, as (node, position); the node of the result first."""
    own = [other for other in trace.index.made.get(call.operation, ()) if other != node]
    return [(n, place) for n in (node, *own) for place in range(len(trace.nodes.edges[n]))]


def _reached(
    trace: Trace,
    part: CallPart,
    node: int,
    edges: list[tuple[int, int]],
    gradients: Sequence[tuple[int, ...]],
    added: Mapping[tuple[int, int], int],
) -> tuple[Value | None, bool]:
    """The contribution of this call to an operand's gradient, or its whole gradient; used edges are removed."""
    if part.version < 0:
        return None, False
    own, output = version_place(trace, part.version)
    for edge in edges:
        of, place = edge
        if own >= 0 and trace.nodes.edges[of][place] == own and added.get(edge, -1) >= 0:
            value = trace.value(added[edge])
            if value is not None and value.shape == part.shape:
                edges.remove(edge)
                return value, False
    return _at(trace, gradients, own, output), True
