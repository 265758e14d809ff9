"""Compare slopes with gradients: they agree, there is a kink, they differ, or no statement is possible.

All leaves of a backward are moved along one random direction, a little forward and a little back. Two runs give the
slope of the root along it, and autograd's gradient at both ends, times the direction, must be the same number: their
mean, within half of what they differ by and the rounding of the root. If it is not, further runs with longer steps and
without a step say whether the program is steady there, and runs with fewer leaves say which of them differ.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from explorer.analysis.autograd.altered_gradients import altered_outputs
from explorer.analysis.autograd.gradients import all_cuts, nodes_below
from explorer.analysis.faults.shared_memory import gradient_falsified
from explorer.analysis.gradcheck.subjects import CheckedLeaf, Obstacle
from explorer.analysis.operations import ENTRYWISE, FORMS, MOVES
from explorer.analysis.run import READ_ONLY, Run, run_of
from explorer.trace import Move, Probe, ProbeReading, Trace

Kind = Literal["overwritten", "function", "cut", "no_grad", "hook", "straight"]
Verdict = Literal["agrees", "kink", "differs", "depends", "nonfinite", "unchecked"]
Silence = Literal["time", "undefined", "unsteady", "elsewhere", "rounding", "path", "tied"]

# depends: no gradient, but the root depends on the leaf. Reasons for no statement: time: no time was left, or the
# program takes another path there; undefined: with the leaf moved, the root is NaN or infinite; unsteady: slopes of
# different steps disagree; elsewhere: in float64 the root is another; rounding: the slope is lost in the rounding of
# the root; path: two runs of the program differ; tied: an operation took it by its size, and others are as large.

_ENTRY_BY_ENTRY = ENTRYWISE | FORMS | MOVES
STEP = 1e-6
FURTHER = 8  # times that, if the first quotients are inconclusive
_CLOSE = 1e-4  # relative to the size of what is compared
_SIDES = 1e-3  # relative difference of both sides' quotients without a kink
_BENT = 1e-2  # relative difference of the gradients at both ends without a kink
_ROOT = 2e-3  # relative difference of the root in float64
_EPSILON = 2.0**-52
SLIPS = ("number", "made")  # what cuts a path that was hardly meant to end
GROUPS = 8  # of leaves, into which those that differ are parted


@dataclass(frozen=True)
class Reason:
    """The cause. Attributes: operation: its id, -1 for none; code: the program's text there; by: what cuts it off."""

    kind: Kind
    operation: int
    code: str
    by: str = ""


@dataclass(frozen=True)
class Check:
    """The check of a leaf and a backward.

    Attributes:
        why: the reason if it is unchecked.
        reason: the cause if it differs or depends, or None.
        gradient: by autograd, or None: of one entry, or along the direction in which leaves were moved.
        left, right: the slopes to both sides; of a direction both are the slope along it.
        is_along: whether all entries were moved along a direction.
    """

    leaf: int
    backward: int
    verdict: Verdict
    why: Obstacle | Silence | None = None
    reason: Reason | None = None
    gradient: float | None = None
    left: float = math.nan
    right: float = math.nan
    is_along: bool = False

    @property
    def slope(self) -> float:
        """The central difference quotient."""
        return (self.left + self.right) / 2

    @property
    def is_slip(self) -> bool:
        """Whether numbers took a way around the graph that no word in the program asks for."""
        return self.reason is not None and self.reason.by in SLIPS

    @property
    def is_meant(self) -> bool:
        """Whether the program leaves something out of the gradient by a word for it: `detach`, `no_grad`."""
        return self.reason is not None and (self.reason.kind == "no_grad" or self.reason.by in ("detach", "no_grad"))


@dataclass(frozen=True)
class Found:
    """What moved runs say of several leaves together. Attributes: gradient, slope: along the direction."""

    verdict: Literal["agrees", "kink", "differs", "doubt", "unchecked"]
    why: Silence | None = None
    gradient: float = math.nan
    slope: float = math.nan


def probe(leaves: Sequence[CheckedLeaf], is_further: bool = False) -> Probe:
    """A probe of leaves of one backward; a further one has longer steps, and two runs without any."""
    moves = tuple(Move(leaf.operation, leaf.operand, leaf.name) for leaf in leaves)
    steps = (-FURTHER * STEP, FURTHER * STEP, 0.0, 0.0) if is_further else (-STEP, STEP)
    return Probe(moves, steps, leaves[0].call, leaves[0].root)


