"""What happened in a training: the lowest loss, the first loss that is no number, a learning rate that changed."""

from typing import Literal, NamedTuple

import numpy as np

from explorer.analysis.training.view import TrainingView

MOST_CHANGES = 8  # of a learning rate: one that changes more often follows a curve, and has no marks


class StepMark(NamedTuple):
    """One thing that happened. Attributes: at: index of the kept step; before, after: a rate's numbers, or the loss."""

    at: int
    kind: Literal["lowest", "bad", "rate"]
    before: float
    after: float


def step_marks(view: TrainingView) -> tuple[StepMark, ...]:
    """The marks in the order of the steps. A lowest loss is known only where every step was kept."""
    found: dict[int, StepMark] = {}
    loss = view.loss
    finite = np.isfinite(loss)
    if finite.any() and len(loss) > 1 and (np.diff(view.steps) == 1).all():
        lowest = int(np.where(finite, loss, np.inf).argmin())
        if (loss[finite] > loss[lowest]).any():
            found[lowest] = StepMark(lowest, "lowest", float(loss[lowest]), float(loss[lowest]))
    changed: dict[int, StepMark] = {}
    for rates in view.rates.values():
        there = np.flatnonzero(np.isfinite(rates))
        for last, at in zip(there.tolist(), there[1:].tolist(), strict=False):
            if rates[at] != rates[last]:
                changed.setdefault(at, StepMark(at, "rate", float(rates[last]), float(rates[at])))
    if len(changed) <= MOST_CHANGES:
        found |= changed
    if not finite.all():
        at = int((~finite).argmax())
        found[at] = StepMark(at, "bad", float(loss[at]), float(loss[at]))
    return tuple(found[at] for at in sorted(found))
