"""Compare quotients with a gradient: it agrees, there is a kink, it differs, or no statement is possible."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from msgspec.structs import replace as replace_probe

from explorer.analysis.autograd.altered_gradients import altered_outputs
from explorer.analysis.autograd.gradients import all_cuts, nodes_below
from explorer.analysis.faults.shared_memory import gradient_falsified
from explorer.analysis.gradcheck.subjects import CheckedLeaf, Obstacle, Unchecked
from explorer.analysis.operations import ENTRYWISE, FORMS, MOVES
from explorer.analysis.run import READ_ONLY, Run, run_of
from explorer.trace import Probe, ProbeReading, Trace

Kind = Literal["overwritten", "function", "cut", "no_grad", "hook"]
Verdict = Literal["agrees", "kink", "differs", "depends", "nonfinite", "unchecked"]
Silence = Literal["time", "undefined", "unsteady", "elsewhere", "rounding", "path", "tied"]

# depends: no gradient, but the root depends on the entry. Reasons for no statement: time: no time was left, or the
# program takes another path there; undefined: with the entry moved, the root is NaN or infinite; unsteady: quotients of
# different steps disagree; elsewhere: in float64 the root is another; rounding: the gradient itself is another in
# float64; path: two runs of the program differ; tied: an operation took it by its size, and others are as large.

_ENTRY_BY_ENTRY = ENTRYWISE | FORMS | MOVES
STEP = 1e-6  # of an entry up to 1, otherwise relative to its size
FURTHER = 8  # times that, if the first quotients are inconclusive
_CLOSE = 1e-4  # relative to the larger of gradient and quotient, but at least to 1
_SIDES = 1e-3  # relative difference of both sides' quotients without a kink
_ROOT = 2e-3  # relative difference of the root in float64
_ROUNDED = 1e-2  # relative difference of the gradient in float64
_EPSILON = 2.0**-52
_GRAVITY: tuple[Verdict, ...] = ("differs", "depends", "nonfinite", "kink", "agrees", "unchecked")


@dataclass(frozen=True)
class Reason:
    """The cause. Attributes: operation: its id, -1 for none; code: the program's text there."""

    kind: Kind
    operation: int
    code: str


@dataclass(frozen=True)
class EntryCheck:
    """One entry. Attributes: entry: flat index; gradient: by autograd, or None; left, right: the quotients."""

    entry: int
    gradient: float | None
    left: float
    right: float
    verdict: Verdict
    why: Silence | None = None

    @property
    def slope(self) -> float:
        """The central difference quotient."""
        return (self.left + self.right) / 2


@dataclass(frozen=True)
class Check:
    """The check of a leaf and a backward.

    Attributes:
        verdict: the gravest of the entries, in the order of differs, depends, nonfinite, kink, agrees, unchecked.
        why: the reason if it is unchecked.
        reason: the cause if it differs or depends, or None.
        entries: the checked ones.
        shape: of the leaf.
    """

    leaf: int
    backward: int
    verdict: Verdict
    why: Obstacle | Silence | None
    reason: Reason | None
    entries: tuple[EntryCheck, ...]
    shape: tuple[int, ...] = ()

    @property
    def telling(self) -> EntryCheck | None:
        """The entry that determines the verdict."""
        return next((entry for entry in self.entries if entry.verdict == self.verdict), None)


Asked = tuple[CheckedLeaf, int]  # a subject and the position of one of its entries


def probes(subjects: Iterable[CheckedLeaf | Unchecked]) -> tuple[list[Asked], tuple[Probe, ...]]:
    """The first pass: every entry moved a little to either side."""
    asked = [(one, at) for one in subjects if isinstance(one, CheckedLeaf) for at in range(len(one.entries))]
    return asked, tuple(_probe(subject, at, 1) for subject, at in asked)


def near_probe(subject: CheckedLeaf) -> Probe:
    """One probe for both passes over the subject's first entry."""
    near, far = _probe(subject, 0, 1), _probe(subject, 0, FURTHER)
    return replace_probe(near, steps=(*near.steps, *far.steps))


def judge_near(trace: Trace, subject: CheckedLeaf, reading: ProbeReading) -> Check:
    """The verdict on the subject's first entry. Args: reading: of `near_probe`."""
    near, far = (replace_probe(reading, moved=part) for part in (reading.moved[:2], reading.moved[2:4]))
    asked: list[Asked] = [(subject, 0)]
    return check(trace, [subject], asked, [near], {0: far})[0]


def second_look(asked: list[Asked], readings: list[ProbeReading]) -> tuple[list[int], tuple[Probe, ...]]:
    """The entries that need a second pass, and its probes."""
    doubtful = [
        at
        for at, ((subject, entry), reading) in enumerate(zip(asked, readings, strict=True))
        if _doubt(subject, entry, reading)
    ]
    return doubtful, tuple(_probe(*asked[at], FURTHER) for at in doubtful)


