"""Which tensor is which: identity, storage and versions of every tensor object the program touches."""

import weakref

import torch

from explorer.runtime.rows import Rows, TensorRow, VersionRow
from explorer.runtime.values import ValueStore

_STRIDED = torch.strided


class TensorBook:
    """The tensors of a run.

    Attributes:
        complete: whether storages and aliases are followed.
        known: by id() of an object, a weak reference to it and its id here.
        exposed: numbers of storages that NumPy or another library may write to unseen.
    """

    def __init__(self, rows: Rows, values: ValueStore, complete: bool) -> None:
        self.rows, self.values, self.complete = rows, values, complete
        self.count = 0
        self.known: dict[int, tuple[weakref.ref, int]] = {}
        self._storages: dict[int, int] = {}  # address of a StorageImpl to the storage's number
        self._on: dict[int, list[int]] = {}  # storage's number to the tensors seen on it
        self._storage_count = 0
        self._fresh: list[int] = []  # tensors that had memory of their own when made: not yet looked up
        self.exposed: set[int] = set()
        self._shifts: dict[int, int] = {}  # address of a StorageImpl within another's memory to its place there, bytes

    def find(self, tensor: torch.Tensor) -> int:
        """The id of a tensor object, 0 if it is not known."""
        known = self.known.get(id(tensor))
        return known[1] if known is not None and known[0]() is tensor and known[1] in self.rows.tensors else 0

    def same_entries(self, tensor: torch.Tensor) -> int:
        """The known tensor whose entries a fresh object (a saved result, say) shows; 0 if there is none."""
        self._enter_fresh()
        try:
            number = self._storages.get(tensor.untyped_storage()._cdata, 0)
        except (RuntimeError, NotImplementedError):
            return 0
        shape, offset, stride = tensor.shape, tensor.storage_offset(), tensor.stride()
        for index in reversed(self._on.get(number, ())):
            row = self.rows.tensors.get(index)
            if row is not None and row.shape == shape and row.offset == offset and row.stride == stride:
                return index if row.ref() is not None else 0
        return 0

    def add(self, tensor: torch.Tensor, operation: int, node: int = 0, output: int = 0, fresh: bool = False) -> int:
        """Write a new tensor object down in its present state; its id. `fresh`: it shares its memory with no other."""
        self.count = index = self.count + 1
        reference = weakref.ref(tensor)
        self.known[id(tensor)] = (reference, index)
        try:
            strided, version = tensor.layout is _STRIDED, tensor._version
            shape, stride, offset = tensor.shape, tensor.stride(), tensor.storage_offset()
        except (RuntimeError, NotImplementedError):
            strided, shape, stride, offset = _geometry(tensor)
            version = version_of(tensor)
        row = TensorRow(
            reference,
            shape,
            stride,
            tensor.dtype,
            tensor.device,
            tensor.requires_grad,
            tensor.is_leaf,
            type(tensor) is torch.nn.Parameter,
            0,
            offset,
            [VersionRow(version, operation, self.values.add(tensor), node, output)],
        )
        self.rows.tensors[index] = row
        if self.complete and strided:
            if fresh:
                self._fresh.append(index)
            else:
                self._enter_fresh()
                self._enter_storage(tensor, row, index)
        return index

    def changed(self, index: int, tensor: torch.Tensor, operation: int, node: int, output: int) -> None:
        """Write down a new state of a known tensor."""
        row = self.rows.tensors.get(index)
        if row is not None:
            row.versions.append(VersionRow(version_of(tensor), operation, self.values.add(tensor), node, output))
            row.stale = False

    def renewed(self, index: int, tensor: torch.Tensor) -> None:
        """Read again what may have changed without a write: shape, strides, storage, requires_grad."""
        row = self.rows.tensors.get(index)
        if row is None:
            return
        row.requires_grad, row.is_leaf = tensor.requires_grad, tensor.is_leaf
        strided, row.shape, row.stride, row.offset = _geometry(tensor)
        if strided and self.complete:
            self._enter_storage(tensor, row, index)

    def aliases(self, index: int) -> list[tuple[int, torch.Tensor]]:
        """The other living tensors on the storage of a tensor, with their ids."""
        self._enter_fresh()
        row = self.rows.tensors.get(index)
        if row is None or not row.storage:
            return []
        return [pair for pair in self._living(self._on.get(row.storage, [])) if pair[0] != index]

    def expose(self, index: int) -> None:
        """From now on others may write into this tensor's memory unseen: look at it whenever it is used."""
        self._enter_fresh()
        row = self.rows.tensors[index]
        row.exposed = True
        for alias, _ in self.aliases(index):
            self.rows.tensors[alias].exposed = True
        if row.storage:
            self.exposed.add(row.storage)

    def storage_at(self, address: int) -> tuple[int, int] | None:
        """Which exposed storage an address of this process lies in: its number and the place in it, in bytes."""
        for number in sorted(self.exposed):
            for _, tensor in self._living(self._on.get(number, [])):
                storage = tensor.untyped_storage()
                place = address - storage.data_ptr() + self._shifts.get(storage._cdata, 0)
                if 0 <= place < max(storage.nbytes(), 1):
                    return number, place
        return None

    def compare(self, index: int, tensor: torch.Tensor, operation: int = 0) -> bool:
        """Whether the entries differ from the last state written down; if so they become a new one."""
        row = self.rows.tensors.get(index)
        if row is None:
            return False
        last = row.versions[-1]
        value = self.values.add(tensor)
        new, old = self.values.rows[value], self.values.rows.get(last.value)
        if old is not None and new.data == old.data and new.shape == old.shape and _equal(new.summary, old.summary):
            self.values.drop([value])
            return False
        row.versions.append(VersionRow(version_of(tensor), operation, value, last.node, last.output))
        return True

    def living(self) -> list[tuple[int, torch.Tensor]]:
        """Every tensor object that is still there, with its id."""
        self._enter_fresh()
        return self._living(sorted(index for _, index in self.known.values()))

    def forget(self) -> None:
        """Let go of everything but plain rows."""
        self.known.clear()
        self._storages.clear()
        self._on.clear()

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
                self._enter_storage(tensor, self.rows.tensors[index], index)

    def _any_living(self, indices: list[int]) -> bool:
        rows = self.rows.tensors
        for index in indices:
            row = rows.get(index)
            if row is not None and row.ref() is not None:
                return True
        return False

    def _enter_storage(self, tensor: torch.Tensor, row: TensorRow, index: int) -> None:
        try:
            storage = tensor.untyped_storage()
            address = storage._cdata
        except (RuntimeError, NotImplementedError):
            return
        number = self._storages.get(address, 0)
        if number and row.storage != number and not self._any_living(self._on[number]):
            del self._on[number]  # all of its tensors are gone: the address belongs to a new storage
            number = 0
            self._shifts.pop(address, None)
        foreign = not number and not storage.resizable()
        if foreign and (place := self.storage_at(storage.data_ptr())) is not None:
            number, self._shifts[address] = place  # from_numpy of memory that is known already
            self._storages[address] = number
        if not number:
            self._storage_count = number = self._storage_count + 1
            self._storages[address] = number
            self._on[number] = []
        seen = self._on[number]
        if index not in seen:
            if len(seen) > 64:
                seen[:] = [alias for alias, _ in self._living(seen)]
            seen.append(index)
        row.storage = number
        row.offset += self._shifts.get(address, 0) // tensor.element_size()
        if foreign:
            self.exposed.add(number)
        row.exposed = row.exposed or number in self.exposed


def _geometry(tensor: torch.Tensor) -> tuple[bool, torch.Size, tuple[int, ...], int]:
    """Whether a tensor has strides; its shape, strides and offset."""
    try:
        if tensor.layout is _STRIDED:
            return True, tensor.shape, tensor.stride(), tensor.storage_offset()
        return False, tensor.shape, (), 0
    except (RuntimeError, NotImplementedError):  # nested tensors, parameters without a shape yet
        return False, torch.Size(), (), 0


def version_of(tensor: torch.Tensor) -> int:
    """torch's version counter, -1 for inference tensors, which have none."""
    try:
        return tensor._version
    except RuntimeError:
        return -1


def _equal(one: tuple | None, other: tuple | None) -> bool:
    return repr(one) == repr(other)  # NaN equals itself here
