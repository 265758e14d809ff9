"""Calls in an order, or with numbers, that make them ineffective: clipping, schedules, rates."""

from collections.abc import Iterator, Sequence

import numpy as np

from explorer.analysis.faults.facts import Facts
from explorer.analysis.faults.finding import Finding
from explorer.analysis.faults.training_lookups import (
    calls,
    named,
    optimizer_name,
    optimizer_place,
    optimizers,
    place_of,
    share,
    tensors_of,
)
from explorer.trace import TrainingCall

_MEASURES = 1e6  # a bound from which on clipping only measures the norm
_TINY = 2e-7  # learning rate below which a training that does not move is reported
_MANY = 10  # steps from which on that is reported
_STILL = 1e-4  # share of the largest entry; a leaf that moved less has not moved
_ALIVE = 1e-6  # norm of a gradient that deserves a step
_GONE = 1e-4  # share of the largest rate below which a rate does next to nothing
_FELL = 1e-2  # share of the largest rate at the end of an epoch schedule that is called in each batch
_BY_EPOCH = ("StepLR", "MultiStepLR", "ExponentialLR", "MultiplicativeLR")
_BY_METRIC = "ReduceLROnPlateau"
_DECAYS = 0.05  # share of a weight by which decay alone shrinks it in a step
_SHRUNK = 0.1  # share of its first norm, at the end


def clip_unused(facts: Facts) -> Iterator[Finding]:
    """A line always clips after the step, and no step uses what it clipped.

    The next backward begins with cleared gradients. Clipping with an unreachable bound is how a norm is measured.
    """
    spans = dict.fromkeys(call.span for call in calls(facts, "clip"))
    for span in spans:
        of_span = [call for call in calls(facts, "clip") if call.span == span]
        place = place_of(facts, span)
        if place is None or any(
            call.value is None or call.value >= _MEASURES or call.before is None for call in of_span
        ):
            continue
        known = [_is_unused(facts, call) for call in of_span]
        if not known or not all(known) or not calls(facts, "step"):
            continue
        late = any(call.before for call in of_span)
        values: dict[str, str | int] = {
            "code": facts.trace.text(span),
            "order": "late" if late else "early",
            "norm": share(max(call.before or 0.0 for call in of_span)),
            "bound": share(of_span[0].value or 0.0),
        }
        yield Finding("clip_unused", place, values)
        return


def _is_unused(facts: Facts, clip: TrainingCall) -> bool:
    """Whether no step uses the clipped gradients, as far as the log and the next backward tell."""
    log = facts.trace.log
    at, held = log.calls.index(clip), set(log.sets[clip.subject]) if clip.subject >= 0 else set()
    if not held:
        return False
    before = next((call for call in reversed(log.calls[:at]) if call.kind in ("backward", "step")), None)
    after = next((call for call in log.calls[at + 1 :] if call.kind in ("backward", "step")), None)
    if before is None and clip.before:
        return False
    if before is not None and before.kind != "step":
        return False
    if after is None:
        return before is not None and len(log.calls) < log_room()
    if after.kind != "backward" or after.subject < 0:
        return False
    call = facts.trace.backwards[after.subject]
    there = [value for leaf, value in zip(call.accumulated, call.before, strict=True) if leaf in held]
    return bool(there) and all(value < 0 or facts.is_zero(value) for value in there)


def log_room() -> int:
    """The capacity of the log: beyond it, the last call is not the end of the run."""
    from explorer.trace.training_log import CALLS

    return CALLS


def schedule_first(facts: Facts) -> Iterator[Finding]:
    """The line that steps a scheduler runs before the optimizer's first step, and again after one.

    A loop that only advances a schedule, to continue a training, is another line.
    """
    for at, _, steps in optimizers(facts):
        schedules = calls(facts, "schedule", at)
        if not schedules or schedules[0].name == _BY_METRIC:
            continue
        log, first = facts.trace.log.calls, schedules[0]
        early = [schedule for schedule in schedules if log.index(schedule) < log.index(steps[0])]
        place = place_of(facts, first.span)
        again = any(schedule.span == first.span for schedule in schedules[len(early) :])
        if len(early) != 1 or not again or place is None or first.before is None or steps[0].value is None:
            continue
        values: dict[str, str | int] = {
            "code": facts.trace.text(first.span),
            "optimizer": optimizer_name(facts, at),
            "rate": share(first.before),
            "used": share(steps[0].value),
        }
        yield Finding("schedule_first", place, values)
        return


def rate_falls(facts: Facts) -> Iterator[Finding]:
    """A schedule leaves almost nothing of the rate for most steps, or an epoch schedule is called in every batch."""
    for at, _, steps in optimizers(facts):
        schedules = calls(facts, "schedule", at)
        rates = np.array([step.value for step in steps if step.value is not None])
        place = place_of(facts, schedules[-1].span) if schedules else None
        if place is None or len(rates) < 6 or not rates.max() > 0:
            continue
        gone = int((rates <= _GONE * rates.max()).sum())
        inner = schedules[-1]
        nested = len(inner.iteration) > 1 and len(set(map(tuple, (schedule.iteration for schedule in schedules)))) > 2
        rounds = {tuple(schedule.iteration[:-1]) for schedule in schedules}
        by_batch = nested and len(rounds) < len(schedules) / 2 and inner.name in _BY_EPOCH
        fell = rates[-1] <= _FELL * rates.max() and by_batch
        if gone <= len(rates) / 2 and not fell:
            continue
        values: dict[str, str | int] = {
            "code": facts.trace.text(inner.span),
            "scheduler": inner.name,
            "first": share(rates.max()),
            "last": share(rates[-1]),
            "count": len(schedules),
            "steps": len(rates),
            "batches": "yes" if by_batch else "no",
        }
        yield Finding("rate_falls", place, values)
        return


