"""Read programs from files and pasted text (notebooks, Markdown, sessions, plain code).

The text is decoded, bounded and split. Parsing and compiling happen in the child.
"""

import os
import sys
from dataclasses import dataclass
from typing import Literal

from explorer.program.cells import MAX_CELLS, MAX_NOTEBOOK, MAX_TEXT, CellSource, Program, Unusable, normalised
from explorer.program.markdown import fences, is_cell, read_markdown
from explorer.program.notebook import read_notebook
from explorer.program.percent import read_percent
from explorer.program.scanner import scan
from explorer.safe_regex import plain

READERS = {".py": read_percent, ".md": read_markdown, ".ipynb": read_notebook}
Kind = Literal["notebook", "fences", "prompts", "outputs"]

_BRACE = plain(r"\s*+\{")
_PROMPT = plain(r"[ \t]*+(?:>>>(?: (.*)|$)|In ?\[\d{1,6}\]: (.*))")
_MORE = plain(r"[ \t]*+\.\.\.:?(?: (.*)|$)")


def load_program(path: str) -> Program:
    """Load a program from a file, or from standard input for "-". Raises Unusable."""
    return read_program(path, load_bytes(path))


def load_bytes(path: str) -> bytes:
    """Read a file's bytes, or standard input for "-", up to MAX_TEXT + 1."""
    try:
        if path == "-":
            return sys.stdin.buffer.read(MAX_TEXT + 1)
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            most = _most(path)
            if size > most:
                raise Unusable.of("too-large", path, size=size, most=most)
            return file.read(most + 1)
    except OSError as problem:
        reasons = {FileNotFoundError: "missing", IsADirectoryError: "folder", PermissionError: "forbidden"}
        raise Unusable.of("unreadable", path, reason=reasons.get(type(problem), "other")) from None
    except ValueError:  # a path with a NUL
        raise Unusable.of("unreadable", path, reason="missing") from None


def read_program(path: str, data: bytes) -> Program:
    r"""Split the bytes of a file into cells.

    `path` determines the format: .py (`# %%` starts a cell), .md (every Python fence is a cell), .ipynb, "-" or "" (as
    .py). Text between the cells becomes notes. Line ends become "\n" and a byte order mark is dropped. Raises Unusable.

    >>> read_program("lesson.md", b"Add.\n\n```python\n1 + 1\n```\n").cells
    [CellSource(text='1 + 1', first_line=4)]
    """
    suffix = _suffix(path)
    if suffix not in READERS:
        raise Unusable.of("unknown-format", path, suffix=suffix or "none")
    text = decoded(path, data, _most(path))
    path = path.encode("utf-8", "replace").decode()  # a file's name need not be UTF-8
    return bounded(READERS[suffix](path, text))


def bounded(program: Program) -> Program:
    """Return the program. Raises Unusable for too many cells."""
    if len(program.cells) > MAX_CELLS or len(program.notes) > 2 * MAX_CELLS:
        count = max(len(program.cells), len(program.notes) // 2)
        raise Unusable.of("too-many-cells", program.path, count=count, most=MAX_CELLS)
    return program


def read_text(text: str) -> Program:
    """Read a program from a text, as .py. Raises Unusable, for lone surrogates too.

    >>> read_text("1 + 1").cells
    [CellSource(text='1 + 1')]
    """
    return read_program("", text.encode("utf-8", "surrogatepass"))


def _suffix(path: str) -> str:
    return ".py" if path in ("-", "") else os.path.splitext(path)[1].lower()


def _most(path: str) -> int:
    return MAX_NOTEBOOK if _suffix(path) == ".ipynb" else MAX_TEXT


def decoded(path: str, data: bytes, most: int) -> str:
    """Decode a file's text with normalized line ends. Raises Unusable."""
    if len(data) > most:
        raise Unusable.of("too-large", path, size=len(data), most=most)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        before = data[: problem.start]
        line = normalised(before.decode("utf-8-sig", "replace")).count("\n") + 1
        byte = f"0x{data[problem.start]:02X}"
        raise Unusable.of("undecodable", path, line=line, offset=problem.start, byte=byte) from None
    text = normalised(text)
    nul = text.find("\0")
    if nul >= 0:
        line, column = text.count("\n", 0, nul) + 1, nul - text.rfind("\n", 0, nul)
        raise Unusable.of("nul", path, line=line, column=column)
    return text


@dataclass(frozen=True)
class Cleaned:
    """A program read from pasted text.

    Attributes:
        program: its cells and notes. `first_line` refers to the pasted text.
        counts: numbers of changed lines by kind, or of a notebook's cells.
    """

    program: Program
    counts: dict[Kind, int]


def read_pasted(text: str) -> Cleaned:
    r"""Extract the program from a pasted text. Raises Unusable.

    >>> cleaned = read_pasted(">>> x = 1\n>>> x\n1\n")
    >>> cleaned.program.cells, cleaned.counts
    ([CellSource(text='x = 1\nx')], {'prompts': 2, 'outputs': 1})
    """
    data = text.encode("utf-8", "surrogatepass")
    if _BRACE.match(text) and '"cells"' in text:
        program = bounded(read_notebook("", decoded("", data, MAX_NOTEBOOK)))
        return Cleaned(program, {"notebook": len(program.cells)})
    decoded_text = decoded("", data, MAX_TEXT)
    marked: dict[Kind, int] = {}
    if count := sum(map(is_cell, fences(decoded_text))):
        program, marked = read_markdown("", decoded_text), {"fences": count}
    elif any(_PROMPT.match(line.text) and not line.inside for line in scan(decoded_text)):
        program, marked = _session(decoded_text.split("\n"))
    else:
        program = read_percent("", decoded_text)
    return Cleaned(bounded(program), marked)


def _session(lines: list[str]) -> tuple[Program, dict[Kind, int]]:
    """Split a session into cells, dropping its output."""
    cells: list[CellSource] = []
    typed: list[str] = []
    prompts, outputs = 0, 0
    for number, line in enumerate([*lines, ""], start=1):
        match = _PROMPT.match(line) or (_MORE.match(line) if typed else None)
        if typed and (match is None or line.lstrip().startswith("In")):
            cells.append(CellSource("\n".join(typed).rstrip("\n"), number - len(typed)))
            typed = []
        if match:
            typed.append(match[match.lastindex] if match.lastindex else "")
            prompts += 1
        else:
            outputs += bool(line.strip())
    return Program(cells), {"prompts": prompts, **({"outputs": outputs} if outputs else {})}
