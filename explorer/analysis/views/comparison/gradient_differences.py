"""The gradients of the parameters of two runs, side by side."""

import math
from dataclasses import dataclass
from itertools import product
from typing import Literal

import numpy as np

from explorer.analysis.explain.gradient_rows import GradientRow, parameter_rows
from explorer.analysis.views.comparison.gaps import farthest_apart, gap, tolerance
from explorer.trace import Trace, Value

_ALIKE = 100  # pairs of parameters with equal path and shape, above which a path identifies nothing
_HOLDERS = 4  # variables and modules around a model, as in trainer.model.net


@dataclass(frozen=True)
class GradientPair:
    """A parameter of two runs.

    Attributes:
        name: name in the first run, otherwise in the second.
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

    If the model's variable has another name, its parameters are paired by path: net.0.weight with model.0.weight. A
    gradient comes from the last backward that reached its leaf. If several leaves have one name, the last one counts.

    Args:
        rtol, atol: as in `compare`.
    """
    traces = left, right
    sides = [{row.name: row for row in parameter_rows(trace) if row.name} for trace in traces]
    renamed = _renamed(*sides)
    others = {other: name for name, other in renamed.items()}
    names = dict.fromkeys((*sides[0], *(name for name in sides[1] if name not in others)))
    return tuple(
        _pair(name, traces, (sides[0].get(name), sides[1].get(renamed.get(name, name))), rtol, atol) for name in names
    )


def _renamed(left: dict[str, GradientRow], right: dict[str, GradientRow]) -> dict[str, str]:
    """Map names of parameters to those in the other run, if another variable holds the same model.

    Two variables belong together if their models share the most parameters by path and shape. In a tie, the first of
    each run do.
    """
    sides = [
        {name: row for name, row in one.items() if name not in other} for one, other in ((left, right), (right, left))
    ]
    found: dict[str, str] = {}
    while True:
        ends = [_by_end(side) for side in sides]
        common: dict[tuple[str, str], dict[str, str]] = {}
        for end in filter(ends[1].__contains__, ends[0]):
            pairs = product(ends[0][end], ends[1][end]) if len(ends[0][end]) * len(ends[1][end]) <= _ALIKE else ()
            for (one, name), (other, other_name) in pairs:
                if _may_hold_the_same(one, other):
                    common.setdefault((one, other), {})[name] = other_name
        if not common:
            return found
        best = max(common.values(), key=len)
        found |= best
        sides = [
            {n: row for n, row in side.items() if n not in own}
            for side, own in zip(sides, (best, {*best.values()}), strict=True)
        ]


def _may_hold_the_same(one: str, other: str) -> bool:
    """Return whether two paths may lead to the same model: in two variables, or one inside the other.

    Two unrelated paths of one variable lead to different layers.
    """
    apart = one.partition(".")[0] != other.partition(".")[0]
    return apart or f"{one}.".startswith(f"{other}.") or f"{other}.".startswith(f"{one}.")


def _by_end(rows: dict[str, GradientRow]) -> dict[tuple[str, tuple[int, ...]], list[tuple[str, str]]]:
    """Map (end of a path, shape) to the paths that lead to it, each with the whole name."""
    found: dict[tuple[str, tuple[int, ...]], list[tuple[str, str]]] = {}
    for name, row in rows.items():
        for dot in [at for at, letter in enumerate(name) if letter == "."][:_HOLDERS]:
            found.setdefault((name[dot + 1 :], tuple(row.shape)), []).append((name[:dot], name))
    return found


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
            return None, most  # two scalars have no angle
        a, b = a / sizes[0], b / sizes[1]  # squares of very small entries would underflow to 0
        cosine = float(np.vdot(a, b).real / math.sqrt(np.vdot(a, a).real * np.vdot(b, b).real))
    return max(-1.0, min(1.0, cosine)), most
