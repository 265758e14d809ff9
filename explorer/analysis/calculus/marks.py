"""Marks on a curve, found in the small intervals that the program has narrowed down."""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from explorer.analysis.calculus.run_check import entries
from explorer.trace import Trace

Kind = Literal["jump", "pole", "hole", "end", "kink", "low", "high", "level"]
_JUMPS, _TURNS, _ZEROS, _EDGES = range(4)  # what the program searched for


@dataclass(frozen=True)
class CurveMark:
    """A special place of a curve.

    Attributes:
        kind: jump, pole, hole (one point missing), end (of the domain), kink; where the slope is 0: low, high, level.
        x: where.
        left, right: f just beside it (1e-6 of the largest h), NaN if it has no value.
        left_slope, right_slope: f′ there; infinite if it grows without bound.
    """

    kind: Kind
    x: float
    left: float
    right: float
    left_slope: float
    right_slope: float


def marks_of(trace: Trace, x: np.ndarray, y: np.ndarray, slopes: np.ndarray, wide: float) -> tuple[CurveMark, ...]:
    """The marks of a run, from left to right, each place once; (x, y, slopes) is its grid."""
    ends = entries(trace, "mark_ends")
    if ends is None:
        return ()
    kinds, intervals = entries(trace, "mark_kind").astype(int), entries(trace, "mark_in").astype(int)
    values, sides = entries(trace, "mark_y"), entries(trace, "mark_slope")
    rise, turn = spread(y), spread(slopes)
    half = len(ends) // 2
    with np.errstate(invalid="ignore"):
        bends, turns = np.abs(sides[half:] - sides[:half]), np.abs(np.diff(slopes))
    smooth = (kinds == _TURNS) & ~(bends > 0.5 * turns[intervals])  # a bend that shrinks is no kink
    found: list[CurveMark] = []
    for looked in range(4):
        rows = np.flatnonzero((kinds == looked) & ~smooth)
        near = _joined(rows, ends, values, sides, wide)
        found += [named for mark in near if (named := _named(mark, looked, rise, turn, wide)) is not None]
    cuts = [mark.x for mark in found if mark.kind in ("jump", "pole", "hole", "end")]
    found = [m for m in found if m.kind in ("jump", "pole", "hole", "end") or not _near(m.x, cuts, wide)]
    kinks = [mark.x for mark in found if mark.kind == "kink"]
    found = [m for m in found if m.kind not in ("low", "high", "level") or not _near(m.x, kinks, wide)]
    once: list[CurveMark] = []
    for mark in sorted(found, key=lambda mark: mark.x):
        if not once or mark.x - once[-1].x > 1e-5 * wide or mark.kind != once[-1].kind:
            once.append(mark)
    return tuple(once)


def _joined(rows: np.ndarray, ends: np.ndarray, values: np.ndarray, sides: np.ndarray, wide: float) -> list[CurveMark]:
    """The intervals of one kind; adjacent ones are merged."""
    half = len(ends) // 2
    found: list[CurveMark] = []
    for i in sorted(rows.tolist(), key=lambda i: ends[i]):
        left, right = i, i + half
        x = float(ends[left] + ends[right]) / 2
        mark = CurveMark("level", x, *(float(v) for v in (values[left], values[right], sides[left], sides[right])))
        if found and x - found[-1].x <= 1e-5 * wide:
            before = found[-1]
            x = (before.x + x) / 2
            found[-1] = replace(before, x=x, right=mark.right, right_slope=mark.right_slope)
        else:
            found.append(mark)
    digits = 5 - int(np.floor(np.log10(wide)))  # the place is known to a hair; 1e-12 is read as 0
    return [replace(mark, x=round(mark.x, digits) + 0.0) for mark in found]


def _named(mark: CurveMark, looked: int, rise: float, turn: float, wide: float) -> CurveMark | None:
    values = np.array([mark.left, mark.right])
    sides = np.abs([mark.left_slope, mark.right_slope])
    finite = np.isfinite(values)
    step = abs(mark.right - mark.left)
    runs_away = bool((sides[finite] * wide > 1e4 * max(rise, 1e-9)).any())
    if looked == _EDGES or (looked == _JUMPS and not finite.all()):
        if not finite.any():
            return None
        if finite.all():
            if runs_away:
                return replace(mark, kind="pole") if np.abs(values).max() > 2 * rise else None  # it swings, as sin(1/x)
            return replace(mark, kind="hole" if step < 1e-3 * max(rise, 1e-9) else "jump")
        return replace(mark, kind="end")
    high = finite.all() and np.abs(values).max() > 50 * max(rise, 1e-9)
    if high and runs_away and sides.max() * 1e-6 * wide > 0.2 * np.abs(values).max():  # 1/x is as steep as it is high
        return replace(mark, kind="pole")
    if looked == _JUMPS:
        jumps = step > 1e-3 * max(rise, 1e-9) and sides.max() * 2e-6 * wide < 0.05 * step
        return replace(_reached(mark, wide), kind="jump") if jumps else None
    if not finite.all() or not np.isfinite(sides).all():
        return None
    bend = abs(mark.right_slope - mark.left_slope)
    if looked == _TURNS:
        sharp = bend > 0.01 * max(turn, sides.max() * 0.1, 1e-9) and step < 0.02 * max(rise, 1e-9)
        return _cusped(replace(_reached(mark, wide), kind="kink"), rise / wide) if sharp else None
    if sides.max() > 1e-3 * max(turn, 1e-12) or bend == 0:
        return None
    if mark.left_slope > 0 > mark.right_slope:
        return replace(mark, kind="high")
    return replace(mark, kind="low" if mark.left_slope < 0 < mark.right_slope else "level")


def _reached(mark: CurveMark, wide: float) -> CurveMark:
    """The mark with the limits of f on both sides, extrapolated along the slopes."""
    hair = 1e-6 * wide
    sides = (mark.left + hair * mark.left_slope, mark.right - hair * mark.right_slope)
    left, right = (round(side, 7 - int(np.floor(np.log10(abs(side) + wide)))) + 0.0 for side in sides)
    return replace(mark, left=left, right=right)


def _cusped(mark: CurveMark, usual: float) -> CurveMark:
    """The mark with an infinite slope in place of an extremely large one."""
    sides = (mark.left_slope, mark.right_slope)
    left, right = (float(np.sign(s)) * float("inf") if abs(s) > 100 * usual > 0 else s for s in sides)
    return replace(mark, left_slope=left, right_slope=right)


def _near(x: float, others: list[float], wide: float) -> bool:
    return any(abs(x - other) <= 1e-4 * wide for other in others)


def spread(numbers: np.ndarray) -> float:
    """The spread of the finite numbers: from the tenth to the ninetieth percentile."""
    finite = numbers[np.isfinite(numbers)]
    return float(np.subtract(*np.quantile(finite, [0.9, 0.1]))) if finite.size else 0.0
