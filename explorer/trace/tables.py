"""The recorded tables of a run: which statement changed which table, and windows of them."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from explorer.trace.columns import Ids
from explorer.trace.outputs import Word

ROWS, COLUMNS = 200, 60  # of one window, at most
STEPS = 200  # statements that changed a table and are kept
BARS, COMMON = 20, 6  # of the distribution of a column
CELL = 200  # characters of a cell of the table that are kept
LINKED = 2_000  # columns of a tensor whose names are kept


class TableWindow(Struct, frozen=True):
    """A part of a table that a run should keep.

    Attributes:
        name: of a variable, with its value at the end; "" for the table of `step`.
        step: index into Trace.table_steps; one that does not exist, such as -1, means the last.
        cells: how many cells of the program the last is looked for in, 0 for all.
        first, count: of the rows that match; first_column, columns: of the columns.
        sort: a column's name, "" for the table's own order; up and down are the order of the values, size puts the
            largest magnitude first.
        where: a column's name; test: what its cell must be to match, changed: any cell of the row differs from before.
        value: what it is compared with.
        compare: whether the table before the step is kept beside it, row by row.
    """

    name: Word = ""
    step: int = -1
    cells: int = 0
    first: int = 0
    count: int = 50
    first_column: int = 0
    columns: int = 30
    sort: Word = ""
    order: Literal["up", "down", "size"] = "up"
    where: Word = ""
    test: Literal["", "missing", "equal", "less", "more", "contains", "changed"] = ""
    value: Word = ""
    compare: bool = False


class TableColumn(Struct, frozen=True):
    """A column of a table, over all its rows.

    Attributes:
        name, dtype: as pandas writes them.
        kind: of its values: numbers, truth values, text, moments, several kinds in one column, or anything else.
        missing, distinct: how many cells are missing, and how many different values there are (-1: not to be compared).
        low, high: the least and the greatest value, or "".
        mean: of numbers that are there.
        bars: how many values lie in each of equal parts from low to high; of others, how often each of `common` occurs.
        common: the most frequent values, unless there are bars over a range.
        numbered: whether its name is a whole number and no text.
        state: against the table before: same, changed (`changed` cells), new or retyped.
    """

    name: Word
    dtype: Word
    kind: Literal["number", "truth", "text", "date", "mixed", "other"]
    missing: int
    distinct: int
    low: Word = ""
    high: Word = ""
    mean: float | None = None
    bars: Annotated[list[int], Meta(max_length=BARS)] = []
    common: Annotated[list[Word], Meta(max_length=COMMON)] = []
    numbered: bool = False
    state: Literal["same", "changed", "new", "retyped"] = "same"
    changed: int = 0


class TablePart(Struct, frozen=True):
    """A window of a table.

    Attributes:
        name: the variable; rows, width: how large the table is.
        columns: those in the window.
        labels: of its rows, from the index; None for a row that this table does not have.
        cells: by row, the text of each cell, None where it is missing.
        marks: cells that differ from before, each as row * len(columns) + column.
        gone: columns of the table before that it no longer has.
    """

    name: Word
    rows: int
    width: int
    columns: Annotated[list[TableColumn], Meta(max_length=COLUMNS)]
    labels: Annotated[list[Word | None], Meta(max_length=ROWS)]
    cells: Annotated[list[Annotated[list[Word | None], Meta(max_length=COLUMNS)]], Meta(max_length=ROWS)]
    marks: Annotated[list[int], Meta(max_length=ROWS * COLUMNS)] = []
    gone: Annotated[list[Word], Meta(max_length=COLUMNS)] = []


class Table(Struct, frozen=True):
    """The record of one window in Options.tables.

    Attributes:
        window: its index there.
        step: index into Trace.table_steps, -1 for a table asked for by name.
        part: the window; before: the same rows before the step, where that was asked for.
        matching: rows that match, of which the window shows some.
        changed_rows, gone_rows, new_rows: against the table before.
    """

    window: Annotated[int, Ids("options.tables", 0)]
    step: Annotated[int, Ids("table_steps")]
    part: TablePart
    before: TablePart | None
    matching: int
    changed_rows: int = 0
    gone_rows: int = 0
    new_rows: int = 0


class TableStep(Struct, frozen=True, array_like=True):
    """A statement (span) that changed the table of a variable; `of`: the table it was computed from, "" for none."""

    name: Word
    of: Word
    span: Annotated[int, Ids("spans")]
    rows: int
    width: int


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


def faulty(tables: list[Table]) -> str:
    """Check what the declaration of tables cannot say. Return the first fault in words, or ""."""
    for table in tables:
        for part in (table.part, table.before):
            if part is None:
                continue
            width = len(part.columns)
            if len(part.labels) != len(part.cells) or any(len(row) != width for row in part.cells):
                return "a table whose rows differ in length"
            if any(not 0 <= mark < width * len(part.cells) for mark in part.marks):
                return "a mark outside its table"
        if table.before is not None and len(table.before.cells) != len(table.part.cells):
            return "two tables side by side of different lengths"
    return ""
