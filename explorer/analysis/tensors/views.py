"""One tensor in full: where it came from, what it is, its versions, its place in memory."""

import math
from dataclasses import dataclass

import numpy as np

from explorer.analysis.tensors.program_lines import (
    ProgramLine,
    place_of_binding,
    place_of_operation,
    shape_of,
    value_of,
)
from explorer.trace import Trace, Value

# Bytes of an entry by torch's name of the dtype (c10::elementSize).
SIZES = {
    **dict.fromkeys(("float64", "int64", "complex64", "uint64"), 8),
    **dict.fromkeys(("float32", "int32", "uint32", "complex32", "qint32"), 4),
    **dict.fromkeys(("float16", "bfloat16", "int16", "uint16"), 2),
    **dict.fromkeys(("int8", "uint8", "bool", "float8_e4m3fn", "float8_e5m2", "qint8", "quint8"), 1),
    "complex128": 16,
}


@dataclass(frozen=True)
class Named:
    """A name of the tensor. Attributes: place: its line or None; ended: whether it stands for another tensor now."""

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
        text: the expression that wrote it, or "".
        seen: whether an operation wrote it; otherwise it was found changed (through NumPy, say).
    """

    row: int
    counter: int
    place: ProgramLine | None
    text: str
    seen: bool


@dataclass(frozen=True)
class TensorView:
    """A tensor at one of its versions.

    Attributes:
        names: in the order they were given.
        shape, dtype: of this version; device, requires_grad, is_leaf, is_parameter: as the run left them.
        strided: whether it lies in memory with strides: not so sparse, quantized and meta tensors.
        stride, offset: in entries; storage: its number (-1: unknown).
        contiguous: whether its entries lie in row-major order without gaps.
        states, state: all versions, oldest first, and which one this is.
        value: its entries; grad: `.grad` at the end, or None.
        picked: of a very large tensor a step and every step-th entry, for a histogram; otherwise None.
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
        """How many entries it has: `numel()`."""
        return math.prod(self.shape)

    @property
    def size(self) -> int | None:
        """Bytes of its entries, None for a dtype of unknown size."""
        return self.entries * SIZES[self.dtype] if self.dtype in SIZES else None


def tensor_view(trace: Trace, tensor: int, version: int | None = None) -> TensorView:
    """A tensor at a version (a row of Trace.versions; None: as the run left it)."""
    tensors, rows = trace.tensors, trace.versions_of(tensor)
    row = rows[-1] if version is None else version
    shape, dtype = shape_of(trace, row)
    stride = tuple(trace.shapes[tensors.stride[tensor]]) if tensors.stride[tensor] >= 0 else ()
    value = value_of(trace, row)
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
        picked=_picked(trace, tensor) if row == rows[-1] else None,
    )


def is_contiguous(shape: tuple[int, ...], stride: tuple[int, ...]) -> bool:
    """Whether row-major order is the order in memory; axes of size 1 do not count (torch's `is_contiguous`)."""
    expected = 1
    if 0 in shape:
        return True
    for size, step in zip(reversed(shape), reversed(stride), strict=False):
        if size != 1 and step != expected:
            return False
        expected *= size
    return True


def same_value(value: Value, other: Value) -> bool:
    """Whether two values are equal as far as both are known: by entries, or where one is a sample by their range."""
    if value.data is not None and other.data is not None:
        return value.shape == other.shape and np.array_equal(value.data, other.data, equal_nan=value.nonfinite > 0)
    facts = [(v.shape, v.minimum, v.maximum, v.nonfinite) for v in (value, other)]
    return facts[0] == facts[1] and all(
        math.isclose(a or 0.0, b or 0.0, rel_tol=1e-6, abs_tol=1e-12)
        for a, b in ((value.mean, other.mean), (value.norm, other.norm))
    )


def _state(trace: Trace, row: int) -> State:
    operation = trace.versions.operation[row]
    text = trace.text(trace.operations.span[operation]) if operation >= 0 else ""
    return State(row, trace.versions.version[row], place_of_operation(trace, operation), text, operation >= 0)


def _picked(trace: Trace, tensor: int) -> tuple[int, tuple] | None:
    picked = trace.picked(tensor)
    return None if picked is None else (picked[0], picked[1].data or ())
