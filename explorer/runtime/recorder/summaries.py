"""Summarize many numbers: least, largest, mean and norm.

Those of unchanged memory are cached: of a view, a repeated gradient, a weight at the end of the run. A summary is
dropped after a possible write that torch's version counter missed.
"""

import math
import weakref
from collections.abc import Iterable
from functools import lru_cache

import numpy as np
import torch
from msgspec import Struct
from torch._C import TensorBase

from explorer.runtime.recorder.entries import entries_norm, flat, row_norms, single
from explorer.runtime.recorder.memory import plain_tensor

Summary = tuple[float, float, float, float, int, int, int]
_MOST = 4_096  # summaries before the cache is emptied


class _Seen(Struct, gc=False):
    """A tensor that covers its memory, with a summary of its entries."""

    ref: weakref.ref
    dtype: torch.dtype
    entries: int
    version: int
    moment: int
    writes: int
    summary: Summary


class SummaryCache:
    """Summaries by memory address.

    Attributes: moment: counts possible writes past torch's version counter to any memory. off: whether other code may
    write at any time. light: whether large tensors are summarized from a sample.
    """

    def __init__(self, light: bool = False) -> None:
        self.light = light
        self.moment = 0
        self.off = False
        self._at: dict[int, _Seen] = {}
        self._writes = 0  # number of calls of `wrote`
        self._wrote: dict[int, int] = {}  # storage address → its last write

    def find(self, tensor: torch.Tensor) -> Summary | None:
        """Return the cached summary of a tensor that fills its unchanged memory."""
        seen = self._at.get(TensorBase.data_ptr(tensor))
        if seen is None or self.off or seen.moment != self.moment or seen.version != tensor._version:
            return None
        if seen.dtype is not tensor.dtype or seen.entries != TensorBase.numel(tensor):
            return None
        before = seen.ref()  # while the tensor lives, its memory is not reused
        if before is None or TensorBase.data_ptr(before) != TensorBase.data_ptr(tensor):
            return None
        storage = TensorBase.untyped_storage(tensor)
        if self._wrote.get(storage.data_ptr(), 0) > seen.writes:
            return None
        return seen.summary if storage.resizable() else None  # shared memory may change unseen

    def wrote(self, tensors: Iterable[torch.Tensor] | None) -> None:
        """Note a possible write to these tensors' memory, None: to any.

        Other tensors' counters may have missed it.
        """
        self._writes += 1
        if tensors is None:
            self.moment += 1
            return
        try:
            for tensor in tensors:
                self._wrote[TensorBase.untyped_storage(plain_tensor(tensor)).data_ptr()] = self._writes
        except RuntimeError:  # sparse, nested, wrappers of torch.func
            self.moment += 1

    def keep(self, tensor: torch.Tensor, summary: Summary) -> None:
        """Cache the summary of a tensor that fills its memory."""
        if len(self._at) >= _MOST:
            self._at.clear()
            self._wrote.clear()
        now = tensor._version, self.moment, self._writes
        self._at[TensorBase.data_ptr(tensor)] = _Seen(
            weakref.ref(tensor), tensor.dtype, TensorBase.numel(tensor), *now, summary
        )


_ROW = 1024  # entries summed before widening, few enough for single precision
_SMALLEST, _LARGEST = 1e-9, 1e15  # between these the squares of significant entries stay in range
_FARTHEST = 100  # largest exponent of the power of two that scales numbers into that range


def in_memory_order(tensor: torch.Tensor) -> torch.Tensor:
    """Return a tensor's entries as an axis, without a copy if possible.

    Their order is not kept: statistics do not depend on it, and rows of a transposed matrix are far apart.
    """
    order = sorted(range(TensorBase.dim(tensor)), key=TensorBase.stride(tensor).__getitem__, reverse=True)
    return flat(TensorBase.permute(tensor, order))


def mean_and_norm(numbers: torch.Tensor, largest: float) -> tuple[float, float]:
    """Return mean and norm of finite numbers, with their largest magnitude."""
    if not largest:
        return 0.0, 0.0
    power = math.frexp(largest)[1]
    if numbers.dtype is not torch.float32 or TensorBase.dim(numbers) != 1 or abs(power) > _FARTHEST:
        return single(TensorBase.mean(numbers, dtype=torch.float64)), entries_norm(numbers)
    if not _SMALLEST < largest < _LARGEST:  # as with many second moments of Adam
        mean, norm = mean_and_norm(TensorBase.mul(numbers, 2.0**-power), 1.0)
        return math.ldexp(mean, power), math.ldexp(norm, power)
    rows, rest = _rows(numbers)
    norm = entries_norm(row_norms(rows))
    total = _total(TensorBase.sum(rows, 1))
    if TensorBase.numel(rest):
        norm, total = math.hypot(norm, entries_norm(rest)), total + _total(rest)
    return total / TensorBase.numel(numbers), norm


