"""A watched training: losses, and gradient norms by layer."""

from dataclasses import dataclass

import numpy as np

from explorer.trace.growing_steps import ReadSteps
from explorer.trace.step_statistics import numbers


@dataclass(frozen=True, eq=False)
class WatchedTraining:
    """The shown steps of a training.

    Attributes:
        layers: paths of modules that have parameters.
        steps: their numbers. loss: NaN without one.
        norms: of each layer's gradient, (steps, layers). NaN: not measured, or there is none. inf: not finite.
    """

    layers: tuple[str, ...]
    steps: np.ndarray
    loss: np.ndarray
    norms: np.ndarray


def watched_training(read: ReadSteps) -> WatchedTraining:
    """Return the losses and layers of the steps that were read."""
    assert read.header is not None
    names = read.header.names
    owners = names if read.header.modules else [name.rpartition(".")[0] or name for name in names]
    layers = tuple(dict.fromkeys(owners))
    of = np.array([layers.index(owner) for owner in owners], int)
    rows = [numbers(row, len(names)).get("gradient_norm", np.full(len(names), -1.0)) for row in read.rows]
    return WatchedTraining(
        layers,
        np.array([row.step for row in read.rows], int),
        np.array([np.nan if row.loss is None else row.loss for row in read.rows], float),
        _by_layer(np.array(rows, float).reshape(len(rows), len(names)), of, len(layers)),
    )


def _by_layer(norms: np.ndarray, of: np.ndarray, count: int) -> np.ndarray:
    """Return the norm of each layer from those of its parameters, -1 for none."""
    member = (of[:, None] == np.arange(count)).astype(float)
    there, bad = norms != -1, ~np.isfinite(norms)
    squares = np.where(there & ~bad, norms, 0.0) ** 2
    found = np.sqrt(squares @ member)
    found[there.astype(float) @ member == 0] = np.nan
    found[bad.astype(float) @ member > 0] = np.inf
    return found
