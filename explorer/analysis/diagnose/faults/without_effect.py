"""Steps, casts and data that silently have no effect or a different one, measured in every round."""

from bisect import bisect_left
from collections.abc import Iterator

import numpy as np

from explorer.analysis.diagnose.faults.finding import Finding, finds, grouped, named, report, share
from explorer.analysis.diagnose.influence.updates import other_steps, updates_in_backward
from explorer.analysis.run.model import Run
from explorer.analysis.run.objects import BackwardCall, Call, Optimizer, Tensor
from explorer.analysis.run.operations import FORMS, spellings
from explorer.text.numbers import number
from explorer.trace import AUTOCAST, TrainingCall
from explorer.trace.training_log import CALLS

_FEW = 3  # fewest rounds for a claim about all of them
_HALF = ("bfloat16", "float16")
_SEARCHES = "LBFGS"  # its step moves the weights between calls of its closure
_FIRST = spellings("linear", "conv1d", "conv2d", "conv3d", "matmul", "mm")
_SEVERAL = 16  # fewest entries that are not all 0 by chance
_CLEARS = ("grad=", "zero_grad")


@finds("updates_stop", level="note", unless="not_called step_without_gradient", is_logged=True)
def updates_stop(run: Run) -> Iterator[Finding]:
    """Report an optimizer that stops stepping while backward still computes its gradients.

    More rounds have passed since its last step than ever between two steps, so this is not gradient accumulation, and
    nothing else uses these gradients.
    """
    if run.trace.end != "ok" or len(run.trace.log.calls) >= CALLS:
        return
    for optimizer in {frozenset(one.tensors): one for one in run.stepped}.values():  # each round may create a new one
        alike = [other for other in run.stepped if not set(optimizer.tensors).isdisjoint(other.tensors)]
        steps = [step for other in alike for step in other.steps]
        last = max(steps, key=lambda step: step.operations)
        gaps = _gaps(run, optimizer, [step.operations for step in steps])
        if len(gaps) < 2 or len(gaps[-1]) < max(_FEW, *(len(gap) + 1 for gap in gaps[:-1])):
            continue
        if all(_is_idle(run, optimizer, call, last) for call in gaps[-1]):
            rounds = sum(map(len, gaps))
            values = {"optimizer": optimizer.name, "rounds": rounds, "since": rounds - len(gaps[-1]) + 1}
            yield from report("updates_stop", run.place(last.span), **values)


def _gaps(run: Run, optimizer: Optimizer, steps: list[int]) -> list[list[TrainingCall]]:
    """Return the backward calls before each step of an optimizer, and after its last step."""
    held, calls = set(optimizer.tensors), run.log_of("backward")
    own = [call for call in calls if call.subject < 0 or not held.isdisjoint(BackwardCall(run, call.subject).brought)]
    own = [call for call in own if call.span == own[0].span]
    ends, gaps = sorted(steps), list[list[TrainingCall]]([] for _ in range(len(steps) + 1))
    for call in own:
        gaps[bisect_left(ends, call.operations)].append(call)
    return gaps


def _is_idle(run: Run, optimizer: Optimizer, call: TrainingCall, last: TrainingCall) -> bool:
    """Return whether a backward computes finite nonzero gradients that nothing uses."""
    if call.subject < 0:
        return False
    held = set(optimizer.tensors)
    brought = {leaf: after for leaf, (_, after) in BackwardCall(run, call.subject).brought.items() if leaf in held}
    alive = any(not run.is_zero(value) for value in brought.values())
    used = (user for leaf in brought for grad in leaf.grads for user in grad.users)
    moved = any(write.id > last.operations and not write.is_of_optimizer for leaf in brought for write in leaf.writes)
    idle = not any(user.id > call.operations and user.name not in _CLEARS for user in used)
    return alive and idle and not moved and all(map(run.is_finite, brought.values()))


