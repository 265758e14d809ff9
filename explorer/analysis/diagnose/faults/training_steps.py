"""Faults in training steps: growing or non-finite losses, vanishing gradients, parameters that never move."""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from explorer.analysis.diagnose.faults.finding import finds
from explorer.analysis.diagnose.faults.flat_functions import is_met_margin, stopping_nodes
from explorer.analysis.diagnose.faults.later import may_come
from explorer.analysis.diagnose.faults.schedules import steps_uphill
from explorer.analysis.diagnose.faults.segments import Segment, Track, Values, named, segments
from explorer.analysis.diagnose.findings import Finding
from explorer.analysis.explain.autograd.gradients import node_gradients
from explorer.analysis.explain.autograd.nonfinite_starts import forward_origin, roots_read
from explorer.analysis.run.curves import SMALL, curves, last_run
from explorer.analysis.run.model import Run, one_line, reachable, run_of
from explorer.analysis.run.objects import BackwardCall, Call
from explorer.analysis.run.operations import FORMS, names_where, operation_of_node
from explorer.text.numbers import number, shorten, visible
from explorer.trace import Trace

_GROWING = 5  # consecutive rising losses before growth is reported
_GROWN = 10.0  # growth factor
_FAR = 0.5  # relative to all weights; a first step this large forgets them
_LONG = 0.1  # ratio to the size of all weights; larger updates are reported
_STILL_LARGE = 1e-4  # relative to a leaf's largest gradient
_NORMALIZES = ("NativeLayerNorm", "NativeBatchNorm", "NativeGroupNorm")
_NORMS = names_where(lambda operation: "norm" in operation.name)
_ALIVE = 1e-3  # in the same step, a norm nearer the loss that has not vanished
_LASTS = 3  # final steps that are judged
_STAYS = 5  # after this many steps, a change is not due to a few batches
_LOOKED_AT = 50  # most leaves whose path to the loss is examined
_CODE = 60  # widest text of an operation
_UNITS = 0.5  # smallest reported share of a layer's units that no longer learn
_PLACES = 20  # most calls of torch.autograd.grad examined
_REVERSE = re.compile(r"\bweight_hh_l\d+_reverse$")
_RECURRENT = ("lstm", "gru", "rnn_tanh", "rnn_relu")
_ROUNDED = 1e-6  # relative to the largest gradient: float32 rounding where gradients cancel, as before batch norm


@finds("loss_nonfinite", unless="nan_forward nan_backward gradient_unread nan_given")
def loss_nonfinite(segment: Segment) -> Iterator[Finding]:
    """Report the step at which the loss becomes NaN or infinite, and the cause if it is known."""
    bad = _readable(segment) & ~np.isfinite(segment.loss)
    if not bad.any() or steps_uphill(segment.trace):
        return
    first = int(np.flatnonzero(bad)[0])
    what, stays = number(float(segment.loss[first])), "yes" if last_run(bad) == first else "no"
    span, why = _why_not_finite(segment, first)
    yield from segment.report("loss_nonfinite", first, {"what": what, "stays": stays, **why}, span=span)


def _readable(segment: Segment) -> np.ndarray:
    """Return per step whether its loss could be read."""
    readable = ~np.isnan(segment.loss)
    if readable.any():
        return np.ones(len(segment), bool)  # losses of one place are of one kind
    for step in segment.kept:
        call = segment.trace.backwards[segment.backward(step)]
        for tensor in call.root_tensors:
            row = segment.trace.index.before(tensor, call.operations)
            value = None if row is None else segment.trace.value_at(row)
            readable[step] |= value is not None and value.nans > 0
    return readable


def _why_not_finite(segment: Segment, first: int) -> tuple[int, Values]:
    """Return the update or line that made a loss non-finite."""
    trace, call = segment.trace, segment.backward(first)
    unknown: tuple[int, Values] = -1, {"how": "unknown"}
    for track in segment.tracks:
        if track.bad_value[first]:
            if not segment.follows(first) or track.bad_value[first - 1]:
                return unknown
            how = "gradient" if track.bad_gradient[first - 1] else "update"
            return -1, {"how": how, "parameter": visible(track.name), "before": segment.named(first - 1)}
    if call < 0 or (first > 0 and not segment.follows(first)):
        return unknown
    start = forward_origin(trace, roots_read(trace, trace.backwards[call]))
    if start is None or start.by != "operation" or not start.sure:
        return unknown
    begin, span = trace.backwards[call - 1].operations if call else 0, trace.operations.span[start.operation]
    value = trace.value_at(start.row)
    if start.operation < begin or span < 0 or value is None:
        return unknown
    code = shorten(one_line(trace.text(span)), _CODE)
    made = "NaN" if value.nans else "∞"
    return span, {"how": "line", "code": code, "line": trace.line(span), "made": made}


