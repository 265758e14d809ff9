"""Numbers of tensors, copied out the moment they are seen, so that no later write reaches them."""

import ctypes
import math
from functools import lru_cache
from typing import Any

import numpy as np
import torch
from msgspec import Struct

from explorer.runtime.recording.moments import in_memory_order, mean_and_norm, without_nonfinite
from explorer.runtime.recording.remembered import Remembered
from explorer.runtime.recording.wrapped import batched, is_wrapped
from explorer.trace import FULL, STORED, sample_shape, sample_steps

_WIDENED = {torch.bfloat16: torch.float32}
_NO_SHAPE = torch.Size()
_COPIED = 4096  # entries up to which a value is copied as it is and summarised only if it stays
LARGE = 1 << 14  # entries up to which NumPy summarises sooner than torch
_ROOM = 32_000_000  # bytes of such copies
_BYTES = {  # per entry, of the dtypes whose memory is what numpy reads
    dtype: torch.empty(0, dtype=dtype).element_size()
    for dtype in (
        *(torch.float32, torch.float64, torch.float16, torch.bool),
        *(torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8),
    )
}
NUMPY = {dtype: np.dtype(str(dtype).removeprefix("torch.")) for dtype in _BYTES}

# This process's memory as an array of bytes: slicing it copies four times as fast as a call through ctypes.
memory: Any = (ctypes.c_char * (1 << 56)).from_address(0)


class Interned(dict):
    """Index by thing, in the order of first use; `list(interned)` is the table."""

    def __missing__(self, thing) -> int:
        self[thing] = index = len(self)
        return index


class ValueRow(Struct, gc=False):
    """One value: raw bytes (None: opaque); of a large one minimum, maximum, mean, norm, how many not finite and NaN.

    While `entries` is set, the bytes are all entries of a value that is to have a sample and a summary in their place.
    """

    dtype: torch.dtype
    shape: torch.Size
    data: bytes | None
    summary: tuple[float, float, float, float, int, int] | None
    entries: int = 0


