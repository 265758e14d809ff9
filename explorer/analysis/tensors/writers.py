"""What wrote a version of a tensor: an operation, a backward that added to `.grad`, or nothing that was recorded."""

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from explorer.analysis.autograd.gradients import gradient_leaves
from explorer.trace import Backward, Trace, memoized

WriterKind = Literal["operation", "backward", "counted", "unseen"]


@dataclass(frozen=True)
class Writer:
    """What wrote a version.

    Attributes:
        kind: operation; backward: AccumulateGrad added to `.grad`; counted: the run was too long to record every
            operation; unseen: no operation of torch did, but NumPy perhaps.
        span: its place, -1 if unknown.
        time: the last operation that had begun by then.
    """

    kind: WriterKind
    span: int
    time: int


def writer(trace: Trace, row: int) -> Writer:
    """What wrote a row of Trace.versions."""
    operation = trace.versions.operation[row]
    if operation >= 0:
        return Writer("operation", trace.operations.span[operation], operation)
    tensor, times, found = trace.index.tensor_of(row), trace.index.times, trace.versions.seen[row]
    begins = times[row - 1] if row > trace.tensors.version_start[tensor] else -1
    calls = _adding(trace).get(gradient_leaves(trace).get(tensor, -1), [])
    until = bisect_right(calls, found, key=lambda call: call.operations)
    if until and calls[until - 1].operations > begins:
        return Writer("backward", calls[until - 1].span, calls[until - 1].operations - 1)
    full = any(bound.kind == "operations" for bound in trace.limits)
    counted = full and trace.tensors.storage[tensor] not in trace.index.arrays
    return Writer("counted" if counted else "unseen", -1, begins)


@memoized
def _adding(trace: Trace) -> Mapping[int, list[Backward]]:
    """By leaf the calls that added to its `.grad`, in order."""
    calls: dict[int, list[Backward]] = {}
    for call in trace.backwards:
        for leaf in call.accumulated:
            calls.setdefault(leaf, []).append(call)
    return calls
