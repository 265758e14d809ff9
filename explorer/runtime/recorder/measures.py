"""Recorded numbers of a tensor in a training step: entries, summary, movement."""

import math
from typing import Any

import numpy as np
import torch
from torch._C import TensorBase, _VariableFunctions

from explorer.runtime.recorder.entries import entries_norm, flat, is_row_major, single
from explorer.runtime.recorder.faults import reraise_recorder_error
from explorer.runtime.recorder.memory import Layout, address_of, layout_of, memory, plain_tensor, require, shard_of
from explorer.runtime.recorder.summaries import ABOVE, SummaryCache, picked
from explorer.runtime.recorder.values import NUMPY, plain, summary_of, summary_of_array

Summary = tuple[float, float, float, float, float, float, float]
# Owner and start of the memory; start, dtype and number of the entries.
Held = tuple[Any, int, int, type, int]

NO_SUMMARY: Summary = (math.nan,) * 7
NO_SLICES = (-1, -1)
_ZEROS = 4  # index of the share of zeros in a summary
_DENSE = 1_000_000  # up to this size, a sparse gradient is made dense
_UNREAD = np.empty(0)
_REFUSED = (RuntimeError, TypeError)  # torch's refusals: complex numbers, quantized tensors, another device
_CHUNK = 1 << 16  # entries per difference computed


