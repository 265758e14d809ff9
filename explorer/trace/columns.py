"""Columns of a Trace, and what their declaration says of their entries."""

from typing import Annotated, NamedTuple

from msgspec import Meta, Struct

Column = Annotated[list[int], Meta(max_length=4_000_000)]
Flags = Annotated[list[bool], Meta(max_length=4_000_000)]


class Ids(NamedTuple):
    """What the entries of a column may be, for `check`: rows of a table of the Trace, or numbers below a bound.

    Attributes:
        of: the table, as an attribute of the Trace, or the bound.
        least: -1 where an entry may be none.
        beyond: 1 where an entry may also be the number of rows.
    """

    of: str | int
    least: int = -1
    beyond: int = 0


class Lists(Struct, frozen=True):
    """A column of lists.

    Attributes:
        starts: n + 1 numbers; entry i is items[starts[i]:starts[i + 1]].
        items: the entries of all lists, one after the other.
    """

    starts: Column
    items: Column

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, i: int) -> list[int]:
        return self.items[self.starts[i] : self.starts[i + 1]]
