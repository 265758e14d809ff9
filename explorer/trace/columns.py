"""Columns of a Trace, and what their declaration says of their entries: `check` and the JSON read it."""

from typing import Annotated, NamedTuple

from msgspec import Meta, Struct


class Ids(NamedTuple):
    """What the entries of a column may be: rows of a table of the Trace, or numbers below a bound.

    Attributes:
        of: the table, as an attribute of the Trace, or the bound.
        least: -1 where an entry may be none.
        beyond: 1 where an entry may also be the number of rows.
    """

    of: str | int
    least: int = -1
    beyond: int = 0


class Along(NamedTuple):
    """The columns of a record that have an entry for each of the same things, and so one length.

    Attributes:
        what: the things.
        optional: whether the column may also be empty, together with the other optional ones, as in older files.
    """

    what: str
    optional: bool = False


IdList = Annotated[list[int], Meta(max_length=4_000_000)]
Column = Annotated[IdList, Along("rows")]
Flags = Annotated[list[bool], Meta(max_length=4_000_000), Along("rows")]


class Lists(Struct, frozen=True):
    """A column of lists.

    Attributes:
        starts: n + 1 numbers; entry i is items[starts[i]:starts[i + 1]].
        items: the entries of all lists, one after the other.
    """

    starts: IdList
    items: IdList

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, i: int) -> list[int]:
        return self.items[self.starts[i] : self.starts[i + 1]]


class Columns:
    """A table of columns prints its length instead of them."""

    __slots__ = ()
    __struct_fields__: tuple[str, ...]

    def __repr__(self) -> str:
        columns = (getattr(self, name) for name in self.__struct_fields__)
        rows = max((len(column) for column in columns if isinstance(column, list | Lists)), default=0)
        return f"<{type(self).__name__}: {rows} rows>"
