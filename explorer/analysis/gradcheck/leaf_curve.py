"""The root of a backward over one entry of a leaf: which runs to ask for, and the points that they give."""

import math
from dataclasses import dataclass

from explorer.analysis.gradcheck.subjects import Subject
from explorer.analysis.gradcheck.verdicts import Silence, is_another_root
from explorer.trace import Probe, ProbeReading

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
    """

    leaf: int
    entry: int
    at: float
    value: float
    gradient: float
    points: tuple[tuple[float, float | None], ...]
    slopes: tuple[float, ...] = ()


def curve_probes(subject: Subject) -> tuple[Probe, ...]:
    """One probe to the left and one to the right of the subject's first entry."""
    entry, value, _ = subject.entries[0]
    reach = max(1.0, abs(value))
    steps = tuple(reach * (at + 1) / SIDE for at in range(SIDE))
    sides = (tuple(-step for step in reversed(steps)), steps)
    return tuple(
        Probe(subject.operation, subject.operand, subject.name, entry, side, subject.call, subject.root)
        for side in sides
    )


def curve_of(subject: Subject, readings: list[ProbeReading]) -> LeafCurve | Silence:
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
    for probe, reading in zip(curve_probes(subject), readings, strict=True):
        points += [(at + step, moved) for step, moved in zip(probe.steps, reading.moved, strict=False)]
    if sum(root is not None and math.isfinite(root) for _, root in points) < 3:
        return "time"
    return LeafCurve(subject.leaf, entry, at, value, gradient, tuple(sorted(points, key=lambda point: point[0])))
