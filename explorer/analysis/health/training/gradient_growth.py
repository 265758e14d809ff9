"""Gradients that become non-finite, or that are clipped."""

from collections.abc import Iterator

import numpy as np

from explorer.analysis.health.training.remark import Remark, Values, clause, moment, remark
from explorer.analysis.health.training.stretches import Stretch
from explorer.analysis.health.training.updates import named
from explorer.text.numbers import number

_SAME = 1e-4  # relative difference of two norms that counts as equal
_ALIKE = 1e-3  # the same for factors and lengths over all steps
_SHARE = 0.5  # share of clipped steps, from which on that is reported


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


def clipped(stretch: Stretch) -> Iterator[Remark]:
    """Gradients are scaled down to one norm before the optimizer's step, in half of the steps or more."""
    arrived = np.stack([np.where(track.bad_gradient, np.nan, track.gradient) for track in stretch.tracks])
    used = np.stack([track.used for track in stretch.tracks])
    stepped = np.isfinite(used) & (arrived > 0)
    factors = np.where(stepped, used / arrived, np.nan)
    cut = factors < 1 - _SAME
    steps = np.flatnonzero(cut.any(0))
    count = int(stepped.any(0).sum())
    if len(steps) < 2 or len(steps) < _SHARE * count:
        return
    least, most = (np.where(cut, factors, rest)[:, steps] for rest in (np.inf, -np.inf))
    lengths = np.sqrt((np.where(cut, used, 0.0)[:, steps] ** 2).sum(0))
    if (most.max(0) - least.min(0) > _ALIKE * most.max(0)).any() or np.ptp(lengths) > _ALIKE * lengths.max():
        return
    kind, norm = "clipped-always" if len(steps) == count else "clipped", number(float(np.median(lengths)))
    largest = int(np.nanargmax(stretch.gradient))
    before: Values = {"norm": number(float(stretch.gradient[largest])), "step": moment(stretch, largest)}
    clauses = clause(kind, cut=len(steps), count=count, norm=norm), clause("clipped-largest", **before)
    yield remark(stretch, "clipped", int(steps[0]), *clauses)


RULES = (gradient_nonfinite, clipped)
