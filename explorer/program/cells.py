"""A program as its cells, and the request in which it travels to the child that runs it."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from explorer.program.given_files import MAX_BESIDE, MAX_FILES, NO_FOLDER, Folder, GivenFile
from explorer.text import SayableError
from explorer.trace import Note, Options, Text

MAX_CELLS = 2_000  # as many as a Trace may hold
MAX_TEXT = 200_000  # bytes of a .py or .md file, and of the code in a notebook
MAX_NOTES = 300_000  # bytes of the Markdown in a notebook
MAX_ABOUT = 200_000  # bytes of a notebook's metadata; larger metadata is dropped
MAX_NOTEBOOK = 5_000_000  # bytes of an .ipynb file, pictures in its outputs included


class CellSource(Struct, frozen=True, repr_omit_defaults=True):
    """One cell.

    Attributes:
        text: its source, line ends normalised.
        first_line: the line of the file where it starts; 1 in an .ipynb, where lines are counted in each cell.
        about: its `id` and `metadata` in an .ipynb as a JSON object, to be written again; "" for nothing.
    """

    text: Text
    first_line: int = 1
    about: Text = ""


class Program(Struct, frozen=True):
    """A program to run.

    Attributes:
        cells: in the order they run.
        notes: the Markdown between them.
        path: where it was read from, "-" for standard input, "" for a text that was never a file.
        kind: the format of the file.
        about: the metadata of an .ipynb, to be written again: an object as JSON; "" for nothing.
        files: the files in its folder. They are not part of its text, and no written text holds them.
        folder: the folder of this machine that the run may read. Only the runner sets it.
    """

    cells: Annotated[list[CellSource], Meta(max_length=MAX_CELLS)]
    notes: Annotated[list[Note], Meta(max_length=2 * MAX_CELLS)] = []
    path: str = ""
    kind: Literal["py", "md", "ipynb"] = "py"
    about: Text = ""
    files: Annotated[tuple[GivenFile, ...], Meta(max_length=MAX_FILES + MAX_BESIDE)] = ()
    folder: Folder = NO_FOLDER


class Unusable(SayableError):
    """Raised for data that is not a program; nothing was run.

    Attributes:
        kind: undecodable, nul, too-large, too-many-cells, unknown-format, unreadable, stopped (by hand) or crowded
            (too many programs of the visitor wait); for a notebook also broken-json, too-deep, not-a-notebook,
            notebook-format, other-language, notebook-too-large or character; the catalogue's message is
            `unusable-<kind>`.
        values: numbers and names for its sentence: always `path`, and `given`, which is "text" when there is no file.
    """

    prefix = "unusable-"

    @classmethod
    def of(cls, kind: str, path: str, **values: str | int) -> "Unusable":
        """An Unusable about the file at `path`, or about a text without a file."""
        return cls(kind, path=path, given="text" if path in ("-", "") else "file", **values)


def normalised(text: str) -> str:
    """The text with "\\n" as its only line end."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


class Request(Struct, frozen=True):
    """The request that a child receives."""

    program: Program
    options: Options


_decoder = msgspec.msgpack.Decoder(Request)


def encode_request(program: Program, options: Options) -> bytes:
    """The request as MessagePack, without a notebook's metadata."""
    cells = [CellSource(cell.text, cell.first_line) for cell in program.cells]
    program = msgspec.structs.replace(program, cells=cells, about="")
    return msgspec.msgpack.encode(Request(program, options))


def decode_request(data: bytes) -> tuple[Program, Options]:
    """The program and options of a request. Raises msgspec.DecodeError."""
    request = _decoder.decode(data)
    return request.program, request.options
