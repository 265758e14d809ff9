"""Map tensors and NumPy arrays to storages, and their entries to places.

Also classifies results as view, copy or new, by their shared memory, autograd and version counter.
"""

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np

from explorer.analysis.run.model import run_of
from explorer.analysis.run.names import word_of
from explorer.analysis.run.operations import names_where, reads_only_shape
from explorer.analysis.views.tensors.program_lines import (
    LONGEST,
    ProgramLine,
    line_of,
    place_of_binding,
    place_of_operation,
    statement,
    value_of,
    version_at,
)
from explorer.analysis.views.tensors.tensor_list import tensor_list
from explorer.analysis.views.tensors.views import is_contiguous
from explorer.safe_regex import plain
from explorer.trace import SIZES, Array, Binding, Number, Trace, index_at

MOST = 4096  # largest view whose positions are computed
# Calls whose purpose is to read the same entries in another way, or to copy them.
_READ_AGAIN = ("reshape", "contiguous", "clone", "detach", "transpose", "expand", "split", "index", "mask")
_SAME_ENTRIES = names_where(lambda operation: operation.sentence in _READ_AGAIN) | frozenset(
    """detach_ data numpy bool type cpu cuda tensor as_tensor asarray alias as_strided diag diagonal real imag
    requires_grad_""".split()
)
Outcome = Literal["same", "view", "copy", "new"]
_FROM_NUMPY = plain(r"\b(?:torch\.)?from_numpy\(\s*([\w.]+)")
_GIVEN = plain(r"\(\s*([A-Za-z_]\w*)\s*[,)]")
_OWN_COUNTER = ("data", "tensor", "from_numpy")  # objects on a storage that count versions separately


@dataclass(frozen=True)
class StoredView:
    """A tensor or NumPy array as a view of a storage.

    Attributes:
        label: current name, else an earlier name, or the creating expression.
        named: whether the label is a name.
        living: whether it currently has a name.
        shape, dtype: final shape and dtype.
        stride, offset: in entries of the view's dtype.
        size: bytes of an entry. unit: bytes of a storage cell.
        counter: current version counter, or -1.
    """

    kind: str
    tensor: int
    label: str
    named: bool
    living: bool
    shape: tuple[int, ...]
    dtype: str
    stride: tuple[int, ...]
    offset: int
    size: int
    unit: int
    counter: int = -1

    @cached_property
    def places(self) -> tuple[int, ...]:
        """First storage cells of up to MOST entries, in row-major order."""
        width = self.size // self.unit
        return tuple(int(place) * width for place in places(self.shape, self.stride, self.offset))

    @property
    def contiguous(self) -> bool:
        """Return whether its entries are in row-major order without gaps."""
        return is_contiguous(self.shape, self.stride)

    @property
    def entries(self) -> int:
        """Number of entries."""
        return math.prod(self.shape)

    def index(self, entry: int) -> tuple[int, ...]:
        """Return the index of the entry with this row-major number."""
        return index_at(entry, self.shape)


@dataclass(frozen=True)
class StorageMap:
    """A storage and its views.

    Attributes:
        number: number in the Trace.
        unit: bytes of a cell, the smallest entry of a view.
        cells: number of cells that its views reach from the beginning.
        views: in order of creation, arrays last.
        values: entry that begins in each cell, of the first covering view, preferably named.
    """

    number: int
    unit: int
    cells: int
    views: tuple[StoredView, ...]
    values: dict[int, Number]

    @property
    def shared(self) -> bool:
        """Return whether several tensors or arrays share it."""
        return len(self.views) > 1


def memory_map(trace: Trace, after: int | None = None) -> tuple[StorageMap, ...]:
    """Map tensors' storages after an operation (-1: before, None: end)."""
    then = len(trace.operations) if after is None else after
    wanted = {tensor.tensor for tensor in tensor_list(trace)}
    by_storage: dict[int, list[int]] = {}
    for tensor in sorted(wanted):
        if trace.tensors.storage[tensor] >= 0 and _is_strided(trace, tensor) and _has_begun(trace, tensor, then):
            by_storage.setdefault(trace.tensors.storage[tensor], []).append(tensor)
    return tuple(_storage(trace, number, tensors, then) for number, tensors in sorted(by_storage.items()))


def _has_begun(trace: Trace, tensor: int, then: int) -> bool:
    """Return whether a tensor existed or had a name after an operation."""
    named = any(binding.start <= then for binding in trace.index.bindings.get(tensor, ()))
    return named or 0 <= trace.maker(tensor) <= then