def rate_tiny(facts: Facts) -> Iterator[Finding]:
    """A learning rate below 2e-7 that never rises, with which no parameter has visibly moved."""
    for at, row, steps in optimizers(facts):
        rates = [step.value for step in steps if step.value is not None]
        place = optimizer_place(facts, at)
        if place is None or len(rates) < _MANY or not 0 < max(rates) <= _TINY or rates[-1] > rates[0]:
            continue
        moved = [change for tensor in tensors_of(row) if (change := _moved(facts, tensor)) is not None]
        if not moved or max(change for change, _ in moved) > _STILL * max(size for _, size in moved):
            continue
        if max(_gradients(facts, tensors_of(row)), default=0.0) < _ALIVE:
            continue
        values: dict[str, str | int] = {
            "optimizer": optimizer_name(facts, at),
            "rate": share(max(rates)),
            "steps": len(steps),
            "moved": share(max(change for change, _ in moved)),
        }
        yield Finding("rate_tiny", place, values)
        return


def _moved(facts: Facts, tensor: int) -> tuple[float, float] | None:
    """The largest movement of an entry of a tensor, and its largest entry; None if unknown."""
    rows = facts.trace.versions_of(tensor)
    begin = facts.calls[0][1].operations if facts.calls else 0
    first = facts.before(tensor, begin)
    last = facts.entries(facts.trace.versions.value[rows[-1]]) if rows else None
    if first is None or last is None or first.shape != last.shape or not first.size:
        return None
    return float(np.abs(last - first).max()), float(np.abs(first).max())


def _gradients(facts: Facts, tensors: Sequence[int]) -> Iterator[float]:
    """The norms of the gradients that the first backward brought to some tensors."""
    for _, call in facts.calls[:1]:
        for leaf, value in zip(call.accumulated, call.after, strict=True):
            entries = facts.entries(value)
            if leaf in tensors and entries is not None and np.isfinite(entries).all():
                yield float(np.linalg.norm(entries))


def decay_dominates(facts: Facts) -> Iterator[Finding]:
    """Weight decay alone takes a twentieth of every weight in each step, and little is left of all of them."""
    for at, row, steps in optimizers(facts):
        place = optimizer_place(facts, at)
        rates = [step.value for step in steps if step.value is not None]
        for group in row.groups:
            decay, rate = group.weight_decay or 0.0, group.rate or max(rates, default=0.0)
            adaptive = "adam" in row.kind.lower() and row.kind != "AdamW"
            if place is None or decay <= 0 or len(steps) < 5:
                continue
            if decay * rate < _DECAYS and not (adaptive and _decay_outweighs(facts, group.tensors, decay)):
                continue
            norms = [found for tensor in group.tensors if (found := _norms(facts, tensor)) is not None]
            first, last = (float(np.sqrt(sum(pair[i] ** 2 for pair in norms))) for i in (0, 1))
            if not norms or not first > 0 or last > _SHRUNK * first:
                continue
            values: dict[str, str | int] = {
                "optimizer": optimizer_name(facts, at),
                "decay": share(decay),
                "rate": share(rate),
                "part": share(100 * decay * rate),
                "names": named(facts, [tensor for tensor in group.tensors if len(facts.shape(tensor)) > 1]),
                "first": share(first),
                "last": share(last),
                "steps": len(steps),
                "adaptive": "yes" if adaptive else "no",
            }
            yield Finding("decay_dominates", place, values)
            return


def _norms(facts: Facts, tensor: int) -> tuple[float, float] | None:
    """The norm of a weight, of two axes or more, at first and at the end."""
    rows = facts.trace.versions_of(tensor)
    if len(facts.shape(tensor)) < 2 or not rows or not facts.calls:
        return None
    first = facts.before(tensor, facts.calls[0][1].operations)
    last = facts.entries(facts.trace.versions.value[rows[-1]])
    if first is None or last is None:
        return None
    return float(np.linalg.norm(first)), float(np.linalg.norm(last))


def _decay_outweighs(facts: Facts, tensors: Sequence[int], decay: float) -> bool:
    """Whether decay is ten times the gradient of every weight in the first backward."""
    for _, call in facts.calls[:1]:
        pairs = [
            (facts.before(leaf, call.operations), facts.entries(value))
            for leaf, value in zip(call.accumulated, call.after, strict=True)
            if leaf in tensors and len(facts.shape(leaf)) > 1
        ]
        known = [(weight, gradient) for weight, gradient in pairs if weight is not None and gradient is not None]
        return bool(known) and all(
            decay * np.linalg.norm(weight) >= 10 * np.linalg.norm(gradient) for weight, gradient in known
        )
    return False


RULES = (clip_unused, schedule_first, rate_falls, rate_tiny, decay_dominates)
