"""Objectives and momentum: losses that climb, rates that jump back, momentum that stays."""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from explorer.analysis.diagnose.faults.distributions import gradients_that_arrived, minimizes
from explorer.analysis.diagnose.faults.finding import Finding, finds, grouped, report, share
from explorer.analysis.diagnose.influence.updates import Update, updates_by_optimizers
from explorer.analysis.run.model import Run
from explorer.analysis.run.objects import Call, Optimizer, Tensor
from explorer.analysis.run.operations import FORMS, LOSSES, MOVES, PRODUCTS
from explorer.analysis.run.source.code import Code, find_lines
from explorer.safe_regex import plain

_WRITES = plain(r"^\s*(\w{1,40})\s*(?:[-+*/]=|\.\w{1,40}_\()")
_TAKES = plain(r"^\s*def \w{1,60}\(([^()]{0,200})\)")
_LOADED = plain(r"\b(\w{1,40})\.load_state_dict\(")
_ROUNDS = 3  # fewest rounds for a claim about all
_STEPS = 5  # steps used to measure a momentum
_SHORT = 1e-4  # shortest update relative to its weights; float32 rounds them by 6e-8


@finds("loss_climbs", level="note")
def loss_climbs(run: Run) -> Iterator[Finding]:
    """Report a layer that is trained only by a loss with a negative weight."""
    losses = (call for call in run.rooted(LOSSES) if len(call.inputs) > 1 and not call.inputs[1].requires_grad)
    for same in grouped(losses if run.steps else (), lambda call: call.span).values():
        arrived = [one for call in same for one in gradients_that_arrived(call)]
        falls = len(same) >= _ROUNDS and all(one is not None and one.size and (one < 0).all() for one in arrived)
        layer = same[0].inputs[0].behind(FORMS | MOVES | {"log_softmax", "sigmoid"}).made_by(PRODUCTS)
        weight = next((one for one in layer.inputs if one.id in run.held), None) if layer is not None else None
        if not falls or not arrived or weight is None or not minimizes(same[0]) or _is_shared(weight, same[0]):
            continue
        values = {"name": weight.path, "rounds": len(same), "weight": share(arrived[0].sum())}
        yield from report("loss_climbs", same[0], weight, **values)


def _is_shared(weight: Tensor, loss: Call) -> bool:
    """Return whether a weight has another path to a root."""
    run, spans = weight.run, {loss.span}
    others = (one for one in run.rooted(LOSSES) if one.span not in spans)
    uses = {user.span for user in weight.uses_for_roots if not user.is_of_optimizer and user.records and user.place}
    uses -= {user.span for user in weight.writes}
    return len(uses) > 1 or any(weight.id in run.below(one.inputs, 2_000) for one in others)


@finds("rate_jumps_back", level="note")
def rate_jumps_back(run: Run) -> Iterator[Finding]:
    """Report a resumed training that restores weights and scheduler but not the optimizer's learning rate."""
    loaded = {match[1] for _, match in find_lines(run.trace, _LOADED)}
    if not any("sched" in name.lower() for name in loaded):
        return
    for first, second in pairwise(run.stepped):
        rates, later = first.rates, second.rates
        fell = bool(rates and later) and rates[-1] < rates[0] == later[0]
        if fell and second.name not in loaded and _continues(first, second):
            values = {"optimizer": second.name, "rate": share(later[0]), "last": share(rates[-1])}
            yield from report("rate_jumps_back", run.place(second.steps[0].span), **values)


def _continues(first: Optimizer, second: Optimizer) -> bool:
    """Return whether a second optimizer's weights continue a first one's."""
    begin = second.steps[0].operations
    pairs = list(zip(first.tensors, second.tensors, strict=False))
    ends = [(old.before(begin), new.before(begin)) for old, new in pairs]
    known = [(a, b) for a, b in ends if a is not None and b is not None]
    return len(first.tensors) == len(second.tensors) and bool(known) and all(np.array_equal(a, b) for a, b in known)


