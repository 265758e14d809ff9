"""Positions of IPython's compiled code in the cells as written.

IPython rewrites a cell before it compiles it (`%time f()` becomes a call, prompts and indentation are removed), and a
magic compiles its text. All that code has the file name of its cell and positions in the user's text.
"""

import ast
import linecache
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from IPython.core.compilerop import CachingCompiler

from explorer.runtime.recorder.source import SourceIndex
from explorer.runtime.recorder.source_map import SourceMap


def cell_filename(cell: int) -> str:
    """Return the file name of a cell's code."""
    return f"<cell {cell}>"


@dataclass(frozen=True)
class CellPiece:
    """A part of a cell's text.

    Attributes: cell: its number. line, column: its start (from 1, in UTF-8 bytes). text: the part.
    """

    cell: int
    line: int
    column: int
    text: str


class ShellLine(NamedTuple):
    """A line of IPython's transformed text.

    Attributes: first, last: its original lines in the cell. shift: bytes before it in the cell that were removed. kept:
    unchanged bytes at its start. None: all. end: the final column of its last line.
    """

    first: int
    last: int
    shift: int
    kept: int | None
    end: int


class PieceAlignment:
    """Maps positions in IPython's transformed text back to the piece.

    >>> PieceAlignment(CellPiece(0, 1, 0, "%matplotlib inline\\n>>> x = 1"), "get_ipython()...\\nx = 1").place(2, 0)
    (2, 4)
    """

    def __init__(self, piece: CellPiece, made: str) -> None:
        self._lines = list(_aligned(piece, made))

    def place(self, line: int, column: int, end: bool = False) -> tuple[int, int]:
        """Return line and column in the cell."""
        aligned = self._lines[min(line, len(self._lines)) - 1]
        if aligned.kept is None or column <= aligned.kept:
            return aligned.first, column + aligned.shift
        return (aligned.last, aligned.end) if end else (aligned.first, aligned.kept + aligned.shift)

    def relocate(self, tree: ast.AST) -> None:
        """Move every node to its place in the cell."""
        node: Any
        for node in ast.walk(tree):
            if hasattr(node, "lineno"):
                begin = self.place(node.lineno, node.col_offset)
                end = self.place(node.end_lineno, node.end_col_offset, end=True)
                if isinstance(node, ast.Attribute) and end[0] > begin[0] and self._is_made(node):
                    end = begin  # Python places a method call at the method's name
                node.lineno, node.col_offset = begin
                node.end_lineno, node.end_col_offset = end

    def _is_made(self, node: ast.Attribute) -> bool:
        prefix = self._lines[min(node.lineno, len(self._lines)) - 1].kept
        return prefix is not None and node.end_col_offset > prefix


def _aligned(piece: CellPiece, made: str) -> Iterator[ShellLine]:
    """Match the lines of the two texts in linear time."""
    written, lines = piece.text.split("\n"), made.split("\n")
    at = 0
    while at < len(written) - 1 and lines[0].strip() and not written[at].strip():
        at += 1
    for line in lines:
        first = min(at, len(written) - 1)
        old = written[first]
        before = 0 if first else piece.column
        number = piece.line + first
        if not line.strip() or old.endswith(line):
            yield ShellLine(number, number, before + _size(old) - _size(line) if line.strip() else before, None, 0)
            at += 1
            continue
        last = first
        whole = line.startswith("get_ipython().run_cell_magic(")
        while last < len(written) - 1 and (whole or written[last].endswith("\\")):
            last += 1
        if whole:
            while last > first and not written[last].strip():
                last -= 1
        same = next((i for i, (a, b) in enumerate(zip(old, line, strict=False)) if a != b), min(len(old), len(line)))
        prefix = _size(line[:same])
        end = _size(written[last].rstrip()) + (0 if last else piece.column)
        yield ShellLine(number, piece.line + last, before, prefix, end)
        at = last + 1


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


