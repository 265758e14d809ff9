"""Backward through one call: the gradient from each entry of the result to each entry it was computed from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from explorer.analysis.tensors.operations.call import CallPart, OperationCall
from explorer.analysis.tensors.operations.elementwise import BINARY, UNARY, slopes
from explorer.analysis.tensors.operations.reads import Reading
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
    node = trace.versions.node[result.version] if result.version >= 0 else -1
    arrived = _at(trace, gradients, node, max(0, trace.versions.output[result.version]) if node >= 0 else 0)
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


def factors(
    reading: Reading, numbers: Sequence[np.ndarray | None], result: np.ndarray | None
) -> list[np.ndarray | None]:
    """Per operand the derivative of each entry of the result by each entry it read; None if unknown."""
    rule, reads = reading.rule, reading.reads
    there = [read >= 0 for read in reads]
    ones = [np.where(mask, 1.0, 0.0) for mask in there]
    if rule in ("copy", "sum"):
        return [factor if k in reading.sources else None for k, factor in enumerate(ones)]
    if rule == "mean":
        return [ones[0] / np.maximum(1, there[0].sum(1, keepdims=True)), *[None] * (len(reads) - 1)]
    if any(flat is None for flat in numbers) or result is None or any(flat.dtype.kind == "c" for flat in numbers):
        return [None] * len(reads)
    with np.errstate(all="ignore"):
        return _from_numbers(
            reading,
            [flat[read] if flat.size else read * 0.0 for flat, read in zip(numbers, reads, strict=True)],
            ones,
            result,
        )


def _from_numbers(
    reading: Reading, terms: list[np.ndarray], ones: list[np.ndarray], result: np.ndarray
) -> list[np.ndarray | None]:
    rule, constants = reading.rule, dict(reading.constants)
    if rule == "products":
        return [
            factor * np.prod([np.where(ones[j] > 0, terms[j], 1.0) for j in range(len(terms)) if j != k], axis=0)
            if len(terms) > 1
            else factor
            for k, factor in enumerate(ones)
        ]
    if rule == "cross":
        sign = np.array([[1.0, -1.0]])
        return [terms[1] * sign, terms[0] * sign]
    if rule == "prod":
        return [ones[0] * result[:, None] / terms[0]]
    if rule in ("max", "min"):
        best = (terms[0] == result[:, None]) * ones[0]
        return [best / np.maximum(1, best.sum(1, keepdims=True))]
    if rule == "norm" and constants.get("p") == 2:
        return [ones[0] * terms[0] / result[:, None]]
    if rule == "norm" and constants.get("p") == 1:
        return [ones[0] * np.sign(terms[0])]
    if rule not in UNARY and rule not in BINARY:
        return [None] * len(terms)
    told = slopes(rule, [term[:, 0] for term in terms], result, **constants)
    return [None if slope is None else slope.reshape(-1, 1) for slope in told]


def sent(reading: Reading, operand: int, factor: np.ndarray, gradient: np.ndarray, size: int) -> np.ndarray:
    """The gradient of an operand, flat: every read adds factor times the gradient of the entry that read it."""
    reached = np.zeros(size)
    read = reading.reads[operand]
    shares = np.where(read >= 0, factor * gradient[:, None], 0)
    np.add.at(reached, np.where(read >= 0, read, 0).reshape(-1), shares.reshape(-1))
    return reached


def _checked(
    part: CallPart, reading: Reading | None, k: int, factor: np.ndarray | None, arrived: Value, reached: Value | None
) -> np.ndarray | None:
    """The factors, if they give torch's gradients."""
    if factor is None or reached is None or arrived.data is None or reached.data is None or not part.size:
        return None
    promised = sent(reading, k, factor, np.array(arrived.data, float), part.size)
    good = len(reached.data) == part.size and np.allclose(promised, np.array(reached.data), 1e-3, 1e-6, equal_nan=True)
    return factor if good else None


def _at(trace: Trace, gradients: Sequence[tuple[int, ...]], node: int, output: int) -> Value | None:
    if not 0 <= node < len(gradients) or output >= len(gradients[node]):
        return None
    value = trace.value(gradients[node][output])
    return value if value is not None and not value.dtype.startswith("complex") else None


def _edges(trace: Trace, call: OperationCall, node: int) -> list[tuple[int, int]]:
    """The edges of this call's nodes, as (node, position); the node of the result first."""
    own = [n for n in range(len(trace.nodes)) if trace.nodes.operation[n] == call.operation and n != node]
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
    own = trace.versions.node[part.version]
    if own < 0:
        own = next((n for n in range(len(trace.nodes)) if trace.nodes.variable[n] == part.tensor), -1)
    for edge in edges:
        of, place = edge
        if own >= 0 and trace.nodes.edges[of][place] == own and added.get(edge, -1) >= 0:
            value = trace.value(added[edge])
            if value is not None and value.shape == part.shape:
                edges.remove(edge)
                return value, False
    return _at(trace, gradients, own, max(0, trace.versions.output[part.version])) if own >= 0 else None, True