@finds("momentum_stays", level="note")
def momentum_stays(run: Run) -> Iterator[Finding]:
    """Report a momentum that never fades: measured, each update contains all of the previous update."""
    for optimizer in run.stepped:
        leaf = next((one for one in optimizer.tensors if len(one.backwards) > _STEPS), None)
        if leaf is None or optimizer.row.kind != "SGD" or len(optimizer.steps) <= _STEPS:
            continue
        kept = [_momentum(*parts) for parts in pairwise(updates_by_optimizers(leaf, 3 * _STEPS))]
        known = [one for one in kept if one is not None]
        if len(known) >= _STEPS - 1 and min(known) > 1 - 1e-3:
            values = {"optimizer": optimizer.name, "part": share(float(np.median(known))), "steps": len(known) + 1}
            yield from report("momentum_stays", optimizer.place, leaf, **values)


def _momentum(before: Update | None, now: Update | None) -> float | None:
    """Return the share of the previous update in an update, None if unreliable."""
    if before is None or now is None or before.was.size < 3:
        return None
    moved = now.now - now.was
    if float(np.linalg.norm(moved)) < _SHORT * float(np.linalg.norm(now.was)):
        return None  # rounding decides such a move, and repeats
    both = np.stack((before.now - before.was, now.gradient), 1)
    if not np.isfinite(both).all():
        return None
    found, _, rank, _ = np.linalg.lstsq(both, moved, rcond=1e-4)
    left = float(np.linalg.norm(both @ found - moved))
    return float(found[0]) if rank == 2 and left < 1e-3 * float(np.linalg.norm(moved)) else None


@finds("clipped_to_nothing", "the bound is 0 in every round")
def clipped_to_nothing(run: Run) -> Iterator[Finding]:
    """Report a line that always clips gradients to a bound of 0."""
    for span, clips in grouped(run.log_of("clip") if run.steps else (), lambda call: call.span).items():
        if all(clip.value == 0 and clip.before is not None for clip in clips) and any(clip.before for clip in clips):
            yield from report("clipped_to_nothing", run.place(span), norm=share(max(c.before or 0.0 for c in clips)))


@finds("argument_overwritten", level="note")
def argument_overwritten(run: Run) -> Iterator[Finding]:
    """Report an in-place write to an argument that callers read again or that repeats."""
    for call in run.calls(name for name in run.by_name if name.endswith("_") or name.startswith("__i")):
        place, tensor = call.place, call.inputs[0] if call.inputs else None
        wrote = _WRITES.match(place.whole_line) if place is not None else None
        if tensor is None or wrote is None or call.is_of_optimizer or not call.leads_to_root or tensor.is_leaf:
            continue
        header = next(((at, text) for at, text in place.headers.items() if _TAKES.match(text)), None)
        taken = _TAKES.match(header[1])[1] if header else ""
        names = {part.partition(":")[0].partition("=")[0].strip() for part in taken.split(",")}
        if header is None or wrote[1] not in names or _is_returned(run, place, header[0], wrote[1]):
            continue
        twice = [write for write in tensor.writes if write.span == call.span and write.module != call.module]
        outside = [user for user in tensor.users if user.id > call.id and _is_outside(user, place.span.cell, header[0])]
        made = tensor.maker
        if made is not None and _is_outside(made, place.span.cell, header[0]) and (twice or outside):
            again = (twice or outside)[0]
            values = {"name": wrote[1], "again": again.text, "line": again.place.line}
            yield from report("argument_overwritten", call, tensor, **values, twice="yes" if twice else "no")


def _is_returned(run: Run, place: Code, at: int, name: str) -> bool:
    """Return whether the function on a line returns that argument to its caller."""
    lines = run.line(place.span.cell, at).block
    return any(line.split("#")[0].strip() == f"return {name}" for line in lines)


def _is_outside(call: Call, cell: int, at: int) -> bool:
    """Return whether a call for a root is outside the function on a line."""
    place = call.place
    return place is not None and call.leads_to_root and not (place.span.cell == cell and at in place.headers)


RULES = (loss_climbs, rate_jumps_back, momentum_stays, clipped_to_nothing, argument_overwritten)