def first_look(asked: Probe, reading: ProbeReading) -> Found:
    """What two runs say: that the gradient is the slope, that there is a kink, or that more runs must tell."""
    if silent := _silence(reading):
        return Found("unchecked", silent)
    gradient, slope, size, noise, spread = _compared(asked, reading)
    if spread > _BENT * size + noise:
        return Found("kink", None, gradient, slope)
    if noise > _BENT * size and abs(slope) > noise:
        return Found("doubt", None, gradient, slope)
    agrees = abs(slope - gradient) <= _CLOSE * size + noise + spread / 2
    return Found("agrees" if agrees else "doubt", None, gradient, slope)


def second_look(before: Found, asked: Probe, reading: ProbeReading, value: float | None) -> Found:
    """What longer steps and two runs without one say of a doubt. Args: value: the root that was recorded."""
    if silent := _silence(reading):
        return Found("unchecked", silent)
    *_, root, again = reading.values
    if root is None or again is None or root != again:
        return Found("unchecked", "path")
    if value is not None and abs(root - value) > _ROOT * max(1.0, abs(root)):
        return Found("unchecked", "elsewhere")
    gradient, slope, size, noise, spread = _compared(asked, reading)
    if spread > _BENT * size + noise:
        return Found("kink", None, gradient, slope)
    off = abs(slope - gradient)
    if off <= _CLOSE * size + noise + spread / 2:
        return Found("agrees", None, gradient, slope)
    if off <= 10 * noise:
        return Found("unchecked", "rounding")
    if abs(slope - before.slope) > 0.1 * off or abs(gradient - before.gradient) > 0.1 * off:
        return Found("unchecked", "unsteady")
    return Found("differs", None, gradient, slope)


def groups(leaves: Sequence[CheckedLeaf]) -> list[Sequence[CheckedLeaf]]:
    """Leaves in at most GROUPS parts, to find those that differ."""
    size = math.ceil(len(leaves) / GROUPS)
    return [leaves[at : at + size] for at in range(0, len(leaves), size)]


def judged(trace: Trace, leaf: CheckedLeaf, found: Found) -> Check:
    """The check of one leaf, with the reason where it differs."""
    if found.verdict in ("unchecked", "doubt"):
        return Check(leaf.leaf, leaf.backward, "unchecked", found.why or "time")
    if found.verdict == "kink":
        return Check(leaf.leaf, leaf.backward, "unchecked", "unsteady")
    gradient = found.gradient if leaf.reached else None
    agrees = found.verdict == "agrees"
    verdict: Verdict = "agrees" if agrees else "differs" if leaf.reached else "depends"
    why = None if agrees else reason(run_of(trace), leaf)
    return Check(leaf.leaf, leaf.backward, verdict, None, why, gradient, found.slope, found.slope, True)


def _compared(asked: Probe, reading: ProbeReading) -> tuple[float, float, float, float, float]:
    """Gradient and slope along the direction, their size, the noise of the slope, and how far the gradients differ."""
    low, high = reading.values[0] or 0.0, reading.values[1] or 0.0
    before, after = reading.slopes[:2]
    slope, step = (high - low) / (asked.steps[1] - asked.steps[0]), asked.steps[1]
    size = max(abs(slope), *reading.sizes[:2])
    noise = 16 * _EPSILON * max(abs(low), abs(high)) / step
    return (before + after) / 2, slope, size, noise, abs(after - before)


def _silence(reading: ProbeReading) -> Silence | None:
    """Why a reading gives no slope, None if it does."""
    if len(reading.values) < 2 or len(reading.slopes) < 2 or len(reading.sizes) < 2 or None in reading.values[:2]:
        return "time"
    numbers = (*reading.values[:2], *reading.slopes[:2], *reading.sizes[:2])
    return None if all(math.isfinite(number or 0.0) for number in numbers) else "undefined"


def near_steps(subject: CheckedLeaf) -> tuple[float, ...]:
    """How far the subject's entry is moved to judge its gradient by the values beside it."""
    at = subject.entry[1] if subject.entry else 0.0
    step = STEP * max(1.0, abs(at)) if math.isfinite(at) else STEP
    return -step, step, -FURTHER * step, FURTHER * step


