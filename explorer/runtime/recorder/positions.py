"""From the ids of rows to positions in the columns of a Trace."""

from collections.abc import Collection, Iterable, Sequence
from itertools import accumulate, chain

from explorer.runtime.recorder.values import IndexOf
from explorer.trace import NAME, Lists


def as_tuple(entries: int | Sequence[int]) -> Sequence[int]:
    """The entries of a cell that holds a single one or a list."""
    return (entries,) if isinstance(entries, int) else entries


def lists_of(lists: list) -> Lists:
    """A column of lists."""
    return Lists(list(accumulate(map(len, lists), initial=0)), list(chain.from_iterable(lists)))


class Positions:
    """Maps ids of rows, which count from 1, to positions in their columns; 0 and dropped rows are -1.

    `given` is the number of ids in use.
    """

    def __init__(self, ids: Collection[int], given: int) -> None:
        self.whole = len(ids) == given  # nothing was dropped
        self._position = {} if self.whole else {index: i for i, index in enumerate(ids)}
        # Faster than arithmetic on each id, NumPy's included; the last entry is for -1, the id of a dropped node.
        self._positions = [-1, *range(given), -1] if self.whole else []

    def __call__(self, index: int) -> int:
        return self._positions[index] if self.whole else self._position.get(index, -1)

    def many(self, ids: Iterable[int]) -> list[int]:
        """The positions of several ids."""
        if self.whole:
            return list(map(self._positions.__getitem__, ids))
        return [self._position.get(index, -1) for index in ids]

    def lists(self, lists: list) -> Lists:
        """A column of ids or lists of ids, as positions."""
        kinds = set(map(type, lists))
        if kinds == {int}:
            return Lists(list(range(len(lists) + 1)), self.many(lists))
        if int in kinds:
            lists = [as_tuple(ids) for ids in lists]
        return Lists(list(accumulate(map(len, lists), initial=0)), self.many(chain.from_iterable(lists)))

    def kept(self, lists: list) -> list:
        """Ids or lists of ids without dropped ones."""
        if self.whole:
            return lists
        return [[index for index in as_tuple(ids) if index in self._position] for ids in lists]


class NameIndex(IndexOf):
    """The index of each name in the Trace's strings, if it is short enough."""

    def __init__(self, strings: IndexOf) -> None:
        super().__init__()
        self._strings = strings

    def __missing__(self, name: str) -> int:
        self[name] = index = self._strings[name[:NAME]]
        return index