def loss_grows(segment: Segment) -> Iterator[Finding]:
    """Report a finally rising loss, tenfold in all, although steps follow the negative gradient."""
    bad = np.flatnonzero(~np.isfinite(segment.loss))
    loss = segment.loss[: int(bad[0])] if len(bad) else segment.loss
    if len(loss) < _GROWING or segment.tries:
        return
    begin = max(last_run(np.concatenate([[False], loss[1:] > loss[:-1]])) - 1, 0)
    if len(loss) - begin < _GROWING or not loss[begin] > 0 or loss[-1] < _GROWN * loss[begin] or loss[-1] < loss.max():
        return
    if not _climbs(segment):
        losses, ratio = f"{number(loss[begin])} → {number(loss[-1])}", _length(segment, begin)
        values: Values = {"uphill": "steps", "losses": losses, "ratio": ratio}
        yield from segment.report("loss_grows", begin, values, certain=len(bad) > 0)


def loss_stays_above(segment: Segment) -> Iterator[Finding]:
    """Report a first step so large that no later loss is as low as the first one."""
    loss = segment.loss
    if len(loss) < _GROWING or not segment.trains or segment.tries or not np.isfinite(loss).all() or not loss[0] > 0:
        return
    if _climbs(segment):
        return  # a smaller step would not help
    moved, there = np.linalg.norm([(track.update[0], track.value[0]) for track in segment.tracks], axis=0)
    if loss[1:].min() > loss[0] and np.median(loss[1:]) > 2 * loss[0] and there * _FAR < moved < math.inf and there:
        losses = f"{number(loss[0])} → {number(float(loss[1:].min()))} … {number(float(loss[1:].max()))}"
        values: Values = {"uphill": "first", "losses": losses, "ratio": number(float(moved / there))}
        yield from segment.report("loss_grows", 0, values, certain=False)


def _climbs(segment: Segment) -> bool:
    """Return whether the recorded entries move along their gradients, so that growth is intended."""
    along = 0.0
    for track in segment.tracks:
        if track.of.whole:
            product = (track.of.gradients[track.rows] * track.of.updates[track.rows]).sum(1)
            along += float(np.sign(product[np.isfinite(product)]).sum())
    return along > 0


def _length(segment: Segment, step: int) -> str:
    """Return ‖update‖ / ‖value‖ after a backward, or "none"."""
    norms = [(track.update[step], track.value[step]) for track in segment.tracks]
    moved, there = map(float, np.linalg.norm(norms, axis=0))
    ratio = moved / there if there > 0 else math.nan
    return number(ratio) if math.isfinite(ratio) and ratio >= _LONG else "none"


@finds(
    "gradient_nonfinite",
    "a value becomes non-finite too, or it stays",
    unless="gradient_stale nan_forward nan_backward gradient_unread nan_given",
)
def gradient_nonfinite(segment: Segment) -> Iterator[Finding]:
    """Report the first NaN or infinite gradient of a finite loss."""
    for step, loss in enumerate(segment.loss.tolist()):
        if not math.isfinite(loss):
            return
        if bad := [track for track in segment.tracks if track.bad_gradient[step]]:
            harmed = any(track.bad_value.any() or track.bad_gradient[-1] for track in segment.tracks)
            values: Values = {"names": named(bad), "leaves": len(bad), "loss": number(loss)}
            yield from segment.report("gradient_nonfinite", step, values, bad[0], certain=harmed)
            return


@finds(
    "zero",
    "every gradient is 0, or a flat function explains it",
    unless="zeros_hold hook_zeroes paths_cancel cannot_learn",
)
def zero(segment: Segment) -> Iterator[Finding]:
    """Report gradients that stay 0 to the end while the loss is worse than before."""
    zeros = [(last_run(track.zero), track) for track in segment.trained]
    zeros = [(begin, track) for begin, track in zeros if len(segment) - begin >= _LASTS and _is_abrupt(track, begin)]
    telling = {track.index for track in _informative(segment)}
    if not segment.trains or not any(track.index in telling for _, track in zeros):
        return
    begin = min(begin for begin, _ in zeros)
    if not _is_stuck(segment, begin):
        return
    first = [track for at, track in zeros if at == begin]
    every = len(first) == len(zeros) == len(segment.trained)
    span, flat = _flat_operation(segment, begin, first)
    which = "always" if begin == 0 else "every" if every else "some"
    values: Values = {"which": which, "names": named(first), "leaves": len(first), **flat}
    certain = (every or flat["how"] == "flat") and len(segment) - begin >= _STAYS
    yield from segment.report("zero", begin, values, first[0], span, certain)


