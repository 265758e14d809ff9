"""Behaviour of f next to a point: limits of its quotients.

Judged only by values of f, because autograd returns a slope for every operation, even if f has none.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from explorer.analysis.run.rounding import EPS
from explorer.analysis.views.calculus.run_check import entries
from explorer.trace import Trace

Kind = Literal["slope", "vertical", "jump", "pole", "none", "restless", "unknown"]
Verdict = Literal[
    "smooth", "differs", "kink", "vertical", "jump", "pole", "hole", "end", "restless", "outside", "unknown"
]  # differs: f has a derivative, but autograd returns another number. end: f has values on one side only
_NEAREST = 13  # samples of a side, as near to the point as float64 resolves
_ROW = 5  # values in a row that must agree
_TAIL = 10  # nearest values considered for growth or gaps
_GROWS = 0.97  # ratio between steps; converging rows stay below it, even the tenth root of h


@dataclass(frozen=True)
class Side:
    """f on one side of a point.

    Attributes:
        kind: slope (the quotients converge), vertical (they grow without bound), restless (they oscillate), jump (f
            converges, but not to f(at)), pole (f grows without bound), none (f has no value there), unknown.
        slope: the limit of the quotients: a number, ±∞ if they grow, otherwise NaN.
        value: the limit of f itself, in the same way.
        error: how far the slope may be off.
    """

    kind: Kind
    slope: float
    value: float
    error: float = 0.0


@dataclass(frozen=True)
class Samples:
    """f at points approaching from one side, halving the distance each time.

    Attributes:
        step: x − at, signed. value, slope: f and autograd's f′ there.
        epsilon: of the shortest dtype in f's computation.
        nearest: autograd's f′ as near as float64 resolves, empty if not requested.
    """

    step: np.ndarray
    value: np.ndarray
    slope: np.ndarray
    epsilon: float
    nearest: np.ndarray


@dataclass(frozen=True)
class Beside:
    """f left and right of a point, and the conclusion about its derivative."""

    left: Side
    right: Side
    verdict: Verdict

    @property
    def differentiable(self) -> bool:
        """Return whether nothing contradicts a derivative, nor autograd's number for it."""
        return self.verdict in ("smooth", "unknown")


def beside(trace: Trace, at: float, value: float, slope: float, axis: int | None = None) -> Beside:
    """Judge both sides of a sampled point."""
    made = set(trace.tensors.dtype[: trace.bound("point_again") + 1])
    x, y, slopes = (entries(trace, name) for name in ("side_at", "side_value", "side_slope"))
    if axis is not None:
        x, y, slopes = x[axis], y[axis], slopes[axis]
    nearest = slopes[:, -_NEAREST:]
    x, y, slopes = (row[:, :-_NEAREST] for row in (x, y, slopes))
    epsilon = max((EPS.get(trace.strings[dtype], 0.0) for dtype in made), default=0.0) or EPS["float64"]
    disambiguate = max(_TAIL + _ROW, int((np.abs(x[0] - at) > 8 * epsilon * abs(at)).sum()))
    step, y, slopes = (row[:, :disambiguate] for row in (x - at, y, slopes))
    both = [Samples(step[i], y[i], slopes[i], epsilon, nearest[i]) for i in range(2)]
    left, right = (side(samples, at, value) for samples in both)
    return Beside(left, right, _verdict(left, right, both, value, slope))


def _verdict(left: Side, right: Side, samples: list[Samples], value: float, slope: float) -> Verdict:
    kinds, nearest = {left.kind, right.kind}, abs(samples[1].step[-1])
    if not np.isfinite(value):
        if "pole" in kinds:
            return "pole"
        close = abs(left.value - right.value) <= 1e-6 * max(abs(left.value), abs(right.value), nearest)
        return "hole" if close else "outside"
    if any(_is_unresolved(side, seen, slope) for side, seen in ((left, samples[0]), (right, samples[1]))):
        return "unknown"
    if kinds == {"slope"}:
        apart, error = abs(right.slope - left.slope), left.error + right.error
        size = max(abs(left.slope), abs(right.slope))
        if apart > 10 * error + 1e-6 * size:
            return "smooth" if _steep(samples, apart) else "kink"
        middle = (left.slope + right.slope) / 2
        off = abs(slope - middle)  # not a number; another note explains it
        return "differs" if off > 20 * error + apart + 1e-4 * max(abs(slope), size) else "smooth"
    if "jump" in kinds:
        gap = max(abs(side.value - value) for side in (left, right) if side.kind == "jump")
        return "unknown" if abs(slope) * nearest > 0.01 * gap else "jump"  # a steep slope, not a jump
    if "pole" in kinds:
        return "pole"
    if "none" in kinds:
        return "outside" if kinds == {"none"} else "end"
    if kinds == {"vertical"} and left.slope == right.slope:
        return "vertical"
    if kinds <= {"vertical", "slope"}:
        return "kink"
    return "restless" if "restless" in kinds else "unknown"


