"""Charts: where numbers lie in a picture, round numbers along its axes, and lines with gaps."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from explorer.drawing.marks import text
from explorer.text.numbers import number

Place = tuple[float, float]  # in px from the left and from the top


@dataclass(frozen=True)
class Frame:
    """Maps a part of the plane to a picture.

    Attributes:
        width, height: of the picture in px; left, top, right, bottom: what is kept free around the plot.
        low, high: ends of the x axis; floor, roof: of the y axis.
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
        """The right end of the plot, in px from the left."""
        return self.width - self.right

    @property
    def foot(self) -> float:
        """The lower end of the plot, in px from the top."""
        return self.height - self.bottom

    def x(self, at: float) -> float:
        """The position of an x, in px from the left."""
        return self.left + (at - self.low) / (self.high - self.low) * (self.edge - self.left)

    def y(self, at: float) -> float:
        """The position of a y, in px from the top; far outside values are clamped just outside, NaN stays NaN."""
        share = (at - self.floor) / (self.roof - self.floor)
        share = share if math.isnan(share) else min(3.0, max(-2.0, share))
        return self.top + (1 - share) * (self.foot - self.top)

    def places(self, x: Sequence[float] | np.ndarray, y: Sequence[float] | np.ndarray) -> list[Place]:
        """The positions of points."""
        return list(zip(map(self.x, np.asarray(x).tolist()), map(self.y, np.asarray(y).tolist()), strict=True))

    @property
    def inside(self) -> str:
        """The plot's own rectangle as SVG attributes."""
        wide, tall = self.edge - self.left, self.foot - self.top
        return f'x="{self.left:g}" y="{self.top:g}" width="{wide:g}" height="{tall:g}"'


def clip(name: str, frame: Frame) -> str:
    """The plot's own rectangle as a clip path."""
    return f'<clipPath id="{name}"><rect {frame.inside}/></clipPath>'


def ticks(low: float, high: float, most: int) -> list[float]:
    """At most one more than so many round numbers between two ends: steps of 1, 2 or 5 times a power of ten.

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


def axes(frame: Frame, labelled: bool = True, rows: int = 8) -> list[str]:
    """Grid, the visible axes, and numbers along the edges."""
    columns = max(3, int((frame.edge - frame.left) / 90))
    across = [(at, number(at, digits=6) if labelled else "") for at in ticks(frame.low, frame.high, columns)]
    up = [(at, number(at, digits=6)) for at in ticks(frame.floor, frame.roof, rows)]
    return grid(frame, across, up)


def grid(frame: Frame, across: Iterable[tuple[float, str]], up: Iterable[tuple[float, str]]) -> list[str]:
    """Lines at these numbers with these names at the edges, darker ones at 0, and both axes."""
    parts = []
    for at, name in across:
        x = frame.x(at)
        parts.append(f'<path class="{"axis" if at == 0 else "grid"}" d="M{x:.1f} {frame.top:g}V{frame.foot:g}"/>')
        parts.append(text(x, frame.foot + 19, name, "tick", "middle") if name else "")
    for at, name in up:
        y = frame.y(at)
        parts.append(f'<path class="{"axis" if at == 0 else "grid"}" d="M{frame.left:g} {y:.1f}H{frame.edge:g}"/>')
        parts.append(text(frame.left - 9, y + 4, name, "tick", "end"))
    parts.append(f'<path class="axis" d="M{frame.left:g} {frame.top:g}V{frame.foot:g}H{frame.edge:g}"/>')
    return parts


def line(places: Iterable[Place], name: str) -> str:
    """A line of a class through places; NaN interrupts it, and a single place is a short line."""
    pieces: list[list[str]] = [[]]
    for x, y in places:
        if math.isnan(x + y):
            pieces.append([])
        else:
            pieces[-1].append(f"{x:.1f} {y:.1f}")
    drawn = "".join(f"M{'L'.join(piece)}{'h.1' * (len(piece) == 1)}" for piece in pieces if piece)
    return f'<path class="{name}" d="{drawn}"/>'


def runs(levels: Sequence[Any]) -> Iterable[tuple[Any, int, int]]:
    """Each run of equal levels: the level, its first place and the one after its last."""
    start = 0
    for at in range(1, len(levels) + 1):
        if at == len(levels) or levels[at] != levels[start]:
            yield levels[start], start, at
            start = at
