"""Gradients that become tiny or 0 while others in the same step do not, or that become non-finite."""

from collections.abc import Iterator, Sequence

import numpy as np

from explorer.analysis.faults.flat_functions import is_met_margin, stopping_nodes
from explorer.analysis.health.training.stretches import Remark, Stretch, Track, Values, clause, moment, named, remark
from explorer.analysis.health.training.updates import never_moves
from explorer.analysis.run import Backward, one_line, reachable, run_of
from explorer.analysis.training.strips import SMALL, last_run
from explorer.text import Message
from explorer.text.numbers import number, shorten, visible
from explorer.trace import Trace

_STILL_LARGE = 1e-4  # of the largest gradient of a leaf
_ALIVE = 1e-3  # norm of a gradient nearer to the loss in the same step that has not vanished
_LASTS = 3  # steps at the end
_LOOKED_AT = 50  # leaves whose path to the loss is examined
_CODE = 60  # cells of the text of an operation
_UNITS = 0.5  # share of a layer's units that no longer learn, from which on they are reported


def vanishing(stretch: Stretch) -> Iterator[Remark]:
    """Gradients below 1e-7 to the end, while that of a leaf on their path to the loss is 1e-3 or more."""
    if not stretch.trains:
        return
    begins = {track: last_run((track.gradient < SMALL) & ~track.bad_gradient) for track in _telling(stretch)}
    small = [track for track in begins if len(stretch) - begins[track] >= _LASTS]
    small = [track for track in small if not track.zero[begins[track] :].all()]
    cases = []
    for track in sorted(small, key=begins.__getitem__)[:_LOOKED_AT]:
        large = [
            (_typical(candidate.gradient[begins[track] :]), candidate) for candidate in _on_the_way(stretch, track)
        ]
        most, nearer = max(large, key=lambda pair: pair[0], default=(0.0, track))
        if most >= _ALIVE:
            cases.append((track, nearer, most))
    if not cases:
        return
    track, nearer, most = cases[0]
    begin = begins[track]
    values = {"name": visible(track.name), "norm": number(float(track.gradient[-1]))}
    beside: Values = {"other": visible(nearer.name), "large": number(most), "step": moment(stretch, begin)}
    clauses = [clause("vanishing-always" if begin == 0 else "vanishing", **values, **beside)]
    if never_moves(track):
        clauses.append(clause("vanishing-rounded" if (track.rate > 0).any() else "vanishing-unmoved"))
    if others := [track for track, _, _ in cases[1:]]:
        clauses.append(clause("vanishing-also", names=named(others), leaves=len(others)))
    yield remark(stretch, "vanishing", begin, *clauses, leaf=track, certain=never_moves(track))


def _typical(norms: np.ndarray) -> float:
    finite = norms[np.isfinite(norms)]
    return float(np.median(finite)) if len(finite) else 0.0


def _telling(stretch: Stretch) -> Sequence[Track]:
    """The weights, or all leaves if there are none: before a normalisation a bias only has rounding errors."""
    return [track for track in stretch.tracks if len(track.of.shape) >= 2] or stretch.tracks


def _on_the_way(stretch: Stretch, track: Track) -> Sequence[Track]:
    """Leaves whose gradients branch off on the path from the root to this leaf."""
    for step in dict.fromkeys([*stretch.kept[-1:], *stretch.kept[:1]]):
        trace = stretch.trace
        call = trace.backwards[stretch.backward(step)]
        variable, edges = trace.nodes.variable, trace.nodes.edges
        target = next((node for node in call.order if variable[node] >= 0 and variable[node] == track.of.tensor), None)
        if target is None:
            continue
        above = _above(trace, stretch.backward(step), target)
        entered = {
            variable[below] for node in above if target not in edges[node] for below in edges[node] if below >= 0
        }
        beside = {variable[below] for node in above if target in edges[node] for below in edges[node] if below >= 0}
        return [track for track in stretch.tracks if track.of.tensor in entered - beside]
    return ()


def _above(trace: Trace, backward: int, node: int) -> set[int]:
    """The nodes of a backward through which the gradient of a node came."""
    users = trace.index.memoize(("users of nodes", backward), lambda: _users(trace, backward))
    return set(reachable(users.get(node, ()), lambda above: users.get(above, ())))


def _users(trace: Trace, backward: int) -> dict[int, list[int]]:
    users: dict[int, list[int]] = {}
    for node in trace.backwards[backward].order:
        for below in trace.nodes.edges[node]:
            users.setdefault(below, []).append(node)
    return users


