"""Compare slopes with gradients: agreement, kink, difference, or no statement.

All leaves of a backward are moved a little forward and back along a random direction. Two runs yield the root's slope,
which must equal the mean of autograd's directional derivatives at both ends, within half their difference plus
rounding. Otherwise further runs with longer steps and without a step test whether the program is steady, and runs with
fewer leaves find which of them differ.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from explorer.analysis.diagnose.faults.policies import weighs_log_prob
from explorer.analysis.diagnose.faults.shared_memory import gradient_falsified
from explorer.analysis.diagnose.gradcheck.subjects import FLOATING, CheckedLeaf, Obstacle, is_of_transform
from explorer.analysis.explain.autograd.altered_gradients import altered_outputs
from explorer.analysis.explain.autograd.gradient_cuts import all_cuts
from explorer.analysis.explain.autograd.gradients import nodes_below
from explorer.analysis.explain.autograd.python_numbers import becomes_python_value, uses_of_number
from explorer.analysis.explain.autograd.reasons import tensor_gradient
from explorer.analysis.run.model import GRAD_CALL, READ_ONLY, Run, run_of
from explorer.analysis.run.operations import ENTRYWISE, FORMS, MOVES, names_where
from explorer.analysis.run.source.code import find_lines
from explorer.safe_regex import plain
from explorer.trace import PADDING, TARGET, Move, Probe, ProbeReading, Trace, memoized

Kind = Literal[
    "overwritten",
    "function",
    "surrogate",
    "identity",
    "cut",
    "no_grad",
    "hook",
    "straight",
    "recomputed",
    "padding",
    "target",
]
Verdict = Literal["agrees", "kink", "differs", "depends", "nonfinite", "unchecked"]
Silence = Literal["work", "time", "branch", "undefined", "unsteady", "elsewhere", "rounding", "path", "tied"]

# depends: no gradient, but the root depends on the leaf. Reasons for no statement: work: the runs are too much work.
# time: they reached their time limit. branch: another path through the program. undefined: the moved root is NaN or
# infinite. unsteady: slopes of different steps disagree. elsewhere: float64 yields another root. rounding: the slope is
# lost in rounding. path: two runs differ. tied: an operation selected it by size, and others are as large.

_RECOMPUTES, _IMPORTS = r"\bcheckpoint(?:_sequential)?\(", plain(r"\s*(?:from|import|def)\b")
_STEPS = names_where(lambda one: one.flat == "step")
_ENTRY_BY_ENTRY = ENTRYWISE | FORMS | MOVES
STEP = 1e-6
FURTHER = 8  # larger step if the first quotients are inconclusive
_CLOSE = 1e-4  # relative tolerance of the comparison
_SIDES = 1e-3  # relative difference of both sides' quotients without a kink
_BENT = 1e-2  # relative difference of the gradients at both ends without a kink
_JUMP = 10  # change of the root by both moves, in slopes: more is a jump at the point itself
_ROOT = 2e-3  # relative difference of the root in float64
_EPSILON = 2.0**-52
_INTENDED = ("straight", "surrogate", "identity", "hook")  # code that is written to change a gradient
SLIPS = ("number", "made")  # kinds of cuts that are rarely intended
GROUPS = 16  # groups into which differing leaves are split


@dataclass(frozen=True)
class Reason:
    """The cause. Attributes: operation: its id, or -1. code: its text. by: kind of cut."""

    kind: Kind
    operation: int
    code: str
    by: str = ""


@dataclass(frozen=True)
class Check:
    """The check of a leaf and a backward.

    Attributes:
        why: reason if unchecked.
        reason: cause if it differs or depends, or None.
        gradient: autograd's, or None: for one entry, or along the direction of the move.
        left, right: slopes on both sides, equal for a direction.
        is_along: whether several entries moved, along a direction.
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
        """Central difference quotient."""
        return (self.left + self.right) / 2

    @property
    def is_slip(self) -> bool:
        """Return whether numbers bypassed the graph although nothing in the program requests it."""
        return self.reason is not None and self.reason.by in SLIPS

    @property
    def is_meant(self) -> bool:
        """Return whether the program excludes something from the gradient explicitly: `detach`, `no_grad`."""
        return self.reason is not None and (
            self.reason.kind == "no_grad" or self.reason.by in ("detach", "no_grad", "grad")
        )

    @property
    def is_intended(self) -> bool:
        """Return whether the program wants a gradient unlike the slope."""
        return self.is_meant or (self.reason is not None and self.reason.kind in _INTENDED)


