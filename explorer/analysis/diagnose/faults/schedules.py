"""Trainings without progress: calls in an ineffective order or with ineffective numbers, and growing losses."""

import itertools
from collections.abc import Iterator, Sequence

import numpy as np
from msgspec.structs import astuple

from explorer.analysis.diagnose.faults.finding import Finding, finds, grouped, named, numbers, report, share
from explorer.analysis.diagnose.faults.later import may_come
from explorer.analysis.run.model import Run, run_of
from explorer.analysis.run.objects import BackwardCall, Call, Optimizer, Tensor
from explorer.analysis.run.operations import FORMS, LOSSES, spellings
from explorer.analysis.run.rounding import adds_up
from explorer.trace import Trace, TrainingCall, Value, memoized
from explorer.trace.training_log import CALLS

_MEASURES = 1e6  # with at least this bound, clipping only measures the norm
_TINY = 2e-7  # learning rate below which a training that does not move is reported
_MANY = 10  # fewest steps for reporting it
_STILL = 1e-4  # relative to the largest entry; a leaf that moved less did not move
_ALIVE = 1e-6  # smallest gradient norm that should move a leaf
_GONE = 1e-4  # relative to the largest rate; a smaller rate does almost nothing
_FELL = 1e-2  # final share of the largest rate if an epoch schedule is stepped per batch
_BY_EPOCH = ("StepLR", "MultiStepLR", "ExponentialLR", "MultiplicativeLR")
_COUNTING = (*_BY_EPOCH, *"LambdaLR ConstantLR LinearLR PolynomialLR CosineAnnealingLR OneCycleLR CyclicLR".split())
_BY_METRIC = "ReduceLROnPlateau"
_DECAYS = 0.05  # share of a weight by which decay alone shrinks it per step
_ABSURD = 1.0  # decay that outweighs the gradients of adaptive optimizers whatever the rate
_SHRUNK = 0.1  # final norm, as a share of the initial norm
_STEPS = r"\.step\("
_ADDS = spellings("add", "sub")
_AVERAGES = FORMS | spellings("mul", "div") | {"sum", "mean"}  # between a distance and a loss
_DISTANCES = LOSSES | spellings("square", "pow", "abs")  # bounded below, and not above
_FEW = 2  # fewest optimizer steps that a schedule should follow
_ROUNDS = 4  # fewest rounds before growth is reported
_FAR = 6  # most operations between a distance and the root
_LONGEST = 400  # most operations compared per round


@finds("clip_unused", "no step uses a gradient that was clipped")
def clip_unused(run: Run) -> Iterator[Finding]:
    """Report a line that clips after the step, before gradients are cleared, unless it measures the norm."""
    clips = run.log_of("clip") if run.log_of("step") else []
    for span, here in grouped(clips, lambda call: call.span).items():
        clips_all = all(call.value is not None and call.value < _MEASURES and call.before is not None for call in here)
        if clips_all and all(_is_unused(run, call) for call in here):
            order = "late" if any(call.before for call in here) else "early"
            norm, bound = max(call.before or 0.0 for call in here), here[0].value
            yield from report("clip_unused", run.place(span), how=order, norm=share(norm), bound=share(bound))


def _is_unused(run: Run, clip: TrainingCall) -> bool:
    """Return whether no step uses the clipped gradients."""
    log = run.trace.log
    at, held = log.calls.index(clip), set(log.sets[clip.subject]) if clip.subject >= 0 else set()

    def concerns(call: TrainingCall) -> bool:
        """Return whether a call computes or uses the clipped tensors' gradients."""
        if call.kind not in ("backward", "step") or call.subject < 0:
            return call.kind in ("backward", "step")
        row = run.optimizers[call.subject].tensors if call.kind == "step" else BackwardCall(run, call.subject).brought
        return any(tensor.id in held for tensor in row)

    before = next(filter(concerns, reversed(log.calls[:at])), None)
    after = next(filter(concerns, log.calls[at + 1 :]), None)
    if not held or (before is None and clip.before) or (before is not None and before.kind != "step"):
        return False
    if after is None:
        return before is not None and len(log.calls) < CALLS  # otherwise the run continues
    if after.kind != "backward" or after.subject < 0:
        return False
    brought = BackwardCall(run, after.subject).brought
    there = [value for leaf, (value, _) in brought.items() if leaf.id in held]
    return bool(there) and all(value < 0 or run.is_zero(value) for value in there)