class ValueStore:
    """Every value of a run by id.

    Attributes:
        rows: id to row; ids only grow, rows may be dropped.
        complex_seen: whether a real tensor may be the lazily negated part of a complex one.
        remembered: summaries of what lies in memory unchanged.
        storage_seen: whether the program had a storage in its hands, whose memory it may have cut short.
    """

    def __init__(self) -> None:
        self.rows: dict[int, ValueRow] = {}
        self.count = 0
        self.complex_seen = self.storage_seen = False
        self.remembered = Remembered()
        self._whole: dict[int, ValueRow] = {}  # copied as they are
        self._whole_bytes = 0

    def add(self, tensor: torch.Tensor) -> int:
        """Copy the entries of a tensor out; its id. Never raises: what cannot be read is kept as opaque.

        The memory is read directly: `numpy()` would forbid torch to resize the storage ever after.
        """
        self.count = index = self.count + 1
        shape, dtype = _NO_SHAPE, tensor.dtype
        try:
            shape = tensor.shape
            entries = shape.numel()
            if self.storage_seen:
                self.require_memory(tensor)
            size = _BYTES.get(dtype)
            if size and entries <= LARGE and tensor.is_cpu and not (self.complex_seen and tensor.is_neg()):
                dense = tensor if tensor.is_contiguous() else tensor.detach().contiguous()
                address = dense.data_ptr()
                if address or not entries:  # a zero tensor of forward mode has no memory
                    if entries > _COPIED:
                        condensed = _condensed(np.frombuffer(memory, NUMPY[dtype], entries, address), shape)
                        self.rows[index] = ValueRow(dtype, shape, *condensed)
                        return index
                    data = memory[address : address + entries * size]
                    if entries <= FULL:
                        self.rows[index] = ValueRow(dtype, shape, data, None)
                    else:
                        self._put(index, ValueRow(dtype, shape, data, None, entries))
                    return index
            self.complex_seen = self.complex_seen or dtype.is_complex
            if entries <= FULL:
                self.rows[index] = ValueRow(dtype, shape, plain(tensor).numpy().tobytes(), None)
            else:
                self.rows[index] = _summarised(tensor, self.remembered)
        except Exception:  # wrappers of torch.func, sparse, quantized and nested layouts, meta tensors, lazy parameters
            if is_wrapped(tensor):
                self.count -= 1
                return self.add(batched(tensor))
            self.rows[index] = ValueRow(dtype, shape, None, None)
        return index

    def again(self, index: int) -> int:
        """The same value once more, under an id of its own; its id."""
        row = self.rows[index]
        self.count = index = self.count + 1
        self.rows[index] = ValueRow(row.dtype, row.shape, row.data, row.summary)
        return index

    def require_memory(self, tensor: torch.Tensor) -> None:
        """Raises ValueError for a tensor whose storage was made smaller than it needs."""
        if tensor.numel() and _reach(tensor) > tensor.untyped_storage().nbytes():
            raise ValueError("its memory was cut short")

    def equal(self, one: int, other: int) -> bool:
        """Whether two values show the same."""
        new, old = self.rows[one], self.rows.get(other)
        if old is None or new.shape != old.shape or new.dtype != old.dtype:
            return False
        if bool(new.entries) != bool(old.entries):
            self.settle()
        return new.data == old.data and repr(new.summary) == repr(old.summary)  # NaN equals itself here

    def settle(self) -> None:
        """Put a sample and a summary in place of the copies."""
        for row in self._whole.values():
            _settle(row)
        self._whole.clear()
        self._whole_bytes = 0

    def add_whole(self, tensor: torch.Tensor) -> int:
        """Copy all entries of a dense tensor out, however many; its id. Raises RuntimeError or TypeError."""
        data = plain(tensor).numpy().tobytes()
        self.count = index = self.count + 1
        self.rows[index] = ValueRow(tensor.dtype, tensor.shape, data, None)
        return index

    def drop(self, ids) -> None:
        """Forget values."""
        for index in ids:
            row = self.rows.pop(index, None)
            if row is not None and row.entries:
                del self._whole[index]
                self._whole_bytes -= len(row.data)
            if index == self.count:
                self.count -= 1

    def _put(self, index: int, row: ValueRow) -> None:
        self._whole_bytes += len(row.data)
        if self._whole_bytes > _ROOM:
            self.settle()
            self._whole_bytes = len(row.data)
        self.rows[index] = self._whole[index] = row


def plain(tensor: torch.Tensor) -> torch.Tensor:
    """A copy of a tensor for numpy, dense and on the CPU. Raises RuntimeError or TypeError where there is none."""
    dense = tensor.detach().clone().cpu().resolve_conj().resolve_neg()
    dense = dense.to(_WIDENED.get(dense.dtype, dense.dtype))
    if str(dense.dtype).removeprefix("torch.") not in STORED or dense.layout is not torch.strided:
        raise TypeError(f"no plain entries in {dense.dtype}, {dense.layout}")
    return dense


def _reach(tensor: Any) -> int:
    """How many bytes of its storage a tensor with entries needs."""
    sides = zip(tensor.shape, tensor.stride(), strict=True)
    return (tensor.storage_offset() + sum((size - 1) * stride for size, stride in sides) + 1) * tensor.element_size()


def _settle(row: ValueRow) -> None:
    """Put a sample and a summary in place of all entries."""
    row.data, row.summary = _condensed(np.frombuffer(row.data, NUMPY[row.dtype]), row.shape)
    row.entries = 0


