"""The root of a backward over one entry of a leaf: measured by runs, or computed again from the recorded operations.

Where an operation on the way is not in the table of operations, wrote in place, or left torch (`.item()`, a branch),
nothing is computed.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from msgspec import structs

from explorer.analysis.autograd.python_numbers import gives_away, goes_nowhere
from explorer.analysis.gradcheck.subjects import CheckedLeaf
from explorer.analysis.gradcheck.verdicts import Check, Silence, is_another_root, judge_near, near_probe
from explorer.analysis.operations.call import CallPart, NoEntryMap, Reading
from explorer.analysis.operations.rules import result_of
from explorer.analysis.run import READ_ONLY
from explorer.analysis.tensors.operations.view import OperationView, readings_of
from explorer.analysis.why.factors import view_of
from explorer.trace import Probe, ProbeReading, Trace, real

SIDE = 8  # runs on each side of the entry, as many as one probe takes


@dataclass(frozen=True)
class LeafCurve:
    """The root for values of an entry around its own.

    Attributes:
        leaf, entry: the tensor and the flat index.
        at, value: the entry and the root, as the program has them.
        gradient: by autograd.
        points: (entry, root) of each run in ascending order; the root may be NaN or infinite, or None without a run.
        slopes: at each point, where it was computed again from the recorded operations; () where programs ran.
        check: of the gradient, by the curve right beside the entry.
    """

    leaf: int
    entry: int
    at: float
    value: float
    gradient: float
    points: tuple[tuple[float, float | None], ...]
    slopes: tuple[float, ...] = ()
    check: Check | None = None

    @property
    def is_tangent(self) -> bool:
        """Whether nothing says that a line with the gradient as its slope is no tangent."""
        return self.check is None or (self.check.verdict not in ("kink", "differs") and self.check.why != "unsteady")


def curve_probes(subject: CheckedLeaf) -> tuple[Probe, ...]:
    """Of the subject's first entry: one probe right beside it, one to its left, one to its right."""
    entry, value, _ = subject.entries[0]
    reach = max(1.0, abs(value))
    steps = tuple(reach * (at + 1) / SIDE for at in range(SIDE))
    sides = (tuple(-step for step in reversed(steps)), steps)
    far = (
        Probe(subject.operation, subject.operand, subject.name, entry, side, subject.call, subject.root)
        for side in sides
    )
    return near_probe(subject), *far


def curve_of(trace: Trace, subject: CheckedLeaf, readings: list[ProbeReading]) -> LeafCurve | Silence:
    """The points of the curve, or the reason why it could not be measured."""
    entry, at, gradient = subject.entries[0]
    value = readings[0].value
    if not all(reading.steady for reading in readings):
        return "path"
    if gradient is None or not all(map(math.isfinite, (at, gradient, value))):
        return "undefined" if math.isfinite(value) else "time"
    if is_another_root(subject, readings[0]):
        return "elsewhere"
    points: list[tuple[float, float | None]] = [(at, value)]
    for probe, reading in list(zip(curve_probes(subject), readings, strict=True))[1:]:
        points += [(at + step, moved) for step, moved in zip(probe.steps, reading.moved, strict=False)]
    if sum(root is not None and math.isfinite(root) for _, root in points) < 3:
        return "time"
    points.sort(key=lambda point: point[0])
    check = judge_near(trace, subject, readings[0])
    return LeafCurve(subject.leaf, entry, at, value, gradient, tuple(points), check=check)


MOST_STEPS = 80  # operations between a leaf and the root
MOST_READS = 1_500_000  # entries that one operation reads for all values together
MOST_SELECTIONS = 20  # of one call, for all values together
NODES = 120  # parts of a curve
NEAR = 1e-5  # of the width of a curve, for slopes
_FAULTS = (KeyError, ValueError, IndexError, TypeError, OverflowError)


@dataclass(frozen=True)
class Way:
    """The operations between a leaf and a scalar root, in order.

    Attributes:
        leaf, root: tensors.
        entries: of the leaf when the first of them read it.
    """

    leaf: int
    root: int
    entries: tuple[float, ...]
    steps: tuple[OperationView, ...]


def way(trace: Trace, subject: CheckedLeaf) -> Way | None:
    """The operations that have to be computed again if the leaf is another; None where that is not known."""
    call = trace.backwards[subject.backward]
    root = call.root_tensors[0] if len(call.root_tensors) == 1 else -1
    last = trace.maker(root) if root >= 0 else -1
    row = trace.index.before(subject.leaf, subject.operation)
    value = None if row is None else trace.value_at(row)
    if row is None or last < subject.operation or value is None or value.data is None or subject.value is None:
        return None
    if math.prod(trace.shapes[trace.tensors.shape[root]]) != 1:
        return None
    reads = _reads(trace, subject.leaf, trace.versions.operation[row] + 1, last)
    if any(gives_away(trace, operation) and not goes_nowhere(trace, operation) for operation in reads):
        return None
    needed: set[int] = {root}
    steps: list[OperationView] = []
    for operation in reversed(reads):
        if needed.isdisjoint(trace.operations.outputs[operation]):
            continue
        view = view_of(trace, operation) if len(steps) < MOST_STEPS else None
        if view is None or view.call.in_place or view.missing or any(each.reading is None for each in view.outcomes):
            return None
        steps.append(view)
        needed.update(trace.operations.inputs[operation])
    entries = tuple(map(real, value.data))
    return Way(subject.leaf, root, entries, tuple(reversed(steps))) if subject.leaf in needed else None