@finds("schedule_first", level="note", unless="never_scheduled")
def schedule_first(run: Run) -> Iterator[Finding]:
    """Report a scheduler's step before the optimizer's first, on a line that runs again after a step."""
    log = run.trace.log.calls
    for optimizer, schedules in _scheduled(run):
        first, used = schedules[0], optimizer.steps[0]
        early = [schedule for schedule in schedules if log.index(schedule) < log.index(used)]
        later = (one for one in schedules[len(early) :] if len(one.iteration) == len(first.iteration))
        again = any(one.span == first.span for one in later)  # the first call of a scheduler's own step is torch's
        by_epoch = first.name != _BY_METRIC and first.before is not None and used.value is not None
        if by_epoch and len(early) == 1 and again:
            lost = "no" if first.before == used.value else "yes"
            rates = {"rate": share(first.before), "used": share(used.value), "lost": lost}
            rates["step"] = f"{optimizer.name if optimizer.name.isidentifier() else 'optimizer'}.step()"
            yield from report("schedule_first", run.place(first.span), optimizer=optimizer.name, **rates)


def _scheduled(run: Run) -> Iterator[tuple[Optimizer, list[TrainingCall]]]:
    """Find stepped optimizers with the schedulers' calls for their rate."""
    pairs = ((optimizer, run.log_of("schedule", optimizer.id)) for optimizer in run.stepped)
    return (pair for pair in pairs if pair[1])


def schedule_elsewhere(run: Run) -> Iterator[Finding]:
    """Report a scheduler on an optimizer that, wrappers included, never steps while another moves its tensors."""
    for optimizer in run.optimizers:
        schedules, held = run.log_of("schedule", optimizer.id), {tensor.id for tensor in optimizer.tensors}
        for used in run.stepped if len(schedules) > 1 and held and not optimizer.steps else ():
            steps = [step for step in used.steps if step.operations > schedules[0].operations]
            mine = held <= {tensor.id for tensor in used.tensors} and not run.log_of("schedule", used.id)
            rates = {step.value for step in steps}
            if mine and len(steps) > 1 and None not in rates and rates.isdisjoint(one.value for one in schedules):
                ends = {"rate": share(schedules[-1].value or 0.0), "used": share(used.rates[-1]), "steps": len(steps)}
                values = {"optimizer": used.name, "how": "elsewhere"}
                yield from report("never_scheduled", run.place(schedules[-1].span), **values, **ends)
                break


@finds("loss_as_epoch", "a scheduler that counts epochs gets the loss")
def loss_as_epoch(run: Run) -> Iterator[Finding]:
    """Report a scheduler that gets the loss as its epoch number."""
    for optimizer, schedules in _scheduled(run):
        last = schedules[-1]
        place = run.place(last.span)
        if last.name in _COUNTING and place is not None and _get_losses(run, schedules):
            given = place.call.argument(0, "epoch") if place.call is not None else ""
            values = {"scheduler": last.name, "given": given or f"{last.given:g}", "optimizer": optimizer.name}
            yield from report("loss_as_epoch", place, **values)


def _get_losses(run: Run, schedules: Sequence[TrainingCall]) -> bool:
    """Return whether every call gets the value of a loss of its round, or a mean of such values."""
    made = {root.maker.name for call in run.backwards for root in call.roots if root.maker is not None}
    losses = [call for call in run.calls(made | LOSSES) if call.outputs and call.outputs[0].size == 1]
    begins = [0, *(schedule.operations for schedule in schedules)]
    return all(
        one.given is not None
        and _is_value_of([call for call in losses if begin <= call.id < one.operations], one.given)
        for one, begin in zip(schedules, begins, strict=False)
    )


def _is_value_of(losses: list[Call], given: float) -> bool:
    """Return whether a non-integer is the value of a loss, or the mean of one line's losses."""
    of_lines = grouped(losses, lambda call: call.span).values()
    made = [[one.made.item() for one in calls if one.made is not None] for calls in of_lines]
    means = [np.array(some) / len(some) for values in made for some in (*([one] for one in values), values) if some]
    return not given.is_integer() and any(adds_up(mean, given, "float32") for mean in means)


