"""Identities of tensors: object, storage and versions, and NumPy arrays in their memory."""

import weakref
from collections.abc import Iterable
from operator import itemgetter
from typing import Any

import numpy as np
import torch
from msgspec import Struct
from torch._C import TensorBase

from explorer.runtime.recorder import properties
from explorer.runtime.recorder.faults import reraise_recorder_error
from explorer.runtime.recorder.rows import (
    STATE_NODE,
    STATE_OPERATION,
    STATE_OUTPUT,
    STATE_VALUE,
    TENSOR,
    TENSOR_IS_LEAF,
    TENSOR_LAST,
    TENSOR_OFFSET,
    TENSOR_REF,
    TENSOR_REQUIRES_GRAD,
    TENSOR_SHAPE,
    TENSOR_STRIDE,
    RunRows,
)
from explorer.runtime.recorder.storages import Storages
from explorer.runtime.recorder.values import ValueStore

_STRIDED = torch.strided
_Parameter = torch.nn.Parameter


class TensorBook:
    """The tensors of a run.

    Attributes: complete: whether storages and aliases are followed. known: by id() of an object, a weak reference to it
    and its id here. storages: their memory.
    """

    def __init__(self, rows: RunRows, values: ValueStore, complete: bool) -> None:
        self.rows, self.values, self.complete = rows, values, complete
        self.known: dict[int, tuple[weakref.ref, int]] = {}
        self.storages = Storages(rows)
        self._fresh: list[int] = []  # tensors with new memory: not yet looked up

    def find(self, tensor: torch.Tensor) -> int:
        """Return the id of a tensor object, 0 if unknown."""
        entry = self.known.get(id(tensor))
        if entry is None or entry[0]() is not tensor:
            return 0
        return entry[1] if not self.rows.tensors.gone or entry[1] in self.rows.tensors else 0

    def same_entries(self, tensor: torch.Tensor, storage: torch.UntypedStorage) -> tuple[int, int]:
        """Return the known tensor in an object's memory, and its storage's number (0: unknown)."""
        if self._fresh:
            self._enter_fresh()
        number = self.storages.number_at(storage._cdata)
        if not number:
            return 0, 0
        shape, offset, stride = tensor.shape, TensorBase.storage_offset(tensor), TensorBase.stride(tensor)
        tensors = self.rows.tensors
        cells, gone = tensors.cells, tensors.gone
        for index in self.storages.newest_on(number):
            at = tensors.at(index) if gone else index * TENSOR - TENSOR
            if (
                at >= 0
                and cells[at + TENSOR_SHAPE] == shape
                and cells[at + TENSOR_OFFSET] == offset
                and cells[at + TENSOR_STRIDE] == stride
            ):
                return index if cells[at]() is not None else 0, number
        return 0, number

    def storage_of(self, tensor: torch.Tensor, index: int) -> int:
        """Return the storage number of a new tensor, 0 if it has none."""
        if self._fresh == [index]:
            self._fresh.clear()
            self.storages.enter(tensor, index)
        else:
            self._enter_fresh()
        memory = self.rows.tensors.memory.get(index)
        return 0 if memory is None else memory.number

    def add(
        self, tensor: torch.Tensor, operation: int, fresh: bool = False, history: bool = False, known: int = 0
    ) -> int:
        """Record a new tensor object in its present state. Return its id.

        Args: fresh: no other tensor shares its memory. history: a node made it, so it requires a gradient and is no
        leaf. known: a value that may have its entries.
        """
        reference, values, strided = weakref.ref(tensor), self.values, True
        value, layout = values.again_or_add(known, tensor, fresh), values.layout
        if layout is not None:
            is_parameter = layout.is_parameter
            shape, stride, dtype, device = layout.shape, layout.stride, layout.dtype, layout.device
            offset = TensorBase.storage_offset(tensor)
            try:
                version = tensor._version
            except RuntimeError:  # inference tensors have no version
                version = -1
        else:
            is_parameter, dtype, device = type(tensor) is _Parameter, tensor.dtype, tensor.device
            strided, shape, stride, offset = _geometry(tensor)
            version = properties.version(tensor)
        requires_grad = history or tensor.requires_grad
        is_leaf = not history and properties.is_leaf(tensor)
        # All properties are read before a row is recorded, so that a failing one leaves none.
        tensors = self.rows.tensors
        states = tensors.states
        index, state = tensors.count + 1, states.count + 1
        tensors.cells += (
            reference,
            shape,
            stride,
            dtype,
            device,
            requires_grad,
            is_leaf,
            is_parameter,
            offset,
            state,
            state,
            version,
        )
        tensors.count = index
        states.cells += (index, version, operation, value, 0, 0, 0)
        states.count = state
        self.known[id(tensor)] = (reference, index)
        if self.complete and strided:
            if fresh:
                self._fresh.append(index)
            else:
                self._enter_fresh()
                self.storages.enter(tensor, index)
        return index

    def changed(self, index: int, tensor: torch.Tensor, operation: int, node: int, output: int, begun: int = 0) -> None:
        """Record a known tensor's new state, with `begun` as in `compare`."""
        tensors = self.rows.tensors
        if index in tensors:
            value = self.values.add(tensor)
            tensors.changed(
                index, properties.version(tensor), operation, value, node, output, 0 if operation else begun
            )
            tensors.stale.discard(index)

    def renewed(self, index: int, tensor: torch.Tensor) -> None:
        """Reread shape, strides, storage and requires_grad, which change without a write."""
        cells, at = self.rows.tensors.cells, self.rows.tensors.at(index)
        if at < 0:
            return
        cells[at + TENSOR_REQUIRES_GRAD], cells[at + TENSOR_IS_LEAF] = tensor.requires_grad, properties.is_leaf(tensor)
        strided, cells[at + TENSOR_SHAPE], cells[at + TENSOR_STRIDE], cells[at + TENSOR_OFFSET] = _geometry(tensor)
        if strided and self.complete:
            self.storages.enter(tensor, index)

    def aliases(self, index: int, operation: int) -> list[tuple[int, torch.Tensor]]:
        """Return the other living tensors on a written storage, with ids.

        Return [] if there are very many, as after iterating over a tensor: their new state is recorded at their next
        use, or at the end.
        """
        self._enter_fresh()
        memory = self.rows.tensors.memory.get(index)
        if memory is None:
            return []
        if self.storages.crowded(memory.number):
            self.storages.wrote(memory.number, operation)
            return []
        return [pair for pair in self.storages.on(memory.number) if pair[0] != index]

    def expose(self, index: int) -> None:
        """Mark a tensor's memory as writable by other libraries."""
        self._enter_fresh()
        tensors = self.rows.tensors
        tensors.exposed.add(index)
        memory, tensor = tensors.memory.get(index), tensors.living(index)
        if memory is not None:
            tensors.exposed.update(alias for alias, _ in self.storages.on(memory.number))
            if tensor is not None:
                self.storages.expose(memory.number, tensor)

    def compare(self, index: int, tensor: torch.Tensor, begun: int, operation: int = 0) -> bool:
        """Record a new state if the entries changed. Return whether they did.

        Args: begun: the number of the next operation: an unknown write happened before it. operation: the operation
        that wrote, if known.
        """
        tensors = self.rows.tensors
        if (at := tensors.at(index)) < 0:
            return False
        held = tensors.states.field(tensors.cells[at + TENSOR_LAST], STATE_VALUE)
        if self.values.holds(held, tensor):
            return False
        value = self.values.add(tensor)
        if self.values.equal(value, held):
            self.values.take_back(value)
            return False
        operation = operation or self.unseen_write(index)
        node, output = tensors.last(index, STATE_NODE), tensors.last(index, STATE_OUTPUT)
        tensors.changed(index, properties.version(tensor), operation, value, node, output, 0 if operation else begun)
        return True

    def compare_exposed(self, begun: int) -> None:
        """Compare all tensors that other libraries may write to."""
        for number in sorted(self.storages.exposed):
            for index, tensor in self.storages.on(number):
                self.compare(index, tensor, begun)

    def refers_to(self, reference: weakref.ref) -> bool:
        """Return whether a weak reference belongs to these rows."""
        tensor = reference()
        entry = self.known.get(id(tensor))
        return entry is not None and entry[0] is reference

    def part_with(self, tensor: torch.Tensor) -> None:
        """Forget a tensor object before a swap: its next use records it again."""
        entry = self.known.pop(id(tensor), None)
        if entry is not None and (at := self.rows.tensors.at(entry[1])) >= 0:
            self.rows.tensors.cells[at] = gone

    def living(self) -> list[tuple[int, torch.Tensor]]:
        """Return every living tensor object with its id."""
        self._enter_fresh()
        rows = self.rows.tensors
        living = [(index, tensor) for reference, index in self.known.values() if (tensor := reference()) is not None]
        return sorted([one for one in living if one[0] in rows] if rows.gone else living, key=itemgetter(0))

    def sweep(self) -> None:
        """Remove dead tensors, so that look-ups only cover the living."""
        for key in [key for key, held in self.known.items() if held[0]() is None]:
            del self.known[key]
        self._enter_fresh()
        self.storages.sweep()

    def forget(self) -> None:
        """Release everything but plain rows."""
        cells = self.rows.tensors.cells
        cells[TENSOR_REF::TENSOR] = [gone] * (len(cells) // TENSOR)  # so that the tensors can be freed
        self.known.clear()
        self.storages.forget()

    def unseen_write(self, index: int) -> int:
        """Return the last write to a tensor's memory without a state, or 0."""
        memory = self.rows.tensors.memory.get(index)
        written = memory.written if memory is not None else 0
        return written if written and written > self.rows.tensors.last(index, STATE_OPERATION) else 0

    def _enter_fresh(self) -> None:
        """Register the memory of new tensors, which others may now share."""
        if self._fresh:
            fresh, self._fresh = self._fresh, []
            living, enter = self.rows.tensors.living, self.storages.enter
            for index in fresh:
                if (tensor := living(index)) is not None:
                    enter(tensor, index)


def gone() -> None:
    """Return None, in place of a weak reference."""


def _geometry(tensor: Any) -> tuple[bool, torch.Size, tuple[int, ...], int]:
    """Return whether a tensor has strides, with shape, strides and offset."""
    try:
        shape = tensor.shape
        if not all(type(size) is int for size in shape):  # symbols, while a program is traced
            return False, torch.Size(), (), 0
        if tensor.layout is _STRIDED:
            return True, shape, TensorBase.stride(tensor), int(TensorBase.storage_offset(tensor))
        return False, shape, (), 0
    except Exception as problem:  # nested tensors, parameters without a shape yet
        reraise_recorder_error(problem)
        return False, torch.Size(), (), 0


class ArrayRow(Struct):
    """A name for an array, with the fields of trace.Array.

    `array` is the object's id() while the name is bound.
    """

    name: str
    array: int
    storage: int
    offset: int
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    dtype: str
    start: int
    until: int = 0


class ArrayBook:
    """The names of such arrays.

    Attributes: rows: in order of discovery.
    """

    def __init__(self, tensors: TensorBook) -> None:
        self.tensors = tensors
        self.rows: list[ArrayRow] = []
        self._current: dict[str, ArrayRow] = {}

    def see(self, namespace: dict, names: Iterable[str], operation: int) -> None:
        """Record the current arrays of names after an operation, and lost names."""
        if not self.tensors.storages.exposed and not self._current:
            return
        gone = [name for name in self._current if name not in namespace]
        for name in [*gone, *names]:
            array, row = namespace.get(name), self._current.get(name)
            if row is not None and id(array) != row.array:
                row.until = operation
                del self._current[name]
            if type(array) is not np.ndarray or name in self._current or name.startswith("_"):
                continue
            address = array.__array_interface__["data"][0]
            if (place := self.tensors.storages.at(address)) is not None:
                shape, stride = array.shape, array.strides
                row = ArrayRow(name, id(array), *place, shape, stride, array.dtype.name, operation)
                self._current[name] = row
                self.rows.append(row)
