"""The gradients of the parameters of two runs, side by side."""

import math
from dataclasses import dataclass

import numpy as np

from explorer.health.rows import GradientRow, parameter_rows
from explorer.trace import Trace, Value


@dataclass(frozen=True)
class GradientPair:
    """A parameter of two runs.

    Attributes:
        name: its path, or what the program calls it.
        left, right: its row of each run, None where that run has no such parameter.
        cosine: of the angle between both gradients, ⟨l, r⟩ / (‖l‖ ‖r‖); None where one of them is missing, 0 or not
            finite, or where the shapes differ.
        apart: the largest |l − r| of an entry; inf where only one of two entries is finite, None where none is at hand.
        sampled: whether both numbers are those of a sample.
    """

    name: str
    left: GradientRow | None
    right: GradientRow | None
    cosine: float | None
    apart: float | None
    sampled: bool

    @property
    def norms(self) -> tuple[float | None, float | None]:
        """‖l‖ and ‖r‖, None for none."""
        left, right = (one.gradient if one is not None else None for one in (self.left, self.right))
        return left.norm if left is not None else None, right.norm if right is not None else None

    @property
    def differs(self) -> bool:
        """Whether something arrived in one run alone, or some entry is not the same."""
        arrived = [one is not None and one.gradient is not None for one in (self.left, self.right)]
        return arrived[0] != arrived[1] or bool(self.apart)


def gradient_pairs(left: Trace, right: Trace) -> tuple[GradientPair, ...]:
    """Every parameter, and every other leaf with a name that asks for a gradient, of either run.

    The gradient of each is what the last backward brought that brought it one. Of one name the last leaf counts.
    """
    sides = [{row.name: row for row in parameter_rows(one) if row.name} for one in (left, right)]
    names = dict.fromkeys((*sides[0], *sides[1]))
    return tuple(_pair(name, sides[0].get(name), sides[1].get(name)) for name in names)


def _pair(name: str, left: GradientRow | None, right: GradientRow | None) -> GradientPair:
    mine, other = (one.gradient if one is not None else None for one in (left, right))
    if mine is None or other is None:
        return GradientPair(name, left, right, None, None, False)
    sampled = bool(mine.sample or other.sample)
    return GradientPair(name, left, right, *_between(mine, other), sampled)


def _between(left: Value, right: Value) -> tuple[float | None, float | None]:
    """The cosine and the largest difference of two gradients."""
    a, b = np.array(left.entries), np.array(right.entries)
    if left.shape != right.shape or a.shape != b.shape or not a.size:
        return None, None
    with np.errstate(all="ignore"):
        apart = np.where((a == b) | (np.isnan(a) & np.isnan(b)), 0.0, np.abs(a - b))
        most = float(np.where(np.isfinite(apart), apart, math.inf).max())
        sizes = [float(np.abs(one).max()) for one in (a, b)]
        if not all(map(math.isfinite, sizes)) or not all(sizes):
            return None, most
        a, b = a / sizes[0], b / sizes[1]  # squares of very small entries would be 0
        cosine = float(np.vdot(a, b).real / math.sqrt(np.vdot(a, a).real * np.vdot(b, b).real))
    return max(-1.0, min(1.0, cosine)), most
