"""Targets far from 0 or widely spread, of which a model has learned no more than their mean."""

from collections.abc import Iterator

import numpy as np

from explorer.analysis.health.training.remark import Remark, clause, remark
from explorer.analysis.health.training.stretches import Stretch
from explorer.analysis.run import run_of
from explorer.text.numbers import number, visible

_STEPS = 20  # of a stretch, from which on it is judged
_NO_BETTER = 0.9  # of the variance
_WIDE, _FAR = 10.0, 3.0  # spread of the targets; their mean in units of the spread
_SAME = 1e-3  # relative difference of a loss and the mean square that it is taken for
_COMPARED = ("mse_loss", "sub", "rsub", "__sub__", "__rsub__")


def targets_scale(stretch: Stretch) -> Iterator[Remark]:
    """A mean squared error that ends at the variance of its targets, whose scale is far from 1."""
    if len(stretch) < _STEPS or not stretch.trains or not stretch.kept or not np.isfinite(stretch.loss).all():
        return
    found = _targets(stretch)
    if found is None:
        return
    name, entries = found
    mean, spread, last = float(entries.mean()), float(entries.std()), float(stretch.loss[-1])
    if spread == 0 or (spread < _WIDE and abs(mean) < _FAR * spread) or last < _NO_BETTER * spread**2:
        return
    sizes = {"loss": last, "variance": spread**2, "mean": mean, "spread": spread}
    said = clause("targets-scale", name=name, **{key: number(size) for key, size in sizes.items()})
    yield remark(stretch, "targets-scale", len(stretch) - 1, said)


def _targets(stretch: Stretch) -> tuple[str, np.ndarray] | None:
    """Name and entries of the targets, where the loss is known to be the mean square of what differs from them."""
    trace, step = stretch.trace, stretch.kept[-1]
    run = run_of(trace)
    end = trace.backwards[stretch.backward(step)].operations
    begin = max((trace.backwards[stretch.backward(other)].operations for other in stretch.kept[:-1]), default=0)
    for operation in range(end - 1, begin - 1, -1):
        pair = run.operations.inputs[operation][:2]
        if run.names[operation] not in _COMPARED or len(pair) < 2:
            continue
        told, target = pair if trace.tensors.requires_grad[pair[0]] else pair[::-1]
        name = run.tensor(target).name
        if trace.tensors.requires_grad[target] or not name.isidentifier() or run.shape(told) != run.shape(target):
            continue
        said, entries = run.before(told, operation), run.before(target, operation)
        if said is None or entries is None or said.size != entries.size or entries.dtype.kind not in "fiu":
            continue
        square = float(np.mean((said.astype(float).ravel() - entries.astype(float).ravel()) ** 2))
        if abs(square - stretch.loss[step]) <= _SAME * abs(square):
            return visible(name), entries.astype(float)
    return None


RULES = (targets_scale,)