@finds("moved_in_backward", level="note")
def moved_in_backward(run: Run) -> Iterator[Finding]:
    """Report weights that change during every backward, before the optimizer steps, for example by a hook."""
    for optimizer in run.stepped if not run.is_shortened else ():
        if optimizer.row.kind == _SEARCHES:
            continue
        moved = {leaf: list(updates_in_backward(leaf)) for leaf in optimizer.tensors}
        leaves = [
            leaf for leaf, changes in moved.items() if len(changes) >= _FEW and len(changes) >= len(leaf.backwards)
        ]
        if leaves and leaves[0].backwards:
            first, *others = moved[leaves[0]]
            norms = {
                "before": share(float(np.linalg.norm(first.was))),
                "after": share(float(np.linalg.norm(first.now))),
            }
            values = {"names": named(leaves), "optimizer": optimizer.name, "rounds": 1 + len(others)}
            yield from report("moved_in_backward", leaves[0].backwards[0].place, leaves[0], **values, **norms)


@finds("step_multiplied", level="note", unless="stepped_twice step_scaled moved_in_backward")
def step_multiplied(run: Run) -> Iterator[Finding]:
    """Report parameters that never move by torch's own step of their optimizer: twice as far, or listed twice."""
    causes = grouped(other_steps(run), lambda step: (step.how, step.place, round(step.factor, 2)))
    for (how, place, _), same in causes.items():
        one, names = same[0], named([each.leaf for each in same])
        along = "yes" if one.factor < np.inf else "no"
        values = {"along": along, "factor": number(one.factor), "steps": one.steps, "leaves": len(same)}
        held = {"optimizer": one.optimizer.name, "other": one.other.name if one.other else ""}
        yield from report("step_multiplied", run.place(place), one.leaf, names=names, how=how, **values, **held)


@finds("state_strayed", level="note")
def state_strayed(run: Run) -> Iterator[Finding]:
    """Report an optimizer that continues with the state of other parameters, as after load_state_dict in another order.

    It got the state of an earlier optimizer, which held equal parameters in another order.
    """
    pairs = [run.tensors(pair) for pair in run.trace.log.strayed]
    if pairs and (optimizer := run.trainers.get(pairs[0][0])) is not None:
        leaf, owner = pairs[0]
        values = {"optimizer": optimizer.name, "name": leaf.path, "other": owner.path, "leaves": len(pairs)}
        yield from report("state_strayed", run.place(optimizer.steps[0].span), leaf, **values)


@finds("autocast_idle", level="info")
def autocast_idle(run: Run) -> Iterator[Finding]:
    """Report autocast that changes no dtype, although weights are used inside it."""
    inside = [run.call(at) for at, mode in enumerate(run.operations.modes) if mode & AUTOCAST]
    inside = [call for call in inside if call.place is not None]
    weights = [call for call in inside if any(one.id in run.received for one in call.inputs)]
    if weights and not any(output.dtype in _HALF for call in inside for output in call.outputs):
        yield from report("autocast_idle", weights[0], operations=len(inside))


@finds("inputs_zero", level="note")
def inputs_zero(run: Run) -> Iterator[Finding]:
    """Report batches that are all 0, if the other batches have no row of zeros."""
    for calls in grouped(run.rooted(_FIRST), lambda call: call.span).values():
        given = [(call, call.inputs[0]) for call in calls if _is_batch(call.inputs[0])]
        zeros = [(call, batch) for call, batch in given if batch.is_zero(call)]
        others = [(call, batch) for call, batch in given if not batch.is_zero(call)]
        starts = all(call.iteration[-1:] == [0] for call, _ in zeros)  # such a state starts with zeros
        some = len(given) == len(calls) and 0 < len(zeros) <= len(others) >= _FEW and not starts
        if some and not any(_has_zero_row(call, batch) for call, batch in others):
            call, batch = zeros[0]
            values = {"name": batch.behind(FORMS).name, "zeros": len(zeros), "rounds": len(calls)}
            yield from report("inputs_zero", call, batch, **values)


def _is_batch(data: Tensor) -> bool:
    """Return whether data has several rows, and too many entries to be all 0 by chance."""
    return not data.requires_grad and len(data.shape) > 1 and data.shape[0] > 1 and data.size >= _SEVERAL


def _has_zero_row(call: Call, batch: Tensor) -> bool:
    """Return whether a row is all 0 or may be, because its entries are unknown."""
    entries = batch.before(call)
    if entries is None or entries.size != batch.size:
        return entries is None or not entries.all()
    return bool((entries.reshape(batch.shape[0], -1) == 0).all(1).any())


RULES = (updates_stop, moved_in_backward, step_multiplied, state_strayed, autocast_idle, inputs_zero)