def side(samples: Samples, at: float, value: float) -> Side:
    """Judge f on one side. `value` is f(at), NaN or infinite if undefined."""
    near = samples.value[-_TAIL:]
    if not np.isfinite(near).any():
        return Side("none" if np.isnan(near).all() else "unknown", np.nan, np.nan)
    size = max((abs(height) for height in (value, *near) if np.isfinite(height)), default=0.0)
    with np.errstate(all="ignore"):
        noise = _noise(samples, at, size)
        widest = (samples.value[0], samples.slope[0] * samples.step[0], samples.slope[-1] * at)
        span = max(size, *(abs(float(height)) for height in widest if np.isfinite(height)), 0.0)
        reached = _find_limit(samples.value, noise, span)
        if reached is None:
            grows = _growth(samples.value)
            return Side("pole", np.nan, grows) if grows else Side("unknown", np.nan, np.nan)
        limit, error = reached
        if not np.isfinite(value):
            return Side("unknown", np.nan, _round(limit, error))
        quotient = (samples.value - value) / samples.step
        rough = noise / np.abs(samples.step)
        derivative = _find_limit(quotient, rough, span / abs(samples.step[0]))
        if derivative is not None:
            return Side("slope", _exact(*derivative, samples.slope[-1]), value, derivative[1])
        if abs(limit - value) > 10 * error + 1e-9 * size:
            return Side("jump", np.nan, _round(limit, error))
        if grows := _growth(quotient):
            return Side("vertical", grows, value)
        both = quotient[-_TAIL:], samples.slope[-_TAIL:]  # rounding makes quotients fluctuate, but not slopes
        clear = all(np.isfinite(row).all() and _oscillates(row) for row in both)
        return Side("restless" if clear else "unknown", np.nan, value)


def _is_unresolved(side: Side, samples: Samples, slope: float) -> bool:
    """Return whether f oscillates faster than the samples, as sin(1/x) does near 0.

    autograd's slopes oscillate between samples although the quotients seem to converge, or although the nearest slopes
    are steady and equal the slope at the point.
    """
    tail, near = samples.slope[-_TAIL:], samples.nearest[-_ROW:]
    if not np.isfinite(tail).all() or not _oscillates(tail):
        return False
    if side.kind == "slope":
        return True
    return bool(
        near.size and np.isfinite(slope) and np.abs(near - slope).max() <= 0.01 * max(abs(slope), *np.abs(near))
    )


def _steep(samples: list[Samples], between: float) -> bool:
    """Return whether a sampled corner is a smooth bend for autograd."""
    left, right = samples
    fine = np.array([*left.slope[-2:], *right.slope[-2:]])
    corner = np.abs(right.slope - left.slope).max()
    return bool(np.isfinite(fine).all() and np.ptp(fine) < 0.5 * between and corner > 0.5 * between)


def _noise(samples: Samples, at: float, size: float) -> np.ndarray:
    """Return each value's rounding error."""
    slopes = np.where(np.isfinite(samples.slope), samples.slope, 0.0)
    chords = np.diff(samples.step) * (slopes[1:] + slopes[:-1]) / 2
    rises = np.diff(samples.value)
    within = np.where(np.isfinite(rises), rises - chords, 0.0)[-_TAIL:]
    erratic = within.min() < 0 < within.max()  # a smooth curve stays on one side of its chords
    rough = np.fmin(np.abs(within), np.abs(rises[-_TAIL:])).max() if erratic else 0.0
    return 4 * samples.epsilon * (size + np.abs(slopes * at)) + rough


def _oscillates(row: np.ndarray) -> bool:
    turns = np.count_nonzero(np.diff(np.sign(np.diff(row))))
    return bool(turns > 2 and np.ptp(row) > 0.05 * np.abs(row).max())


def _find_limit(row: np.ndarray, noise: np.ndarray, usual: float) -> tuple[float, float] | None:
    """Find a row's limit and uncertainty, None if it does not converge.

    Considers the row and its Aitken Δ² extrapolation. Takes the last of the best-agreeing stretches that no later value
    leaves. `usual` is the typical size of such values.
    """
    first, second = np.diff(row)[:-1], np.diff(row)[1:]
    ratio = second / first
    ahead = np.where(
        second == 0, row[2:], np.where(np.abs(ratio) < _GROWS, row[2:] + second * ratio / (1 - ratio), np.nan)
    )
    limits = []
    for sequence, rough in ((row, noise), (ahead, 8 * noise[2:])):
        for limit, error, end in _stretches(sequence, rough):
            if (np.abs(sequence[end:] - limit) <= 10 * (error + rough[end:])).all():
                limits.append((limit, error, end))
    if not limits:
        return None
    best = min(error for _, error, _ in limits)
    limit, error, _ = max((settled for settled in limits if settled[1] <= 4 * best), key=lambda settled: settled[2])
    size = np.abs(row[:_ROW][np.isfinite(row[:_ROW])]).max(initial=0.0)
    return (limit, error) if error <= max(1e-3 * abs(limit), 1e-3 * size, 1e-6 * usual) else None


def _stretches(row: np.ndarray, noise: np.ndarray) -> list[tuple[float, float, int]]:
    """List overlapping short stretches: last value, spread, and end position."""
    return [
        (float(row[i - 1]), float(np.ptp(row[i - _ROW : i]) + noise[i - _ROW : i].max()), i)
        for i in range(_ROW, len(row) + 1)
        if np.isfinite(row[i - _ROW : i]).all()
    ]


def _growth(row: np.ndarray) -> float:
    """Return ±∞ if a row grows towards the point without slowing down, otherwise 0."""
    last = row[-_TAIL:]
    steps = np.diff(last)
    if not np.isfinite(last).all() or (np.sign(last) != np.sign(last[-1])).any():
        return 0.0
    grows = (np.sign(steps) == np.sign(last[-1])).all() and (steps[1:] / steps[:-1] >= _GROWS).all()
    return float(np.sign(last[-1]) * np.inf) if grows else 0.0


def _exact(limit: float, error: float, slope: float) -> float:
    """Return autograd's exact limit if it agrees, otherwise the rounded estimate."""
    return float(slope) if abs(slope - limit) <= 10 * error + 1e-6 * abs(limit) else _round(limit, error)


def _round(limit: float, error: float) -> float:
    if abs(limit) <= 10 * error or not np.isfinite(limit):
        return 0.0 if np.isfinite(limit) else limit
    digits = int(np.clip(np.log10(abs(limit) / max(error, 1e-12 * abs(limit))), 2, 9))
    return float(f"{limit:.{digits}g}")
