"""A table of rows, and positions in a Trace by row id."""

from collections.abc import Collection, Iterable, Sequence
from itertools import accumulate, chain
from typing import Any

from explorer.trace import NAME, Lists


class RowTable:
    """Rows of equal width in a single list.

    Ids count from 1 and only grow, and rows may be dropped. Row objects would take three times as long to create, to
    turn into columns and to free. In hot code a row is added in place: `table.cells += fields; table.count += 1`.

    Attributes: width: fields of a row. cells: the fields of all rows. count: the number of ids in use. gone: how many
    of them have no row: while it is 0, row k starts at (k - 1) * width.

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
        """Add a row. Return its id."""
        self.cells += fields
        self.count = index = self.count + 1
        return index

    def at(self, index: int) -> int:
        """Return the start of a row in the cells, or -1."""
        if index > self._settled:
            return (index - 1 - self.gone) * self.width if index <= self.count else -1
        return self._kept.get(index, -1)

    def __contains__(self, index: int) -> bool:
        return self._settled < index <= self.count or index in self._kept

    def field(self, index: int, field: int) -> Any:
        """Return a field of a row. Raises KeyError if there is none."""
        if self._settled < index <= self.count:
            return self.cells[(index - 1 - self.gone) * self.width + field]
        return self.cells[self._kept[index] + field]

    def set(self, index: int, field: int, value: object) -> None:
        """Set a field of an existing row."""
        self.cells[self.at(index) + field] = value

    def ids(self) -> Sequence[int]:
        """Return the ids of the existing rows, in order."""
        since = range(self._settled + 1, self.count + 1)
        return [*self._kept, *since] if self._settled else since

    @property
    def whole(self) -> int:
        """First id from which on all rows exist."""
        return self._settled + 1

    def column(self, field: int) -> list:
        """Return a field of all rows."""
        return self.cells[field :: self.width]

    def skip_to(self, count: int) -> None:
        """Set the next id to the one after `count`: earlier ids have no row."""
        if count > self.count:
            since, begin = range(self._settled + 1, self.count + 1), len(self._kept) * self.width
            self._kept.update(zip(since, range(begin, len(self.cells), self.width), strict=True))
            self._settled, self.gone, self.count = count, count - len(self._kept), count

    def take_back(self) -> None:
        """Remove the latest row. Its id is used again."""
        del self.cells[-self.width :]
        self.count -= 1

    def drop(self, ids: Collection[int]) -> None:
        """Drop rows."""
        if not ids:
            return
        cells, width = self.cells, self.width
        rest = [index for index in self.ids() if index not in ids]
        starts = [self.at(index) for index in rest]
        self.cells = [cell for start in starts for cell in cells[start : start + width]]
        self._kept = dict(zip(rest, range(0, len(self.cells), width), strict=True))
        self._settled, self.gone = self.count, self.count - len(rest)


class IndexOf(dict):
    """An index of distinct things by first use: `list(interned)` is the table."""

    def __missing__(self, thing) -> int:
        self[thing] = index = len(self)
        return index


def as_tuple(entries: int | Sequence[int]) -> Sequence[int]:
    """Return a cell's entries, whether single or a list."""
    return (entries,) if isinstance(entries, int) else entries


def lists_of(lists: list) -> Lists:
    """Return a column of lists."""
    return Lists(list(accumulate(map(len, lists), initial=0)), list(chain.from_iterable(lists)))


class Positions:
    """A map from row ids, which count from 1, to positions in their columns.

    0 and dropped rows map to -1. `given` is the number of ids in use.
    """

    def __init__(self, ids: Collection[int], given: int) -> None:
        self.whole = len(ids) == given  # whether no row was dropped
        self._position = {} if self.whole else {index: i for i, index in enumerate(ids)}
        # A table is faster than arithmetic on each id, even in NumPy. The last entry is for -1, a dropped node.
        self._positions = [-1, *range(given), -1] if self.whole else []

    def __call__(self, index: int) -> int:
        return self._positions[index] if self.whole else self._position.get(index, -1)

    def many(self, ids: Iterable[int]) -> list[int]:
        """Return the positions of several ids."""
        if self.whole:
            return list(map(self._positions.__getitem__, ids))
        return [self._position.get(index, -1) for index in ids]

    def lists(self, lists: list) -> Lists:
        """Return a column of ids or lists of ids, as positions."""
        kinds = set(map(type, lists))
        if kinds == {int}:
            return Lists(list(range(len(lists) + 1)), self.many(lists))
        if int in kinds:
            lists = [as_tuple(ids) for ids in lists]
        return Lists(list(accumulate(map(len, lists), initial=0)), self.many(chain.from_iterable(lists)))

    def kept(self, lists: list) -> list:
        """Remove dropped ids from ids or lists of ids."""
        if self.whole:
            return lists
        return [[index for index in as_tuple(ids) if index in self._position] for ids in lists]


class NameIndex(IndexOf):
    """The index of each short enough name in the Trace's strings."""

    def __init__(self, strings: IndexOf) -> None:
        super().__init__()
        self._strings = strings

    def __missing__(self, name: str) -> int:
        self[name] = index = self._strings[name[:NAME]]
        return index