class Compiler(CachingCompiler):
    """IPython's compiler, with positions in the cells.

    Attributes: source_map: of the run. None: no cell is known. running: the current cell. written: maps IPython's
    latest transformed text to its original.
    """

    def __init__(self) -> None:
        super().__init__()
        self.reset_compiler_flags()  # otherwise an open bracket would be "incomplete input"
        self.source_map: SourceMap | None = None
        self.running = 0
        self.written: dict[str, str] = {}

    def cache(self, transformed_code: str, number: int = 0, raw_code: str | None = None) -> str:
        """Return the file name for a cell's code."""
        piece = self._piece(transformed_code if raw_code is None else raw_code)
        if piece is None:
            return super().cache(transformed_code, number, raw_code)
        name = cell_filename(piece.cell)
        self._filename_map[name] = number
        return name

    def ast_parse(self, source: str, filename: str = "<unknown>", symbol: str = "exec") -> ast.AST:
        """Parse a transformed text. Raises SyntaxError with the place in the cell."""
        piece = self._piece(self.written.get(source, source))
        try:
            tree = super().ast_parse(source, filename, symbol)
        except (RecursionError, MemoryError):
            raise SyntaxError("the text is nested too deeply to be read") from None
        except SyntaxError as problem:
            if piece is not None:
                _move(problem, PieceAlignment(piece, source), cell_filename(piece.cell))
            raise
        if piece is not None and self.source_map is not None:
            if source.rstrip("\n") != piece.text.rstrip("\n") or (piece.line, piece.column) != (1, 0):
                PieceAlignment(piece, source).relocate(tree)
            self.source_map.read(piece.cell, tree)
            for node in getattr(tree, "body", ()):
                node.of_cell = piece.cell
                if isinstance(node, ast.Expr):
                    node.value.of_cell = piece.cell  # type: ignore[attr-defined]
        return tree

    def __call__(self, source, filename, *rest, **options):
        """Compile, with the cell's file name for a magic's text from the cell."""
        if isinstance(source, ast.AST) and not filename.startswith("<cell "):
            cell = next((node.of_cell for node in ast.walk(source) if hasattr(node, "of_cell")), None)
            filename = filename if cell is None else cell_filename(cell)
        return super().__call__(source, filename, *rest, **options)

    def _piece(self, text: str) -> CellPiece | None:
        """Return the part of the running cell that a text comes from."""
        text = text.rstrip("\n")
        if self.source_map is None or not text.strip():
            return None
        frame, _ = self.source_map.program_frame(2)
        if frame is None:
            whole = b"\n".join(self.source_map.lines[self.running]).decode("utf-8", "surrogatepass")
            return CellPiece(self.running, 1, 0, whole) if whole.rstrip("\n") == text else None
        place, cell = self.source_map.call_site(frame).place, self.source_map.files[frame.f_code.co_filename]
        if place is None:
            return None
        first, last, start, end = place
        lines = self.source_map.lines[cell][first - 1 : last]
        lines[-1] = lines[-1][:end]
        lines[0] = lines[0][start:]
        running = b"\n".join(lines).decode("utf-8", "surrogatepass")
        at = running.rfind(text)
        if at < 0:
            return None
        before = running[:at].rpartition("\n")[2]
        down = running.count("\n", 0, at)
        return CellPiece(cell, first + down, _size(before) + (0 if down else start), text)


def add_cell(source_map: SourceMap, cell: int, source: str) -> None:
    """Register a cell of the program before it is parsed."""
    name = cell_filename(cell)
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    source_map.add_cell(name, source, SourceIndex())


def _move(problem: SyntaxError, alignment: PieceAlignment, filename: str) -> None:
    """Move a syntax error to its place in the user's text."""
    problem.filename = filename
    if problem.lineno is None:
        return
    ends = problem.end_lineno and problem.end_offset and problem.end_offset > 0
    end = alignment.place(problem.end_lineno, problem.end_offset - 1, end=True) if ends else None
    problem.lineno, column = alignment.place(problem.lineno, max(0, (problem.offset or 1) - 1))
    problem.offset = column + 1
    if end is not None:
        problem.end_lineno, problem.end_offset = end[0], end[1] + 1
