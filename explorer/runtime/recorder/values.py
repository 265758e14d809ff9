"""Copy the numbers of tensors at once, before a later write changes them."""

import ctypes
import math
import os
from bisect import bisect_right
from collections.abc import Collection, Iterable
from functools import lru_cache
from typing import ClassVar

import numpy as np
import torch
from torch._C import TensorBase, _VariableFunctions

from explorer.runtime.recorder.composite_results import Inside
from explorer.runtime.recorder.entries import entries_norm, single
from explorer.runtime.recorder.faults import reraise_recorder_error
from explorer.runtime.recorder.hidden_calls import without_modes
from explorer.runtime.recorder.loss_terms import LossCall
from explorer.runtime.recorder.memory import (
    MOST,
    Layout,
    NoEntries,
    address_of,
    batched,
    is_wrapped,
    layout_of,
    memory,
    plain_tensor,
    require,
)
from explorer.runtime.recorder.rows import VALUE, VALUE_DATA, VALUE_SHAPE
from explorer.runtime.recorder.summaries import (
    ABOVE,
    Summary,
    SummaryCache,
    in_memory_order,
    light_summary,
    mean_and_norm,
    small_summaries,
    without_nonfinite,
)
from explorer.runtime.recorder.table import RowTable
from explorer.trace import FULL, STORED, sample_shape, sample_steps
from explorer.trace.values import statistics

_WIDENED = {torch.bfloat16: torch.float32}
_Parameter = torch.nn.Parameter
_NO_SHAPE = torch.Size()
_data_ptr, _stride = TensorBase.data_ptr, TensorBase.stride
LARGE = 1 << 17  # up to this size, a value is copied, and summarized only if it is kept
_DENSE = 1 << 20  # up to this size, a sparse tensor is made dense
_ROOM = 32_000_000  # total bytes of such copies
_GAPS = 4_096  # gaps up to this many bytes are copied too
_SLICED = 4_096  # up to this many bytes, a copy is cheaper than a C call
_TOGETHER = 1 << 16  # entries summarized together
_BYTES = {  # per entry, for dtypes that NumPy can read directly
    dtype: TensorBase.element_size(torch.empty(0, dtype=dtype))
    for dtype in (
        *(torch.float32, torch.float64, torch.float16, torch.bool),
        *(torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8),
    )
}
_compare = ctypes.PyDLL("msvcrt" if os.name == "nt" else None).memcmp
_compare.argtypes = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t
NUMPY = {dtype: np.dtype(str(dtype).removeprefix("torch.")) for dtype in _BYTES}


