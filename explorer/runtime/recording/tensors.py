"""Which tensor is which: identity, storage and versions of every tensor object the program touches."""

import weakref
from typing import Any

import torch

from explorer.runtime.recording import answers
from explorer.runtime.recording.rows import (
    STATE_NODE,
    STATE_OPERATION,
    STATE_OUTPUT,
    STATE_VALUE,
    TENSOR_IS_LEAF,
    TENSOR_OFFSET,
    TENSOR_REQUIRES_GRAD,
    TENSOR_SHAPE,
    TENSOR_STRIDE,
    Rows,
)
from explorer.runtime.recording.storages import Storages
from explorer.runtime.recording.values import ValueStore

_STRIDED = torch.strided
_Parameter = torch.nn.Parameter


class TensorBook:
    """The tensors of a run.

    Attributes:
        complete: whether storages and aliases are followed.
        known: by id() of an object, a weak reference to it and its id here.
        storages: which memory they lie in.
    """

    def __init__(self, rows: Rows, values: ValueStore, complete: bool) -> None:
        self.rows, self.values, self.complete = rows, values, complete
        self.known: dict[int, tuple[weakref.ref, int]] = {}
        self.storages = Storages(rows)
        self._fresh: list[int] = []  # tensors that had memory of their own when made: not yet looked up

    def find(self, tensor: torch.Tensor) -> int:
        """The id of a tensor object, 0 if it is not known."""
        known = self.known.get(id(tensor))
        return known[1] if known is not None and known[0]() is tensor and known[1] in self.rows.tensors else 0

    def same_entries(self, tensor: torch.Tensor) -> int:
        """The known tensor whose entries a fresh object (a saved result, say) shows; 0 if there is none."""
        self._enter_fresh()
        number = self.storages.number_of(tensor)
        if not number:
            return 0
        shape, offset, stride = tensor.shape, tensor.storage_offset(), tensor.stride()
        for index in self.storages.newest_on(number):
            at, cells = self.rows.tensors.at(index), self.rows.tensors.cells
            if (
                at >= 0
                and cells[at + TENSOR_SHAPE] == shape
                and cells[at + TENSOR_OFFSET] == offset
                and cells[at + TENSOR_STRIDE] == stride
            ):
                return index if cells[at]() is not None else 0
        return 0

    def add(self, tensor: torch.Tensor, operation: int, fresh: bool = False, history: bool = False) -> int:
        """Write a new tensor object down in its present state; its id.

        Args:
            fresh: it shares its memory with no other.
            history: a node made it, which says that it requires a gradient and is no leaf.
        """
        reference, value = weakref.ref(tensor), self.values.add(tensor)
        try:
            offset: Any  # a number: symbols are torch.compile's alone
            strided, version = tensor.layout is _STRIDED, tensor._version
            shape, stride, offset = tensor.shape, tensor.stride(), tensor.storage_offset()
        except Exception:
            strided, shape, stride, offset = _geometry(tensor)
            version = answers.version(tensor)
        tensors, states = self.rows.tensors, self.rows.tensors.states
        index, state = tensors.count + 1, states.count + 1
        row = (  # whatever a tensor refuses to say, it does so before anything is written down
            reference,
            shape,
            stride,
            tensor.dtype,
            tensor.device,
            history or tensor.requires_grad,
            not history and answers.is_leaf(tensor),
            type(tensor) is _Parameter,
            offset,
            state,
            state,
            version,
        )
        states.cells += (index, version, operation, value, 0, 0, 0)
        states.count = state
        tensors.cells += row
        tensors.count = index
        self.known[id(tensor)] = (reference, index)
        if self.complete and strided:
            if fresh:
                self._fresh.append(index)
            else:
                self._enter_fresh()
                self.storages.enter(tensor, index)
        return index

    def changed(self, index: int, tensor: torch.Tensor, operation: int, node: int, output: int, begun: int = 0) -> None:
        """Write down a new state of a known tensor; `begun` as in `compare`."""
        tensors = self.rows.tensors
        if index in tensors:
            value = self.values.add(tensor)
            tensors.changed(index, answers.version(tensor), operation, value, node, output, 0 if operation else begun)
            tensors.stale.discard(index)

    def renewed(self, index: int, tensor: torch.Tensor) -> None:
        """Read again what may have changed without a write: shape, strides, storage, requires_grad."""
        cells, at = self.rows.tensors.cells, self.rows.tensors.at(index)
        if at < 0:
            return
        cells[at + TENSOR_REQUIRES_GRAD], cells[at + TENSOR_IS_LEAF] = tensor.requires_grad, answers.is_leaf(tensor)
        strided, cells[at + TENSOR_SHAPE], cells[at + TENSOR_STRIDE], cells[at + TENSOR_OFFSET] = _geometry(tensor)
        if strided and self.complete:
            self.storages.enter(tensor, index)

    def aliases(self, index: int, operation: int) -> list[tuple[int, torch.Tensor]]:
        """The other living tensors on the storage of a tensor that an operation wrote to, with their ids.

        None where there are very many, as of a tensor that was iterated: their new state is written down when they are
        used, or at the end.
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
        """From now on others may write into this tensor's memory unseen: look at it whenever it is used."""
        self._enter_fresh()
        tensors = self.rows.tensors
        tensors.exposed.add(index)
        memory, tensor = tensors.memory.get(index), tensors.living(index)
        if memory is not None:
            tensors.exposed.update(alias for alias, _ in self.storages.on(memory.number))
            if tensor is not None:
                self.storages.expose(memory.number, tensor)

    def compare(self, index: int, tensor: torch.Tensor, begun: int, operation: int = 0) -> bool:
        """Whether the entries differ from the last state written down; if so they become a new one.

        Args:
            begun: the number of the next operation: where none is known to have written, it was before that one.
            operation: what wrote, if that is known.
        """
        tensors = self.rows.tensors
        if index not in tensors:
            return False
        value = self.values.add(tensor)
        if self.values.equal(value, tensors.last(index, STATE_VALUE)):
            self.values.take_back(value)
            return False
        operation = operation or self.unseen_write(index)
        node, output = tensors.last(index, STATE_NODE), tensors.last(index, STATE_OUTPUT)
        tensors.changed(index, answers.version(tensor), operation, value, node, output, 0 if operation else begun)
        return True

    def compare_exposed(self, begun: int) -> None:
        """Look at all that others may have written to unseen; `begun` as in `compare`."""
        for number in sorted(self.storages.exposed):
            for index, tensor in self.storages.on(number):
                self.compare(index, tensor, begun)

    def living(self) -> list[tuple[int, torch.Tensor]]:
        """Every tensor object that is still there, with its id."""
        self._enter_fresh()
        return self._living(sorted(index for _, index in self.known.values()))

    def sweep(self) -> None:
        """Strike off what is gone: of a long run only what lives is looked up."""
        self.known = {key: held for key, held in self.known.items() if held[0]() is not None}
        self._enter_fresh()
        self.storages.sweep()

    def forget(self) -> None:
        """Let go of everything but plain rows."""
        self.known.clear()
        self.storages.forget()

    def unseen_write(self, index: int) -> int:
        """The last operation that wrote to the memory of a tensor without being followed to it, 0 for none."""
        memory = self.rows.tensors.memory.get(index)
        written = memory.written if memory is not None else 0
        return written if written and written > self.rows.tensors.last(index, STATE_OPERATION) else 0

    def _living(self, indices: list[int]) -> list[tuple[int, torch.Tensor]]:
        found = []
        for index in indices:
            tensor = self.rows.tensors.living(index)
            if tensor is not None:
                found.append((index, tensor))
        return found

    def _enter_fresh(self) -> None:
        """Look up the memory of what was made since: from now on others may share it."""
        if self._fresh:
            fresh, self._fresh = self._fresh, []
            for index, tensor in self._living(fresh):
                self.storages.enter(tensor, index)


def _geometry(tensor: Any) -> tuple[bool, torch.Size, tuple[int, ...], int]:
    """Whether a tensor has strides; its shape, strides and offset."""
    try:
        if tensor.layout is _STRIDED:
            return True, tensor.shape, tensor.stride(), tensor.storage_offset()
        return False, tensor.shape, (), 0
    except Exception:  # nested tensors, parameters without a shape yet
        return False, torch.Size(), (), 0
