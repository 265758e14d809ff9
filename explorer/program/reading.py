"""Cells out of files. The text is decoded, bounded and split, never parsed or compiled: that is the child's work."""

import os
import re
import sys

from markdown_it import MarkdownIt

from explorer.program.cells import MAX_CELLS, CellSource, Program, Unusable
from explorer.trace import Note

MAX_TEXT = 200_000  # bytes of a .py or .md file
MAX_NOTEBOOK = 5_000_000  # bytes of an .ipynb file, pictures in its outputs included

PYTHON = {"python", "py", "python3", "py3", "pycon", "ipython", "ipython3"}  # languages of fences that are cells

# Only blocks matter here; links and emphasis would cost time that grows with the square of hostile text.
_markdown = MarkdownIt("commonmark").disable(["inline", "reference"])


def load_program(path: str) -> Program:
    """The program in a file, or on standard input for "-". Raises Unusable."""
    try:
        if path == "-":
            return read_program(path, sys.stdin.buffer.read(MAX_TEXT + 1))
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            most = _most(path)
            if size > most:
                raise _unusable("too-large", path, size=size, most=most)
            return read_program(path, file.read(most + 1))
    except OSError as problem:
        reasons = {FileNotFoundError: "missing", IsADirectoryError: "folder", PermissionError: "forbidden"}
        raise _unusable("unreadable", path, reason=reasons.get(type(problem), "other")) from None
    except ValueError:  # a path with a NUL
        raise _unusable("unreadable", path, reason="missing") from None


def read_program(path: str, data: bytes) -> Program:
    """Splits the bytes of a file into cells.

    `path` says the format: .py (one cell), .md (every fence of Python is a cell, the text between them notes), "-" or
    "" (as .py). Line ends become "\\n" and a byte order mark is dropped. Raises Unusable.

    >>> read_program("lesson.md", b"Add.\\n\\n```python\\n1 + 1\\n```\\n").cells
    [CellSource(text='1 + 1\\n', first_line=4)]
    """
    suffix = _suffix(path)
    if suffix not in (".py", ".md"):
        raise _unusable("unknown-format", path, suffix=suffix or "none")
    if len(data) > _most(path):
        raise _unusable("too-large", path, size=len(data), most=_most(path))
    text = _decoded(path, data)
    path = path.encode("utf-8", "replace").decode()  # a file's name need not be UTF-8
    if suffix == ".md":
        return _from_markdown(path, text)
    return Program([CellSource(text)], [], path, "py")


def read_text(text: str) -> Program:
    """The program in a text that was never a file, as .py. Raises Unusable, also for lone surrogates.

    >>> read_text("1 + 1").cells
    [CellSource(text='1 + 1', first_line=1)]
    """
    return read_program("", text.encode("utf-8", "surrogatepass"))


def _unusable(kind: str, path: str, **values: str | int) -> Unusable:
    return Unusable(kind, path=path, given="text" if path in ("-", "") else "file", **values)


def _suffix(path: str) -> str:
    return ".py" if path in ("-", "") else os.path.splitext(path)[1].lower()


def _most(path: str) -> int:
    return MAX_NOTEBOOK if _suffix(path) == ".ipynb" else MAX_TEXT


def _decoded(path: str, data: bytes) -> str:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        before = data[: problem.start]
        line = _normalised(before.decode("utf-8-sig", "replace")).count("\n") + 1
        byte = f"0x{data[problem.start]:02X}"
        raise _unusable("undecodable", path, line=line, offset=problem.start, byte=byte) from None
    text = _normalised(text)
    nul = text.find("\0")
    if nul >= 0:
        line, column = text.count("\n", 0, nul) + 1, nul - text.rfind("\n", 0, nul)
        raise _unusable("nul", path, line=line, column=column)
    return text


def _normalised(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _from_markdown(path: str, text: str) -> Program:
    lines = text.split("\n")
    cells: list[CellSource] = []
    notes: list[Note] = []
    told = 0  # lines that are already in a cell or a note

    def note(until: int) -> None:
        between = "\n".join(lines[told:until]).strip("\n")
        if between.strip():
            notes.append(Note(len(cells), between))

    for token in _markdown.parse(text):
        language = _language(token.info) if token.type == "fence" else ""
        if language not in PYTHON:
            continue
        start, end = token.map
        note(start)
        source = _typed(token.content) if language == "pycon" else token.content
        cells.append(CellSource(source, start + 2))
        told = end
    note(len(lines))
    if len(cells) > MAX_CELLS:
        raise _unusable("too-many-cells", path, count=len(cells), most=MAX_CELLS)
    return Program(cells, notes, path, "md")


def _language(info: str) -> str:
    """The language of a fence: `python`, `python title="x"`, `{.python .input}`."""
    return re.split(r"[\s,}]", info.strip().lstrip("{. "), maxsplit=1)[0].lower()


def _typed(session: str) -> str:
    """What was typed in a pasted session (`>>> `); the answers become empty lines, so that line numbers stay."""
    return "\n".join(line[4:] if line.startswith((">>>", "...")) else "" for line in session.split("\n"))