@dataclass(frozen=True)
class Found:
    """Result of moved runs for several leaves. Attributes: gradient, slope: along the direction."""

    verdict: Literal["agrees", "kink", "differs", "doubt", "unchecked"]
    why: Silence | None = None
    gradient: float = math.nan
    slope: float = math.nan


def probe(leaves: Sequence[CheckedLeaf], is_further: bool = False, is_steady: bool = False) -> Probe:
    """Build a probe of one backward's leaves.

    A further one has longer steps, and two unmoved runs unless the program is known to be steady.
    """
    moves = tuple(Move(leaf.operation, leaf.operand, leaf.name) for leaf in leaves)
    steps: tuple[float, ...] = (-FURTHER * STEP, FURTHER * STEP) if is_further else (-STEP, STEP)
    steps += (0.0, 0.0) if is_further and not is_steady else ()
    return Probe(moves, steps, leaves[0].call, leaves[0].root)


def first_look(asked: Probe, reading: ProbeReading) -> Found:
    """Judge two runs: slope, kink, or more runs needed."""
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
    """Judge a doubtful case by longer steps and unmoved runs. Args: value: the recorded root."""
    if silent := _silence(reading):
        return Found("unchecked", silent)
    gradient, slope, size, noise, spread = _compared(asked, reading)
    low, high, step = reading.values[0] or 0.0, reading.values[1] or 0.0, asked.steps[1]
    root, again = reading.values[2:] or ((low + high) / 2,) * 2  # a deterministic program needs no unmoved runs
    if root is None or again is None or root != again:
        return Found("unchecked", "path")
    if value is not None and abs(root - value) > _ROOT * max(1.0, abs(root)):
        return Found("unchecked", "elsewhere")
    if spread > _BENT * size + noise or abs((low + high) / 2 - root) / step > _JUMP * size + noise:
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
    """Split leaves into at most GROUPS parts, to find those that differ. Padding and targets are parts of their own."""
    kinds = sorted({unmoved(one) for one in leaves})
    if len(kinds) > 1:
        return [[one for one in leaves if unmoved(one) == kind] for kind in kinds]
    size = math.ceil(len(leaves) / GROUPS)
    return [leaves[at : at + size] for at in range(0, len(leaves), size)]


def unmoved(leaf: CheckedLeaf) -> Literal["", "padding", "target"]:
    """Return the check that replaces moving a leaf: PADDING, TARGET, or ""."""
    return "padding" if leaf.name == PADDING else "target" if leaf.name == TARGET else ""


def judged(trace: Trace, leaf: CheckedLeaf, found: Found) -> Check:
    """Return the check of one leaf, with the cause of a difference."""
    if _is_nonfinite(trace, leaf):
        return Check(leaf.leaf, leaf.backward, "nonfinite")
    if found.verdict in ("unchecked", "doubt"):
        return Check(leaf.leaf, leaf.backward, "unchecked", found.why or "time")
    if found.verdict == "kink":
        return Check(leaf.leaf, leaf.backward, "unchecked", "unsteady")
    gradient = found.gradient if leaf.reached else None
    agrees = found.verdict == "agrees"
    verdict: Verdict = "agrees" if agrees else "differs" if leaf.reached else "depends"
    run = run_of(trace)
    idle = unmoved(leaf)
    why = None if agrees else Reason(idle, leaf.operation, run.text(leaf.operation)) if idle else reason(run, leaf)
    is_along = math.prod(trace.shapes[trace.tensors.shape[leaf.leaf]]) > 1
    return Check(leaf.leaf, leaf.backward, verdict, None, why, gradient, found.slope, found.slope, is_along)


def _is_nonfinite(trace: Trace, leaf: CheckedLeaf) -> bool:
    """Return whether the recorded root or gradient overflowed, which float64 may avoid."""
    got = trace.value(tensor_gradient(trace, leaf.leaf, leaf.backward)[0]) if leaf.reached else None
    return not math.isfinite(leaf.value or 0.0) or (got is not None and got.nonfinite > 0)


def _compared(asked: Probe, reading: ProbeReading) -> tuple[float, float, float, float, float]:
    """Return gradient, slope, their size, the slope's noise and the gradients' spread."""
    low, high = reading.values[0] or 0.0, reading.values[1] or 0.0
    before, after = reading.slopes[:2]
    slope, step = (high - low) / (asked.steps[1] - asked.steps[0]), asked.steps[1]
    size = max(abs(slope), *reading.sizes[:2])
    noise = 16 * _EPSILON * max(abs(low), abs(high)) / step
    return (before + after) / 2, slope, size, noise, abs(after - before)


