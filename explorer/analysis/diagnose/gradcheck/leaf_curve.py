"""The root as a function of one entry of a leaf, from recorded calls that torch repeats.

There is no curve if a call wrote in place, drew random numbers, or left torch (`.item()`, a branch).
"""

import math
from dataclasses import dataclass

import numpy as np

from explorer.analysis.diagnose.gradcheck.subjects import CheckedLeaf
from explorer.analysis.diagnose.gradcheck.verdicts import Check, judge_near, near_steps
from explorer.analysis.explain.autograd.python_numbers import becomes_python_value, is_only_inspected
from explorer.analysis.run.model import READ_ONLY
from explorer.trace import ProbeReading, Repeat, Trace


@dataclass(frozen=True)
class LeafCurve:
    """The root for values around an entry.

    Attributes:
        leaf, entry: tensor and flat index.
        at, value: entry and root in the program.
        gradient: by autograd.
        points: (entry, root) in ascending order. The root may be NaN or infinite.
        slopes: slopes at each point.
        check: check of the gradient by the curve next to the entry.
    """

    leaf: int
    entry: int
    at: float
    value: float
    gradient: float
    points: tuple[tuple[float, float], ...]
    slopes: tuple[float, ...]
    check: Check

    @property
    def is_tangent(self) -> bool:
        """Return whether a line with the gradient as its slope may be a tangent."""
        return self.check.verdict not in ("kink", "differs") and self.check.why != "unsteady"


MOST_CALLS = 80  # most calls between a leaf and the root
NODES = 120  # intervals of a curve
NEAR = 1e-5  # relative to the curve's width, for slopes
CLOSE = 1e-4  # relative to the recorded value


def calls_again(trace: Trace, subject: CheckedLeaf, low: float, high: float) -> Repeat | None:
    """Return calls that compute the root, None if unknown.

    The values are the program's, those of `near_steps`, the curve's, and those for its slopes on both sides.
    """
    if subject.entry is None:
        return None
    call, (entry, at, gradient) = trace.backwards[subject.backward], subject.entry
    root = call.root_tensors[0] if len(call.root_tensors) == 1 else -1
    last = trace.maker(root) if root >= 0 else -1
    row = trace.index.before(subject.leaf, subject.operation)
    if row is None or last < subject.operation or math.prod(trace.shapes[trace.tensors.shape[root]]) != 1:
        return None
    if gradient is None or subject.value is None or not math.isfinite(subject.value):
        return None
    reads = _reads(trace, subject.leaf, trace.versions.operation[row] + 1, last)
    if any(becomes_python_value(trace, operation) and not is_only_inspected(trace, operation) for operation in reads):
        return None
    needed, calls = {root}, list[int]()
    for operation in reversed(reads):
        if not needed.isdisjoint(trace.operations.outputs[operation]):
            calls.append(operation)
            needed.update(trace.operations.inputs[operation])
    if len(calls) > MOST_CALLS or subject.leaf not in needed:
        return None
    near, nodes = (high - low) * NEAR, np.linspace(low, high, NODES + 1)
    beside = [at + step for step in near_steps(subject)]
    values = np.concatenate([[at], beside, nodes, nodes - near, nodes + near])
    return Repeat(row, entry, tuple(values.tolist()), tuple(reversed(calls)), root)


def _reads(trace: Trace, leaf: int, first: int, last: int) -> list[int]:
    """Return the operations that read a leaf or its results, in order."""
    operations, read, reads = trace.operations, {leaf}, []
    for operation in range(first, last + 1):
        if read.isdisjoint(operations.inputs[operation]):
            continue
        if trace.strings[operations.name[operation]] not in READ_ONLY:
            reads.append(operation)
            read.update(operations.outputs[operation])
    return reads


def curve_of_calls(trace: Trace, subject: CheckedLeaf, asked: Repeat, reading: ProbeReading) -> LeafCurve | None:
    """Build the curve of a reading, or None if it is incomplete or torch disagrees."""
    if subject.entry is None or len(reading.values) != len(asked.values) or not reading.slopes:
        return None
    entry, at, gradient = subject.entry
    if gradient is None or subject.value is None:
        return None
    heights = np.array(reading.values, float)
    if not math.isclose(heights[0], subject.value, rel_tol=CLOSE, abs_tol=1e-6):
        return None
    check = judge_near(trace, subject, float(heights[0]), heights[1:5].tolist())
    is_own = bool(np.isclose(reading.slopes[0], gradient, CLOSE, 1e-6, equal_nan=True))
    if not is_own and (check.reason is None or check.reason.kind == "cut"):
        return None
    nodes, (values, left, right) = asked.values[5:][: NODES + 1], heights[5:].reshape(3, -1)
    with np.errstate(all="ignore"):
        slopes = (right - left) / (2 * NEAR * (nodes[-1] - nodes[0]))
    points = tuple(zip(nodes, values.tolist(), strict=True))
    return LeafCurve(subject.leaf, entry, at, subject.value, gradient, points, tuple(slopes.tolist()), check)
