"""Charts: where numbers lie in a picture, round numbers along its axes, lines with gaps, and how plotly's figures look.

The script beside it, `plane.js`, places what moves in the same frame.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from explorer.drawing.marks import text
from explorer.text.numbers import number


@dataclass(frozen=True)
class Paints:
    """The tokens a plot needs.

    Attributes:
        ink, quiet, line, grid: text and first curve, labels, axes, grid.
        curves: of curves whose colour the program leaves open; the gradient's hues are not among them.
        named: for colours that the program names.
        scale: of matrices and heights, from low to high.
    """

    ink: str
    quiet: str
    line: str
    grid: str
    curves: tuple[str, ...]
    named: dict[str, str]
    scale: tuple[tuple[float, str], ...]


_LIGHT = Paints(
    ink="#1a212b",
    quiet="#545f6e",
    line="#7f8b9a",
    grid="#e8ecf0",
    curves=("#1a212b", "#6b3fa0", "#2c6e49", "#8a5a00", "#647080"),
    named={
        **{"blue": "#1f66ad", "green": "#2c6e49", "red": "#b42318", "cyan": "#0a7568", "magenta": "#b0179f"},
        **{"yellow": "#8a5a00", "black": "#1a212b", "white": "#ffffff", "orange": "#ab5509", "purple": "#6b3fa0"},
        **{"gray": "#647080", "grey": "#647080"},
    },
    scale=((0.0, "#f5f7f9"), (1.0, "#1a212b")),
)
_DARK = Paints(
    ink="#e9edf2",
    quiet="#a3aebb",
    line="#667282",
    grid="#222a34",
    curves=("#e9edf2", "#c4a1f5", "#8fd3ac", "#e7b75a", "#8a95a3"),
    named={
        **{"blue": "#7db6f0", "green": "#8fd3ac", "red": "#ff8a7a", "cyan": "#45c8b4", "magenta": "#f08be0"},
        **{"yellow": "#e7b75a", "black": "#e9edf2", "white": "#0e1217", "orange": "#f0a155", "purple": "#c4a1f5"},
        **{"gray": "#8a95a3", "grey": "#8a95a3"},
    },
    scale=((0.0, "#151a21"), (1.0, "#e9edf2")),
)


def paints(dark: bool) -> Paints:
    """The tokens of a theme."""
    return _DARK if dark else _LIGHT


Place = tuple[float, float]  # in px from the left and from the top
CODE_FONT, TEXT_FONT = "Source Code Pro, monospace", "Source Sans, sans-serif"


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

    def attributes(self) -> str:
        """Attributes that the browser needs to place things in it."""
        plane = ("low", "high", "floor", "roof", "left", "top", "right", "bottom", "width", "height")
        return " ".join(f'data-{name}="{getattr(self, name)!r}"' for name in plane)


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
    return [round(i * step, digits) + 0.0 for i in range(first, last + 1)] if last - first < 100 else []


def axes(frame: Frame, labelled: bool = True, rows: int = 8) -> list[str]:
    """Grid, the visible axes, and numbers along the edges."""
    columns = max(3, int((frame.edge - frame.left) / 90))
    across = [(at, number(at, digits=6) if labelled else "") for at in ticks(frame.low, frame.high, columns)]
    up = [(at, number(at, digits=6)) for at in ticks(frame.floor, frame.roof, rows)]
    return grid(frame, across, up)


def grid(
    frame: Frame, across: Iterable[tuple[float, str]], up: Iterable[tuple[float, str]], zero: float = 0.0
) -> list[str]:
    """Lines at these numbers with these names at the edges, darker ones at `zero`, and both axes."""
    parts = []
    for at, name in across:
        x = frame.x(at)
        parts.append(f'<path class="{"axis" if at == zero else "grid"}" d="M{x:.1f} {frame.top:g}V{frame.foot:g}"/>')
        parts.append(text(x, frame.foot + 19, name, "tick", "middle") if name else "")
    for at, name in up:
        y = frame.y(at)
        parts.append(f'<path class="{"axis" if at == zero else "grid"}" d="M{frame.left:g} {y:.1f}H{frame.edge:g}"/>')
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


def axis_look(colours: Paints, **more: Any) -> dict[str, Any]:
    """How an axis of plotly's looks."""
    font = {"family": CODE_FONT, "size": 12, "color": colours.quiet}
    look = {"gridcolor": colours.grid, "linecolor": colours.line, "zerolinecolor": colours.line, "zeroline": False}
    return {**look, "tickfont": font, "exponentformat": "power", **more}


def dress(figure: go.Figure, colours: Paints, height: int, **more: Any) -> go.Figure:
    """Give a figure of plotly's the look of all: no frame of its own, the app's fonts, quiet axes.

    Args:
        more: further parts of its layout.
    """
    layout: Mapping[str, Any] = {
        "margin": {"l": 52, "r": 12, "t": 12, "b": 42},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"family": TEXT_FONT, "size": 13, "color": colours.ink},
        "hoverlabel": {"font": {"family": CODE_FONT}},
        "showlegend": False,
        "dragmode": False,
        "template": "none",
    }
    figure.update_layout(height=height, **{**layout, **more})
    figure.update_xaxes(**axis_look(colours), title={"standoff": 4, "font": {"size": 13}})
    figure.update_yaxes(**axis_look(colours), title={"standoff": 4, "font": {"size": 13}})
    return figure
