"""How leaves move: never, or no longer because the rate is 0."""

from collections.abc import Iterator, Sequence

import numpy as np

from explorer.analysis.health.training.stretches import Remark, Stretch, Track, clause, moment, named, remark
from explorer.analysis.training import curves
from explorer.analysis.training.strips import SMALL, last_run
from explorer.text.numbers import number
from explorer.trace import Trace

_STILL = 3  # steps at the end with a rate of 0
_PLACES = 20  # calls of torch.autograd.grad that are examined
_ROUNDED = 1e-6  # of the largest gradient: rounding of float32 where gradients cancel, as at a bias before batch norm


def rate_zero(stretch: Stretch) -> Iterator[Remark]:
    """The learning rate of every stepped leaf falls to 0 before the end."""
    stepped = [track.rate for track in stretch.tracks if not np.isnan(track.rate).all()]
    if not stepped:
        return
    rates = np.stack(stepped)
    has_rate = ~np.isnan(rates).any(0)
    zero = (rates == 0).all(0)
    begin = last_run(zero | ~has_rate)
    steps = np.flatnonzero(has_rate)
    ended = steps[steps >= begin]
    if begin == 0 or len(ended) < _STILL or not has_rate[:begin].any():
        return
    first = int(ended[0])
    earlier = float(np.nanmax(rates[:, :begin]))
    yield remark(stretch, "rate-zero", first, clause("rate-zero", step=moment(stretch, first), rate=number(earlier)))


def unmoved(stretch: Stretch) -> Iterator[Remark]:
    """Leaves with gradients that never change, beside others that move; or none of which moves."""
    still = [track for track in stretch.tracks if never_moves(track)]
    moving = [track for track in stretch.tracks if track.moves]
    cared = [track for track in still if _is_trained(stretch, track, moving)]
    largest = max((_largest_gradient(track) for track in stretch.tracks), default=0.0)
    if all(_largest_gradient(track) < max(SMALL, _ROUNDED * largest) for track in cared):
        return
    if not moving:
        clauses = [clause("unmoved-all", leaves=len(still))]
    else:
        clauses = [clause("unmoved", leaves=len(cared), names=named(cared))]
    rates = [track.rate[~np.isnan(track.rate)] for track in cared]
    if all(len(rate) and not rate.any() for rate in rates):
        clauses.append(clause("because-rate"))
    elif not any(track.of.optimizer for track in cared):
        clauses.append(clause("because-nothing", leaves=len(cared)))
    yield remark(stretch, "unmoved", 0, *clauses, leaf=cared[0], certain=not moving)


def _largest_gradient(track: Track) -> float:
    return float(track.gradient.max(initial=0, where=~np.isnan(track.gradient)))


def never_moves(track: Track) -> bool:
    """Whether a leaf with gradients never changes over all steps of its place, as far as the last step tells."""
    updates, values = track.of.update_norm, track.of.value_norm
    norms = updates if np.isfinite(updates[-1]) else updates[:-1]
    return bool((norms == 0).all() and (values == values[0]).all() and (track.of.gradient_norm > 0).any())


def _is_parameter(stretch: Stretch, track: Track) -> bool:
    tensor = track.of.tensor
    return tensor >= 0 and bool(stretch.trace.tensors.is_parameter[tensor])


def _is_trained(stretch: Stretch, track: Track, moving: Sequence[Track]) -> bool:
    """Whether a leaf is meant to be trained.

    True if an optimizer holds it; if another parameter of its module moves (so it is neither frozen nor part of a
    model whose input is optimised); if nothing moves although there is an optimizer; or if its `.grad` is cleared, or
    an optimizer holds tensors beside it. An argument of `torch.autograd.grad` is an input.
    """
    if not np.isnan(track.rate).all():
        return True
    if track.of.optimizer:
        return False  # another backward's step updates it
    if _is_parameter(stretch, track):
        if not moving:
            return _is_cleared(track) and _has_optimizer(stretch.trace) and not _is_input(stretch, track)
        owner = track.of.name.rpartition(".")[0]
        return any(track.of.name.rpartition(".")[0] == owner for track in moving if _is_parameter(stretch, track))
    if not any(not _is_parameter(stretch, track) for track in moving) or _is_input(stretch, track):
        return False
    return _is_cleared(track) or any(track.of.optimizer for track in moving)


def _is_cleared(track: Track) -> bool:
    """Whether `.grad` was empty or 0 before every backward although the one before had left something."""
    arrived = (track.gradient[:-1] > 0) & ~np.isnan(track.before[1:])
    return bool(arrived.any() and not track.before[1:][arrived].any())


def _has_optimizer(trace: Trace) -> bool:
    """Whether an optimizer of the program cleared gradients."""
    operations = trace.operations
    marked = (at for at, name in enumerate(operations.name) if trace.strings[name].startswith("_record_function_enter"))
    return any("Optimizer.zero_grad" in str(trace.arguments(at).get(0, default="")) for at in marked)


def _is_input(stretch: Stretch, track: Track) -> bool:
    places = [place for place, step_place in enumerate(stretch.trace.steps.places) if step_place.kind == "grad"]
    every = (curves(stretch.trace, place) for place in places[:_PLACES])
    return any(leaf.leaf == track.index for of_place in every if of_place is not None for leaf in of_place.leaves)


RULES = (unmoved, rate_zero)
