"""Where NaN or infinity starts: the first value, or the first gradient, that has one while what went in had none."""

import math

import numpy as np

from explorer.trace import STORED, Trace, index_at


def nonfinite(trace: Trace) -> np.ndarray:
    """Per value id whether it holds NaN or infinity (bool array)."""
    columns = trace.values
    count = len(columns.dtype)
    found = np.zeros(count, dtype=bool)
    start, summary = np.array(columns.start, dtype=np.int64), np.array(columns.summary, dtype=np.int64)
    summaries = np.array([row[4] for row in columns.summaries] or [0])
    found[summary >= 0] = summaries[summary[summary >= 0]] > 0
    dtype, shape = np.array(columns.dtype, dtype=np.int64), np.array(columns.shape, dtype=np.int64)
    data = np.frombuffer(columns.data, np.uint8)
    full = np.flatnonzero((start >= 0) & (summary < 0))
    kinds = dtype[full] * max(len(trace.shapes), 1) + shape[full]
    for kind in np.unique(kinds):
        ids = full[kinds == kind]
        stored = np.dtype(STORED[trace.strings[dtype[ids[0]]]])
        entries = math.prod(trace.shapes[shape[ids[0]]])
        if stored.kind not in "fc" or not entries:
            continue
        places = start[ids][:, None] + np.arange(entries * stored.itemsize)
        found[ids] = ~np.isfinite(data[places].view(stored)).all(axis=1)
    return found


def forward_origin(trace: Trace, nodes: list[int]) -> int:
    """The first of these nodes whose value is not finite while all that went into its operation is; -1 if none."""
    bad = nonfinite(trace)
    if not bad.any():
        return -1
    columns, operations, versions = trace.nodes, trace.operations, trace.versions
    suspects = [node for node in nodes if any(value >= 0 and bad[value] for value in columns.values[node])]
    suspects = [node for node in suspects if columns.variable[node] < 0]
    for node in sorted(suspects, key=lambda node: (columns.operation[node], node)):
        operation = columns.operation[node]
        if operation < 0:
            continue
        inputs = [trace.index.before(t, operation) for t in operations.inputs[operation]]
        if not any(row is not None and versions.value[row] >= 0 and bad[versions.value[row]] for row in inputs):
            return node
    return -1


def backward_origin(
    trace: Trace, backward: int, gradients: list[tuple[int, ...]], passed: dict[tuple[int, int], int]
) -> tuple[int, int]:
    """The first node in the engine's order that got a finite gradient and handed on another, and over which edge.

    (-1, -1) if there is none. gradients and passed are the backward's `node_gradients` and `contributions`.
    """
    if backward < 0:
        return -1, -1
    bad = nonfinite(trace)
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
    """Index and number of the first entry that is not finite, None when all are or only a sample is at hand.

    >>> first_nonfinite((2, 2), (0.0, 1.0, float("nan"), 3.0))
    ((1, 0), nan)
    """
    if len(entries) != math.prod(shape):
        return None
    for position, number in enumerate(entries):
        if isinstance(number, float) and not math.isfinite(number):
            return index_at(position, shape), number
    return None
