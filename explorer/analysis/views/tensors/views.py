"""One tensor in full: origin, facts, versions, memory and entries as grids.

The last two axes form a grid and the others facets. Large grids are thinned out.
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from explorer.analysis.explain.autograd.gradients import version_gradient
from explorer.analysis.explain.autograd.reasons import Reason, tensor_gradient
from explorer.analysis.run.rounding import same_value
from explorer.analysis.views.tensors.program_lines import (
    ProgramLine,
    place_of_binding,
    place_of_span,
    shape_of,
    value_of,
)
from explorer.analysis.views.tensors.tensor_list import WriterKind, writer
from explorer.trace import SIZES, Number, Trace, Value, sample_shape, sample_steps, thinned


@dataclass(frozen=True)
class Named:
    """A name of the tensor. Attributes: place: its line or None. ended: whether it was rebound."""

    name: str
    place: ProgramLine | None
    ended: bool


@dataclass(frozen=True)
class State:
    """A version of the tensor.

    Attributes:
        row: in Trace.versions.
        counter: torch's version counter, or -1.
        place: the line that wrote it, or None.
    """

    row: int
    counter: int
    place: ProgramLine | None
    text: str
    by: WriterKind


@dataclass(frozen=True)
class TensorView:
    """A tensor at one of its versions.

    Attributes:
        names: in order of binding.
        shape, dtype: of this version. device, requires_grad, is_leaf, is_parameter: final values.
        strided: whether it has strides, unlike sparse, quantized and meta tensors.
        stride, offset: in entries. storage: its number (-1: unknown).
        contiguous: whether its entries are in row-major order without gaps.
        states, state: all versions, oldest first, and the index of this one.
        value: entries. grad: final `.grad`, or None.
        picked: for a very large tensor, a step and every step-th entry for a histogram. Otherwise None.
    """

    tensor: int
    names: tuple[Named, ...]
    shape: tuple[int, ...]
    dtype: str
    device: str
    requires_grad: bool
    is_leaf: bool
    is_parameter: bool
    strided: bool
    stride: tuple[int, ...]
    offset: int
    storage: int
    contiguous: bool
    states: tuple[State, ...]
    state: int
    value: Value
    grad: Value | None
    picked: tuple[int, tuple] | None

    @property
    def entries(self) -> int:
        """Number of entries, `numel()`."""
        return math.prod(self.shape)

    @property
    def size(self) -> int | None:
        """Bytes of its entries, None for a dtype of unknown size."""
        return self.entries * SIZES[self.dtype] if self.dtype in SIZES else None


def tensor_view(trace: Trace, tensor: int, version: int | None = None) -> TensorView:
    """Return a tensor at a version (a row of Trace.versions, None: the final one)."""
    tensors, rows = trace.tensors, trace.versions_of(tensor)
    row = rows[-1] if version is None else version
    shape, dtype = shape_of(trace, row)
    stride = tuple(trace.shapes[tensors.stride[tensor]]) if tensors.stride[tensor] >= 0 else ()
    value, picked = value_of(trace, row), trace.picked(tensor) if row == rows[-1] else None
    return TensorView(
        tensor=tensor,
        names=tuple(
            Named(binding.name, place_of_binding(trace, binding), binding.until >= 0)
            for binding in trace.index.bindings.get(tensor, ())
        ),
        shape=shape,
        dtype=dtype,
        device=trace.strings[tensors.device[tensor]],
        requires_grad=tensors.requires_grad[tensor],
        is_leaf=tensors.is_leaf[tensor],
        is_parameter=tensors.is_parameter[tensor],
        strided=len(stride) == len(shape) and (tensors.storage[tensor] >= 0 or value.data is not None),
        stride=stride,
        offset=tensors.offset[tensor],
        storage=tensors.storage[tensor],
        contiguous=is_contiguous(shape, stride),
        states=tuple(_state(trace, row) for row in rows),
        state=row - rows[0],
        value=value,
        grad=trace.value(tensors.grad[tensor]),
        picked=None if picked is None else (picked[0], picked[1].data or ()),
    )


def is_contiguous(shape: tuple[int, ...], stride: tuple[int, ...]) -> bool:
    """Return whether memory is in row-major order, ignoring axes of size 1 (`is_contiguous`)."""
    expected = 1
    if 0 in shape:
        return True
    for size, step in zip(reversed(shape), reversed(stride), strict=False):
        if size != 1 and step != expected:
            return False
        expected *= size
    return True


def gradient_of(trace: Trace, view: TensorView, backward: int | None) -> tuple[Value | None, Reason | None]:
    """Return the gradient of the shown version, or why it has none."""
    gradient = trace.value(version_gradient(trace, view.states[view.state].row, backward))
    reason = tensor_gradient(trace, view.tensor, backward)[1] if gradient is None else None
    is_kept = gradient is not None and view.grad is not None and same_value(gradient, view.grad)
    return view.grad if is_kept else gradient, reason


def written_when(trace: Trace, row: int, backward: int) -> Literal["before", "with", "after"]:
    """Return whether a version was written before, with or after backward."""
    seen = trace.index.before(trace.index.tensor_of(row), trace.backwards[backward].operations)
    return "with" if row == seen else "after" if seen is None or row > seen else "before"


def _state(trace: Trace, row: int) -> State:
    by = writer(trace, row)
    return State(row, trace.versions.version[row], place_of_span(trace, by.span), trace.text(by.span), by.kind)


ROWS, COLUMNS = 24, 24  # most rows and columns of a facet; larger ones are thinned out evenly
FACETS = 12  # most facets side by side; with more, the user chooses one
WRAP = 12  # entries per row for a vector longer than COLUMNS
_FLOATS = ("float16", "float32", "float64")
BINS = 20  # maximum bins of a histogram
PICKED = 4096  # maximum number of entries that a histogram counts


@dataclass(frozen=True)
class Facet:
    """One grid. Attributes: index: its place on the leading axes. entries: rows of numbers."""

    index: tuple[int, ...]
    entries: tuple[tuple[Number, ...], ...]


@dataclass(frozen=True)
class Sheet:
    """A tensor as grids.

    Attributes:
        rows, columns: shown indices of the last two axes. A vector has no rows or, if wrapped, the first index of
            each line.
        facets: grids with the same rows and columns.
        chosen: only shown place on the leading axes, () if all are shown.
        whole: whether every entry of the shown facets is present rather than every n-th row and column.
        known: whether entries were readable.
    """

    shape: tuple[int, ...]
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    facets: tuple[Facet, ...]
    chosen: tuple[int, ...]
    whole: bool
    known: bool

    def index(self, facet: Facet, row: int, column: int) -> tuple[int, ...]:
        """Return an entry's tensor index by its place in a facet."""
        if not self.shape:
            return ()
        if len(self.shape) == 1:
            return ((self.rows[row] if self.rows else 0) + self.columns[column],)
        return (*facet.index, self.rows[row], self.columns[column])


