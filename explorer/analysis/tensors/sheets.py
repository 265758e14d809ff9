"""Entries of any rank on paper: the last two axes as a grid, the axes before them as facets, large ones thinned out."""

import math
from dataclasses import dataclass

import numpy as np

from explorer.trace import Number, Value, sample_shape, sample_steps

ROWS, COLUMNS = 24, 24  # of one facet; more are thinned out evenly
FACETS = 12  # drawn side by side; with more the reader chooses one
WRAP = 12  # entries of a vector in a row, when it is longer than COLUMNS
BINS = 24  # of a histogram
PICKED = 4096  # entries that a histogram counts at most


@dataclass(frozen=True)
class Facet:
    """One grid. Attributes: index: its place on the axes before the last two; entries: rows of numbers."""

    index: tuple[int, ...]
    entries: tuple[tuple[Number, ...], ...]


@dataclass(frozen=True)
class Sheet:
    """A tensor as grids.

    Attributes:
        shape: of the tensor.
        rows, columns: the indices that are shown along the last two axes; of a vector there are no rows, or the first
            index of each of its lines when it is wrapped.
        facets: the grids, all of the same rows and columns.
        chosen: the place on the leading axes that is shown alone, () when all are.
        whole: whether every entry of the shown facets is there; otherwise every n-th row and column.
        known: whether entries could be read at all.
    """

    shape: tuple[int, ...]
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    facets: tuple[Facet, ...]
    chosen: tuple[int, ...]
    whole: bool
    known: bool

    def index(self, facet: Facet, row: int, column: int) -> tuple[int, ...]:
        """The index in the tensor of an entry, by its place in a facet."""
        if not self.shape:
            return ()
        if len(self.shape) == 1:
            return ((self.rows[row] if self.rows else 0) + self.columns[column],)
        return (*facet.index, self.rows[row], self.columns[column])


@dataclass(frozen=True)
class Histogram:
    """Counts of finite entries. Attributes: edges: of the bins, one more than counts; counted: entries looked at."""

    edges: tuple[float, ...]
    counts: tuple[int, ...]
    counted: int


def sheet(value: Value, leading: tuple[int, ...] | None = None, most: int = FACETS) -> Sheet:
    """The grids of a value.

    Args:
        leading: a place on the axes before the last two; where there are more than `most` facets, only that one is
            shown (without it the first).

    >>> sheet(Value((3,), "int64", (5, 6, 7), (), 5, 7, 6, 10.5, 0)).facets[0].entries
    ((5, 6, 7),)
    """
    shape = value.shape
    array = value.array()
    if array is None:
        return _sampled(value)
    if not array.size:
        return Sheet(shape, (), (), (), (), True, True)
    if len(shape) < 2:
        return _vector(array.reshape(-1), shape)
    rows, columns = thinned(shape[-2], ROWS), thinned(shape[-1], COLUMNS)
    places, chosen = facet_places(shape[:-2], leading, most)
    facets = tuple(Facet(place, _rows(array[place][np.ix_(rows, columns)])) for place in places)
    return Sheet(shape, rows, columns, facets, chosen, (len(rows), len(columns)) == shape[-2:], True)


def facet_places(axes: tuple[int, ...], leading: tuple[int, ...] | None, most: int = FACETS) -> tuple[list, tuple]:
    """The places on the leading axes that are shown, and the chosen one where they are too many."""
    if math.prod(axes) <= most and leading is None:
        return list(np.ndindex(axes)), ()
    asked = (leading or ()) + (0,) * len(axes)
    chosen = tuple(max(0, min(place, size - 1)) for place, size in zip(asked, axes, strict=False))
    return [chosen], chosen


def thinned(size: int, most: int) -> tuple[int, ...]:
    """At most so many indices along an axis, evenly, the first and the last among them.

    >>> thinned(9, 3)
    (0, 4, 8)
    """
    if size <= most:
        return tuple(range(size))
    return tuple(round(i * (size - 1) / (most - 1)) for i in range(most))


def histogram(value: Value, picked: tuple[int, tuple] | None = None) -> Histogram | None:
    """How the finite entries are spread; None where there is no order, or fewer than three different ones.

    Args:
        picked: every n-th entry of a large tensor, as TensorView.picked has them.
    """
    entries = np.asarray(picked[1] if picked else value.entries)
    if entries.dtype.kind not in "fiu" or not entries.size:
        return None
    step = -(-entries.size // PICKED)
    numbers = entries[::step].astype(np.float64)
    numbers = numbers[np.isfinite(numbers)]
    if numbers.size < 3:
        return None
    low, high = float(numbers.min()), float(numbers.max())
    if not math.isfinite(high - low) or not ((numbers != low) & (numbers != high)).any():
        return None
    if entries.dtype.kind in "iu" and high - low < BINS:  # a bin for every whole number
        counts, edges = np.histogram(numbers, np.arange(low, high + 2) - 0.5)
    else:
        counts, edges = np.histogram(numbers, BINS, (low, high))
    return Histogram(tuple(edges.tolist()), tuple(counts.tolist()), int(numbers.size))


def _vector(entries: np.ndarray, shape: tuple[int, ...]) -> Sheet:
    if entries.size <= COLUMNS:
        columns = tuple(range(entries.size))
        return Sheet(shape, (), columns, (Facet((), _rows(entries[None])),), (), True, True)
    if entries.size > ROWS * WRAP:
        columns = thinned(entries.size, COLUMNS)
        return Sheet(shape, (), columns, (Facet((), _rows(entries[None, columns])),), (), False, True)
    starts = tuple(range(0, entries.size, WRAP))
    rows = tuple(tuple(entries[start : start + WRAP].tolist()) for start in starts)
    return Sheet(shape, starts, tuple(range(WRAP)), (Facet((), rows),), (), True, True)


def _sampled(value: Value) -> Sheet:
    if not value.sample:
        return Sheet(value.shape, (), (), (), (), False, False)
    kept, steps = sample_shape(value.shape), sample_steps(value.shape)
    axes = [tuple(i * step for i in range(count)) for count, step in zip(kept, steps, strict=True)]
    grid = np.array(value.sample).reshape(kept)
    if len(kept) == 1:
        columns = axes[0][:: -(-len(axes[0]) // COLUMNS)]
        grid = grid[None, :: -(-len(axes[0]) // COLUMNS)]
        return Sheet(value.shape, (), columns, (Facet((), _rows(grid)),), (), False, True)
    first = (0,) * (len(value.shape) - 2)
    return Sheet(value.shape, axes[0], axes[1], (Facet(first, _rows(grid)),), first, False, True)


def _rows(grid: np.ndarray) -> tuple[tuple[Number, ...], ...]:
    return tuple(map(tuple, grid.tolist()))
