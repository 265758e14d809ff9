"""A program as cells, and the request that carries it to the child."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from explorer.program.given_files import MAX_FILES, MAX_NEIGHBOURS, NO_FOLDER, Folder, GivenFile
from explorer.text import SayableError
from explorer.trace import Note, Options, Text

MAX_CELLS = 2_000  # the limit of a Trace
MAX_TEXT = 200_000  # bytes of a .py or .md file, and of the code in a notebook
MAX_NOTES = 300_000  # bytes of the Markdown in a notebook
MAX_ABOUT = 200_000  # bytes; larger notebook metadata is dropped
MAX_NOTEBOOK = 5_000_000  # bytes of an .ipynb file, pictures in its outputs included


class CellSource(Struct, frozen=True, repr_omit_defaults=True):
    """One cell.

    Attributes:
        text: source with normalized line ends.
        first_line: line of the file where it starts. 1 in an .ipynb, which counts lines for each cell.
        about: its .ipynb `id` and `metadata` as a JSON object, kept for writing, or "".
    """

    text: Text
    first_line: int = 1
    about: Text = ""


class Program(Struct, frozen=True):
    """A program to run.

    Attributes:
        cells: in execution order.
        notes: the Markdown between them.
        path: source file, "-" for standard input, "" for a text without a file.
        kind: file format.
        about: .ipynb metadata as JSON, kept for writing, or "".
        files: files in its folder, never part of its text.
        folder: local folder that the run may read. Only the runner sets it.
    """

    cells: Annotated[list[CellSource], Meta(max_length=MAX_CELLS)]
    notes: Annotated[list[Note], Meta(max_length=2 * MAX_CELLS)] = []
    path: str = ""
    kind: Literal["py", "md", "ipynb"] = "py"
    about: Text = ""
    files: Annotated[tuple[GivenFile, ...], Meta(max_length=MAX_FILES + MAX_NEIGHBOURS)] = ()
    folder: Folder = NO_FOLDER


class Unusable(SayableError):
    """Raised for data that is not a program.

    Attributes:
        kind: undecodable, nul, too-large, too-many-cells, unknown-format, unreadable, stopped (by the user) or
            crowded (too many queued programs). Notebooks add broken-json, too-deep, not-a-notebook, notebook-format,
            other-language, notebook-too-large and character. The message is `unusable-<kind>`.
        values: values for its message: always `path`, and `given`, which is "text" without a file.
    """

    prefix = "unusable-"

    @classmethod
    def of(cls, kind: str, path: str, **values: str | int) -> "Unusable":
        """Create an Unusable for a file, or a text without one."""
        return cls(kind, path=path, given="text" if path in ("-", "") else "file", **values)


def normalised(text: str) -> str:
    """Return the text with line feeds as its only line ends."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


class Request(Struct, frozen=True):
    """The request that a child receives."""

    program: Program
    options: Options


_decoder = msgspec.msgpack.Decoder(Request)


def encode_request(program: Program, options: Options) -> bytes:
    """Encode a request as MessagePack, without notebook metadata."""
    cells = [CellSource(cell.text, cell.first_line) for cell in program.cells]
    program = msgspec.structs.replace(program, cells=cells, about="")
    return msgspec.msgpack.encode(Request(program, options))


def decode_request(data: bytes) -> tuple[Program, Options]:
    """Decode the program and options of a request. Raises msgspec.DecodeError."""
    request = _decoder.decode(data)
    return request.program, request.options
