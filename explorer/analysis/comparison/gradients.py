"""The gradients of the parameters of two runs, side by side."""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from explorer.analysis.comparison.gaps import farthest_apart, gap, tolerance
from explorer.analysis.health.rows import GradientRow, parameter_rows
from explorer.trace import Trace, Value


@dataclass(frozen=True)
class GradientPair:
    """A parameter of two runs.

    Attributes:
        left, right: row in each run, or None.
        cosine: cosine between both gradients, ⟨l, r⟩ / (‖l‖ ‖r‖). None if one is missing, 0, not finite or a
            single number, if the shapes differ, or if both are 0 in exact arithmetic.
        apart: largest |l − r|, inf if only one entry is finite, None if unknown.
        sampled: whether both numbers come from a sample.
        stored: final `.grad` of each run, or None.
        differs: whether only one run has a gradient, or some entry exceeds the tolerance.
        stored_differs: the same for the final `.grad`.
    """

    name: str
    left: GradientRow | None
    right: GradientRow | None
    cosine: float | None
    apart: float | None
    sampled: bool
    stored: tuple[Value | None, Value | None] = (None, None)
    differs: bool = False
    stored_differs: bool = False

    @property
    def arrives_once(self) -> Literal[1, 2] | None:
        """The only run with a gradient, if both have the parameter, or None."""
        left, right = self.left, self.right
        if left is None or right is None or (left.gradient is None) == (right.gradient is None):
            return None
        return 2 if left.gradient is None else 1

    @property
    def only_stored_differs(self) -> bool:
        """Return whether `.grad` differs although the last gradients agree, for example after another backward."""
        return self.stored_differs and not self.differs

    @property
    def norms(self) -> tuple[float | None, float | None]:
        """‖l‖ and ‖r‖, or None."""
        left, right = (row.gradient if row is not None else None for row in (self.left, self.right))
        return left.norm if left is not None else None, right.norm if right is not None else None


def gradient_pairs(
    left: Trace, right: Trace, rtol: float | None = None, atol: float | None = None
) -> tuple[GradientPair, ...]:
    """Pair both runs' parameters and other named leaves that require grad.

    Each gradient is of the last backward that reached the leaf. The last of leaves with equal names counts.

    Args:
        rtol, atol: as in `compare`.
    """
    traces = left, right
    sides = [{row.name: row for row in parameter_rows(trace) if row.name} for trace in traces]
    names = dict.fromkeys((*sides[0], *sides[1]))
    return tuple(_pair(name, traces, (sides[0].get(name), sides[1].get(name)), rtol, atol) for name in names)


def _pair(
    name: str,
    traces: tuple[Trace, Trace],
    rows: tuple[GradientRow | None, GradientRow | None],
    rtol: float | None,
    atol: float | None,
) -> GradientPair:
    mine, other = (row.gradient if row is not None else None for row in rows)
    grads = [trace.tensors.grad[row.tensor] if row is not None else -1 for trace, row in zip(traces, rows, strict=True)]
    noise = all(row is not None and row.is_exact_zero for row in rows)
    between = mine is not None and other is not None and not noise
    cosine, apart = _between(mine, other) if between else (None, None)  # type: ignore[arg-type]
    present = rows[0] is not None and rows[1] is not None
    return GradientPair(
        name,
        *rows,
        cosine,
        apart,
        sampled=any(value is not None and bool(value.sample) for value in (mine, other)) and apart is not None,
        stored=(traces[0].value(grads[0]), traces[1].value(grads[1])),
        differs=not noise and ((mine is None) != (other is None) or _differs(mine, other, rtol, atol)),
        stored_differs=present
        and not noise
        and ((grads[0] < 0) != (grads[1] < 0) or gap(traces, (grads[0], grads[1]), rtol, atol) is not None),
    )


def _differs(left: Value | None, right: Value | None, rtol: float | None, atol: float | None) -> bool:
    """Return whether any entry of two gradients exceeds the tolerance."""
    if left is None or right is None:
        return False
    if left.shape != right.shape:
        return True
    a, b = np.array(left.entries), np.array(right.entries)
    within = tolerance(left.dtype, right.dtype, rtol, atol)
    return a.shape == b.shape and farthest_apart(a, b, within) is not None


def _between(left: Value, right: Value) -> tuple[float | None, float | None]:
    """Return cosine and largest difference of two gradients."""
    a, b = np.array(left.entries), np.array(right.entries)
    if left.shape != right.shape or a.shape != b.shape or not a.size:
        return None, None
    with np.errstate(all="ignore"):
        apart = np.where((a == b) | (np.isnan(a) & np.isnan(b)), 0.0, np.abs(a - b))
        most = float(np.where(np.isfinite(apart), apart, math.inf).max())
        sizes = [float(np.abs(gradient).max()) for gradient in (a, b)]
        if a.size == 1 or not all(map(math.isfinite, sizes)) or not all(sizes):
            return None, most  # between two numbers there is no angle
        a, b = a / sizes[0], b / sizes[1]  # squares of very small entries would underflow to 0
        cosine = float(np.vdot(a, b).real / math.sqrt(np.vdot(a, a).real * np.vdot(b, b).real))
    return max(-1.0, min(1.0, cosine)), most
