"""Which part of a broadcast's result is shown: the last two axes around the chosen entry, and sliders for the rest."""

import math
from dataclasses import dataclass
from itertools import product

from explorer.analysis.broadcasting.alignment import Shape
from explorer.drawing.broadcasting.alignment import dim_text
from explorer.drawing.marks import quoted
from explorer.text import say

MOST = 8  # rows of a grid
WIDE = 18  # columns of all grids that stand side by side, and 3 of each at least


@dataclass(frozen=True)
class ResultWindow:
    """What is shown of a result.

    Attributes:
        shape: of the result; at: the entry that is chosen.
        lead: the fixed index along the axes before the last two.
        rows, columns: of the last two axes (one row for a vector, one cell for a scalar).
        steps: per axis how many of its indices are shown at once, where not all are; otherwise 0.
    """

    shape: Shape
    at: Shape
    lead: Shape
    rows: range
    columns: range
    steps: Shape

    def index(self, row: int, column: int) -> Shape:
        """The entry of the result in one cell."""
        return (*self.lead, row, column)[-len(self.shape) :] if self.shape else ()

    @property
    def entries(self) -> tuple[Shape, ...]:
        """All of them, row by row."""
        return tuple(self.index(row, column) for row, column in product(self.rows, self.columns))

    @property
    def slice_text(self) -> str:
        """Which slice it is, for more than two axes: [3, 2, :, :]."""
        return f"[{', '.join(map(str, self.lead))}, :, :]" if self.lead else ""


def window_of(shape: Shape, at: Shape | None, operands: int = 2) -> ResultWindow:
    """The part of a result around an entry; without one, or with one that does not exist, its beginning.

    >>> window_of((3, 20), (2, 11)).columns
    range(6, 12)
    """
    if at is None or len(at) != len(shape) or any(not 0 <= i < size for i, size in zip(at, shape, strict=True)):
        at = (0,) * len(shape)
    wide = max(3, WIDE // (operands + 1))
    rows, columns = _page(at, shape, -2, MOST), _page(at, shape, -1, wide)
    most = {-1: wide, -2: MOST}
    steps = tuple(most.get(axis - len(shape), 1) for axis in range(len(shape)))
    steps = tuple(step if size > step else 0 for step, size in zip(steps, shape, strict=True))
    return ResultWindow(shape, at, at[:-2], rows, columns, steps)


def sliders_html(window: ResultWindow, lang: str) -> str:
    """A slider for every axis of which the grids show a part, and how much that is; "" when they show all."""
    if not window.entries or not any(window.steps):
        return ""
    out = [_slider(window, axis, step, lang) for axis, step in enumerate(window.steps) if step]
    told = say(lang, "bc-part", shown=len(window.entries), count=math.prod(window.shape))
    return f'<div class="bc-axes"><p>{quoted(told)}</p>{"".join(out)}</div>'


def _slider(window: ResultWindow, axis: int, step: int, lang: str) -> str:
    size, start = window.shape[axis], window.at[axis] // step * step
    shown = str(start) if step == 1 else f"{start}–{min(size, start + step) - 1}"
    label = quoted(say(lang, "bc-axis", dim=dim_text(axis - len(window.shape))))
    return (
        f'<label>{label} <input type="range" min="0" max="{(size - 1) // step * step}" step="{step}" '
        f'value="{start}" data-axis="{axis}" aria-valuetext="{shown}"><output>{shown}</output> / {size}</label>'
    )


def _page(at: Shape, shape: Shape, axis: int, most: int) -> range:
    if len(shape) < -axis:
        return range(1)
    start = at[axis] // most * most
    return range(start, min(shape[axis], start + most))