def _condensed(entries: np.ndarray, shape: torch.Size) -> tuple[bytes, tuple[float, float, float, float, int, int]]:
    """The sample and the summary of entries in row-major order; those of `_summarised`, sooner where they are few."""
    sides = zip(*_grid(shape), strict=True)
    plane = entries.reshape(shape)[(0,) * max(0, len(shape) - 2)]
    sample = plane[tuple([slice(0, (kept - 1) * step + 1, step) for kept, step in sides])].tobytes()
    with np.errstate(invalid="ignore"):  # what torch.empty found may be a signalling NaN
        numbers = entries.astype(np.float64)
    low, high = float(numbers.min()), float(numbers.max())
    if math.isfinite(low - high):
        norm = math.sqrt(float(np.square(numbers).sum()))
        return sample, (low, high, float(numbers.sum()) / len(numbers), norm, 0, 0)
    finite = numbers[np.isfinite(numbers)]
    nonfinite, nans = len(numbers) - len(finite), int(np.isnan(numbers).sum())
    if not len(finite):
        return sample, (math.nan,) * 4 + (nonfinite, nans)
    with np.errstate(over="ignore"):
        norm = float(np.sqrt(np.square(finite).sum()))
    return sample, (float(finite.min()), float(finite.max()), float(finite.mean()), norm, nonfinite, nans)


def _summarised(tensor: torch.Tensor, remembered: Remembered) -> ValueRow:
    return ValueRow(tensor.dtype, tensor.shape, _sample(tensor.detach()), summary_of(tensor, remembered))


def summary_of(tensor: torch.Tensor, remembered: Remembered) -> tuple[float, float, float, float, int, int]:
    """Minimum, maximum, mean and norm of the finite entries, how many are not finite and how many NaN.

    The first four are NaN where there are none; of complex numbers only the norm is told.
    """
    shape, detached = tensor.shape, tensor.detach()
    if detached.is_complex():  # it has no order
        finite = torch.isfinite(detached)
        norm = float(detached[finite].abs().double().norm())
        return math.nan, math.nan, math.nan, norm, int((~finite).sum()), int(detached.isnan().sum())
    copies = 1  # of every entry: an axis of stride 0, as expand makes it, shows the same ones again and again
    for axis, (size, stride) in enumerate(zip(shape, detached.stride(), strict=True)):
        if stride == 0 and size > 1:
            detached, copies = detached.narrow(axis, 0, 1), copies * size
    numbers = in_memory_order(detached)
    fills = copies == 1 and numbers.dim() == 1 and tensor.is_cpu and not tensor.is_neg()
    known = remembered.find(tensor) if fills else None
    if known is not None:
        return known
    numbers = numbers.reshape(-1)  # with gaps torch takes five times as long
    if numbers.element_size() < 4:
        numbers = numbers.float()  # exact
    elif not numbers.is_floating_point():
        numbers = numbers.double()
    low, high = map(float, torch.aminmax(numbers))
    nonfinite = nans = 0
    count = numbers.numel()
    if not math.isfinite(low - high):  # then some entry may be NaN or infinite
        numbers, low, high, nonfinite, nans = without_nonfinite(numbers, low, high)
    if nonfinite == count:
        low = high = mean = norm = math.nan
    else:
        mean, norm = mean_and_norm(numbers, max(-low, high))
        mean *= count / (count - nonfinite)
    summary = low, high, mean, norm * math.sqrt(copies), nonfinite * copies, nans * copies
    if fills:
        remembered.keep(tensor, summary)
    return summary


def _sample(tensor: torch.Tensor) -> bytes:
    """The entries of a strided grid of a large tensor."""
    kept, steps = _grid(tensor.shape)
    picked = tensor.as_strided(kept, [side * step for side, step in zip(tensor.stride()[-2:], steps, strict=True)])
    size = _BYTES.get(tensor.dtype)
    if size and tensor.is_cpu and not tensor.is_neg():
        dense = picked.contiguous()
        if address := dense.data_ptr():  # a zero tensor of forward mode has no memory
            return memory[address : address + dense.numel() * size]
    return plain(picked).numpy().tobytes()


@lru_cache(maxsize=1_000)
def _grid(shape: torch.Size) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The shape of that grid, and its steps along the last axes."""
    return sample_shape(shape), sample_steps(shape)