def _is_abrupt(track: Track, begin: int) -> bool:
    """Return whether a large gradient became 0 abruptly."""
    norms = np.nan_to_num(track.gradient[:begin], posinf=0.0)
    return begin == 0 or norms[-_LASTS:].max() > _STILL_LARGE * norms.max()


def _is_stuck(segment: Segment, begin: int) -> bool:
    """Return whether zeros mean a dead end, not a minimum."""
    others = any(track.gradient[begin] > 0 for track in segment.tracks)
    loss = segment.loss
    if not np.isfinite(loss).all() or not np.any(loss[begin:]):
        return False
    return others or (begin > 0 and loss[-1] > loss[:begin].min())


def _flat_operation(segment: Segment, begin: int, first: Sequence[Track]) -> tuple[int, Values]:
    """Return the span of an operation that passes only zeros."""
    trace, step = segment.trace, next((step for step in segment.kept if step >= begin), None)
    if reader := _reader_of_one_step(segment, first):
        return reader.span, {"how": "reverse", "code": shorten(one_line(reader.text), _CODE)}
    for _, call, _ in (
        () if step is None else stopping_nodes(BackwardCall(run_of(trace), segment.backward(step)), "part")
    ):
        if not is_met_margin(call):
            code = visible(call.module) or shorten(one_line(trace.text(call.span)), _CODE)
            return call.span, {"how": "flat", "code": code, "line": trace.line(call.span)}
    return -1, {"how": "unknown"}


def _reader_of_one_step(segment: Segment, first: Sequence[Track]) -> Call | None:
    """Return what reads one step of a recurrent layer's result."""
    if not all(_REVERSE.search(track.name) for track in first):
        return None
    layers = (call for call in run_of(segment.trace).tensor(first[0].of.tensor).users if call.name in _RECURRENT)
    readers = (reader for call in layers for reader in call.outputs[0].users)
    return next((reader for reader in readers if reader.name in ("__getitem__", "select")), None)


@finds("vanishing", "the leaf never moves", unless="gradient_vanishes padding_attended cannot_learn")
def vanishing(segment: Segment) -> Iterator[Finding]:
    """Report gradients that stay below 1e-7, although a layer nearer to the loss gets at least 1e-3."""
    if not segment.trains:
        return
    begins = {track: last_run((track.gradient < SMALL) & ~track.bad_gradient) for track in _informative(segment)}
    small = [track for track in begins if len(segment) - begins[track] >= _LASTS]
    small = [track for track in small if not track.zero[begins[track] :].all()]
    for track in sorted(small, key=begins.__getitem__)[:_LOOKED_AT]:
        begin = begins[track]
        large = ((_typical(nearer.gradient[begin:]), nearer) for nearer in _on_the_way(segment, track))
        most, nearer = max(large, key=lambda pair: pair[0], default=(0.0, track))
        if most >= _ALIVE:
            moves = "yes" if not track.never_moves else "rounded" if (track.rate > 0).any() else "no"
            values = {"norm": number(float(track.gradient[-1])), "other": visible(nearer.name), "large": number(most)}
            values |= {"always": "no" if begin else "yes", "moves": moves}
            strings, names = segment.trace.strings, segment.trace.nodes.name
            _, above = next(_gradient_paths(segment, track), (-1, set[int]()))
            normalized = any(strings[names[node]].startswith(_NORMALIZES) for node in above)
            values["normalized"] = "yes" if normalized else "no"
            yield from segment.report("vanishing", begin, values, track, certain=track.never_moves)
            return


def _typical(norms: np.ndarray) -> float:
    finite = norms[np.isfinite(norms)]
    return float(np.median(finite)) if len(finite) else 0.0


def _informative(segment: Segment) -> Sequence[Track]:
    """Return the weights, or all leaves without weights.

    A bias before a normalization is not informative: its gradient is only rounding.
    """
    return [track for track in segment.trained if len(track.of.shape) >= 2] or segment.trained


