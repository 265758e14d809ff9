"""Where NaN or infinity starts: the first value, or gradient, that contains one while its inputs had none."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from explorer.analysis.autograd.cuts import row_before
from explorer.trace import STORED, Trace, index_at


def nonfinite(trace: Trace) -> tuple[np.ndarray, np.ndarray]:
    """Per value id whether it contains NaN, and whether an infinity (two bool arrays, cached with the Trace)."""
    return trace.index.memoize(("nonfinite",), lambda: _nonfinite(trace))


def _nonfinite(trace: Trace) -> tuple[np.ndarray, np.ndarray]:
    columns = trace.values
    count = len(columns.dtype)
    nan, infinite = np.zeros(count, dtype=bool), np.zeros(count, dtype=bool)
    start, summary = np.array(columns.start, dtype=np.int64), np.array(columns.summary, dtype=np.int64)
    counts = np.array([row[4:6] for row in columns.summaries] or [(0, 0)])
    large = summary >= 0
    bad, nans = counts[summary[large]].T
    nan[large], infinite[large] = nans > 0, bad > nans
    dtype, shape = np.array(columns.dtype, dtype=np.int64), np.array(columns.shape, dtype=np.int64)
    data = np.frombuffer(columns.data, np.uint8)
    full = np.flatnonzero((start >= 0) & ~large)
    kinds = dtype[full] * max(len(trace.shapes), 1) + shape[full]
    for kind in np.unique(kinds):
        ids = full[kinds == kind]
        stored = np.dtype(STORED[trace.strings[dtype[ids[0]]]])
        entries = math.prod(trace.shapes[shape[ids[0]]])
        if stored.kind not in "fc" or not entries:
            continue
        places = start[ids][:, None] + np.arange(entries * stored.itemsize)
        numbers = data[places].view(stored)
        nan[ids], infinite[ids] = np.isnan(numbers).any(axis=1), np.isinf(numbers).any(axis=1)
    return nan, infinite


class Start(NamedTuple):
    """Where NaN or infinity begins. Attributes: operation, tensor: what made it and what has it (-1: none);
    given: whether the program supplied it, as data or a first value.
    """

    operation: int
    tensor: int
    given: bool


def forward_origin(trace: Trace, roots: list[int]) -> Start | None:
    """The first operation, with or without history, that made the NaN or infinity which reached a root, or None.

    An operation makes NaN if no input was NaN, and infinity if all inputs were finite. An infinity that the program
    wrote itself, such as the −inf of a mask, is not reported, nor is one that never reaches a root: `softmax` turns a
    mask into zeros.
    """
    nan, infinite = nonfinite(trace)
    bad = nan | infinite
    if not any(value >= 0 and bad[value] for root in roots for value in trace.nodes.values[root]):
        return None
    operations, versions = trace.operations, trace.versions
    todo = [trace.nodes.operation[root] for root in roots]
    reached, found = set(todo) - {-1}, []
    while todo:
        operation = todo.pop()
        if operation < 0:
            continue
        read = zip(operations.inputs[operation], operations.input_versions[operation], strict=True)
        rows = [(tensor, row_before(trace, tensor, version, operation)) for tensor, version in read]
        held = [(tensor, row, versions.value[row]) for tensor, row in rows if versions.value[row] >= 0]
        makes_nan = _made(trace, operation, nan) and not any(nan[value] for *_, value in held)
        makes_infinity = _made(trace, operation, infinite) and not any(bad[value] for *_, value in held)
        if makes_nan or (makes_infinity and not wrote_infinity(trace, operation)):
            made = operations.outputs[operation] or operations.inputs[operation]
            found.append(Start(operation, made[0] if made else -1, not operations.inputs[operation]))
        for tensor, row, value in held:
            above = versions.operation[row]
            if above < 0 and nan[value]:
                found.append(Start(-1, tensor, True))
            if bad[value] and above not in reached:
                reached.add(above)
                todo.append(above)
    return min(found, default=None)


def _made(trace: Trace, operation: int, held: np.ndarray) -> bool:
    """Whether a tensor that an operation returned or wrote to contains such an entry afterwards."""
    operations, versions = trace.operations, trace.versions
    for tensor in {*operations.outputs[operation], *operations.inputs[operation]}:
        row = trace.index.written(tensor, operation)
        if row is not None and versions.operation[row] == operation:
            value = versions.value[row]
            if value >= 0 and held[value]:
                return True
    return False


def wrote_infinity(trace: Trace, operation: int) -> bool:
    """Whether an infinity is among the call's arguments, or it has no tensor inputs at all."""
    if not trace.operations.inputs[operation]:
        return True
    return any(isinstance(part, float) and math.isinf(part) for part in trace.arguments(operation).parts())


def backward_origin(
    trace: Trace, backward: int | None, gradients: Sequence[tuple[int, ...]], passed: Mapping[tuple[int, int], int]
) -> tuple[int, int]:
    """The first node in the engine's order that got a finite gradient and passed on a non-finite one, and its edge.

    (-1, -1) if there is none. gradients and passed are the backward's `node_gradients` and `contributions`.
    """
    if backward is None:
        return -1, -1
    nan, infinite = nonfinite(trace)
    bad = nan | infinite
    if not bad.any():
        return -1, -1
    starts = trace.nodes.edges.starts
    for node in trace.backwards[backward].order:
        if any(value >= 0 and bad[value] for value in gradients[node]):
            continue
        for edge in range(starts[node + 1] - starts[node]):
            value = passed.get((node, edge), -1)
            if value >= 0 and bad[value]:
                return node, edge
    return -1, -1


def first_nonfinite(shape: tuple[int, ...], entries: tuple) -> tuple[tuple[int, ...], float] | None:
    """Index and value of the first non-finite entry, NaN before infinity; None if there is none, or only a sample.

    >>> first_nonfinite((2, 2), (0.0, 1.0, float("nan"), 3.0))
    ((1, 0), nan)
    """
    if len(entries) != math.prod(shape):
        return None
    bad = [at for at, number in enumerate(entries) if isinstance(number, float) and not math.isfinite(number)]
    if not bad:
        return None
    position = next((at for at in bad if math.isnan(entries[at])), bad[0])
    return index_at(position, shape), entries[position]