def _silence(reading: ProbeReading) -> Silence | None:
    """Return why a reading has no slope, None if it has one."""
    if len(reading.values) < 2 or len(reading.slopes) < 2 or len(reading.sizes) < 2:
        return "time"
    if None in reading.values[:2]:
        return "branch"
    numbers = (*reading.values[:2], *reading.slopes[:2], *reading.sizes[:2])
    return None if all(math.isfinite(number or 0.0) for number in numbers) else "undefined"


def near_steps(subject: CheckedLeaf) -> tuple[float, ...]:
    """Return how far the subject's entry is moved to judge its gradient nearby."""
    at = subject.entry[1] if subject.entry else 0.0
    step = STEP * max(1.0, abs(at)) if math.isfinite(at) else STEP
    return -step, step, -FURTHER * step, FURTHER * step


def judge_near(trace: Trace, subject: CheckedLeaf, value: float, moved: Sequence[float]) -> Check:
    """Check the subject's entry. Args: value, moved: the root, and the root for each of `near_steps`."""
    assert subject.entry is not None
    gradient, steps = subject.entry[2], near_steps(subject)
    left, right, left8, right8 = ((each - value) / step for each, step in zip(moved, steps, strict=True))

    def check(verdict: Verdict, why: Silence | None = None, cause: Reason | None = None) -> Check:
        return Check(subject.leaf, subject.backward, verdict, why, cause, gradient, left, right)

    if not math.isfinite(gradient or 0.0) or not math.isfinite(subject.value or 0.0):
        return check("nonfinite")
    if not all(map(math.isfinite, (value, *moved))):
        return check("unchecked", "undefined")
    if subject.value is not None and abs(value - subject.value) > _ROOT * max(1.0, abs(value)):
        return check("unchecked", "elsewhere")
    own, slope, noise = gradient or 0.0, (left + right) / 2, 16 * _EPSILON * abs(value) / steps[1]
    size = max(1.0, abs(left), abs(right), abs(own))
    close = _CLOSE * size + noise
    agrees: Verdict = "agrees" if gradient is not None or abs(slope) <= close else "depends"
    if abs(left - right) <= _SIDES * size and abs(slope - own) <= close:
        return check(agrees)
    kind = _shape((left, right), (left8, right8), max(1.0, abs(left), abs(right)), noise)
    if kind == "unsteady":
        return check("unchecked", "unsteady")
    if kind == "kink" and min(left, right) - close <= own <= max(left, right) + close:
        return check("kink")
    if kind != "kink" and abs(slope - own) <= close:
        return check(agrees)
    run = run_of(trace)
    if _is_tied(run, subject):
        return check("unchecked", "tied")
    return check("depends" if gradient is None else "differs", None, reason(run, subject))


