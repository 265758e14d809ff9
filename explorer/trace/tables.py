"""Recorded tables of a run: windows of them, and the tensors made from them."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from explorer.trace.columns import Ids
from explorer.trace.outputs import Word

ROWS, COLUMNS = 50, 500  # largest window
BARS = 16  # of a column's histogram
CELL = 200  # most characters kept per table cell
LINKED = 2_000  # most columns of a tensor whose names are kept
Kind = Literal["number", "truth", "text", "date", "mixed", "other"]


class TableWindow(Struct, frozen=True):
    """A part of a table to keep: some rows and the first columns.

    Attributes:
        name: variable, with its final value. "" for the table that a statement changed last.
        cells: number of cells to search for that statement, 0 for all.
        count: number of rows.
        sort: numeric column to sort by, largest magnitude first. "" for the table's order.
    """

    name: Word = ""
    cells: int = 0
    count: int = ROWS
    sort: Word = ""


class TableColumn(Struct, frozen=True):
    """A column of a table, over all its rows.

    Attributes:
        name, dtype: as pandas writes them.
        kind: kind of its values: numbers, truth values, text, moments, mixed or other.
        missing, distinct: number of missing cells and of different values (-1: not comparable).
        low, high: smallest and largest number or moment, or "".
        mean: mean of the present numbers.
        bars: counts of its values in order, or in equal intervals. Of texts, of the most frequent values.
        numbered: whether its name is an integer.
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
    bars: Annotated[list[Annotated[int, Meta(ge=0)]], Meta(max_length=BARS)] = []


class Table(Struct, frozen=True):
    """Contents of one window of Options.tables.

    Attributes:
        window: index in Options.tables.
        name: the variable. rows, width: size of the table.
        columns: columns in the window. labels: row labels from the index.
        cells: text of each cell by row, None if missing.
    """

    window: Annotated[int, Ids("options.tables", 0)]
    name: Word
    rows: int
    width: int
    columns: Annotated[list[TableColumn], Meta(max_length=COLUMNS)]
    labels: Annotated[list[Word], Meta(max_length=ROWS)]
    cells: Annotated[list[Annotated[list[Word | None], Meta(max_length=COLUMNS)]], Meta(max_length=ROWS)]


class TableTensor(Struct, frozen=True):
    """A tensor made of a table's columns.

    Attributes:
        name, table: both variables at the end of the run.
        columns: names of the table's columns in the tensor's order, one for a 1-D tensor.
        entries: entries of its first rows and columns.
    """

    name: Word
    table: Word
    columns: Annotated[list[Word], Meta(max_length=LINKED)]
    entries: Annotated[list[Annotated[list[float], Meta(max_length=COLUMNS)]], Meta(max_length=ROWS)]


def faulty(tables: list[Table]) -> str:
    """Return the first fault that the declaration of tables cannot express, or ""."""
    for table in tables:
        width = len(table.columns)
        if len(table.labels) != len(table.cells) or any(len(row) != width for row in table.cells):
            return "a table whose rows differ in length"
        if len(table.cells) > table.rows:
            return "a window outside its table"
    return ""
