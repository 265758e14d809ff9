"""The recorded tables of a run: windows of them, and the tensors that were made of them."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from explorer.trace.columns import Ids
from explorer.trace.outputs import Word

ROWS, COLUMNS = 50, 60  # of one window, at most
CELL = 200  # characters of a cell of the table that are kept
LINKED = 2_000  # columns of a tensor whose names are kept
HOLED = 20  # columns with missing cells that are named, of one tensor
Kind = Literal["number", "truth", "text", "date", "mixed", "other"]


class TableWindow(Struct, frozen=True):
    """A part of a table that a run should keep: so many of its rows, and its first columns.

    Attributes:
        name: of a variable, with its value at the end; "" for the table that a statement changed last.
        cells: how many cells of the program that statement is looked for in, 0 for all.
        count: of rows.
        sort: a column of numbers, the largest magnitude first; "" for the table's own order.
    """

    name: Word = ""
    cells: int = 0
    count: int = ROWS
    sort: Word = ""


class TableColumn(Struct, frozen=True):
    """A column of a table, over all its rows.

    Attributes:
        name, dtype: as pandas writes them.
        kind: of its values: numbers, truth values, text, moments, several kinds in one column, or anything else.
        missing, distinct: how many cells are missing, and how many different values there are (-1: not to be compared).
        low, high: the least and the greatest number or moment, or "".
        mean: of numbers that are there.
        numbered: whether its name is a whole number and no text.
    """

    name: Word
    dtype: Word
    kind: Kind
    missing: int
    distinct: int
    low: Word = ""
    high: Word = ""
    mean: float | None = None
    numbered: bool = False


class Table(Struct, frozen=True):
    """The record of one window in Options.tables.

    Attributes:
        window: its index there.
        name: the variable; rows, width: how large the table is.
        columns: those in the window; labels: of its rows, from the index.
        cells: by row, the text of each cell, None where it is missing.
    """

    window: Annotated[int, Ids("options.tables", 0)]
    name: Word
    rows: int
    width: int
    columns: Annotated[list[TableColumn], Meta(max_length=COLUMNS)]
    labels: Annotated[list[Word], Meta(max_length=ROWS)]
    cells: Annotated[list[Annotated[list[Word | None], Meta(max_length=COLUMNS)]], Meta(max_length=ROWS)]


class TableTensor(Struct, frozen=True):
    """A tensor whose entries are, column by column, the numbers of a table.

    Attributes:
        name, table: the two variables at the end of the run.
        columns: names of the table's columns, in the order of the tensor's; one for a tensor with one axis.
        entries: of its first rows and columns.
    """

    name: Word
    table: Word
    columns: Annotated[list[Word], Meta(max_length=LINKED)]
    entries: Annotated[list[Annotated[list[float], Meta(max_length=COLUMNS)]], Meta(max_length=ROWS)]


class MissingCells(Struct, frozen=True, array_like=True):
    """The missing cells of a table that became NaN in a tensor.

    Attributes:
        table: the variable that held the table when the tensor was created, as in self.rows.
        rows: of the table.
        columns: names of the columns whose missing cells are in the tensor; counts: how many each has in the table.
        axes: of the tensor; one that has one is a single column or row.
    """

    tensor: Annotated[int, Ids("tensors", 0)]
    table: Word
    rows: int
    columns: Annotated[list[Word], Meta(max_length=HOLED)]
    counts: Annotated[list[int], Meta(max_length=HOLED)]
    axes: int


def faulty(tables: list[Table]) -> str:
    """Check what the declaration of tables cannot say. Return the first fault in words, or ""."""
    for table in tables:
        width = len(table.columns)
        if len(table.labels) != len(table.cells) or any(len(row) != width for row in table.cells):
            return "a table whose rows differ in length"
        if len(table.cells) > table.rows:
            return "a window outside its table"
    return ""
