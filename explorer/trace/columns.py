"""Columns of a Trace and their declarations, read by `check` and the JSON export."""

from typing import Annotated, NamedTuple

from msgspec import Meta, Struct


class Ids(NamedTuple):
    """Allowed entries of a column: rows of a table, or numbers below a bound.

    Attributes:
        of: attribute name of the table, or the bound.
        least: -1 if an entry may be missing.
        beyond: 1 if an entry may equal the number of rows.
    """

    of: str | int
    least: int = -1
    beyond: int = 0


class Along(NamedTuple):
    """Columns that describe the same rows and so have one length.

    Attributes:
        what: the things.
        optional: whether all optional columns may be empty together, as in older files.
    """

    what: str
    optional: bool = False


IdList = Annotated[list[int], Meta(max_length=4_000_000)]
Column = Annotated[IdList, Along("rows")]
Flags = Annotated[list[bool], Meta(max_length=4_000_000), Along("rows")]


class Lists(Struct, frozen=True):
    """A column of lists.

    Attributes:
        starts: n + 1 numbers. Entry i is items[starts[i]:starts[i + 1]].
        items: concatenated entries of all lists.
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