@finds("never_scheduled", "no line that did not run could step it")
def never_scheduled(run: Run) -> Iterator[Finding]:
    """Report a scheduler that takes no step although its optimizer takes several."""
    for made in run.log_of("scheduler") if len(run.trace.log.calls) < CALLS and run.trace.end == "ok" else ():
        place, steps = run.place(made.span), run.log_of("step", made.subject)
        idle = made.subject >= 0 and len(steps) >= _FEW and not run.log_of("schedule", made.subject)
        if idle and place is not None and not may_come(run, _STEPS):
            values = {"name": place.binds or place.text, "scheduler": made.name, "steps": len(steps)}
            yield from report("never_scheduled", place, **values, how="unused")


@finds("rate_falls", level="note", is_logged=True)
def rate_falls(run: Run) -> Iterator[Finding]:
    """Report a schedule, perhaps meant for epochs, that leaves almost no rate for most steps."""
    for optimizer, schedules in _scheduled(run):
        inner, rates = schedules[-1], np.array(optimizer.rates)
        if len(rates) < 6 or not rates.max() > 0:
            continue
        nested = len(inner.iteration) > 1 and len({tuple(schedule.iteration) for schedule in schedules}) > 2
        rounds = {tuple(schedule.iteration[:-1]) for schedule in schedules}
        by_batch = nested and len(rounds) < len(schedules) / 2 and inner.name in _BY_EPOCH
        fell = rates[-1] <= _FELL * rates.max() and by_batch
        if fell or (rates <= _GONE * rates.max()).sum() > len(rates) / 2:
            values = {"scheduler": inner.name, "count": len(schedules), "steps": len(rates)}
            values |= {"first": share(rates.max()), "last": share(optimizer.rate_left)}
            yield from report("rate_falls", run.place(inner.span), **values, batches="yes" if by_batch else "no")


@finds("schedule_pace", "it is planned per step, but called once per epoch", is_logged=True)
def schedule_pace(run: Run) -> Iterator[Finding]:
    """Report a scheduler that is called per epoch but planned per step, or vice versa, or called past its end."""
    for optimizer, schedules in _scheduled(run):
        last, steps = schedules[-1], len(optimizer.steps)
        if not last.planned or len({(call.span, call.planned) for call in schedules}) > 1:
            continue
        count, rounds = len(schedules), {tuple(call.iteration[:-1]) for call in schedules}
        by_round = last.planned == steps and 1 < count <= steps / 2
        by_step = last.planned == len(rounds) > 1 and count == steps >= 2 * last.planned
        again = not (by_round or by_step) and _climbs_again(schedules)
        if by_round or by_step or again:
            values = {"scheduler": last.name, "planned": last.planned, "count": count, "steps": steps}
            ends = {"first": share(max(optimizer.rates)), "last": share(optimizer.rate_left)}
            pace = "round" if by_round else "again" if again else "step"
            values |= {"pace": pace, "optimizer": optimizer.name}
            yield from report("schedule_pace", run.place(last.span), certain=by_round, **values, **ends)


def _climbs_again(schedules: Sequence[TrainingCall]) -> bool:
    """Return whether a schedule that falls to its end continues, so that the rate climbs back step by step."""
    planned, rates = schedules[-1].planned, np.array([call.value or 0.0 for call in schedules])
    if len(rates) < planned * 1.5 or planned < _ROUNDS:
        return False
    falls, climbs = np.diff(rates[:planned]) <= 0, np.diff(rates[planned - 1 : 2 * planned]) > 0
    return bool(falls.all() and climbs.all() and rates[: planned - 1].max() > 0)


@finds("plateau_upside_down", level="note")
def plateau_upside_down(run: Run) -> Iterator[Finding]:
    """Report ReduceLROnPlateau with mode="max", which lowers the rate because the loss falls."""
    for optimizer, schedules in _scheduled(run):
        rates, last = optimizer.rates, schedules[-1]
        falls = bool(rates) and rates[-1] < rates[0] and last.name == _BY_METRIC
        if not falls or not last.maximizes or not _get_losses(run, schedules):
            continue
        ends = [root.before(call) for call in (run.backwards[0], run.backwards[-1]) for root in call.roots[:1]]
        if len(ends) == 2 and all(one is not None and one.size == 1 for one in ends) and ends[1][0] < ends[0][0]:
            values = {"first": share(ends[0][0]), "last": share(ends[1][0]), "rate": share(optimizer.rate_left)}
            yield from report("plateau_upside_down", run.place(schedules[-1].span), **values)