def _on_the_way(segment: Segment, track: Track) -> Sequence[Track]:
    """Return leaves whose gradients branch off on the way to this leaf."""
    variable, edges = segment.trace.nodes.variable, segment.trace.nodes.edges
    target, above = next(_gradient_paths(segment, track), (-1, set[int]()))
    sides = {here: [node for node in above if (target in edges[node]) is here] for here in (True, False)}
    beside, entered = ({variable[b] for node in side for b in edges[node] if b >= 0} for side in sides.values())
    return [track for track in segment.tracks if track.of.tensor in entered - beside]


def _gradient_paths(segment: Segment, track: Track) -> Iterator[tuple[int, set[int]]]:
    """Yield the nodes on a leaf's gradient path in the last and first backward."""
    variable = segment.trace.nodes.variable
    for step in dict.fromkeys([*segment.kept[-1:], *segment.kept[:1]]):
        call = segment.trace.backwards[segment.backward(step)]
        target = next((node for node in call.order if variable[node] >= 0 and variable[node] == track.of.tensor), None)
        if target is not None:
            yield target, _above(segment.trace, segment.backward(step), target)


def _above(trace: Trace, backward: int, node: int) -> set[int]:
    """Return a backward's nodes through which a node's gradient passed."""

    def users() -> dict[int, list[int]]:
        users: dict[int, list[int]] = {}
        for node in trace.backwards[backward].order:
            for below in trace.nodes.edges[node]:
                users.setdefault(below, []).append(node)
        return users

    of = trace.index.memoize(("users of nodes", backward), users)
    return set(reachable(of.get(node, ()), lambda above: of.get(above, ())))


@finds("dead_units", level="info")
def dead_units(segment: Segment) -> Iterator[Finding]:
    """Report a layer if at least half its units keep gradient 0 to the end."""
    by_name = {track.of.name: track for track in segment.tracks}
    for weight in segment.tracks:
        owner, dot, last = weight.of.name.rpartition(".")
        bias = by_name.get(f"{owner}{dot}bias")
        if last != "weight" or bias is None or not weight.moves or not (weight.of.whole and bias.of.whole):
            continue
        if len(weight.of.shape) != 2 or bias.of.shape != weight.of.shape[:1]:
            continue
        rows = weight.of.gradients[weight.rows].reshape(len(segment), *weight.of.shape)
        none = (rows == 0).all(2) & (bias.of.gradients[bias.rows] == 0)
        units = none.shape[1]
        begins = np.array([last_run(none[:, unit]) for unit in range(units)])
        dead = np.flatnonzero(len(segment) - begins >= _LASTS)
        fits = _UNITS * units <= len(dead) < units and np.any(segment.loss[-1:])
        if fits and _are_stopped(segment, weight, dead):
            begin = int(np.sort(begins[dead])[-1])
            always, layer = "no" if begin else "yes", visible(owner) or visible(weight.name)
            values: Values = {"dead": len(dead), "units": units, "layer": layer, "always": always}
            yield from segment.report("dead_units", begin, values, weight)


def _are_stopped(segment: Segment, weight: Track, dead: np.ndarray) -> bool:
    """Return whether a flat function, such as a ReLU, stops gradients that arrive at some of these units.

    No gradient arrives at a unit that the loss does not read.
    """
    run = run_of(segment.trace)
    call = BackwardCall(run, segment.backward(segment.kept[-1])) if segment.kept else None
    gradients = node_gradients(run.trace, call.id) if call is not None else {}
    for node in call.nodes if call is not None else ():
        made = node.call
        layer = made.inputs[0].behind(FORMS | _NORMS).maker if made is not None and made.inputs else None
        is_flat = operation_of_node(node.name).flat in ("part", "far")
        if not is_flat or layer is None or all(one.id != weight.of.tensor for one in layer.inputs):
            continue
        arrived = [run.entries(value) for value in gradients[node.id] if value >= 0]
        shape, units = made.outputs[0].shape, weight.of.shape[0]
        if any(one is None or one.size != math.prod(shape) or shape[-1] != units for one in arrived):
            return True  # only a sample is known
        return any(np.any(one.reshape(-1, units)[:, dead]) for one in arrived)
    return False


