"""Which tensor is which: identity, storage and versions of every tensor object the program touches."""

import weakref
from typing import Any

import torch

from explorer.runtime.recording import answers
from explorer.runtime.recording.rows import Rows, TensorRow, VersionRow
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
        self.count = 0
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
            row = self.rows.tensors.get(index)
            if row is not None and row.shape == shape and row.offset == offset and row.stride == stride:
                return index if row.ref() is not None else 0
        return 0

    def add(self, tensor: torch.Tensor, operation: int, fresh: bool = False, history: bool = False) -> int:
        """Write a new tensor object down in its present state; its id.

        Args:
            fresh: it shares its memory with no other.
            history: a node made it, which says that it requires a gradient and is no leaf.
        """
        self.count = index = self.count + 1
        reference = weakref.ref(tensor)
        self.known[id(tensor)] = (reference, index)
        try:
            offset: Any  # a number: symbols are torch.compile's alone
            strided, version = tensor.layout is _STRIDED, tensor._version
            shape, stride, offset = tensor.shape, tensor.stride(), tensor.storage_offset()
        except Exception:
            strided, shape, stride, offset = _geometry(tensor)
            version = answers.version(tensor)
        row = TensorRow(
            reference,
            shape,
            stride,
            tensor.dtype,
            tensor.device,
            history or tensor.requires_grad,
            not history and answers.is_leaf(tensor),
            type(tensor) is _Parameter,
            0,
            offset,
            [VersionRow(version, operation, self.values.add(tensor), 0, 0)],
        )
        self.rows.tensors[index] = row
        if self.complete and strided:
            if fresh:
                self._fresh.append(index)
            else:
                self._enter_fresh()
                self.storages.enter(tensor, row, index)
        return index

    def changed(self, index: int, tensor: torch.Tensor, operation: int, node: int, output: int, begun: int = 0) -> None:
        """Write down a new state of a known tensor; `begun` as in `compare`."""
        row = self.rows.tensors.get(index)
        if row is not None:
            seen = 0 if operation else begun
            value = self.values.add(tensor)
            row.versions.append(VersionRow(answers.version(tensor), operation, value, node, output, seen))
            row.stale = False

    def renewed(self, index: int, tensor: torch.Tensor) -> None:
        """Read again what may have changed without a write: shape, strides, storage, requires_grad."""
        row = self.rows.tensors.get(index)
        if row is None:
            return
        row.requires_grad, row.is_leaf = tensor.requires_grad, answers.is_leaf(tensor)
        strided, row.shape, row.stride, row.offset = _geometry(tensor)
        if strided and self.complete:
            self.storages.enter(tensor, row, index)

    def aliases(self, index: int, operation: int) -> list[tuple[int, torch.Tensor]]:
        """The other living tensors on the storage of a tensor that an operation wrote to, with their ids.

        None where there are very many, as of a tensor that was iterated: their new state is written down when they are
        used, or at the end.
        """
        self._enter_fresh()
        row = self.rows.tensors.get(index)
        if row is None or not row.storage:
            return []
        if self.storages.crowded(row.storage):
            self.storages.wrote(row.storage, operation)
            return []
        return [pair for pair in self.storages.on(row.storage) if pair[0] != index]

    def expose(self, index: int) -> None:
        """From now on others may write into this tensor's memory unseen: look at it whenever it is used."""
        self._enter_fresh()
        row = self.rows.tensors[index]
        row.exposed = True
        for alias, _ in self.storages.on(row.storage):
            self.rows.tensors[alias].exposed = True
        tensor = row.ref()
        if row.storage and tensor is not None:
            self.storages.expose(row.storage, tensor)

    def compare(self, index: int, tensor: torch.Tensor, begun: int, operation: int = 0) -> bool:
        """Whether the entries differ from the last state written down; if so they become a new one.

        Args:
            begun: the number of the next operation: where none is known to have written, it was before that one.
            operation: what wrote, if that is known.
        """
        row = self.rows.tensors.get(index)
        if row is None:
            return False
        last = row.versions[-1]
        value = self.values.add(tensor)
        if self.values.equal(value, last.value):
            self.values.drop([value])
            return False
        operation = operation or unseen_write(row)
        seen = 0 if operation else begun
        row.versions.append(VersionRow(answers.version(tensor), operation, value, last.node, last.output, seen))
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

    def _living(self, indices: list[int]) -> list[tuple[int, torch.Tensor]]:
        found = []
        for index in indices:
            row = self.rows.tensors.get(index)
            tensor = row.ref() if row is not None else None
            if tensor is not None:
                found.append((index, tensor))
        return found

    def _enter_fresh(self) -> None:
        """Look up the memory of what was made since: from now on others may share it."""
        if self._fresh:
            fresh, self._fresh = self._fresh, []
            for index, tensor in self._living(fresh):
                self.storages.enter(tensor, self.rows.tensors[index], index)


def _geometry(tensor: Any) -> tuple[bool, torch.Size, tuple[int, ...], int]:
    """Whether a tensor has strides; its shape, strides and offset."""
    try:
        if tensor.layout is _STRIDED:
            return True, tensor.shape, tensor.stride(), tensor.storage_offset()
        return False, tensor.shape, (), 0
    except Exception:  # nested tensors, parameters without a shape yet
        return False, torch.Size(), (), 0


def unseen_write(row: TensorRow) -> int:
    """The last operation that wrote to the memory of a tensor without being followed to it, 0 for none."""
    written = row.memory.written if row.memory is not None else 0
    return written if written > row.versions[-1].operation else 0