def check(
    trace: Trace,
    candidates: list[CheckedLeaf | Unchecked],
    asked: list[Asked],
    readings: list[ProbeReading],
    further: dict[int, ProbeReading],
) -> list[Check]:
    """A verdict on every leaf and backward; `further` are the second readings, by the number of the first."""
    run = run_of(trace)
    judged: dict[int, list[EntryCheck]] = {}
    for at, ((subject, entry), reading) in enumerate(zip(asked, readings, strict=True)):
        judged.setdefault(id(subject), []).append(_judge(subject, entry, reading, further.get(at)))
    checks = []
    for candidate in candidates:
        if isinstance(candidate, Unchecked):
            checks.append(Check(candidate.leaf, candidate.backward, "unchecked", candidate.why, None, ()))
            continue
        entries = tuple(judged.get(id(candidate), ()))
        if any(entry.verdict == "differs" for entry in entries) and _is_tied(run, candidate):
            off = (entry.verdict == "differs" for entry in entries)
            entries = tuple(
                replace(one, verdict="unchecked", why="tied") if is_off else one
                for one, is_off in zip(entries, off, strict=True)
            )
        verdict: Verdict = min((entry.verdict for entry in entries), key=_GRAVITY.index, default="unchecked")
        why = next((entry.why for entry in entries if entry.why), None) if verdict == "unchecked" else None
        cause = reason(run, candidate) if verdict in ("differs", "depends") else None
        shape = tuple(trace.shapes[trace.tensors.shape[candidate.leaf]])
        checks.append(Check(candidate.leaf, candidate.backward, verdict, why, cause, entries, shape))
    return checks


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


def _probe(subject: CheckedLeaf, at: int, times: int) -> Probe:
    entry, value, _ = subject.entries[at]
    step = times * STEP * max(1.0, abs(value)) if math.isfinite(value) else times * STEP
    return Probe(subject.operation, subject.operand, subject.name, entry, (-step, step), subject.call, subject.root)


def _sides(subject: CheckedLeaf, at: int, reading: ProbeReading, times: int = 1) -> tuple[float, float]:
    """The quotients to the left and to the right."""
    down, up = _probe(subject, at, times).steps
    low, high = (math.nan if value is None else value for value in (*reading.moved, None, None)[:2])
    return (low - reading.value) / down, (high - reading.value) / up


def _noise(subject: CheckedLeaf, at: int, reading: ProbeReading, times: int = 1) -> float:
    """The uncertainty of a quotient from rounding of the root."""
    return 16 * _EPSILON * abs(reading.value) / _probe(subject, at, times).steps[1]


def _size(*numbers: float) -> float:
    return max(1.0, *(abs(number) for number in numbers))


def _doubt(subject: CheckedLeaf, at: int, reading: ProbeReading) -> bool:
    """Whether a second pass is needed: not if the first agrees, nor if it could not be made."""
    left, right = _sides(subject, at, reading)
    gradient = subject.entries[at][2] or 0.0
    if not all(map(math.isfinite, (left, right, gradient))):
        return False
    size = _size(left, right, gradient)
    off = max(abs((left + right) / 2 - gradient), abs(right - left) / 10)
    return off > _CLOSE * size


def _judge(subject: CheckedLeaf, at: int, reading: ProbeReading, further: ProbeReading | None) -> EntryCheck:
    entry, _, gradient = subject.entries[at]
    left, right = _sides(subject, at, reading)

    def told(verdict: Verdict, why: Silence | None = None) -> EntryCheck:
        return EntryCheck(entry, gradient, left, right, verdict, why)

    if not math.isfinite(gradient or 0.0) or not math.isfinite(subject.value or 0.0):
        return told("nonfinite")
    if not reading.steady:
        return told("unchecked", "path")
    if silent := _silence(reading):
        return told("unchecked", silent)
    if _is_another_root(subject, reading):
        return told("unchecked", "elsewhere")
    own, wide = gradient or 0.0, reading.gradient
    slope, size = (left + right) / 2, _size(left, right, own)
    close = _CLOSE * size + _noise(subject, at, reading)
    if abs(left - right) <= _SIDES * size and abs(slope - own) <= close:
        return told("agrees" if gradient is not None or abs(slope) <= close else "depends")
    if further is None:
        return told("unchecked", "time")
    if silent := _silence(further):
        return told("unchecked", silent)
    left8, right8 = _sides(subject, at, further, FURTHER)
    kind = _shape((left, right), (left8, right8), _size(left, right), _noise(subject, at, reading))
    if kind == "unsteady":
        return told("unchecked", "unsteady")
    rounded = gradient is not None and math.isfinite(wide) and abs(wide - own) > close
    if kind == "kink":
        if min(left, right) - close <= own <= max(left, right) + close:
            return told("kink")
    elif abs(slope - own) <= close:
        return told("agrees" if gradient is not None or abs(slope) <= close else "depends")
    if rounded:  # float32 gives another number: report the rounding, if it is small
        within = abs(wide - own) <= _ROUNDED * _size(wide, own)
        agrees = abs(slope - wide) <= close
        return told("agrees") if within and agrees else told("unchecked", "rounding")
    return told("depends" if gradient is None else "differs")


def _is_another_root(subject: CheckedLeaf, reading: ProbeReading) -> bool:
    """Whether the root in float64 is another than the program's own."""
    return subject.value is not None and abs(reading.value - subject.value) > _ROOT * _size(reading.value)


def _silence(reading: ProbeReading) -> Silence | None:
    """Why a reading gives no quotients, None if it does."""
    if not math.isfinite(reading.value) or None in (*reading.moved, None, None)[:2]:
        return "time"
    return None if all(math.isfinite(value) for value in reading.moved if value is not None) else "undefined"


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
    if cut is not None and cut.operation >= 0:
        return Reason("no_grad" if cut.by == "no_grad" else "cut", cut.operation, run.text(cut.operation))
    collectors = {node for node in call.order if trace.nodes.variable[node] == subject.leaf}
    own = [node for node in call.order if trace.nodes.user_code[node] and collectors & nodes_below(trace, [node])]
    if own:
        operation = min(trace.nodes.operation[node] for node in own)
        return Reason("function", operation, run.text(operation))
    return Reason("hook", -1, "") if altered_outputs(trace, subject.backward) else None
