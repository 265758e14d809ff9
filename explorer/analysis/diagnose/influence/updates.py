"""Attribute each recorded change of a weight, with the gradient at that time."""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from explorer.analysis.run.curves import LeafCurves, curves
from explorer.analysis.run.model import Run
from explorer.analysis.run.objects import Call, Optimizer, Tensor

_FEW = 3  # fewest steps for a claim about all of them
_CLOSE = 0.01  # relative difference of equal multiples


@dataclass(frozen=True)
class Update:
    """A change of a weight.

    Attributes:
        was, now: its recorded entries before and after.
        write: the call that changed it, None if nothing that was recorded did, as code inside a backward.
        gradient: its `.grad` as the write read it, None if unknown or of another size.
    """

    was: np.ndarray
    now: np.ndarray
    write: Call | None
    gradient: np.ndarray | None


def updates_by_optimizers(leaf: Tensor, most: int) -> Iterator[Update | None]:
    """Yield the first changes by optimizers, None for those of which a number is unknown or not finite."""
    for write in [one for one in leaf.writes if one.is_of_optimizer][:most]:
        grad = next((one for one in write.inputs if one in leaf.grads), None)
        was, now, gradient = leaf.before(write), leaf.before(write.id + 1), None if grad is None else grad.before(write)
        if was is None or now is None or gradient is None or not np.isfinite(now).all():
            yield None
        else:
            yield Update(was, now, write, gradient) if was.size == now.size == gradient.size else None


def updates_in_backward(leaf: Tensor) -> Iterator[Update]:
    """Yield the changes around a backward that only code inside it can have made."""
    run, versions = leaf.run, leaf.run.trace.versions
    rows = [
        row for row in list(run.trace.versions_of(leaf.id))[1:] if versions.operation[row] < 0 <= versions.seen[row]
    ]
    rows = [row for row in rows if versions.seen[row] < run.count]
    rows = [row for row in rows if run.names[versions.seen[row]].startswith(("grad", "_"))]
    if not rows:
        return
    times, calls = sorted(user.id for user in leaf.users), sorted(call.time for call in leaf.backwards)
    for row in rows:
        seen = versions.seen[row]
        earlier = bisect_left(times, seen)
        before = times[earlier - 1] if earlier else -1
        if bisect_right(calls, before) == bisect_right(calls, seen):
            continue
        was, now = (run.entries(versions.value[at]) for at in (row - 1, row))
        if was is not None and now is not None and not np.array_equal(was, now, equal_nan=True):
            yield Update(was, now, None, None)


@dataclass(frozen=True)
class OtherStep:
    """A leaf that always moves otherwise than by the step of its optimizer.

    Attributes:
        factor: how many times as far it moves, inf if not along that step.
        steps: that were compared.
        how: twice, if the optimizer lists the leaf twice, optimizer, if another one steps it too, write, if a line of
            the program writes to it too, or unseen.
        place: span of what moves it again, -1 if unknown.
        optimizer: that holds it. other: the second optimizer.
    """

    leaf: Tensor
    factor: float
    steps: int
    how: str
    place: int
    optimizer: Optimizer
    other: Optimizer | None = None


def other_steps(run: Run) -> Iterator[OtherStep]:
    """Yield the leaves that move otherwise than by torch's own step in all compared steps.

    They move by the same multiple of it, or their optimizer lists them twice.
    """
    for place in range(len(run.trace.steps.places)):
        of_place = curves(run.trace, place)
        for leaf in of_place.leaves if of_place is not None else ():
            found = _multiple(leaf) if leaf.tensor >= 0 else None
            if found is not None:
                yield from _attributed(run.tensor(leaf.tensor), *found)


def _multiple(leaf: LeafCurves) -> tuple[float, int] | None:
    """Return the multiple (inf if it changes) and the number of steps, None if a step equals torch's own."""
    stepped = leaf.multiples[~np.isnan(leaf.rate)]
    known = np.flatnonzero(~np.isnan(stepped))
    compared = stepped[: known[-1] + 1] if len(known) else stepped[:0]
    if len(compared) < _FEW or np.isnan(compared).any() or (abs(compared - 1) <= _CLOSE).any():
        return None
    factor = float(np.median(compared))
    is_constant = np.isfinite(compared).all() and (abs(compared - factor) <= _CLOSE * abs(factor)).all()
    return (factor if is_constant else math.inf), len(compared)


def _attributed(leaf: Tensor, factor: float, steps: int) -> Iterator[OtherStep]:
    """Find what else moves a leaf."""
    trainers = [one for one in leaf.run.stepped if leaf in one.tensors]
    begin = leaf.backwards[0].time if leaf.backwards else leaf.run.count
    own = [write for write in leaf.writes if not write.is_of_optimizer and write.place is not None and write.id > begin]
    found = partial(OtherStep, leaf, factor, steps)
    if twice := next((one for one in trainers if one.tensors.count(leaf) > 1), None):
        yield found("twice", twice.row.span, twice)
    elif not trainers or not 0 < factor < math.inf:
        return
    elif other := next((one for one in trainers[1:] if _step_together(leaf, trainers[0], one)), None):
        yield found("optimizer", other.steps[-1].span, trainers[0], other)
    elif len(own) >= steps:
        yield found("write", own[0].span, trainers[0])
    else:
        yield found("unseen", trainers[0].steps[0].span, trainers[0])


def _step_together(leaf: Tensor, one: Optimizer, other: Optimizer) -> bool:
    """Return whether two optimizers both step after each backward that reaches a leaf."""
    times = [call.time for call in leaf.backwards]
    both = ([bisect_right(times, step.operations) for step in each.steps] for each in (one, other))
    rounds = [[at for at in each if at] for each in both]
    return bool(rounds[0]) and rounds[0] == rounds[1]