@finds("rate_tiny", level="note", unless="rate_falls gradient_vanishes", is_logged=True)
def rate_tiny(run: Run) -> Iterator[Finding]:
    """Report a learning rate below 2e-7 that never rises, so no parameter visibly moves."""
    for optimizer in run.stepped:
        rates = optimizer.rates
        if len(rates) < _MANY or not 0 < max(rates) <= _TINY or rates[-1] > rates[0]:
            continue
        moved = [change for tensor in optimizer.tensors if (change := _movement(tensor)) is not None]
        if not moved or max(change for change, _ in moved) > _STILL * max(size for _, size in moved):
            continue
        gradients = [gradient for _, gradient in _gradients(optimizer.tensors) if np.isfinite(gradient).all()]
        if max((float(np.linalg.norm(gradient)) for gradient in gradients), default=0.0) >= _ALIVE:
            values = {"optimizer": optimizer.name, "rate": share(max(rates)), "steps": len(optimizer.steps)}
            yield from report("rate_tiny", optimizer.place, **values, moved=share(max(change for change, _ in moved)))


def _movement(tensor: Tensor) -> tuple[float, float] | None:
    """Return a tensor's largest move and largest entry, None if unknown."""
    run = tensor.run
    first, last = tensor.before(run.backwards[0] if run.backwards else 0), tensor.last
    if first is None or last is None or first.shape != last.shape or not first.size:
        return None
    return float(np.abs(last - first).max()), float(np.abs(first).max())


def _gradients(tensors: Sequence[Tensor]) -> Iterator[tuple[Tensor, np.ndarray]]:
    """Yield the recorded gradients of the first backward."""
    for call in tensors[0].run.backwards[:1] if tensors else ():
        for leaf, (_, after) in call.brought.items():
            entries = call.run.entries(after)
            if leaf in tensors and entries is not None:
                yield leaf, entries


@finds("decay_dominates", level="note", is_logged=True)
def decay_dominates(run: Run) -> Iterator[Finding]:
    """Report weight decay that outweighs the gradients, or shrinks every weight by a twentieth per step."""
    first = run.backwards[0] if run.backwards else None
    for optimizer in run.stepped if first is not None else ():
        if len(optimizer.steps) < 5:
            continue
        adaptive = "adam" in optimizer.row.kind.lower() and optimizer.row.kind != "AdamW"
        for group in optimizer.row.groups:
            weights = [tensor for tensor in run.tensors(group.tensors) if len(tensor.shape) > 1]
            decay, rate = group.weight_decay or 0.0, group.rate or max(optimizer.rates, default=0.0)
            shrinks = decay * rate >= _DECAYS
            if decay <= 0 or not (shrinks or (adaptive and _outweighs(decay, weights, first))):
                continue
            before, after = _norms(weights, first)
            left = 1.0 if adaptive and decay >= _ABSURD else _SHRUNK
            if before > 0 and after <= left * before:
                values = {"optimizer": optimizer.name, "names": named(weights), "steps": len(optimizer.steps)}
                sizes = {"decay": decay, "rate": rate, "part": 100 * decay * rate, "first": before, "last": after}
                values |= {name: share(size) for name, size in sizes.items()}
                yield from report("decay_dominates", optimizer.place, **values, adaptive="yes" if adaptive else "no")


def _norms(weights: list[Tensor], first: BackwardCall) -> tuple[float, float]:
    """Return known weights' norm at the start and the end."""
    ends = [(tensor.before(first), tensor.last) for tensor in weights]
    known = [(before, last) for before, last in ends if before is not None and last is not None]
    before, last = (np.sqrt(sum(np.linalg.norm(pair[i]) ** 2 for pair in known)) for i in (0, 1))
    return float(before), float(last)


def _outweighs(decay: float, weights: list[Tensor], first: BackwardCall) -> bool:
    """Return whether decay is ten times every weight's first gradient."""
    pairs = [(leaf.before(first), gradient) for leaf, gradient in _gradients(weights)]
    both = [(weight, gradient) for weight, gradient in pairs if weight is not None]
    return bool(both) and all(
        decay * np.linalg.norm(weight) >= 10 * np.linalg.norm(gradient) for weight, gradient in both
    )