def judge_near(trace: Trace, subject: CheckedLeaf, value: float, moved: Sequence[float]) -> Check:
    """The check of the subject's entry. Args: value, moved: the root, and the root for each of `near_steps`."""
    assert subject.entry is not None
    gradient, steps = subject.entry[2], near_steps(subject)
    left, right, left8, right8 = ((each - value) / step for each, step in zip(moved, steps, strict=True))

    def told(verdict: Verdict, why: Silence | None = None, cause: Reason | None = None) -> Check:
        return Check(subject.leaf, subject.backward, verdict, why, cause, gradient, left, right)

    if not math.isfinite(gradient or 0.0) or not math.isfinite(subject.value or 0.0):
        return told("nonfinite")
    if not all(map(math.isfinite, (value, *moved))):
        return told("unchecked", "undefined")
    if subject.value is not None and abs(value - subject.value) > _ROOT * max(1.0, abs(value)):
        return told("unchecked", "elsewhere")
    own, slope, noise = gradient or 0.0, (left + right) / 2, 16 * _EPSILON * abs(value) / steps[1]
    size = max(1.0, abs(left), abs(right), abs(own))
    close = _CLOSE * size + noise
    agrees: Verdict = "agrees" if gradient is not None or abs(slope) <= close else "depends"
    if abs(left - right) <= _SIDES * size and abs(slope - own) <= close:
        return told(agrees)
    kind = _shape((left, right), (left8, right8), max(1.0, abs(left), abs(right)), noise)
    if kind == "unsteady":
        return told("unchecked", "unsteady")
    if kind == "kink" and min(left, right) - close <= own <= max(left, right) + close:
        return told("kink")
    if kind != "kink" and abs(slope - own) <= close:
        return told(agrees)
    run = run_of(trace)
    if _is_tied(run, subject):
        return told("unchecked", "tied")
    return told("depends" if gradient is None else "differs", None, reason(run, subject))


def _is_tied(run: Run, subject: CheckedLeaf) -> bool:
    """Whether a call took entries of the leaf, or of what became of each of them, by their size, and others are equal.

    Which of these gets the gradient is free; moving one alone shows what becomes of that one only.
    """
    live = {subject.leaf}
    for at in range(subject.operation, run.trace.backwards[subject.backward].operations):
        call, name = run.call(at), run.names[at]
        if live.isdisjoint(run.operations.inputs[at]) or name in READ_ONLY:
            continue
        if name in _ENTRY_BY_ENTRY:
            live.update(run.operations.outputs[at])
            continue
        given, made = call.inputs[0].before(call), call.made
        if given is not None and made is not None and given.size == call.inputs[0].size and np.isin(made, given).all():
            values, counts = np.unique(given, return_counts=True)
            if np.isin(values[counts > 1], made).any():
                return True
    return False


def _shape(near: tuple[float, float], far: tuple[float, float], size: float, noise: float) -> str:
    """The function at an entry: smooth, kink, or unsteady if steps of different length disagree."""
    apart, apart_far = near[1] - near[0], far[1] - far[0]
    slope, slope_far = sum(near) / 2, sum(far) / 2
    allowed = _SIDES * size + noise
    if abs(apart) <= allowed:
        return "smooth" if abs(slope - slope_far) <= allowed and abs(apart_far) <= FURTHER * allowed else "unsteady"
    same = max(abs(near[0] - far[0]), abs(near[1] - far[1]))
    if same <= 0.1 * abs(apart) + allowed:
        return "kink"
    bends = abs(apart_far) > 0.5 * FURTHER * abs(apart) and abs(slope - slope_far) <= allowed
    return "smooth" if bends else "unsteady"


def reason(run: Run, subject: CheckedLeaf) -> Reason | None:
    """What blocks or changes the gradient on the way of a leaf's entries to the root."""
    trace = run.trace
    call = trace.backwards[subject.backward]
    if any(finding.place for finding in gradient_falsified(run)):
        return Reason("overwritten", -1, "")
    cut = all_cuts(trace, subject.backward)[1].get(subject.leaf)
    if cut is not None and cut.operation >= 0 and cut.by in ("detach", "no_grad", *SLIPS):
        return Reason("no_grad" if cut.by == "no_grad" else "cut", cut.operation, run.text(cut.operation), cut.by)
    hard = [at for at in range(call.operations) if run.names[at] == "gumbel_softmax"]
    if hard:
        return Reason("straight", hard[0], run.text(hard[0]))
    collectors = {node for node in call.order if trace.nodes.variable[node] == subject.leaf}
    own = [node for node in call.order if trace.nodes.user_code[node] and collectors & nodes_below(trace, [node])]
    if own:
        operation = min(trace.nodes.operation[node] for node in own)
        return Reason("function", operation, run.text(operation))
    return Reason("hook", -1, "") if altered_outputs(trace, subject.backward) else None