def zero(stretch: Stretch) -> Iterator[Remark]:
    """Gradients whose entries are all 0 to the end, while the loss is not 0 and worse than before."""
    zeros = [(last_run(track.zero), track) for track in stretch.tracks]
    zeros = [(begin, track) for begin, track in zeros if len(stretch) - begin >= _LASTS and _breaks_off(track, begin)]
    telling = {track.index for track in _telling(stretch)}
    if not stretch.trains or not any(track.index in telling for _, track in zeros):
        return
    begin = min(begin for begin, _ in zeros)
    if not _is_stuck(stretch, begin):
        return
    first = [track for at, track in zeros if at == begin]
    every = len(zeros) == len(stretch.tracks) and len(first) == len(zeros)
    kind = "zero-always" if begin == 0 else "zero-every" if every else "zero"
    clauses = [clause(kind, names=named(first), leaves=len(first), step=moment(stretch, begin))]
    if later := [track for at, track in zeros if at > begin]:
        clauses.append(clause("zero-later", names=named(later), leaves=len(later)))
    span, why = _what_is_flat(stretch, begin)
    clauses += why
    loss = stretch.loss
    if begin > 0 and np.isfinite(loss).all() and loss[begin:].min() > loss[:begin].min():
        best = int(loss[:begin].argmin())
        least = {"least": number(float(loss[best])), "now": number(float(loss[begin:].min()))}
        clauses.append(clause("loss-stays", **least, best=moment(stretch, best)))
    yield remark(stretch, "zero", begin, *clauses, leaf=first[0], span=span, certain=why or every)


def _breaks_off(track: Track, begin: int) -> bool:
    """Whether the gradient was still large shortly before it became 0: near a minimum it would be small by then."""
    norms = np.nan_to_num(track.gradient[:begin], posinf=0.0)
    return begin == 0 or norms[-_LASTS:].max() > _STILL_LARGE * norms.max()


def _is_stuck(stretch: Stretch, begin: int) -> bool:
    """Whether zeros mean that something is stuck: others still get gradients, or the loss was lower once."""
    others = any(track.gradient[begin] > 0 for track in stretch.tracks)
    loss = stretch.loss
    if not np.isfinite(loss).all() or not np.any(loss[begin:]):
        return False
    return others or (begin > 0 and loss[-1] > loss[:begin].min())


def _what_is_flat(stretch: Stretch, begin: int) -> tuple[int, list[Message]]:
    """The span of an operation that passes nothing on since then; -1 if unknown."""
    trace = stretch.trace
    for step in stretch.kept:
        if step < begin:
            continue
        for _, call, _ in stopping_nodes(Backward(run_of(trace), stretch.backward(step)), "part"):
            if not is_met_margin(call):
                code = visible(call.module) or shorten(one_line(trace.text(call.span)), _CODE)
                return call.span, [clause("because-flat", code=code, line=trace.line(call.span))]
        return -1, []
    return -1, []


def dead_units(stretch: Stretch) -> Iterator[Remark]:
    """Half the units of a layer or more whose weights and bias have gradient 0 to the end."""
    by_name = {track.of.name: track for track in stretch.tracks}
    for weight in stretch.tracks:
        owner, dot, last = weight.of.name.rpartition(".")
        bias = by_name.get(f"{owner}{dot}bias")
        if last != "weight" or bias is None or not weight.moves or not (weight.of.whole and bias.of.whole):
            continue
        if len(weight.of.shape) != 2 or bias.of.shape != weight.of.shape[:1]:
            continue
        rows = weight.of.gradients[weight.rows].reshape(len(stretch), *weight.of.shape)
        none = (rows == 0).all(2) & (bias.of.gradients[bias.rows] == 0)
        units = none.shape[1]
        begins = np.array([last_run(none[:, unit]) for unit in range(units)])
        dead = np.flatnonzero(len(stretch) - begins >= _LASTS)
        if not _UNITS * units <= len(dead) < units or not np.any(stretch.loss[-1:]):
            continue
        begin = int(np.sort(begins[dead])[-1])
        kind, name = "dead-units-always" if begin == 0 else "dead-units", visible(owner) or visible(weight.name)
        said = clause(kind, dead=len(dead), units=units, name=name, step=moment(stretch, begin))
        yield remark(stretch, "dead-units", begin, said, leaf=weight)


def gradient_nonfinite(stretch: Stretch) -> Iterator[Remark]:
    """A gradient becomes NaN or infinite for the first time while the loss is finite."""
    finite = np.isfinite(stretch.loss)
    for step in range(len(stretch)):
        if not finite[step]:
            return
        bad = [track for track in stretch.tracks if track.bad_gradient[step]]
        if bad:
            values: Values = {"names": named(bad), "leaves": len(bad), "loss": number(float(stretch.loss[step]))}
            said = clause("gradient-nonfinite", **values, step=moment(stretch, step))
            harmed = any(track.bad_value.any() or track.bad_gradient[-1] for track in stretch.tracks)
            yield remark(stretch, "gradient-nonfinite", step, said, leaf=bad[0], certain=harmed)
            return


RULES = (gradient_nonfinite, zero, vanishing, dead_units)
