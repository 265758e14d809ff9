"""Arrange a training as rows of numbers with remarks.

Arrays cover the kept steps of one place that calls backward. If a step has no number for a parameter, for example no
gradient, the array has NaN and `there` is False. The program's own NaN and infinities stay.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from explorer.analysis.run.curves import SMALL, last_run

Measure = Literal["gradient", "value", "update", "ratio", "zeros", "units"]
MEASURES: tuple[Measure, ...] = ("gradient", "value", "update", "ratio", "zeros", "units")
SHARES: tuple[Measure, ...] = ("zeros", "units")  # from 0 to 1
# measures of a large leaf at detail "light" that come from samples
OF_SAMPLES: tuple[Measure, ...] = ("update", "ratio", "zeros")
Kind = Literal["nan", "infinite", "none", "dead", "frozen", "rounding", "vanishing", "exploding"]

LEVELS = 24  # colours of a strip
BELOW, ABOVE = 6, 3  # decades below and above the median that have colours
LEAST = 1.0  # fewest decades of a scale
GROWN = 1e4  # a gradient norm has exploded if it exceeds this multiple of its first quarter's median
FEW = 3  # consecutive steps that are significant
MISSING, BAD, ZERO = -3, -2, -1  # used instead of a level: no number, NaN or infinity, exactly zero


@dataclass(frozen=True)
class Numbers:
    """One measure of one parameter over the steps.

    Attributes:
        of: (steps,) float64. there: (steps,) bool.
        sampled: whether the numbers come from a sample of its entries.
    """

    of: np.ndarray
    there: np.ndarray
    sampled: bool = False

    @property
    def bad(self) -> np.ndarray:
        """Return whether it is NaN or infinite: (steps,) bool."""
        return self.there & ~np.isfinite(self.of)


@dataclass(frozen=True)
class RowRemark:
    """A remark about a parameter's row. Attributes: kind. step: index of the kept step where it begins.

    amount: growth of the norm, for "exploding".
    """

    kind: Kind
    step: int
    amount: float = 0.0


@dataclass(frozen=True)
class StripScale:
    """Maps numbers to colours, the same for all rows of a measure.

    Attributes:
        low, high: numbers of the palest and the strongest colour.
        logarithmic: whether equal steps of colour are equal factors.
    """

    low: float
    high: float
    logarithmic: bool = True

    def share(self, sizes: np.ndarray | float) -> np.ndarray:
        """Return each size's colour strength, from 0 to 1."""
        with np.errstate(divide="ignore", invalid="ignore"):
            if self.logarithmic:
                share = np.log(sizes / self.low) / max(1e-12, np.log(self.high / self.low))
            else:
                share = (sizes - self.low) / max(1e-300, self.high - self.low)
        return np.clip(np.nan_to_num(share), 0, 1)

    def seen(self, sizes: np.ndarray) -> tuple[float, float]:
        """Return the colour range of these sizes, always 0 and 1 for shares."""
        if not self.logarithmic or not len(sizes):
            return self.low, self.high
        low, high = np.clip((sizes.min(), sizes.max()), self.low, self.high)
        return float(low), float(high)

    def levels(self, numbers: Numbers, columns: int) -> np.ndarray:
        """Return each column's colour, from 0 to LEVELS − 1, or MISSING, BAD, ZERO.

        With more steps than columns, a column shows its largest number, so that no outburst is lost. A non-finite
        number makes it BAD.
        """
        starts = np.unique(np.arange(columns) * len(numbers.of) // max(1, columns))
        if not len(numbers.of):
            return np.zeros(0, dtype=int)
        usable = numbers.there & np.isfinite(numbers.of)
        sizes = np.where(usable, np.abs(numbers.of), -1.0)
        largest = np.maximum.reduceat(sizes, starts)
        bad = np.logical_or.reduceat(numbers.bad, starts)
        level = ((LEVELS - 1) * self.share(largest)).round().astype(int)
        level = np.where(largest == 0, ZERO, np.where(largest < 0, MISSING, level))
        return np.where(bad, BAD, level)


def scale_of(rows: Sequence[Numbers], measure: Measure) -> StripScale:
    """Return a measure's scale around the median."""
    if measure in SHARES:
        return StripScale(0.0, 1.0, logarithmic=False)
    sizes = sizes_of(rows)
    if not len(sizes):
        return StripScale(0.1, 1.0)
    decades = np.log10(sizes)
    middle = float(np.median(decades))
    low = max(float(decades.min()), middle - BELOW)
    high = min(float(decades.max()), middle + ABOVE)
    if high - low < LEAST:
        low, high = (high + low - LEAST) / 2, (high + low + LEAST) / 2
    return StripScale(10.0**low, 10.0**high)


def sizes_of(rows: Sequence[Numbers]) -> np.ndarray:
    """Return the sizes of all finite nonzero numbers."""
    return np.concatenate(
        [np.zeros(0), *(np.abs(row.of[row.there & np.isfinite(row.of) & (row.of != 0)]) for row in rows)]
    )


def remark(measures: Mapping[Measure, Numbers], moved: bool, vanishes: bool = False) -> RowRemark | None:
    """Return the most important remark about a parameter, or None.

    Args:
        moved: whether its value moves after any step of this place, or may.
        vanishes: whether its gradient is 0 in exact arithmetic.
    """
    gradient, value = measures["gradient"], measures["value"]
    bad = np.flatnonzero(gradient.bad | value.bad)
    if len(bad):
        begins = int(bad[0])
        nan = any(np.isnan(numbers.of[begins]) and numbers.there[begins] for numbers in (gradient, value))
        return RowRemark("nan" if nan else "infinite", begins)
    there = np.flatnonzero(gradient.there)
    if len(gradient.of) >= FEW and not len(there):
        return RowRemark("none", 0)
    if vanishes:
        return RowRemark("rounding", 0)
    norms = gradient.of[there]
    if (since := _since(norms == 0)) is not None:
        return RowRemark("dead", int(there[since]))
    if (since := _since(norms < SMALL)) is not None:
        return RowRemark("vanishing", int(there[since]))
    moved = moved or len(np.unique(value.of[value.there])) > 1  # for example by another optimizer
    if not moved and len(gradient.of) >= FEW:
        return RowRemark("frozen", 0)
    first = norms[: max(1, len(norms) // 4)]
    begun = float(np.median(first)) if len(first) else 0.0
    if len(norms) >= FEW and begun > 0 and norms[-1] >= GROWN * begun:
        past = np.flatnonzero(norms >= GROWN * begun)
        return RowRemark("exploding", int(there[past[0]]), float(norms[-1] / begun))
    return None


def _since(holds: np.ndarray) -> int | None:
    """Return from which index a condition holds to the end."""
    since = last_run(holds)
    return since if len(holds) - since >= FEW else None