def _is_tied(run: Run, subject: CheckedLeaf) -> bool:
    """Return whether a call selected the leaf's entries by size with ties.

    Which tied entry gets the gradient is arbitrary, and moving one shows only its own effect.
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
    """Classify the function at an entry: smooth, kink, or unsteady across step lengths."""
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


@memoized  # the same for every leaf
def _is_falsified(trace: Trace) -> bool:
    return any(finding.place for finding in gradient_falsified(run_of(trace)))


def reason(run: Run, subject: CheckedLeaf) -> Reason | None:
    """Find what blocks or changes the gradient between a leaf and the root."""
    trace = run.trace
    call = trace.backwards[subject.backward]
    if _is_falsified(trace):
        return Reason("overwritten", -1, "")
    cut = all_cuts(trace, subject.backward)[1].get(subject.leaf)
    if cut is not None and cut.operation >= 0 and cut.by in ("detach", "no_grad", *SLIPS):
        fed = uses_of_number(trace).get(cut.operation, ()) if cut.by == "number" else ()
        weighs = bool(fed) and weighs_log_prob(run, {made for at in fed for made in run.operations.outputs[at]})
        by = "detach" if weighs else cut.by  # a policy's weights are constants on purpose
        return Reason("no_grad" if cut.by == "no_grad" else "cut", cut.operation, run.text(cut.operation), by)
    hard = [at for at in range(call.operations) if run.names[at] == "gumbel_softmax"]
    if hard:
        return Reason("straight", hard[0], run.text(hard[0]))
    collectors = {node for node in call.order if trace.nodes.variable[node] == subject.leaf}
    own = [node for node in call.order if trace.nodes.user_code[node] and collectors & nodes_below(trace, [node])]
    if own:
        operations = sorted({trace.nodes.operation[node] for node in own})
        kinds = {at: _kind_of(run, at) for at in operations}
        first = min(operations, key=lambda at: (kinds[at] != "function", at))
        return Reason(kinds[first], first, run.text(first))
    if altered_outputs(trace, subject.backward):
        return Reason("hook", -1, "")
    again = next((line for line, _ in find_lines(trace, _RECOMPUTES) if not _IMPORTS.match(line.whole_line)), None)
    if again is not None:
        return Reason("recomputed", -1, again.whole_line.strip())
    return _cut_of_transform(run, subject, call.operations)


def _kind_of(run: Run, function: int) -> Kind:
    """Return whether a custom function exists for its backward: forward is flat, or only passes its input on."""
    operations, call = run.operations, run.call(function)
    live, passes, met = set(operations.inputs[function]), True, False
    for at in range(function + 1, run.count):
        name = run.names[at]
        if operations.grad_enabled[at]:  # forward has ended by then
            break
        if live.isdisjoint(operations.inputs[at]) or name in READ_ONLY or name.endswith("_like"):
            continue
        if becomes_python_value(run.trace, at):
            return "function"
        passed = [one for one in operations.outputs[at] if name not in _STEPS and run.dtype(one) in FLOATING]
        live.update(passed)
        passes, met = passes and name in FORMS, met or not passed
    if met and live.isdisjoint(operations.outputs[function]):
        return "surrogate"
    given, made = call.inputs[0].before(call) if call.inputs else None, call.made
    return (
        "identity" if passes and given is not None and made is not None and np.array_equal(given, made) else "function"
    )


def outside_transforms(trace: Trace) -> list[Check]:
    """Find arguments of torch.func that also enter without history.

    No run moves them: a transform gives the function other tensors than the program's.
    """
    run, found = run_of(trace), dict[int, Check]()
    for number, call in enumerate(trace.backwards):
        if call.status == "ok" and call.inside < 0 and is_of_transform(trace, call):
            for check in _constant_parts(run, number):
                operation = check.reason.operation if check.reason else -1
                found.setdefault(trace.operations.span[operation], check)
    return list(found.values())


def _constant_parts(run: Run, number: int) -> Iterator[Check]:
    operations, call = run.operations, run.trace.backwards[number]
    below = set(run.below(run.tensors(sorted(set(call.root_tensors) & run.makers.keys()))))
    for leaf in call.inputs:
        derived = {leaf}
        for at in range(call.operations):
            made = operations.outputs[at]
            if run.names[at] in READ_ONLY or derived.isdisjoint(operations.inputs[at]):
                continue
            derived.update(made)
            is_off = not operations.grad_enabled[at]
            lost = (is_off or run.names[at] == "detach") and not any(run.tensor(one).requires_grad for one in made)
            if lost and not below.isdisjoint(made):
                by = "no_grad" if is_off else "detach"
                cause = Reason("no_grad" if is_off else "cut", at, run.text(at), by)
                yield Check(leaf, number, "differs", None, cause)
                break


def _cut_of_transform(run: Run, subject: CheckedLeaf, end: int) -> Reason | None:
    """Find what ends the history of a gradient that the root depends on, or of a torch.func result."""
    trace = run.trace
    earlier = [call for call in trace.backwards if subject.operation < call.operations <= end]
    storage, roots = run.trace.tensors.storage, run.trace.backwards[subject.backward].root_tensors
    below = run.below(run.tensors([root for root in roots if root >= 0]))
    for at in range(end - 1, subject.operation - 1, -1):
        name, given = run.names[at], run.operations.inputs[at]
        if not given or at in run.inside:
            continue
        made = run.operations.outputs[at]
        if name in (GRAD_CALL, "grad") and not below.isdisjoint(made):
            asked = next((call for call in reversed(earlier) if call.operations <= at), None)
            is_own = name == GRAD_CALL or (asked is not None and _reads_leaf(run, asked.root_tensors, subject.leaf))
            if is_own and not any(run.tensor(one).requires_grad for one in made):
                return Reason("cut", at, run.text(at), "grad")
        inner = given[0] in run.makers and storage[given[0]] < 0
        if not run.operations.grad_enabled[at] and (subject.leaf in given or (name == GRAD_CALL and inner)):
            return Reason("no_grad", at, run.text(at), "no_grad")
        if name == "detach" and given[0] not in run.makers and not run.tensor(given[0]).is_leaf:
            return Reason("cut", at, run.text(at), "detach")
    return None


def _reads_leaf(run: Run, roots: Sequence[int], leaf: int) -> bool:
    """Return whether a backward's roots were computed from a leaf, so that its gradients depend on it."""
    return leaf in run.below(run.tensors([root for root in roots if root >= 0]))
