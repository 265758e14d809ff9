"""The outputs of cells: texts, tables, figures, errors, refusals and limits, with their places."""

import struct
from functools import cached_property
from typing import Annotated, Literal, TypeGuard

from msgspec import Meta, Struct

from explorer.trace.columns import Ids
from explorer.trace.scene import Scene

Text = Annotated[str, Meta(max_length=300_000)]
Word = Annotated[str, Meta(max_length=20_000)]
FIGURE_BYTES = 1_000_000  # most bytes of one picture
MOST_SIDE = 10_000  # CSS pixels
_Place = Annotated[int, Ids("spans")]


class Span(Struct, frozen=True, array_like=True):
    """A place in a cell: lines from 1, columns from 0."""

    cell: Annotated[int, Ids("cells", 0)]
    line: int
    column: int
    end_line: int
    end_column: int

    def contains(self, other: "Span") -> bool:
        """Return whether this place contains another."""
        return (
            self.cell == other.cell
            and self.line <= other.line
            and (self.line, self.column) <= (other.line, other.column)
            and (other.end_line, other.end_column) <= (self.end_line, self.end_column)
        )

    def meets(self, other: "Span") -> bool:
        """Return whether two places share a line."""
        return self.cell == other.cell and self.line <= other.end_line and other.line <= self.end_line


class LineNumber(int):
    """A line number from 1 with its file or cell.

    Two are equal if they mean the same line of the same file or cell.

    Attributes:
        file: name of the file.
        cell: cell number from 1, 0 for a file.
    """

    file: str
    cell: int

    def __new__(cls, line: int, file: str = "", cell: int = 0) -> "LineNumber":
        made = super().__new__(cls, line)
        made.file, made.cell = file, cell
        return made

    def __eq__(self, other: object) -> bool:
        elsewhere = isinstance(other, LineNumber) and (self.file, self.cell) != (other.file, other.cell)
        return not elsewhere and int.__eq__(self, other) is True

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = int.__hash__


class Printed(Struct, frozen=True, tag_field="kind", tag="text"):
    """Printed text: `stream` is stdout, stderr or warning, `span` a warning's place or -1."""

    stream: Literal["stdout", "stderr", "warning"]
    text: Text
    span: _Place = -1

    @property
    def joins(self) -> Literal["stdout", "stderr", "warning"] | None:
        """Stream whose adjacent texts join, or None for a warning with a place."""
        return self.stream if self.span < 0 else None


class TableData(Struct, frozen=True):
    """A table's column names, shown rows and number of rows."""

    columns: Annotated[list[Word], Meta(max_length=200)]
    rows: Annotated[list[Annotated[list[Word], Meta(max_length=200)]], Meta(max_length=200)]
    total: int


class Echo(Struct, frozen=True, tag_field="kind", tag="echo"):
    """The value of a cell's last expression as Jupyter shows it."""

    text: Text
    table: TableData | None = None


class Result(Struct, frozen=True, tag_field="kind", tag="result"):
    """A displayed value, or a bare expression's before the end of its cell.

    Attributes:
        displayed: whether the program called `display`. Jupyter shows no other value before the last expression.
    """

    span: _Place
    text: Text
    table: TableData | None = None
    displayed: bool = False


class Failure(Struct, frozen=True, tag_field="kind", tag="error"):
    """An exception that ended a cell.

    Attributes:
        type, text: Python's own.
        frames: spans, outermost first.
        folder: for a missing file, the local folder that the program may read, or "".
        outside: whether the file is outside that folder.
        repository: root of the surrounding repository if it contains the file, or "".
        scene: the failing expression, None outside the program and in older records.
    """

    type: Word
    text: Text
    span: _Place
    frames: Annotated[list[int], Meta(max_length=100), Ids("spans")]
    folder: Word = ""
    outside: bool = False
    repository: Word = ""
    scene: Scene | None = None