@finds(
    "unmoved",
    "nothing moves",
    unless="not_in_optimizer never_used update_lost step_without_gradient rate_tiny step_before_backward cannot_learn",
)
def unmoved(segment: Segment) -> Iterator[Finding]:
    """Report leaves that get gradients but never change."""
    still = [track for track in segment.tracks if track.never_moves]
    moving = [track for track in segment.tracks if track.moves]
    cared = [track for track in still if _is_trained(segment, track, moving)]
    largest = max((_largest_gradient(track) for track in segment.tracks), default=0.0)
    if all(_largest_gradient(track) < max(SMALL, _ROUNDED * largest) for track in cared):
        return
    if _are_zero(track.rate for track in cared):
        how = "rate"
    elif _are_zero(track.used for track in cared):
        how = "emptied"
    else:
        how = "unknown" if any(track.of.optimizer for track in cared) else "nothing"
    which, parameters = ("some", cared) if moving else ("all", still)
    values: Values = {"which": which, "names": named(parameters), "leaves": len(parameters), "how": how}
    run = run_of(segment.trace)
    later = bool(run.log_of("schedule")) if how == "rate" else may_come(run, r"\.step\(")
    yield from segment.report("unmoved", 0, values, cared[0], certain=not moving and not later)


def _are_zero(columns: Iterable[np.ndarray]) -> bool:
    """Return whether each column is known somewhere, and 0 there."""
    known = [column[~np.isnan(column)] for column in columns]
    return all(len(column) and not column.any() for column in known)


def _largest_gradient(track: Track) -> float:
    return float(track.gradient.max(initial=0, where=~np.isnan(track.gradient)))


def _is_parameter(segment: Segment, track: Track) -> bool:
    tensor = track.of.tensor
    return tensor >= 0 and bool(segment.trace.tensors.is_parameter[tensor])


def _is_trained(segment: Segment, track: Track, moving: Sequence[Track]) -> bool:
    """Return whether a leaf is meant to be trained.

    True if an optimizer holds it, if another parameter of its module moves (so it is neither frozen nor part of a model
    whose input is optimized), if nothing moves although there is an optimizer, or if its `.grad` is cleared, or an
    optimizer holds related tensors. An argument of `torch.autograd.grad` is an input.
    """
    if not np.isnan(track.rate).all():
        return True
    if track.of.optimizer:
        return False  # another backward's step updates it
    if _is_parameter(segment, track):
        if not moving:
            return _is_cleared(track) and _has_optimizer(segment.trace) and not _is_input(segment, track)
        owner = track.of.name.rpartition(".")[0]
        return any(track.of.name.rpartition(".")[0] == owner for track in moving if _is_parameter(segment, track))
    if not any(not _is_parameter(segment, track) for track in moving) or _is_input(segment, track):
        return False
    return _is_cleared(track) or any(track.of.optimizer for track in moving)


def _is_cleared(track: Track) -> bool:
    """Return whether `.grad` was cleared before every backward."""
    arrived = (track.gradient[:-1] > 0) & ~np.isnan(track.before[1:])
    return bool(arrived.any() and not track.before[1:][arrived].any())


def _has_optimizer(trace: Trace) -> bool:
    """Return whether a program's optimizer cleared gradients."""
    operations = trace.operations
    if any(trace.strings[function] == "torch.optim.Optimizer.zero_grad" for function in operations.function):
        return True
    marked = (at for at, name in enumerate(operations.name) if trace.strings[name].startswith("_record_function_enter"))
    return any("Optimizer.zero_grad" in str(trace.arguments(at).get(0, default="")) for at in marked)


def _is_input(segment: Segment, track: Track) -> bool:
    places = [place for place, step_place in enumerate(segment.trace.steps.places) if step_place.kind == "grad"]
    every = (curves(segment.trace, place) for place in places[:_PLACES])
    return any(leaf.leaf == track.index for of_place in every if of_place is not None for leaf in of_place.leaves)


def _of_segments(rule: Callable[[Segment], Iterator[Finding]]) -> Callable[[Run], Iterator[Finding]]:
    """Turn a rule about a segment into a rule about a run."""

    def found(run: Run) -> Iterator[Finding]:
        for segment in segments(run.trace):
            with np.errstate(all="ignore"):  # non-finite entries are expected here
                findings = list(rule(segment))
            yield from findings

    return found


_OF_SEGMENTS = (
    *(loss_nonfinite, loss_grows, loss_stays_above, gradient_nonfinite, zero, vanishing, dead_units, unmoved),
)
RULES = tuple(map(_of_segments, _OF_SEGMENTS))