@finds(
    "loss_grows",
    "it ends in NaN or infinity",
    unless="gradient_stale gradient_unread step_scaled loss_not_renewed nan_forward loss_nonfinite",
)
def loss_grows(run: Run) -> Iterator[Finding]:
    """Report a loss that grows over four or more equal rounds.

    In total it must at least double. A rising weight, a learning-rate search, harder data and an optimizer that
    maximizes make a loss grow on purpose.
    """
    rounds: dict[int, list[tuple[float, BackwardCall]]] = {}
    for call in run.backwards if run.has_arguments else ():
        entries = call.roots[0].before(call) if len(call.row.root_tensors) == len(call.roots) == 1 else None
        if entries is not None and entries.size == 1 and entries.dtype.kind in "fiu":
            rounds.setdefault(call.row.span, []).append((float(entries[0]), call))
    for series in rounds.values():
        finite = list(itertools.takewhile(lambda one: np.isfinite(one[0]), series))
        losses, calls = [loss for loss, _ in finite], [call for _, call in finite]
        grows = all(later > earlier for earlier, later in itertools.pairwise(losses))
        if len(losses) < _ROUNDS or losses[0] <= 0 or not grows or losses[-1] < 2 * losses[0]:
            continue
        during = (one for one in run.log_of("step") if calls[0].time <= one.operations <= calls[-1].time)
        rates = [step.value for step in during if step.value is not None]
        rises = bool(rates) and rates[-1] > rates[0]  # a learning-rate search
        if rises or len({_round(*pair) for pair in itertools.pairwise(calls)}) != 1:
            return
        first, second = calls[:2]
        for leaf in first.brought:
            writes = [write for write in leaf.writes if first.time <= write.id < second.time]
            if not writes or writes[-1].place is None:
                continue
            uphill = _moved_along_gradient(leaf, first, second)
            if uphill and not (writes[-1].name in _ADDS and _is_loss(first)):
                return  # an optimizer that maximizes, or a maximized quantity
            values = {"losses": numbers(np.array(losses)), "uphill": str(uphill)}
            yield from report("loss_grows", writes[-1], leaf, **values, certain=len(finite) < len(series))
            return


def _is_loss(call: BackwardCall) -> bool:
    """Return whether a backward begins at distances, with a gradient for every parameter behind them.

    An attack moves only the input of a network, away from its target.
    """
    behind = call.run.tensors(call.run.below(call.roots))
    own = all(one in call.brought and one.writes for one in behind if one.gets_grad or one.is_parameter)
    return own and call.roots[0].behind(_AVERAGES, _FAR).made_by(_DISTANCES) is not None


@memoized
def steps_uphill(trace: Trace) -> bool:
    """Return whether the loss grows because the program adds the gradient: then no smaller rate helps."""
    return any(found.values["uphill"] == "True" for found in loss_grows(run_of(trace)))


def _round(before: BackwardCall, after: BackwardCall) -> tuple:
    """Return the operations, as names and numbers, and the data between two backward calls."""
    run, made = before.run, set[Tensor]()
    done: list[tuple] = []
    for call in map(run.call, range(before.time, after.time)[:_LONGEST]):
        data: list[Tensor] = []
        if not call.name.startswith("_record"):
            data = [tensor for tensor in call.inputs if tensor not in made and not tensor.requires_grad]
        made.update(call.outputs)
        text = run.operations.arguments[call.id] if not call.name.startswith("_record") else -1
        done.append((call.name, text, *(_bits(run.trace.value(tensor.value(call))) for tensor in data)))
        if not call.inputs and call.outputs:  # random, or created again in each round
            done.append((_bits(run.trace.value(call.outputs[0].value(call.id + 1))),))
    return tuple(done)


def _bits(value: Value | None) -> str:
    """Write all of a value, so that NaN equals itself."""
    return repr(value and astuple(value))


def _moved_along_gradient(leaf: Tensor, first: BackwardCall, second: BackwardCall) -> bool:
    """Return whether a leaf moved along its gradient between two backward calls."""
    gradient, was, now = leaf.run.entries(first.brought[leaf][1]), leaf.before(first), leaf.before(second)
    if gradient is None or was is None or now is None or not gradient.size == was.size == now.size:
        return False
    with np.errstate(all="ignore"):
        return bool(np.vdot(now - was, gradient) > 0)


RULES = (
    *(clip_unused, schedule_elsewhere, schedule_first, schedule_pace, loss_as_epoch, never_scheduled),
    *(plateau_upside_down, rate_falls, rate_tiny, decay_dominates),
)
GROWTH_RULES = (loss_grows,)