def _reads(trace: Trace, leaf: int, first: int, last: int) -> list[int]:
    """The operations that read a leaf, or what was computed from it, in order."""
    operations, read, reads = trace.operations, {leaf}, []
    for operation in range(first, last + 1):
        if read.isdisjoint(operations.inputs[operation]):
            continue
        if trace.strings[operations.name[operation]] not in READ_ONLY:
            reads.append(operation)
            read.update(operations.outputs[operation])
    return reads


def roots(route: Way, entry: int, values: Sequence[float]) -> np.ndarray | None:
    """The root for each of these values of an entry (a flat index) of the leaf; None where it cannot be computed."""
    count = len(values)
    moved = np.tile(np.array(route.entries, float), (count, 1))
    moved[:, entry] = values
    arrays = {route.leaf: moved}
    for view in route.steps:
        for which, outcome in enumerate(view.outcomes):
            made = _compute(view, which, arrays, count)
            if made is None:
                return None
            arrays[outcome.part.tensor] = made
    return arrays[route.root][:, 0] if route.root in arrays else None


def _compute(view: OperationView, which: int, arrays: dict[int, np.ndarray], count: int) -> np.ndarray | None:
    """The entries of a result for all values at once.

    An operand that only selects, such as the condition of `where`, selects others for other values: for each selection
    the call has a reading of its own.
    """
    part, reading = view.outcomes[which].part, view.outcomes[which].reading
    if reading is None or count * sum(read.size for read in reading.reads) > MOST_READS:
        return None
    moved = {k: arrays[operand.tensor] for k, operand in enumerate(view.operands) if operand.tensor in arrays}
    selects = [k for k in moved if _selects(view, reading, k)]
    groups: dict[tuple[bytes, ...], list[int]] = {}
    for row in range(count):
        groups.setdefault(tuple(moved[k][row].tobytes() for k in selects), []).append(row)
    made = np.empty((count, part.size))
    for rows in groups.values() if len(groups) <= MOST_SELECTIONS else ():
        now = {view.operands[k].tensor: moved[k][rows[0]] for k in selects}
        chosen = _reselected(view, which, now) if selects else reading
        flats = [moved[k][rows] if k in moved else operand.numbers for k, operand in enumerate(view.operands)]
        some = _repeat(chosen, flats, part.dtype, len(rows)) if chosen is not None else None
        if some is None or some.shape[1] != part.size:
            return None
        made[rows] = some
    return made if len(groups) <= MOST_SELECTIONS else None


def _selects(view: OperationView, reading: Reading, k: int) -> bool:
    """Whether an operand only selects, such as an index or a mask."""
    if k not in reading.sources:
        return True
    return view.operands[k].dtype.startswith(("bool", "int", "uint")) and bool((reading.reads[k] < 0).all())


def _reselected(view: OperationView, which: int, selecting: dict[int, np.ndarray]) -> Reading | None:
    """The reading of a result if the operands that select have other entries (flat, by tensor)."""

    def put(operand: CallPart) -> CallPart:
        flat = selecting.get(operand.tensor)
        if flat is None or operand.value is None:
            return operand
        kind = bool if operand.dtype == "bool" else int if operand.dtype.startswith(("int", "uint")) else float
        return replace(operand, value=structs.replace(operand.value, data=tuple(map(kind, flat.tolist()))))

    try:
        others = tuple(map(put, view.call.operands))
        _, readings = readings_of(replace(view.call, operands=others, recorded=view.call.operands), layers=True)
    except (NoEntryMap, *_FAULTS):
        return None
    return readings[which]


def _repeat(reading: Reading, flats: list[np.ndarray | None], dtype: str, count: int) -> np.ndarray | None:
    """A reading applied to operands of which some have a row for each of several values."""
    reads, numbers = [], []
    for flat, read in zip(flats, reading.reads, strict=False):
        if flat is None or flat.dtype.kind == "c":
            return None
        step = flat.shape[1] if flat.ndim == 2 else 0
        moved = read[None] + (np.arange(count) * step)[:, None, None]
        reads.append(np.where(read[None] < 0, -1, moved).reshape(-1, read.shape[1]))
        numbers.append(flat.reshape(-1))
    try:
        return np.asarray(result_of(replace(reading, reads=tuple(reads)), numbers, dtype), float).reshape(count, -1)
    except _FAULTS:
        return None


def recomputed_curve(trace: Trace, subject: CheckedLeaf, low: float, high: float) -> LeafCurve | None:
    """The root over the subject's first entry between two values, with its slopes; None where it is not known."""
    entry, at, gradient = subject.entries[0]
    route = way(trace, subject) if gradient is not None else None
    if route is None or gradient is None or subject.value is None or not math.isfinite(subject.value):
        return None
    near, nodes = (high - low) * NEAR, np.linspace(low, high, NODES + 1)
    beside = [at + step for step in near_probe(subject).steps]
    heights = roots(route, entry, [at, *beside, *nodes, *(nodes - near), *(nodes + near)])
    if heights is None or not math.isclose(heights[0], subject.value, rel_tol=1e-4, abs_tol=1e-6):
        return None
    reading = ProbeReading(float(heights[0]), gradient, tuple(heights[1:5].tolist()), True)
    values, left, right = heights[5:].reshape(3, -1)
    with np.errstate(all="ignore"):
        slopes = (right - left) / (2 * near)
    points = tuple((float(x), float(y)) for x, y in zip(nodes, values, strict=True))
    check = judge_near(trace, subject, reading)
    return LeafCurve(subject.leaf, entry, at, subject.value, gradient, points, tuple(map(float, slopes)), check)
