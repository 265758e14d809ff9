"""Numbers of tensors, copied out the moment they are seen, so that no later write reaches them."""

import ctypes
import math

import torch
from msgspec import Struct

from explorer.trace import FULL, STORED, sample_shape, sample_steps

_WIDENED = {torch.bfloat16: torch.float32}
_NO_SHAPE = torch.Size()
_BYTES = {  # per entry, of the dtypes whose memory is what numpy reads
    dtype: torch.empty(0, dtype=dtype).element_size()
    for dtype in (
        *(torch.float32, torch.float64, torch.float16, torch.bool),
        *(torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8),
    )
}


# This process's memory as an array of bytes: slicing it copies four times as fast as a call through ctypes.
_memory = (ctypes.c_char * (1 << 56)).from_address(0)


class Interned(dict):
    """Index by thing, in the order of first use; `list(interned)` is the table."""

    def __missing__(self, thing) -> int:
        self[thing] = index = len(self)
        return index


class ValueRow(Struct):
    """One value: raw bytes (None: opaque); of a large one minimum, maximum, mean, norm, how many not finite and NaN."""

    dtype: torch.dtype
    shape: torch.Size
    data: bytes | None
    summary: tuple[float, float, float, float, int, int] | None


class ValueStore:
    """Every value of a run by id.

    Attributes:
        rows: id to row; ids only grow, rows may be dropped.
        complex_seen: whether a real tensor may be the lazily negated part of a complex one.
    """

    def __init__(self) -> None:
        self.rows: dict[int, ValueRow] = {}
        self.count = 0
        self.complex_seen = False

    def add(self, tensor: torch.Tensor) -> int:
        """Copy the entries of a tensor out; its id. Never raises: what cannot be read is kept as opaque.

        The memory is read directly: `numpy()` would forbid torch to resize the storage ever after.
        """
        self.count = index = self.count + 1
        shape, dtype = _NO_SHAPE, tensor.dtype
        try:
            shape = tensor.shape
            entries = tensor.numel()
            if entries <= FULL:
                size = _BYTES.get(dtype)
                if size and tensor.is_cpu and not (self.complex_seen and tensor.is_neg()):
                    dense = tensor if tensor.is_contiguous() else tensor.detach().contiguous()
                    address = dense.data_ptr()
                    if address or not entries:  # a zero tensor of forward mode has no memory
                        self.rows[index] = ValueRow(dtype, shape, _memory[address : address + entries * size], None)
                        return index
                self.complex_seen = self.complex_seen or dtype.is_complex
                self.rows[index] = ValueRow(dtype, shape, plain(tensor).numpy().tobytes(), None)
            else:
                self.complex_seen = self.complex_seen or dtype.is_complex
                self.rows[index] = _summarised(tensor)
        except Exception:  # wrappers of torch.func, sparse, quantized and nested layouts, meta tensors, lazy parameters
            self.rows[index] = ValueRow(dtype, shape, None, None)
        return index

    def add_whole(self, tensor: torch.Tensor) -> int:
        """Copy all entries of a dense tensor out, however many; its id. Raises RuntimeError or TypeError."""
        data = plain(tensor).numpy().tobytes()
        self.count = index = self.count + 1
        self.rows[index] = ValueRow(tensor.dtype, tensor.shape, data, None)
        return index

    def drop(self, ids) -> None:
        """Forget values."""
        for index in ids:
            self.rows.pop(index, None)
            if index == self.count:
                self.count -= 1


def plain(tensor: torch.Tensor) -> torch.Tensor:
    """The same entries as a dense CPU tensor for numpy. Raises RuntimeError or TypeError when there is none."""
    dense = tensor.detach().clone().cpu().resolve_conj().resolve_neg()
    dense = dense.to(_WIDENED.get(dense.dtype, dense.dtype))
    if str(dense.dtype).removeprefix("torch.") not in STORED or dense.layout is not torch.strided:
        raise TypeError(f"no plain entries in {dense.dtype}, {dense.layout}")
    return dense


def _summarised(tensor: torch.Tensor) -> ValueRow:
    shape = tuple(tensor.shape)
    detached = tensor.detach()
    grid = detached[(0,) * max(0, len(shape) - 2)]
    for axis, (kept, step) in enumerate(zip(sample_shape(shape), sample_steps(shape), strict=True)):
        grid = grid.narrow(axis, 0, (kept - 1) * step + 1)[(slice(None),) * axis + (slice(None, None, step),)]
    sample = plain(grid).numpy().tobytes()
    if detached.is_complex():  # it has no order
        finite = torch.isfinite(detached)
        norm = float(detached[finite].abs().double().norm())
        counts = int((~finite).sum()), int(detached.isnan().sum())
        return ValueRow(tensor.dtype, tensor.shape, sample, (math.nan, math.nan, math.nan, norm, *counts))
    copies = 1  # of every entry: an axis of stride 0, as expand makes it, shows the same ones again and again
    for axis, (size, stride) in enumerate(zip(shape, detached.stride(), strict=True)):
        if stride == 0 and size > 1:
            detached, copies = detached.narrow(axis, 0, 1), copies * size
    numbers = detached if detached.is_floating_point() else detached.double()
    low, high = torch.aminmax(numbers)
    total = float(low) - float(high)
    if math.isfinite(total):  # then no entry is NaN or infinite
        norm = float(torch.linalg.vector_norm(numbers, dtype=torch.float64)) * math.sqrt(copies)
        mean = float(numbers.mean(dtype=torch.float64))
        return ValueRow(tensor.dtype, tensor.shape, sample, (float(low), float(high), mean, norm, 0, 0))
    finite = numbers[torch.isfinite(numbers)].double()
    nonfinite = (numbers.numel() - finite.numel()) * copies
    nans = int(numbers.isnan().sum()) * copies
    if not finite.numel():
        return ValueRow(tensor.dtype, tensor.shape, sample, (math.nan,) * 4 + (nonfinite, nans))
    norm = float(finite.norm()) * math.sqrt(copies)
    summary = (float(finite.min()), float(finite.max()), float(finite.mean()), norm, nonfinite, nans)
    return ValueRow(tensor.dtype, tensor.shape, sample, summary)