def without_nonfinite(numbers: torch.Tensor, low: float, high: float) -> tuple[torch.Tensor, float, float, int, int]:
    """Replace non-finite numbers by 0, with their statistics.

    These are least and largest of the others, and the numbers of non-finite entries and NaN. Least and largest of all
    are given: NaN if any is. Arithmetic suffices: comparisons take torch five times as long.
    """
    finite = TensorBase.nan_to_num(numbers, 0.0, 0.0, 0.0)
    bad = TensorBase.sub(numbers, finite)  # 0, or the non-finite number
    nonfinite = round(_total(TensorBase.nan_to_num(bad, 1.0, 1.0, 1.0)))
    nans = 0
    if math.isnan(low):
        nans = round(_total(TensorBase.nan_to_num(bad, 1.0, 0.0, 0.0)))
    if not math.isfinite(low):
        low = single(TensorBase.amin(TensorBase.nan_to_num(numbers, math.inf, math.inf, math.inf)))
    if not math.isfinite(high):
        high = single(TensorBase.amax(TensorBase.nan_to_num(numbers, -math.inf, -math.inf, -math.inf)))
    return finite, low, high, nonfinite, nans


def _rows(numbers: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    count = TensorBase.numel(numbers)
    whole = count // _ROW * _ROW
    rows = TensorBase.view(TensorBase.narrow(numbers, 0, 0, whole), (-1, _ROW))
    return rows, TensorBase.narrow(numbers, 0, whole, count - whole)


def _total(numbers: torch.Tensor) -> float:
    """Return the sum in double precision."""
    return single(TensorBase.sum(numbers, dtype=torch.float64))


ABOVE = 1 << 14  # entries above which a tensor is sampled
_RUN, _RUNS = 16, 128  # length and number of runs of neighbouring entries, read like a cache line
_PIECE = 1 << 17  # entries whose squares are added in single precision, which loses less than a part in 10 000
_BUFFER = 8192  # NumPy's buffer size
_LEAST_SQUARE = 1e-24  # mean square below which single precision loses digits


def small_summaries(entries: np.ndarray) -> list[Summary | None]:
    """Return summaries of values of few entries, one a row, in single precision.

    All are read, as for `light_summary`. None if the precision is insufficient.
    """
    count = entries.shape[1]
    with np.errstate(all="ignore"):
        if count <= _BUFFER:
            squares = np.einsum("ki,ki->k", entries, entries)
        else:  # the sum of several rows depends on where in the buffer they begin
            squares = np.array([np.einsum("i,i->", row, row) for row in entries])
        ends, sums = (np.minimum.reduce(entries, 1), np.maximum.reduce(entries, 1)), np.add.reduce(entries, 1)
    return [
        (low, high, total / count, math.sqrt(square), 0, 0, 0) if _LEAST_SQUARE * count < square < math.inf else None
        for low, high, total, square in zip(*(column.tolist() for column in (*ends, sums, squares)), strict=True)
    ]


def light_summary(numbers: torch.Tensor) -> Summary | None:
    """Return a summary of a large flat float tensor in a single pass.

    It has the norm and whether all are finite, as in `summary_of`. None if this is insufficient: the entries of the
    sample are equal, or single precision does not hold the squares.
    """
    count = TensorBase.numel(numbers)
    pieces = (numbers,) if count <= _PIECE else TensorBase.split(numbers, _PIECE)
    square, nonfinite, nans = sum([single(TensorBase.dot(piece, piece)) for piece in pieces]), 0, 0
    if not math.isfinite(square):
        sums = [_finite_squares(piece) for piece in pieces]
        square, nonfinite, nans = (sum(column) for column in zip(*sums, strict=True))
    if not _LEAST_SQUARE * count < square < math.inf:
        return None
    sample = picked(numbers)
    if nonfinite:
        sample = sample[np.isfinite(sample)]
    low, high = (float(np.minimum.reduce(sample)), float(np.maximum.reduce(sample))) if len(sample) else (0.0, 0.0)
    if low == high:
        return None
    return low, high, float(np.add.reduce(sample)) / len(sample), math.sqrt(square), nonfinite, nans, len(sample)


def picked(numbers: torch.Tensor) -> np.ndarray:
    """Return the sample of a large flat tensor: runs at equal distances."""
    runs = TensorBase.as_strided(numbers, *_runs(TensorBase.numel(numbers)))
    return TensorBase.numpy(TensorBase.to(runs, "cpu", torch.float64)).ravel()


def sample_size(count: int) -> int:
    """Return the sample size for this many entries, 0 for all."""
    return math.prod(_runs(count)[0]) if count > ABOVE else 0


@lru_cache(maxsize=10_000)
def _runs(count: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return the shape and the strides of the sample.

    The distance has no common divisor with any axis: runs begin in all columns.
    """
    step = -(-count // _RUNS)
    while math.gcd(step, count) > 1:
        step += 1
    return ((count - _RUN) // step + 1, _RUN), (step, 1)


def _finite_squares(numbers: torch.Tensor) -> tuple[float, int, int]:
    """Return the finite entries' squared sum, and counts of the others.

    These are the non-finite entries and NaN. Arithmetic suffices: comparisons take torch five times as long.
    """
    finite, nans = TensorBase.nan_to_num(numbers, 0.0, 0.0, 0.0), 0
    bad = TensorBase.sub(numbers, numbers)
    nonfinite = round(single(TensorBase.sum(TensorBase.nan_to_num(bad, 1.0))))
    if nonfinite:
        bad = TensorBase.sub(numbers, finite)
        nans = round(single(TensorBase.sum(TensorBase.nan_to_num(bad, 1.0, 0.0, 0.0))))
    return single(TensorBase.dot(finite, finite)), nonfinite, nans
