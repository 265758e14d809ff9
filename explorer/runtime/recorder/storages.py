"""Number storages in order, by their StorageImpl's address."""

from bisect import bisect_right, insort
from collections.abc import Iterator
from itertools import islice

import torch
from msgspec import Struct
from torch._C import TensorBase

from explorer.runtime.recorder.memory import plain_tensor
from explorer.runtime.recorder.rows import TENSOR_OFFSET, RunRows, StorageRow

_Tensor, _storage = torch.Tensor, TensorBase.untyped_storage
_MANY = 64  # with more tensors on one memory, dead ones are removed
_NEAR = 8  # exposed storages before an address, checked for whether they contain it


class _Exposed(Struct, order=True, gc=False):
    """Start of an exposed memory, and its storage number."""

    start: int
    number: int


class Storages:
    """The memory of a run's tensors.

    Attributes:
        exposed: numbers of storages that NumPy or another library may write to unseen.
    """

    def __init__(self, rows: RunRows) -> None:
        self.rows = rows
        self.exposed: set[int] = set()
        self._at: dict[int, StorageRow] = {}  # address of a StorageImpl (may be reused) → row
        self._of: dict[int, list[StorageRow]] = {}  # number → rows: several StorageImpls may share one memory
        self._starts: list[_Exposed] = []  # sorted
        self._count = 0

    def number_at(self, address: int) -> int:
        """Return a storage's number by StorageImpl address, 0 if unknown."""
        memory = self._at.get(address)
        return memory.number if memory is not None else 0

    def enter(self, tensor: torch.Tensor, index: int) -> None:
        """Register a tensor on its storage."""
        try:
            storage = _storage(tensor if type(tensor) is _Tensor else plain_tensor(tensor))
            address = storage._cdata
        except RuntimeError:  # no storage
            return
        tensors = self.rows.tensors
        memory, before = self._at.get(address), tensors.memory.get(index)
        if before is not memory:
            if before is not None:
                before.tensors.pop(index, None)  # it has moved to other memory, for example by `w.data = …`
            if memory is not None and not self._lives(memory):
                self._leave(address, memory)  # all of its tensors are gone: the address belongs to a new storage
                memory = None
        if memory is None:
            memory = self._meet(storage, address)
        seen = memory.tensors
        if index not in seen:
            if len(seen) >= memory.room:
                self._strike_off(memory)
            memory.tensors[index] = None
        tensors.memory[index] = memory
        if memory.shift:
            tensors.cells[tensors.at(index) + TENSOR_OFFSET] += memory.shift // TensorBase.element_size(tensor)
        if memory.number in self.exposed:
            tensors.exposed.add(index)

    def on(self, number: int) -> list[tuple[int, torch.Tensor]]:
        """Return a storage's living tensors with ids, in order."""
        return [pair for memory in self._of.get(number, ()) for pair in self.rows.tensors.all_living(memory.tensors)]

    def newest_on(self, number: int) -> Iterator[int]:
        """Return the ids of the tensors last seen on a storage, newest first."""
        sharing = self._of.get(number, ())
        if len(sharing) == 1:
            return islice(reversed(sharing[0].tensors), _MANY)
        return (index for memory in sharing for index in islice(reversed(memory.tensors), _MANY))

    def crowded(self, number: int) -> bool:
        """Return whether a storage has too many living tensors to propagate each write."""
        return any(memory.room > 2 * _MANY for memory in self._of.get(number, ()))

    def wrote(self, number: int, operation: int) -> None:
        """Remember the last operation that wrote to a storage."""
        for memory in self._of.get(number, ()):
            memory.written = operation

    def expose(self, number: int, tensor: torch.Tensor) -> None:
        """Mark the storage of `tensor` as writable by other libraries."""
        if number not in self.exposed:
            self.exposed.add(number)
            insort(self._starts, _Exposed(TensorBase.untyped_storage(plain_tensor(tensor)).data_ptr(), number))

    def at(self, address: int) -> tuple[int, int] | None:
        """Return the exposed storage at an address: its number and the offset in bytes."""
        starts, places = self._starts, []
        position = bisect_right(starts, address, key=lambda exposed: exposed.start)
        for exposed in starts[max(0, position - _NEAR) : position]:
            place = self._place(exposed.number, address)
            if place is not None:
                places.append((exposed.number, place))
        return min(places, default=None)

    def sweep(self) -> None:
        """Remove memories without living tensors."""
        for address, memory in list(self._at.items()):
            if not self._lives(memory):
                self._leave(address, memory)
        self._starts = [exposed for exposed in self._starts if exposed.number in self._of]

    def forget(self) -> None:
        """Release everything."""
        self._at.clear()
        self._of.clear()
        self._starts.clear()

    def _meet(self, storage: torch.UntypedStorage, address: int) -> StorageRow:
        place, foreign = None, not storage.resizable()
        if foreign:
            place = self.at(storage.data_ptr())  # from_numpy on known memory
        if place is None:
            self._count += 1
            self._at[address] = memory = StorageRow(self._count, 0)
            self._of[self._count] = [memory]
        else:
            self._at[address] = memory = StorageRow(*place)
            self._of.setdefault(memory.number, []).append(memory)
        if foreign and memory.number not in self.exposed:
            self.exposed.add(memory.number)
            insort(self._starts, _Exposed(storage.data_ptr(), memory.number))
        return memory

    def _leave(self, address: int, memory: StorageRow) -> None:
        del self._at[address]
        sharing = self._of[memory.number]
        if len(sharing) > 1:
            self._of[memory.number] = [other for other in sharing if other is not memory]
        else:
            del self._of[memory.number]
            self.exposed.discard(memory.number)

    def _place(self, number: int, address: int) -> int | None:
        for memory in self._of.get(number, ()):
            living = self.rows.tensors.all_living(memory.tensors)
            if living:  # any living tensor has the address
                storage = TensorBase.untyped_storage(plain_tensor(living[0][1]))
                place = address - storage.data_ptr() + memory.shift
                if 0 <= place < max(storage.nbytes(), 1):
                    return place
        return None

    def _lives(self, memory: StorageRow) -> bool:
        seen, living = memory.tensors, self.rows.tensors.living
        for index in seen:  # the first, such as a base, or the last lives longest
            if living(index) is not None:
                return True
            if len(seen) == 1:
                return False
            break
        if seen and living(next(reversed(seen))) is not None:
            return True
        self._strike_off(memory)
        return bool(memory.tensors)

    def _strike_off(self, memory: StorageRow) -> None:
        memory.tensors = dict.fromkeys(alias for alias, _ in self.rows.tensors.all_living(memory.tensors))
        memory.room = max(_MANY, 2 * len(memory.tensors))
