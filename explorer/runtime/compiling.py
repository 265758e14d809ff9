"""The one place that turns a cell's text into code. The language ring will stand here."""

import ast
import io
import linecache
import tokenize
from dataclasses import dataclass
from types import CodeType

from explorer.runtime.source import Place, SourceIndex, index_source, place


@dataclass(frozen=True)
class Statement:
    """One top-level statement: its code, where it stands, and whether its value is the cell's echo."""

    code: CodeType
    place: Place
    echoed: bool


@dataclass(frozen=True)
class CompiledCell:
    """A cell ready to run: its statements in order and what its syntax says about places."""

    statements: list[Statement]
    index: SourceIndex


def cell_filename(cell: int) -> str:
    """The file name that the code of a cell carries."""
    return f"<cell {cell}>"


def compile_cell(source: str, cell: int) -> CompiledCell:
    """Parse and compile a cell.

    Raises SyntaxError, and what the parser raises on texts that are too deep (RecursionError, MemoryError) or hold NUL
    bytes (ValueError, SyntaxError).
    """
    filename = cell_filename(cell)
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    tree = ast.parse(source, filename)
    index = index_source(tree)
    flags, statements = 0, []
    for number, node in enumerate(tree.body):
        last = number == len(tree.body) - 1
        echoed = last and isinstance(node, ast.Expr) and not _silenced(source)
        if echoed:
            code = compile(ast.Expression(node.value), filename, "eval", flags, dont_inherit=True)
        else:
            code = compile(ast.Module([node], []), filename, "exec", flags, dont_inherit=True)
        if isinstance(node, ast.ImportFrom) and node.module == "__future__":
            flags |= code.co_flags & _FUTURE
        statements.append(Statement(code, place(node), echoed))
    return CompiledCell(statements, index)


_FUTURE = 0x1FE0000  # the bits of co_flags that `from __future__ import` sets


def _silenced(source: str) -> bool:
    """Whether the last statement ends with a semicolon, as in Jupyter."""
    passed = (tokenize.ENDMARKER, tokenize.NEWLINE, tokenize.NL, tokenize.COMMENT, tokenize.DEDENT)
    tokens = [token for token in tokenize.generate_tokens(io.StringIO(source).readline) if token.type not in passed]
    return bool(tokens) and tokens[-1].string == ";"