class Figure(Struct, frozen=True, tag_field="kind", tag="figure"):
    """A picture that the program made.

    Attributes:
        format: svg, png, dot (Graphviz) or plotly (a figure as JSON). "" is a plot saved by version 0.5 or
            earlier, without data.
        data: bytes of the picture or text.
        width, height: picture size in CSS pixels.
        alt: its titles and labels.
    """

    format: Literal["", "svg", "png", "dot", "plotly"] = ""
    data: Annotated[bytes, Meta(max_length=FIGURE_BYTES)] = b""
    width: Annotated[int, Meta(ge=0, le=MOST_SIDE)] = 0
    height: Annotated[int, Meta(ge=0, le=MOST_SIDE)] = 0
    alt: Word = ""


class Refusal(Struct, frozen=True, tag_field="kind", tag="refusal"):
    """A refused action: `what` names it, `reason` is a message id or ""."""

    what: Word
    span: _Place
    reason: Word = ""


class Skipped(Struct, frozen=True, tag_field="kind", tag="skipped"):
    """A line that was not run as written, while its cell continued.

    `what` is the line, `reason` the id of the message about the replacement, `detail` a name in it.
    """

    what: Word
    span: _Place
    reason: Word
    detail: Word = ""


LimitKind = Literal["time", "memory", "output", "result", "files", "crash", "stopped"]
StreamName = Literal["stdout", "stderr", "warning"]


class Limit(Struct, frozen=True, tag_field="kind", tag="limit"):
    """A limit that the run reached. `bound` is in s, MB or KB.

    Attributes:
        detail: torch's or the system's own message.
        count: for output, the characters left out.
    """

    limit: LimitKind
    bound: float
    span: _Place
    detail: Word = ""
    count: int = 0

    @property
    def folds(self) -> bool:
        """Return whether only the middle of the output was left out."""
        return self.limit == "output"


Output = Printed | Echo | Result | Failure | Figure | Refusal | Skipped | Limit


def ends_cell(output: Output) -> TypeGuard[Failure | Refusal | Limit]:
    """Return whether this output ended its cell: an error, refusal or limit."""
    return isinstance(output, Failure | Refusal) or (isinstance(output, Limit) and not output.folds)


class Cell(Struct, frozen=True, dict=True):
    """One cell, or one file of a recording.

    Attributes:
        source: its text with normalized line ends.
        first_line: line of the file where it starts.
        name: file or notebook cell in a recording of several, or "".
    """

    source: Text
    outputs: Annotated[list[Output], Meta(max_length=10_000)]
    first_line: int = 1
    name: Word = ""

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """Lines of its text, without their ends."""
        return tuple(self.source.split("\n"))

    def __repr__(self) -> str:
        return f"<Cell{self.name and ' ' + self.name}: {len(self.lines)} lines, {len(self.outputs)} outputs>"


class Note(Struct, frozen=True):
    """Markdown before a cell."""

    before: Annotated[int, Ids("cells", 0, 1)]
    markdown: Text


SVG_BYTES = 250_000
DOT_BYTES = 100_000
PIXELS = 12_000_000  # most pixels of a PNG
ALT_LENGTH = 500  # longest description of a picture
_PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"


def png_size(data: bytes) -> tuple[int, int] | None:
    """Return width and height in pixels, None if the bytes are not a PNG."""
    size = len(_PNG)
    return struct.unpack_from(">II", data, size) if data.startswith(_PNG) and len(data) >= size + 8 else None


def faulty_figure(figure: Figure) -> str:
    """Return a figure's fault, "" if it may be shown."""
    if figure.format in ("svg", "png") and not (figure.width and figure.height):
        return "a picture without a size"
    match figure.format:
        case "png":
            size = png_size(figure.data)
            if size is None or not 0 < size[0] * size[1] <= PIXELS:
                return f"no png of at most {PIXELS} pixels"
        case "svg" | "dot" | "plotly":
            most = {"svg": SVG_BYTES, "dot": DOT_BYTES}.get(figure.format, FIGURE_BYTES)
            if len(figure.data) > most:
                return f"too much {figure.format}"
            try:
                figure.data.decode()
            except UnicodeDecodeError:
                return f"{figure.format} that is no text"
        case "":
            return "an empty figure with content" if figure.data else ""
    return ""
