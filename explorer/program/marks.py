"""Find lines that cannot be Python, each with a repaired text; nothing changes until the user asks."""

from dataclasses import dataclass
from typing import Literal

import msgspec

from explorer.program.cells import CellSource, Program
from explorer.program.indentation import lost_blocks
from explorer.program.scanner import HAN, bound_names, pieces, reads_as_prose, scan

# Full-width and typographic characters, and the Python characters they stand for.
_FULL_WIDTH = {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F) if not chr(code).isalpha()}
_OTHERS = {
    "、": ",",
    "。": ".",
    "【": "[",
    "】": "]",
    "−": "-",
    "–": "-",
    "×": "*",
    "÷": "/",
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
}
_SPACES = {space: " " for space in "\u00a0\u2002\u2003\u2009\u202f\u3000"} | dict.fromkeys(
    "\u200b\u200e\u200f\u2060\ufeff", ""
)
_TABLE = {**_FULL_WIDTH, **{ord(a): b for a, b in {**_OTHERS, **_SPACES}.items()}}


@dataclass(frozen=True)
class Mark:
    """Lines that cannot be Python, with their repair.

    Attributes:
        cell: its number, from 0.
        line, end_line: the lines of the cell, from 1, both meant.
        kind: characters (full-width or typographic ones in code), prose (a sentence without `#`), indentation (lost,
            and more than one way to put it back).
        found: for characters the ones found, otherwise "".
        mended: the text of these lines after one click.
    """

    cell: int
    line: int
    end_line: int
    kind: Literal["characters", "prose", "indentation"]
    found: str
    mended: str


def find_marks(program: Program) -> list[Mark]:
    """All marks in the cells, in order. Strings and comments are never marked.

    >>> [mark.mended for mark in find_marks(Program([CellSource("x = （1，2）")]))]
    ['x = (1,2)']
    """
    names = frozenset().union(*(bound_names(cell.text) for cell in program.cells if HAN.search(cell.text)))
    return [mark for number, cell in enumerate(program.cells) for mark in _marks(number, cell.text, names)]


def mend(program: Program, mark: Mark) -> Program:
    """The program with these lines repaired; find its marks again afterwards."""
    cell = program.cells[mark.cell]
    lines = cell.text.split("\n")
    lines[mark.line - 1 : mark.end_line] = mark.mended.split("\n")
    cells = list(program.cells)
    cells[mark.cell] = CellSource("\n".join(lines), cell.first_line)
    return msgspec.structs.replace(program, cells=cells)


def mend_all(program: Program) -> Program:
    """The program with every mark repaired: characters and prose first, since indentation depends on them."""
    for kinds in (("characters", "prose"), ("indentation",)):
        lines = [cell.text.split("\n") for cell in program.cells]
        for mark in find_marks(program):
            if mark.kind in kinds:
                lines[mark.cell][mark.line - 1 : mark.end_line] = mark.mended.split("\n")
        cells = [CellSource("\n".join(own), cell.first_line) for own, cell in zip(lines, program.cells, strict=True)]
        program = msgspec.structs.replace(program, cells=cells)
    return program


def _marks(cell: int, text: str, names: frozenset[str]) -> list[Mark]:
    plain = _with_plain_characters(text).split("\n")
    marks = []
    for number, line in enumerate(scan(text), start=1):
        mended = plain[number - 1]
        if not line.continues and reads_as_prose(line.code, names) and not _only_wide(line.code, mended, names):
            indent, rest = line.text[: line.indent], line.text[line.indent :]
            marks.append(Mark(cell, number, number, "prose", "", f"{indent}# {rest}"))
        elif mended != line.text:
            wide = "".join(dict.fromkeys(a for a in line.text if a not in mended))
            marks.append(Mark(cell, number, number, "characters", wide, mended))
    lost = (block for block in lost_blocks(text) if not block.certain)
    marks += [Mark(cell, block.first, block.last, "indentation", "", block.text) for block in lost]
    return sorted(marks, key=lambda mark: (mark.line, -mark.end_line))


def _only_wide(code: str, mended: str, names: frozenset[str]) -> bool:
    """Whether a line looks like prose only because of its full-width spaces."""
    return not HAN.search(code) and not reads_as_prose(scan(mended)[0].code, names)


def _with_plain_characters(text: str) -> str:
    """The text with ASCII punctuation in code and around strings in typographic quotation marks."""
    return "".join(_plain(kind, piece) for kind, piece in pieces(text))


def _plain(kind: str, piece: str) -> str:
    if kind == "code":
        return piece.translate(_TABLE).translate({ord(quote): '"' for quote in "“”„"} | {ord(a): "'" for a in "‘’"})
    if kind == "curly":
        quote, other = ("'", '"') if piece[0] in "‘’" else ('"', "'")
        quote = other if quote in piece[1:-1] else quote
        return f"{quote}{piece[1:-1]}{quote}"
    return piece
