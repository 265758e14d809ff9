"""NumPy arrays that share a tensor's memory: a write through either changes both."""

from collections.abc import Iterable

import numpy as np
from msgspec import Struct

from explorer.runtime.recorder.tensors import TensorBook


class ArrayRow(Struct):
    """A name for an array; the fields are those of trace.Array, `array` is the object's id() while the name is
    bound.
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
    """The names of such arrays. Attributes: rows: in the order they were seen."""

    def __init__(self, tensors: TensorBook) -> None:
        self.tensors = tensors
        self.rows: list[ArrayRow] = []
        self._current: dict[str, ArrayRow] = {}

    def see(self, namespace: dict, names: Iterable[str], operation: int) -> None:
        """Record which names are bound to which arrays after an operation, and which are gone."""
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