class Readable:
    """The entries of a tensor in row-major order.

    They are its own memory if possible, otherwise a copy. For a sharded tensor, they are those of this process.

    Attributes: array: the entries, flat, or None for another device, or if torch summarizes faster than NumPy. tensor:
    the dense tensor, None if it could not be read. open: whether `array` is the tensor's own memory.
    """

    def __init__(self, tensor: torch.Tensor) -> None:
        self.array: np.ndarray | None = None
        self.tensor: Any = None
        self.open = False
        try:
            tensor = plain_tensor(shard_of(tensor))
            if tensor.layout is not torch.strided:
                if TensorBase.numel(tensor) > _DENSE:
                    return
                tensor = TensorBase.to_dense(TensorBase.detach(tensor))
            require(tensor)
            count = TensorBase.numel(tensor)
            kind = NUMPY.get(tensor.dtype)
            if kind is not None and is_row_major(tensor):
                if not count:
                    self.array, self.open = np.empty(0, kind), True
                elif address := address_of(tensor, count * TensorBase.element_size(tensor)):
                    self.array, self.open = np.frombuffer(memory, kind, count, address), True
            if self.array is None and tensor.is_cpu and count <= ABOVE:
                self.array = TensorBase.numpy(plain(tensor)).reshape(-1)
            self.tensor = tensor
        except Exception as problem:  # wrappers of torch.func, freed memory, quantized and nested layouts
            reraise_recorder_error(problem)
            self.array = self.tensor = None

    @classmethod
    def of_memory(cls, held: Held) -> "Readable":
        """Return the entries in held memory, none if it was freed meanwhile."""
        storage, start, address, kind, count = held
        made = cls.__new__(cls)
        made.tensor, made.open, made.array = None, True, None
        if storage.data_ptr() == start and address + count * np.dtype(kind).itemsize <= start + storage.nbytes():
            made.array = np.frombuffer(memory, kind, count, address)
        return made

    def held(self) -> Held | None:
        """Return the memory of the entries, None for a copy."""
        if self.array is None or not self.open:
            return None
        storage = TensorBase.untyped_storage(self.tensor)
        return storage, storage.data_ptr(), TensorBase.data_ptr(self.tensor), self.array.dtype.type, len(self.array)

    def __bool__(self) -> bool:
        return self.tensor is not None

    def picked(self, pick: int, count: int, dtype: type) -> bytes:
        """Return every pick-th entry, `count` of them, as little-endian bytes.

        They are NaN if unavailable.
        """
        try:
            if self.array is not None:
                entries = self.array[::pick][:count]
            elif self.tensor is None:
                entries = _UNREAD
            else:
                entries = TensorBase.numpy(
                    plain(TensorBase.__getitem__(flat(self.tensor), slice(0, pick * count, pick)))
                )
            if len(entries) == count and entries.dtype.kind == "f":
                return entries.astype(dtype).tobytes()
        except _REFUSED:
            pass
        return np.full(count, math.nan, dtype).tobytes()

    def norm(self, summary_cache: SummaryCache) -> float:
        """Return the square root of the sum of squares, NaN if unavailable."""
        if self.array is not None and len(self.array) <= ABOVE:
            wide = self.array.astype(np.complex128 if self.array.dtype.kind == "c" else np.float64)
            return math.sqrt(_squares(wide))
        if self.tensor is None:
            return math.nan
        try:
            if TensorBase.numel(self.tensor) > ABOVE:
                *_, norm, nonfinite, _, _ = summary_of(self.tensor, summary_cache)
                if not nonfinite:
                    return norm
            return entries_norm(TensorBase.detach(self.tensor))
        except _REFUSED:  # complex dtypes, or a refusal listed above
            return math.nan

    def summary(self, summary_cache: SummaryCache) -> Summary:
        """Return statistics of the finite entries.

        These are minimum, maximum, mean, norm, the share of zeros, and the numbers of non-finite entries and NaN.
        """
        try:
            if self.array is not None and 0 < len(self.array) <= ABOVE and self.array.dtype.kind == "f":
                low, high, mean, norm, nonfinite, nans, _ = summary_of_array(self.array)
                zeros = 1 - np.count_nonzero(self.array) / len(self.array)
                return low, high, mean, norm, zeros, float(nonfinite), float(nans)
            if self.tensor is None or not TensorBase.numel(self.tensor):
                return NO_SUMMARY
            low, high, mean, norm, nonfinite, nans, sampled = summary_of(self.tensor, summary_cache)
            return low, high, mean, norm, self._zeros(bool(sampled)), float(nonfinite), float(nans)
        except _REFUSED:
            return NO_SUMMARY

    def _zeros(self, sampled: bool) -> float:
        """Return the share of zeros, approximately if `sampled`."""
        if sampled and (share := float(np.mean(self._sample() == 0))) < 1:
            return share
        there = _VariableFunctions.count_nonzero(TensorBase.detach(self.tensor))
        return 1 - single(there) / TensorBase.numel(self.tensor)

    def _sample(self) -> np.ndarray:
        return picked(flat(self.tensor) if self.array is None else _VariableFunctions.from_numpy(self.array))

    def slices(self, shape: tuple[int, ...], summary: Summary) -> tuple[int, int]:
        """Count the all-zero slices along the first axis, -1 if unknown.

        For two axes, the second is counted too. They are examined only if there are enough zeros for a slice. Above
        _DENSE entries they are unknown.

        Args: shape: of the entries, at least two axes. summary: the result of `summary`.
        """
        count, flat = math.prod(shape), len(shape) == 2
        if not count or count > _DENSE or math.isnan(summary[_ZEROS]):
            return NO_SLICES
        if round(summary[_ZEROS] * count) < min(count // shape[0], shape[0] if flat else count):
            return 0, 0 if flat else -1
        try:
            if self.array is not None and len(self.array) == count:
                there = (self.array != 0).reshape(shape[0], -1)
            else:
                there = TensorBase.numpy(
                    TensorBase.reshape(TensorBase.ne(TensorBase.detach(self.tensor), 0), (shape[0], -1))
                )
            empty = shape[0] - int(np.count_nonzero(there.any(1)))
            return empty, shape[1] - int(np.count_nonzero(there.any(0))) if flat else -1
        except _REFUSED:  # on another device
            return NO_SLICES

    def copied(self, sampled: int) -> "np.ndarray | torch.Tensor | None":
        """Return a copy of the entries for `moved`, or of a sample."""
        if sampled and self.tensor is not None:
            return self._sample()
        if self.array is not None:
            return self.array.copy()
        return None if self.tensor is None else TensorBase.clone(TensorBase.detach(self.tensor))

    def moved(self, before: "np.ndarray | torch.Tensor | None", sampled: int) -> float:
        """Return the norm of the difference to a copy, NaN if unknown.

        For a sample, the norm is extrapolated to all entries.
        """
        if sampled:
            return self._moved_about(before)
        if isinstance(before, np.ndarray) and self.array is not None and before.shape == self.array.shape:
            parts = range(0, len(before), _CHUNK)
            return math.sqrt(
                sum(_squares(_difference(self.array[at : at + _CHUNK], before[at : at + _CHUNK])) for at in parts)
            )
        if isinstance(before, torch.Tensor) and self.tensor is not None and before.shape == self.tensor.shape:
            try:
                return entries_norm(TensorBase.abs(TensorBase.sub(TensorBase.detach(self.tensor), before)))
            except _REFUSED:  # on the meta device
                pass
        return math.nan

    def _moved_about(self, before: "np.ndarray | torch.Tensor | None") -> float:
        if before is None or (self.array is None and self.tensor is None):
            return math.nan
        entries = TensorBase.numel(self.tensor) if self.array is None else len(self.array)
        square = _squares(_difference(self._sample(), np.asarray(before)))
        return math.sqrt(square * entries / len(before)) if square else math.nan  # other entries may have moved


class Copies:
    """Copies of all entries of a leaf or its gradient, whose layout rarely changes.

    Args: dtype: of the copies.
    """

    def __init__(self, dtype: type) -> None:
        self._layout: Layout | None = None
        self._dtype = dtype

    def of(self, tensor: torch.Tensor) -> tuple[bytes, Held] | None:
        """Return the entries and their memory, None for an unknown layout."""
        layout = self._layout
        if layout is None or not layout.same(tensor) or not tensor.is_cpu:
            return None
        address, storage = TensorBase.data_ptr(tensor), TensorBase.untyped_storage(tensor)
        start = storage.data_ptr()
        if not start or address + layout.size > start + storage.nbytes():
            return None
        return memory[address : address + layout.size], (storage, start, address, self._dtype, layout.entries)

    def learn(self, tensor: torch.Tensor, entries: Readable) -> None:
        """Note the layout of a tensor whose entries were read in its memory."""
        if entries.open and entries.tensor is tensor and entries.array.dtype == self._dtype:
            self._layout = layout_of(tensor) if len(entries.array) else None


def norms_of(copies: list[bytes], dtype: type) -> np.ndarray:
    """Return the norms of copied entries of equal number."""
    wide = np.frombuffer(b"".join(copies), dtype).astype(np.float64).reshape(len(copies), -1)
    return np.sqrt(np.einsum("ij,ij->i", wide, wide))


def difference(now: bytes, before: bytes, dtype: type) -> bytes:
    """Return the differences of copied entries."""
    with np.errstate(all="ignore"):
        return _difference(np.frombuffer(now, dtype), np.frombuffer(before, dtype)).astype(dtype).tobytes()


def _squares(entries: np.ndarray) -> float:
    """Return the sum of squares, computed in this thread.

    BLAS threads would wait for each other longer than they save.
    """
    parts = (entries.real, entries.imag) if entries.dtype.kind == "c" else (entries,)
    return sum(float(np.einsum("i,i->", part, part)) for part in parts)


def _difference(now: np.ndarray, before: np.ndarray) -> np.ndarray:
    wide = np.complex128 if now.dtype.kind == "c" else np.float64
    return now.astype(wide) - before.astype(wide)
