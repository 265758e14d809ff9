"""Charts: mapping numbers to positions, round axis numbers, lines with gaps."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Place = tuple[float, float]  # in px from the left and from the top


@dataclass(frozen=True)
class Frame:
    """Mapping from part of the plane to a picture.

    Attributes:
        width, height: of the picture in px. left, top, right, bottom: margins around the plot.
        low, high: ends of the x axis. floor, roof: of the y axis.
    """

    width: float
    height: float
    low: float
    high: float
    floor: float
    roof: float
    left: float = 52
    top: float = 16
    right: float = 104
    bottom: float = 30

    @property
    def edge(self) -> float:
        """Right end of the plot, in px from the left."""
        return self.width - self.right

    @property
    def foot(self) -> float:
        """Lower end of the plot, in px from the top."""
        return self.height - self.bottom

    def x(self, at: float) -> float:
        """Return the position of an x, in px from the left."""
        return self.left + (at - self.low) / (self.high - self.low) * (self.edge - self.left)

    def y(self, at: float) -> float:
        """Return y in px from the top, clamped, NaN kept."""
        share = (at - self.floor) / (self.roof - self.floor)
        share = share if math.isnan(share) else min(3.0, max(-2.0, share))
        return self.top + (1 - share) * (self.foot - self.top)

    def places(self, x: Sequence[float] | np.ndarray, y: Sequence[float] | np.ndarray) -> list[Place]:
        """Return the positions of points."""
        return list(zip(map(self.x, np.asarray(x).tolist()), map(self.y, np.asarray(y).tolist()), strict=True))


def ticks(low: float, high: float, most: int) -> list[float]:
    """Return at most `most` + 1 round numbers.

    >>> ticks(-0.5, 2.5, 7)
    [-0.5, 0.0, 0.5, 1.0, 1.5, 2.0, 2.5]
    """
    if not high > low:
        return [low]
    rough = (high - low) / max(1, most)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(s * power for s in (1, 2, 5, 10) if s * power >= rough * (1 - 1e-9))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    digits = max(0, 2 - math.floor(math.log10(step)))
    return [round(i * step, digits) + 0.0 for i in range(first, last + 1)] if last - first < max(100, most + 2) else []


def line(places: Iterable[Place], name: str) -> str:
    """Draw a line through places. NaN interrupts it."""
    pieces: list[list[str]] = [[]]
    for x, y in places:
        if math.isnan(x + y):
            pieces.append([])
        else:
            pieces[-1].append(f"{x:.1f} {y:.1f}")
    drawn = "".join(f"M{'L'.join(piece)}{'h.1' * (len(piece) == 1)}" for piece in pieces if piece)
    return f'<path class="{name}" d="{drawn}"/>'


def runs(levels: Sequence[Any]) -> Iterable[tuple[Any, int, int]]:
    """Yield runs of equal levels: level, start and end (exclusive)."""
    start = 0
    for at in range(1, len(levels) + 1):
        if at == len(levels) or levels[at] != levels[start]:
            yield levels[start], start, at
            start = at