@dataclass(frozen=True)
class Histogram:
    """Counts of finite entries.

    Attributes:
        edges: bin edges, one more than counts, from the smallest to the largest entry.
        counted: entries examined. zeros: zero entries among them.
    """

    edges: tuple[float, ...]
    counts: tuple[int, ...]
    counted: int
    zeros: int


def sheet(value: Value, leading: tuple[int, ...] | None = None, most: int = FACETS) -> Sheet:
    """Lay out a value as grids.

    Args:
        leading: a place on the leading axes. With more than `most` facets, only this one (or the first) is shown.

    >>> sheet(Value((3,), "int64", (5, 6, 7), (), 5, 7, 6, 10.5, 0)).facets[0].entries
    ((5, 6, 7),)
    """
    shape = value.shape
    array = value.array()
    if array is None:
        return _sample_sheet(value)
    if not array.size:
        return Sheet(shape, (), (), (), (), True, True)
    if len(shape) < 2:
        return _vector(array.reshape(-1), shape)
    rows, columns = thinned(shape[-2], ROWS), thinned(shape[-1], COLUMNS)
    places, chosen = facet_places(shape[:-2], leading, most)
    facets = tuple(Facet(place, _rows(array[place][np.ix_(rows, columns)])) for place in places)
    return Sheet(shape, rows, columns, facets, chosen, (len(rows), len(columns)) == shape[-2:], True)