def _is_bound(name: Binding | Array, then: int) -> bool:
    """Return whether a name was bound after an operation."""
    return name.start <= then and (name.until < 0 or then < name.until)


def places(shape: tuple[int, ...], stride: tuple[int, ...], offset: int) -> np.ndarray:
    """Return the places of the first MOST entries: offset + Σ index · stride.

    >>> places((2, 3), (1, 2), 4).tolist()
    [4, 6, 8, 5, 7, 9]
    """
    count = min(math.prod(shape), MOST)
    cells, rest = np.full(count, offset), np.arange(count)
    for size, step in zip(reversed(shape), reversed(stride), strict=True):
        if size > 1:
            rest, index = np.divmod(rest, size)
            cells = cells + index * step
    return cells


def _storage(trace: Trace, number: int, tensors: list[int], then: int) -> StorageMap:
    sizes = {tensor: SIZES.get(trace.strings[trace.tensors.dtype[tensor]], 1) for tensor in tensors}
    arrays = [array for array in trace.index.arrays.get(number, []) if array.start <= then]
    unit = min([*sizes.values(), *(_array_size(array.dtype) for array in arrays)])
    views = [_tensor(trace, tensor, sizes[tensor], unit, then) for tensor in tensors]
    seen = set()
    for array in arrays:
        view = _array(trace, array, unit, then)
        if view is not None and (view.label, view.places) not in seen:
            seen.add((view.label, view.places))
            views.append(view)
    values: dict[int, Number] = {}
    for view in sorted(views, key=lambda view: (not view.living, not view.named)):
        if view.kind == "tensor":
            value = value_of(trace, version_at(trace, view.tensor, then))
            for place, entry in zip(view.places, value.data or (), strict=False):
                values.setdefault(place, entry)
    cells = max((_last(view) * view.size // unit + view.size // unit for view in views if view.entries), default=0)
    return StorageMap(number, unit, cells, tuple(views), values)


def _is_strided(trace: Trace, tensor: int) -> bool:
    """Return whether every axis has a stride, unlike in sparse and quantized tensors."""
    shape, stride = trace.tensors.shape[tensor], trace.tensors.stride[tensor]
    return stride >= 0 and len(trace.shapes[shape]) == len(trace.shapes[stride])


def _tensor(trace: Trace, tensor: int, size: int, unit: int, then: int) -> StoredView:
    tensors = trace.tensors
    shape, stride = tuple(trace.shapes[tensors.shape[tensor]]), tuple(trace.shapes[tensors.stride[tensor]])
    counter = trace.versions.version[version_at(trace, tensor, then)]
    names = [binding for binding in trace.index.bindings.get(tensor, ()) if binding.start <= then]
    standing = [binding.name for binding in names if _is_bound(binding, then)]
    first = word_of(run_of(trace), tensor)
    label = standing[0] if standing and first not in standing else first
    dtype = trace.strings[tensors.dtype[tensor]]
    head = "tensor", tensor, label, bool(names), bool(standing)
    return StoredView(*head, shape, dtype, stride, tensors.offset[tensor], size, unit, counter)


def _array(trace: Trace, array: Array, unit: int, then: int) -> StoredView | None:
    size = _array_size(array.dtype)
    shape, stride = tuple(trace.shapes[array.shape]), tuple(trace.shapes[array.stride])
    if array.offset % size or any(step % size for step in stride):
        return None
    steps = tuple(step // size for step in stride)
    head = "array", -1, array.name, True, _is_bound(array, then)
    return StoredView(*head, shape, array.dtype, steps, array.offset // size, size, unit)


def _last(view: StoredView) -> int:
    """Return the furthest entry that a view reaches, in its own entries."""
    return view.offset + sum((size - 1) * max(step, 0) for size, step in zip(view.shape, view.stride, strict=True))


def _array_size(dtype: str) -> int:
    try:
        return max(np.dtype(dtype).itemsize, 1)
    except TypeError:
        return 1


@dataclass(frozen=True)
class Sharing:
    """Sharing between a line's result and its sources.

    Attributes:
        operation: torch's name: clone, detach, data, numpy, reshape …
        place, text: line and expression.
        source, result: names, expressions, or "". A new result may have several sources, separated by commas.
        outcome: same (object), view (same storage), copy (same entries, separate storage) or new (computed
            entries, separate storage).
        tracked: whether autograd tracks the result, None for a NumPy array.
        counter: whether writing to one raises the other's version counter, None for a NumPy array.
    """

    operation: str
    place: ProgramLine
    text: str
    source: str
    result: str
    outcome: Outcome
    tracked: bool | None
    counter: bool | None


def sharing(trace: Trace) -> tuple[Sharing, ...]:
    """List lines that make a tensor or array from another, repeated lines once."""
    by_line: dict[tuple[ProgramLine, str], Sharing] = {}
    operations = trace.operations
    listed = {tensor.tensor for tensor in tensor_list(trace)}
    for operation in range(len(operations)):
        name = trace.strings[operations.name[operation]]
        place = place_of_operation(trace, operation)
        if place is None or operations.in_backward[operation] >= 0:
            continue
        if name == "numpy":
            sharing = _numpy(trace, operation, place)
        elif name in _SAME_ENTRIES:
            sharing = _sharing_of(trace, operation, place)
        else:
            sharing = _computed(trace, operation, place) if listed & {*operations.outputs[operation]} else None
        if sharing is not None:
            by_line[place, sharing.text] = replace(sharing, text=statement(trace, place, sharing.text))
    for binding in trace.bindings:  # from_numpy is not recorded, so compare name and memory
        place = place_of_binding(trace, binding)
        storage = trace.tensors.storage[binding.tensor]
        if binding.span < 0 and place is not None:
            line = line_of(trace, place)
            called = _FROM_NUMPY.search(line)
            lies = storage in trace.index.arrays
            if called:
                outcome: Outcome = "view" if lies else "copy"
                by_line[place, line] = Sharing(
                    "from_numpy", place, line, called[1], binding.name, outcome, False, False if lies else None
                )
    return tuple(sorted(by_line.values(), key=lambda shared: shared.place))


def _sharing_of(trace: Trace, operation: int, place: ProgramLine) -> Sharing | None:
    name = trace.strings[trace.operations.name[operation]]
    operations, tensors = trace.operations, trace.tensors
    inputs, outputs = operations.inputs[operation], operations.outputs[operation]
    if not outputs or (not inputs and name not in ("tensor", "as_tensor", "asarray")):
        return None
    result, text = outputs[0], trace.text(operations.span[operation])
    source, called = (inputs[0] if inputs else -1), word_of(run_of(trace), result, operation, line_of(trace, place))
    made = trace.versions.node[trace.versions_of(result)[0]] >= 0 or tensors.requires_grad[result]
    if source < 0:
        given = _GIVEN.search(text[:LONGEST])  # a named NumPy array or list
        if given is None:
            return None
        own = tensors.storage[result] not in trace.index.arrays
        return Sharing(name, place, text, given[1], called, "copy" if own else "view", made, False)
    shares = tensors.storage[result] == tensors.storage[source] >= 0
    outcome: Outcome = "same" if source == result else "view" if shares else "copy"
    counter = outcome == "same" or (shares and name not in _OWN_COUNTER)
    return Sharing(name, place, text, word_of(run_of(trace), source, operation, text), called, outcome, made, counter)


def _computed(trace: Trace, operation: int, place: ProgramLine) -> Sharing | None:
    """Describe another operation's result, None if it only wrote, or read a shape or `.grad`."""
    name, operations, tensors = trace.strings[trace.operations.name[operation]], trace.operations, trace.tensors
    inputs, result = operations.inputs[operation], operations.outputs[operation][0]
    begins = trace.versions_of(result)[0]
    reads_only = reads_only_shape(name) or (name == "grad" and len(inputs) == 1)
    if not inputs or trace.versions.operation[begins] != operation or reads_only:
        return None
    text = trace.text(operations.span[operation])
    shares = [input_ for input_ in inputs if tensors.storage[input_] == tensors.storage[result] >= 0]
    run = run_of(trace)
    sources = ", ".join(filter(None, dict.fromkeys(word_of(run, share, operation, text) for share in shares or inputs)))
    made = trace.versions.node[begins] >= 0 or tensors.requires_grad[result]
    outcome: Outcome = "view" if shares else "new"
    called = word_of(run, result, operation, line_of(trace, place))
    return Sharing(name, place, text, sources, called, outcome, made, bool(shares))


def _numpy(trace: Trace, operation: int, place: ProgramLine) -> Sharing | None:
    inputs = trace.operations.inputs[operation]
    if not inputs or trace.operations.error[operation] >= 0:
        return None
    storage, text = trace.tensors.storage[inputs[0]], trace.text(trace.operations.span[operation])
    line = line_of(trace, place)
    arrays = [array.name for array in trace.index.arrays.get(storage, ())]
    result = next((name for name in arrays if line.removeprefix(name).lstrip().startswith("=")), "")
    return Sharing("numpy", place, text, word_of(run_of(trace), inputs[0], operation, text), result, "view", None, None)