class ValueStore:
    """Every value of a run.

    Attributes: rows: dtype, shape and raw bytes (None: opaque) by id. summaries: for large ones minimum, maximum, mean,
    norm, how many are not finite and NaN, and of how many entries the first three are (0: all), by id. Their bytes are
    a sample. complex_seen: whether a real tensor may be the lazily negated part of a complex one. summary_cache:
    summaries of unchanged memory. layouts: by whether it is a parameter, requires_grad and shape the layout of the
    small dense tensor that was read last, which the next one most often has too. Those of others by their strides as
    well. layout: the layout of the tensor that was added or compared last, None for one without.

    Args:
        light: whether large values are summarized from a sample.
    """

    layouts: ClassVar[dict[tuple, Layout]] = {}  # shared by all recordings

    def __init__(self, light: bool = False) -> None:
        self.rows = RowTable(VALUE)
        self.layout: Layout | None = None
        self.summaries: dict[int, Summary] = {}
        self.complex_seen = False
        self.summary_cache = SummaryCache(light)
        self._copied = self._settled = 0  # bytes of copies that still need a summary, after the value with this id
        self._complete: set[int] = set()  # values that stay whole
        self._spread: dict[int, Layout] = {}  # copies in another memory order or with gaps
        self.waiting: list[Inside | LossCall] = []  # results computed on request

    def add(self, tensor: torch.Tensor, fresh: bool = False) -> int:
        """Copy a tensor's entries. Return an id. Never raises.

        The memory is read directly: after `numpy()` torch could never resize the storage again.

        Args:
            fresh: torch has just made it, or its engine is about to read it, so its storage holds all entries.
        """
        try:
            layout = self.layout
            # Neighbours often have the same shape. torch crashes when a nested tensor's sizes are compared.
            if layout is None or tensor.is_nested or not layout.same(tensor):
                key = type(tensor) is _Parameter, tensor.requires_grad, tensor.shape
                layout = self.layouts.get(key)
                if layout is None or not layout.same(tensor):
                    layout = self.layouts.get((*key, _stride(tensor)))
                    if layout is not None and not layout.same(tensor):
                        layout = None
            if (
                layout is not None
                and tensor.is_cpu
                and (address := _data_ptr(tensor) if fresh else address_of(tensor, layout.span))
            ):
                rows, size = self.rows, layout.size
                index = rows.count + 1
                if not layout.dense:
                    if layout.span > 2 * size + _GAPS:
                        dense = TensorBase.contiguous(TensorBase.detach(tensor))
                        address = _data_ptr(dense)
                    else:
                        size = layout.span
                        self._spread[index] = layout
                rows.cells += (layout.dtype, layout.shape, memory[address : address + size])
                rows.count, self.layout = index, layout
                if layout.entries > FULL:
                    self._copied += size
                    if self._copied > _ROOM:
                        self.settle()
                return index
        except Exception as problem:  # unreadable (see `_add`); symbols in a shape have no hash
            reraise_recorder_error(problem)
        index, self.layout = self._add(tensor, fresh), None
        return index

    def holds(self, index: int, tensor: torch.Tensor) -> bool:
        """Return whether a value certainly has a tensor's entries, without copying them."""
        at = self.rows.at(index)
        if at < 0:
            return False
        dtype, shape, data = self.rows.cells[at : at + VALUE]
        layout = self.layouts.get((type(tensor) is _Parameter, tensor.requires_grad, shape))
        if data is None or index in self._spread:  # opaque: torch crashes when asked for a nested tensor's strides
            return False
        if layout is None or layout.dtype is not dtype or (layout.entries > FULL and index in self.summaries):
            return False
        if not layout.dense or not layout.same(tensor) or not tensor.is_cpu:
            return False
        size = layout.size
        if len(data) != size or not (address := address_of(tensor, size)):
            return False
        self.layout = layout
        return memory[address : address + size] == data if size <= _SLICED else not _compare(address, data, size)

    def again_or_add(self, index: int, tensor: torch.Tensor, fresh: bool = False) -> int:
        """Return `index` if it holds a tensor's entries, else a copy."""
        return index if index and self.holds(index, tensor) else self.add(tensor, fresh)

    def _add(self, tensor: torch.Tensor, fresh: bool) -> int:
        rows, dtype = self.rows, tensor.dtype
        try:
            held = plain_tensor(tensor)
            if held is not tensor:
                tensor, fresh = held, False
            shape = tensor.shape
            hash(shape)  # raises for symbols: counting their entries would turn them into numbers
            entries = shape.numel()
            size = _BYTES.get(dtype)
            if size and entries <= LARGE and tensor.is_cpu and not (self.complex_seen and TensorBase.is_neg(tensor)):
                dense, owned = tensor, fresh
                if not TensorBase.is_contiguous(tensor):
                    if not fresh:
                        require(tensor)
                    dense, owned = TensorBase.contiguous(TensorBase.detach(tensor)), True
                address = TensorBase.data_ptr(dense) if owned else address_of(dense, entries * size)
                if address or not entries:
                    data = memory[address : address + entries * size]
                    rows.cells += (dtype, shape, data)
                    rows.count = index = rows.count + 1
                    self._copied += len(data)
                    if entries and (layout := layout_of(tensor)) is not None:
                        if len(self.layouts) >= MOST:
                            self.layouts.clear()
                        key = type(tensor) is _Parameter, tensor.requires_grad, shape
                        self.layouts[key if layout.dense else (*key, layout.stride)] = layout
                    return index
            if not fresh or tensor.is_meta:
                require(tensor)
            self.complex_seen = self.complex_seen or dtype.is_complex
            if entries <= FULL:
                return rows.add(dtype, shape, TensorBase.numpy(plain(tensor)).tobytes())
            summary = summary_of(tensor, self.summary_cache)
            return self._add_large(dtype, shape, _sample(TensorBase.detach(tensor)), summary)
        except Exception as problem:  # wrappers of torch.func, sparse and nested layouts, freed memory, lazy parameters
            reraise_recorder_error(problem)
            if is_wrapped(tensor):
                return self.add(batched(tensor))
            if tensor.layout is torch.sparse_coo and not tensor.is_meta:
                return self._add_sparse(tensor)
            return self.add_opaque(tensor)

    def _add_sparse(self, tensor: torch.Tensor) -> int:
        """Add a sparse tensor, with its zeros if they are few."""
        try:
            with torch.no_grad():
                if TensorBase.numel(tensor) <= _DENSE:
                    return self.add(TensorBase.to_dense(TensorBase.detach(tensor)))
                return self._add_large(tensor.dtype, tensor.shape, *sparse_summary(TensorBase.detach(tensor)))
        except Exception as problem:  # another device, dtypes that torch cannot make dense
            reraise_recorder_error(problem)
            return self.add_opaque(tensor)

    def add_opaque(self, tensor: torch.Tensor) -> int:
        """Add a value with only a known dtype and shape. Return its id."""
        try:
            shape = tensor.shape
            plain_sizes = all(type(size) is int for size in shape)  # symbols, while a program is traced
        except Exception as problem:  # nested tensors, parameters without a shape yet
            reraise_recorder_error(problem)
            shape, plain_sizes = _NO_SHAPE, True
        return self.rows.add(tensor.dtype, shape if plain_sizes else _NO_SHAPE, None)

    def again(self, index: int) -> int:
        """Enter the same value once more, under a new id."""
        rows = self.rows
        at = rows.at(index)
        again = rows.add(*rows.cells[at : at + VALUE])
        if (summary := self.summaries.get(index)) is not None:
            self.summaries[again] = summary
        return again

    def shape(self, index: int) -> torch.Size | None:
        """Return a value's shape, None if it was dropped."""
        at = self.rows.at(index)
        return None if at < 0 else self.rows.cells[at + VALUE_SHAPE]

    def equal(self, first: int, second: int) -> bool:
        """Return whether two values are equal in everything that is kept."""
        if first in self._spread or second in self._spread:
            self._put_in_order()
        cells, new, old = self.rows.cells, self.rows.at(first), self.rows.at(second)
        if old < 0 or cells[new : new + VALUE_DATA] != cells[old : old + VALUE_DATA]:  # another dtype or shape
            return False
        if (first in self.summaries) != (second in self.summaries):
            self.settle()
        same = repr(self.summaries.get(first)) == repr(self.summaries.get(second))  # NaN equals itself here
        return same and cells[new + VALUE_DATA] == cells[old + VALUE_DATA]

    def is_whole(self, index: int) -> bool:
        """Return whether `tensor` can make a tensor from a value."""
        dtype, _, data = self.rows.cells[(at := self.rows.at(index)) : at + VALUE]
        return data is not None and dtype in _BYTES and index not in self.summaries

    def tensor(self, index: int, stride: tuple[int, ...] | None = None) -> torch.Tensor | None:
        """Return a tensor from a value, None if sampled."""
        if (at := self.rows.at(index)) < 0:
            return None
        dtype, shape, data = self.rows.cells[at : at + VALUE]
        if not self.is_whole(index):
            return None
        dense = _VariableFunctions.empty(shape, dtype=dtype, device="cpu")
        if data:
            ctypes.memmove(TensorBase.data_ptr(dense), data, len(data))
        if not stride or not all(stride) or stride == TensorBase.stride(dense) or len(stride) != len(shape):
            return dense
        spread = _VariableFunctions.empty_strided(shape, stride, dtype=dtype, device="cpu")
        return TensorBase.copy_(spread, dense)

    def fill_in(self) -> None:
        """Compute the results inside the calls so far, and the terms of losses."""
        if not self.waiting:
            return
        self._put_in_order()
        waiting, self.waiting = self.waiting, []
        before, self._copied = self._copied, 0  # room for the results
        for inside in waiting:
            try:
                with without_modes():
                    inside.fill_in(self)
            except Exception as problem:
                reraise_recorder_error(problem)
        self._copied += before

    def settle(self) -> None:
        """Replace copies by a sample and a summary."""
        self.fill_in()
        self._put_in_order()
        cells, ids = self.rows.cells, self.rows.ids()
        new = ids[bisect_right(ids, self._settled) :]
        at = self.rows.at(new[0]) if new else len(cells)
        alike: dict[tuple[torch.dtype, torch.Size], list[int]] = {}
        columns = (cells[at + field :: VALUE] for field in range(VALUE))
        for index, dtype, shape, data in zip(new, *columns, strict=True):
            if data is None or len(data) <= FULL * _BYTES.get(dtype, len(data)):
                continue
            if index not in self.summaries and index not in self._complete:
                alike.setdefault((dtype, shape), []).append(index)
        for (dtype, shape), indices in alike.items():
            if shape.numel() > ABOVE:  # torch is faster
                with without_modes():
                    self._condense(indices)
                continue
            together = max(1, _TOGETHER // shape.numel())
            for some in [indices[start : start + together] for start in range(0, len(indices), together)]:
                places = [self.rows.at(index) + VALUE_DATA for index in some]
                entries = np.frombuffer(b"".join([cells[at] for at in places]), NUMPY[dtype]).reshape(len(some), -1)
                condensed = zip(_samples(entries, shape), _summaries(entries, self.summary_cache.light), strict=True)
                for index, at, (sample, summary) in zip(some, places, condensed, strict=True):
                    cells[at], self.summaries[index] = sample, summary
        self._copied, self._settled = 0, self.rows.count

    def _condense(self, indices: Iterable[int]) -> None:
        """Replace copies of many entries by a sample and a summary."""
        for index in indices:
            dense = self.tensor(index)
            if dense is not None:
                self.summaries[index] = summary_of(dense, SummaryCache(self.summary_cache.light))
                self.rows.set(index, VALUE_DATA, _sample(dense))

    def _put_in_order(self) -> None:
        for index, layout in self._spread.items():
            at, dtype = self.rows.at(index) + VALUE_DATA, NUMPY[layout.dtype]
            strides = [step * dtype.itemsize for step in layout.stride]
            entries = np.ndarray(layout.shape, dtype, self.rows.cells[at], strides=strides)
            self.rows.cells[at] = entries.tobytes()
        self._spread.clear()

    def add_whole(self, tensor: torch.Tensor) -> int:
        """Copy all entries of a dense tensor. Return an id."""
        tensor = plain_tensor(tensor)
        require(tensor)
        index = self.rows.add(tensor.dtype, tensor.shape, TensorBase.numpy(plain(tensor)).tobytes())
        self._complete.add(index)
        return index

    def drop(self, ids: Collection[int]) -> None:
        """Drop values."""
        for index in ids:
            self._unsummarise(index)
        self.rows.drop(ids)

    def take_back(self, index: int) -> None:
        """Drop the value that was added last."""
        self._unsummarise(index)
        self._settled = min(self._settled, index - 1)
        if index == self.rows.count:
            self.rows.take_back()
        else:  # it filled in other results
            self.rows.drop({index})

    def forget(self) -> None:
        """Release the memory whose summaries are known."""
        self.summary_cache = SummaryCache(self.summary_cache.light)

    def clear(self) -> None:
        """Drop all values."""
        self.waiting.clear()
        self.drop(set(self.rows.ids()))

    def _add_large(self, dtype: torch.dtype, shape: torch.Size, sample: bytes, summary: Summary) -> int:
        index = self.rows.add(dtype, shape, sample)
        self.summaries[index] = summary
        return index

    def _unsummarise(self, index: int) -> None:
        self.summaries.pop(index, None)
        self._spread.pop(index, None)


def sparse_summary(tensor: torch.Tensor) -> tuple[bytes, Summary]:
    """Return sample and summary of a large sparse matrix. Raises for other shapes."""
    (rows, columns), (step, stride) = sample_shape(tensor.shape), sample_steps(tensor.shape)
    picked = TensorBase.to_dense(TensorBase.index_select(tensor, 0, _VariableFunctions.arange(0, rows * step, step)))
    sample = TensorBase.numpy(
        plain(TensorBase.__getitem__(picked, (slice(None), slice(0, columns * stride, stride))))
    ).tobytes()
    entries = TensorBase.values(TensorBase.coalesce(tensor))
    low, high, mean, norm, nonfinite, nans, _ = summary_of(entries, SummaryCache())
    count = TensorBase.numel(tensor)
    if nonfinite == TensorBase.numel(entries):
        return sample, (0.0, 0.0, 0.0, 0.0, nonfinite, nans, 0)
    mean *= (TensorBase.numel(entries) - nonfinite) / (count - nonfinite)
    return sample, (min(low, 0.0), max(high, 0.0), mean, norm, nonfinite, nans, 0)


def plain(tensor: torch.Tensor) -> torch.Tensor:
    """Return a dense CPU copy of a tensor for numpy. Raises RuntimeError."""
    dense = TensorBase.cpu(TensorBase.clone(TensorBase.detach(tensor)))
    dense = TensorBase.resolve_neg(TensorBase.resolve_conj(dense))
    dense = TensorBase.to(dense, _WIDENED.get(dense.dtype, dense.dtype))
    if str(dense.dtype).removeprefix("torch.") not in STORED or dense.layout is not torch.strided:
        raise NoEntries(f"{dense.dtype}, {dense.layout}")
    return dense


def _samples(entries: np.ndarray, shape: torch.Size) -> list[bytes]:
    """Return the `_sample` of values of this shape, in row-major order."""
    picked = entries.reshape(-1, *shape)[(slice(None), *_picks(shape))]
    data, size = picked.tobytes(), picked[0].nbytes
    return [data[start : start + size] for start in range(0, len(data), size)]


def _summaries(entries: np.ndarray, light: bool) -> list[Summary]:
    """Summarize values of one shape together, five times as fast."""
    if light and entries.dtype == np.float32:
        found = small_summaries(entries)
        return [one or summary_of_array(row) for one, row in zip(found, entries, strict=True)]
    with np.errstate(invalid="ignore", over="ignore", under="ignore"):
        numbers = entries.astype(np.float64)
        lows, highs = np.minimum.reduce(numbers, 1), np.maximum.reduce(numbers, 1)
        means = np.add.reduce(numbers, 1) / numbers.shape[1]
        norms = np.sqrt(np.add.reduce(numbers * numbers, 1))
        finite = np.isfinite(lows - highs)
    columns = (column.tolist() for column in (lows, highs, means, norms, finite))
    return [
        (low, high, mean, norm, 0, 0, 0) if good else summary_of_array(row)
        for low, high, mean, norm, good, row in zip(*columns, entries, strict=True)
    ]


def summary_of_array(entries: np.ndarray) -> Summary:
    """Return the `summary_of` of real entries, at least one."""
    low, high, mean, norm, nonfinite, nans = statistics(entries)
    if low is None or high is None or mean is None or norm is None:
        return (math.nan,) * 4 + (nonfinite, nans, 0)
    return low, high, mean, norm, nonfinite, nans, 0


def summary_of(tensor: torch.Tensor, summary_cache: SummaryCache) -> Summary:
    """Return statistics of the finite entries, and counts of non-finite entries and NaN.

    Without finite entries minimum, maximum, mean and norm are NaN. Complex numbers have only a norm. The last number is
    the size of the sample that minimum, maximum and mean were computed from, 0 if from all entries.
    """
    shape, detached = tensor.shape, TensorBase.detach(tensor)
    if TensorBase.is_complex(detached):  # complex numbers have no order
        finite = _VariableFunctions.isfinite(detached)
        sizes = TensorBase.abs(TensorBase.__getitem__(detached, finite))
        nonfinite = TensorBase.numel(detached) - TensorBase.numel(sizes)
        nans = int(single(_VariableFunctions.count_nonzero(TensorBase.isnan(detached))))
        return math.nan, math.nan, math.nan, entries_norm(sizes), nonfinite, nans, 0
    copies = 1  # copies of every entry: an axis of stride 0, as after expand, repeats the same entries
    if TensorBase.is_contiguous(detached):
        numbers = TensorBase.view(detached, -1)
    else:
        for axis, (size, stride) in enumerate(zip(shape, TensorBase.stride(detached), strict=True)):
            if stride == 0 and size > 1:
                detached, copies = TensorBase.narrow(detached, axis, 0, 1), copies * size
        numbers = in_memory_order(detached)  # torch is five times slower on memory with gaps
    fills = (
        copies == 1
        and tensor.is_cpu
        and TensorBase.data_ptr(numbers) == TensorBase.data_ptr(tensor)
        and not TensorBase.is_neg(tensor)
    )
    cached = summary_cache.find(tensor) if fills else None
    if cached is not None:
        return cached
    if TensorBase.element_size(numbers) < 4:
        numbers = TensorBase.float(numbers)  # exact
    elif not TensorBase.is_floating_point(numbers):
        numbers = TensorBase.double(numbers)
    light = summary_cache.light and TensorBase.numel(numbers) > ABOVE and TensorBase.is_floating_point(tensor)
    summary = (light_summary(numbers) if light else None) or _summary_of_all(numbers)
    if copies > 1:
        low, high, mean, norm, nonfinite, nans, sampled = summary
        return low, high, mean, norm * math.sqrt(copies), nonfinite * copies, nans * copies, sampled
    if fills:
        summary_cache.keep(tensor, summary)
    return summary


def _summary_of_all(numbers: torch.Tensor) -> Summary:
    low, high = map(single, TensorBase.aminmax(numbers))
    nonfinite = nans = 0
    count = TensorBase.numel(numbers)
    if not math.isfinite(low - high):  # then some entry may be NaN or infinite
        numbers, low, high, nonfinite, nans = without_nonfinite(numbers, low, high)
    if nonfinite == count:
        return (math.nan,) * 4 + (nonfinite, nans, 0)
    mean, norm = mean_and_norm(numbers, max(-low, high))
    return low, high, mean * (count / (count - nonfinite)), norm, nonfinite, nans, 0


def _sample(tensor: torch.Tensor) -> bytes:
    """Return the entries of a strided grid of a large tensor."""
    shape, size = tensor.shape, _BYTES.get(tensor.dtype)
    if size and tensor.is_cpu and not TensorBase.is_neg(tensor) and (address := TensorBase.data_ptr(tensor)):
        if TensorBase.is_contiguous(tensor):
            entries = np.frombuffer(memory, NUMPY[tensor.dtype], shape.numel(), address)
            return entries.reshape(shape)[_picks(shape)].tobytes()
        dense = TensorBase.contiguous(TensorBase.__getitem__(tensor, _picks(shape)))
        return memory[TensorBase.data_ptr(dense) : TensorBase.data_ptr(dense) + TensorBase.numel(dense) * size]
    return TensorBase.numpy(
        plain(TensorBase.__getitem__(tensor, _picks(shape)))
    ).tobytes()  # a zero tensor of forward mode has no memory


@lru_cache(maxsize=1_000)
def _picks(shape: torch.Size) -> tuple[int | slice, ...]:
    """Return the index of the sample's grid: every few entries of the first plane of the last axes."""
    sides = zip(sample_shape(shape), sample_steps(shape), strict=True)
    return *(0,) * max(0, len(shape) - 2), *(slice(0, (picks - 1) * step + 1, step) for picks, step in sides)
