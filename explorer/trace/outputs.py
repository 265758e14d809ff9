"""What the cells of a program show: texts, tables, figures, errors, refusals and limits, at their places."""

from functools import cached_property
from typing import Annotated, Literal, TypeGuard

from msgspec import Meta, Struct

Text = Annotated[str, Meta(max_length=300_000)]
Word = Annotated[str, Meta(max_length=20_000)]


class Span(Struct, frozen=True, array_like=True):
    """A place in a cell: lines from 1, columns from 0 in code points, the end exclusive."""

    cell: int
    line: int
    column: int
    end_line: int
    end_column: int


class LineNumber(int):
    """A line from 1 that knows its file, where a program has several; as a number it is like any other.

    Attributes:
        file: what a reader calls the file.
    """

    file: str

    def __new__(cls, line: int, file: str) -> "LineNumber":
        made = super().__new__(cls, line)
        made.file = file
        return made


class Printed(Struct, frozen=True, tag_field="kind", tag="text"):
    """What the program wrote: `stream` is stdout, stderr or warning."""

    stream: Literal["stdout", "stderr", "warning"]
    text: Text


class TableData(Struct, frozen=True):
    """A table as data: column names, the shown rows as text, and how many rows there are in all."""

    columns: Annotated[list[Word], Meta(max_length=200)]
    rows: Annotated[list[Annotated[list[Word], Meta(max_length=200)]], Meta(max_length=200)]
    total: int


class Echo(Struct, frozen=True, tag_field="kind", tag="echo"):
    """The value of a cell's last expression as Jupyter shows it."""

    text: Text
    table: TableData | None = None


class Result(Struct, frozen=True, tag_field="kind", tag="result"):
    """The value of a bare expression that is not the last of its cell, or of a call of `display`."""

    span: int
    text: Text
    table: TableData | None = None


class Failure(Struct, frozen=True, tag_field="kind", tag="error"):
    """An exception that ended a cell. Attributes: type and text are Python's own; frames are spans, outermost first."""

    type: Word
    text: Text
    span: int
    frames: Annotated[list[int], Meta(max_length=100)]


class Figure(Struct, frozen=True, tag_field="kind", tag="figure"):
    """A plot as data, never as a picture or a plotting library's dictionary."""

    series: Annotated[list[dict[Word, Word | float | list[float]]], Meta(max_length=200)]
    axes: dict[Word, Word | float | list[float]]


class Refusal(Struct, frozen=True, tag_field="kind", tag="refusal"):
    """Something the policy did not allow: `what` names it, `reason` is the id of a sentence that says why, or ""."""

    what: Word
    span: int
    reason: Word = ""


class Skipped(Struct, frozen=True, tag_field="kind", tag="skipped"):
    """A line that was not run as it stands, and need not be: the cell went on.

    `what` is the line, `reason` the id of the sentence that says what came of it, `detail` a name for that sentence.
    """

    what: Word
    span: int
    reason: Word
    detail: Word = ""


LimitKind = Literal["time", "memory", "output", "result", "files", "crash"]
StreamName = Literal["stdout", "stderr", "warning"]


class Limit(Struct, frozen=True, tag_field="kind", tag="limit"):
    """A limit of the run that struck; `bound` is its size in s, MB or KB. Files are what the program wrote.

    Attributes:
        detail: torch's or the system's own words.
        count: of output, the characters that are left out where this stands.
    """

    limit: LimitKind
    bound: float
    span: int
    detail: Word = ""
    count: int = 0

    @property
    def folds(self) -> bool:
        """Whether it only left out the middle of what was printed; every other limit ends its cell."""
        return self.limit == "output"


Output = Printed | Echo | Result | Failure | Figure | Refusal | Skipped | Limit


def goes_wrong(output: Output) -> TypeGuard[Failure | Refusal | Limit]:
    """Whether its cell came to no good end: it raised, was refused something, or a limit ended it."""
    return isinstance(output, Failure | Refusal) or (isinstance(output, Limit) and not output.folds)


class Cell(Struct, frozen=True, dict=True):
    """One cell, or of a recording one file.

    Attributes:
        source: its text, line ends normalised.
        first_line: the line of the file it starts on.
        name: the file, or the notebook's cell, where the program is a recording of several; otherwise "".
    """

    source: Text
    outputs: Annotated[list[Output], Meta(max_length=10_000)]
    first_line: int = 1
    name: Word = ""

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The lines of its text, without their ends."""
        return tuple(self.source.split("\n"))


class Note(Struct, frozen=True):
    """Markdown that stands before a cell."""

    before: int
    markdown: Text
