"""A table of rows without an object for each row."""

from collections.abc import Collection, Sequence
from typing import Any


class RowTable:
    """Rows of equal width, one after the other in one list. Ids count from 1 and only grow; rows may be dropped.

    Row objects would take three times as long to create, to turn into columns and to free. In hot code a row is added
    in place: `table.cells += fields; table.count += 1`.

    Attributes:
        width: fields of a row.
        cells: the fields of all rows.
        count: the number of ids in use.
        gone: how many of them have no row: while it is 0, row k starts at (k - 1) * width.

    >>> table = RowTable(2)
    >>> table.add("a", 1), table.add("b", 2), table.add("c", 3)
    (1, 2, 3)
    >>> table.drop({2})
    >>> list(table.ids()), table.column(1), table.at(2)
    ([1, 3], [1, 3], -1)
    """

    __slots__ = ("_kept", "_settled", "cells", "count", "gone", "width")

    def __init__(self, width: int) -> None:
        self.width = width
        self.cells: list = []
        self.count = 0
        self._kept: dict[int, int] = {}  # start of the rows with ids up to `_settled`, once some were dropped
        self._settled = self.gone = 0

    def __len__(self) -> int:
        return len(self.cells) // self.width

    def add(self, *fields: object) -> int:
        """Add a row; return its id."""
        self.cells += fields
        self.count = index = self.count + 1
        return index

    def at(self, index: int) -> int:
        """The start of a row in the cells, -1 if it was dropped or never existed."""
        if index > self._settled:
            return (index - 1 - self.gone) * self.width if index <= self.count else -1
        return self._kept.get(index, -1)

    def __contains__(self, index: int) -> bool:
        return self.at(index) >= 0

    def field(self, index: int, field: int) -> Any:
        """A field of a row. Raises KeyError if it was dropped or never existed."""
        at = self.at(index)
        if at < 0:
            raise KeyError(index)
        return self.cells[at + field]

    def set(self, index: int, field: int, value: object) -> None:
        """Set a field of an existing row."""
        self.cells[self.at(index) + field] = value

    def ids(self) -> Sequence[int]:
        """The ids of the existing rows, in order."""
        since = range(self._settled + 1, self.count + 1)
        return [*self._kept, *since] if self._settled else since

    @property
    def whole(self) -> int:
        """The first id from which on all rows exist."""
        return self._settled + 1

    def column(self, field: int) -> list:
        """A field of all rows."""
        return self.cells[field :: self.width]

    def skip_to(self, count: int) -> None:
        """Set the next id to the one after `count`: ids up to it have no row."""
        if count > self.count:
            since, begin = range(self._settled + 1, self.count + 1), len(self._kept) * self.width
            self._kept.update(zip(since, range(begin, len(self.cells), self.width), strict=True))
            self._settled, self.gone, self.count = count, count - len(self._kept), count

    def take_back(self) -> None:
        """Remove the row that was added last; its id is used again."""
        del self.cells[-self.width :]
        self.count -= 1

    def drop(self, ids: Collection[int]) -> None:
        """Drop rows."""
        if not ids:
            return
        cells, width = self.cells, self.width
        kept = [index for index in self.ids() if index not in ids]
        starts = [self.at(index) for index in kept]
        self.cells = [cell for start in starts for cell in cells[start : start + width]]
        self._kept = dict(zip(kept, range(0, len(self.cells), width), strict=True))
        self._settled, self.gone = self.count, self.count - len(kept)