def facet_places(axes: tuple[int, ...], leading: tuple[int, ...] | None, most: int = FACETS) -> tuple[list, tuple]:
    """Return the shown places on the leading axes."""
    if math.prod(axes) <= most and leading is None:
        return list(np.ndindex(axes)), ()
    asked = (leading or ()) + (0,) * len(axes)
    chosen = tuple(max(0, min(place, size - 1)) for place, size in zip(asked, axes, strict=False))
    return [chosen], chosen


def histogram(value: Value, picked: tuple[int, tuple] | None = None) -> Histogram | None:
    """Build a histogram, None for fewer than three distinct entries."""
    entries = np.asarray(picked[1] if picked else value.entries)
    if entries.dtype.kind not in "fiu" or not entries.size:
        return None
    step = -(-entries.size // PICKED)
    numbers = entries[::step].astype(np.float64)
    numbers = numbers[np.isfinite(numbers)]
    if numbers.size < 3:
        return None
    low, high = float(numbers.min()), float(numbers.max())
    if value.minimum is not None and value.maximum is not None:  # all entries, uncounted ones included
        low, high = min(low, value.minimum), max(high, value.maximum)
    noise = 4 * np.finfo(value.dtype).eps * max(abs(low), abs(high)) if value.dtype in _FLOATS else 0.0
    if not noise < high - low < math.inf or not ((numbers != numbers.min()) & (numbers != numbers.max())).any():
        return None
    if entries.dtype.kind in "iu" and high - low < BINS:  # one bin per integer
        counts, edges = np.histogram(numbers, np.arange(low, high + 2) - 0.5)
    else:
        # Rice's rule: many bins are not informative for few entries
        bins = min(BINS, math.ceil(2 * numbers.size ** (1 / 3)))
        counts, edges = np.histogram(numbers, bins, (low, high))
    zeros = int(numbers.size - np.count_nonzero(numbers))
    return Histogram(tuple(edges.tolist()), tuple(counts.tolist()), int(numbers.size), zeros)


def deviation(value: Value) -> float | None:
    """Return the standard deviation, as torch's `std()`, None if unknown or lost in rounding."""
    count = math.prod(value.shape)
    if value.mean is None or value.norm is None or value.nonfinite or value.sampled or count < 2:
        return None
    if value.data is not None:
        return float(np.std(np.asarray(value.data, np.float64), ddof=1))
    squares = value.norm**2 - count * value.mean**2
    return math.sqrt(squares / (count - 1)) if squares > 1e-6 * value.norm**2 else None


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


def _sample_sheet(value: Value) -> Sheet:
    if not value.sample:
        return Sheet(value.shape, (), (), (), (), False, False)
    counts, steps = sample_shape(value.shape), sample_steps(value.shape)
    axes = [tuple(i * step for i in range(count)) for count, step in zip(counts, steps, strict=True)]
    grid = np.array(value.sample).reshape(counts)
    if len(counts) == 1:
        columns = axes[0][:: -(-len(axes[0]) // COLUMNS)]
        grid = grid[None, :: -(-len(axes[0]) // COLUMNS)]
        return Sheet(value.shape, (), columns, (Facet((), _rows(grid)),), (), False, True)
    first = (0,) * (len(value.shape) - 2)
    return Sheet(value.shape, axes[0], axes[1], (Facet(first, _rows(grid)),), first, False, True)


def _rows(grid: np.ndarray) -> tuple[tuple[Number, ...], ...]:
    return tuple(map(tuple, grid.tolist()))
