"""The one place that turns a cell's text into code; the language ring stands here."""

import ast
import io
import linecache
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from types import CodeType

from explorer.runtime.notebook.magics import PlainCell, column_before, plain_python, put_back
from explorer.runtime.policy import check_text, transform
from explorer.runtime.recording.source import Place, SourceIndex, index_source, place


@dataclass(frozen=True)
class Statement:
    """What runs at once at the top level of a cell.

    Attributes:
        code, place: its code and where it stands.
        echoed: whether its value is the cell's echo; the values of other bare expressions go to sys.displayhook.
        timed: "time" or "timeit" where a magic says so; the code of a `%timeit` makes no names.
        imports: whether it is an import.
    """

    code: CodeType
    place: Place
    echoed: bool
    timed: str = ""
    imports: bool = False


@dataclass(frozen=True)
class CompiledCell:
    """A cell ready to run.

    Attributes:
        statements: in order.
        index: what its syntax says about places.
        timed: whether `%%time` stands above it.
        captured: the name that `%%capture` gives to what is printed, "" for none, None when nothing is captured.
    """

    statements: list[Statement]
    index: SourceIndex
    timed: bool = False
    captured: str | None = None


def cell_filename(cell: int) -> str:
    """The file name that the code of a cell carries."""
    return f"<cell {cell}>"


def compile_cell(source: str, cell: int, language_ring: bool = False) -> CompiledCell:
    """Parse and compile a cell; with the language ring its code is full of checks, which only a Ring's builtins answer.

    Raises SyntaxError, and what the parser raises on texts that are too deep (RecursionError, MemoryError) or hold NUL
    bytes (ValueError, SyntaxError). Raises policy.Refused, with its place, for what the ring does not allow.
    """
    filename = cell_filename(cell)
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    if language_ring:
        check_text(source)
    plain = plain_python(source)
    try:
        tree = ast.parse(plain.text, filename)
    except SyntaxError as problem:
        _as_written(problem, plain)
        raise
    put_back(tree, plain.removed)
    index = index_source(tree)
    index.widened.update(plain.places)
    if language_ring:
        tree = transform(tree)
    echoed = isinstance(tree.body[-1], ast.Expr) and not _silenced(plain.text) if tree.body else False
    setup = ast.parse(plain.argument) if plain.whole == "timeit" else ast.Module([], [])
    if language_ring:
        setup = transform(setup)
    statements = list(_statements(tree.body, echoed, plain, setup.body, filename))
    captured = plain.argument if plain.whole == "capture" else None
    return CompiledCell(statements, index, plain.whole == "time", captured)


@dataclass(frozen=True)
class CompiledModule:
    """A file that the program imports. Attributes: code; index: what its syntax says about places."""

    code: CodeType
    index: SourceIndex


def compile_module(source: str, cell: int) -> CompiledModule:
    """Parse and compile a whole file under the language ring: plain Python, without lines of IPython's own.

    Raises what `compile_cell` raises.
    """
    filename = cell_filename(cell)
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    check_text(source)
    tree = ast.parse(source, filename)
    index = index_source(tree)
    return CompiledModule(compile(transform(tree), filename, "exec", dont_inherit=True), index)


_FUTURE = 0x1FE0000  # the bits of co_flags that `from __future__ import` sets


def _statements(
    body: list[ast.stmt], echoed: bool, plain: PlainCell, setup: list[ast.stmt], filename: str
) -> Iterator[Statement]:
    flags = 0

    def word(node: ast.stmt) -> str:
        return "timeit" if plain.whole == "timeit" else plain.runs.get(node.lineno, "")

    for timed, group in groupby(body, word):
        nodes = list(group)
        if timed == "timeit":
            code = compile(_once(setup, nodes), filename, "exec", flags, dont_inherit=True)
            yield Statement(code, place(nodes[0]), False, timed)
            continue
        for node in nodes:
            echo = echoed and node is body[-1]
            if echo and isinstance(node, ast.Expr):
                code = compile(ast.Expression(node.value), filename, "eval", flags, dont_inherit=True)
            elif _is_comment(node):
                code = compile(ast.Module([node], []), filename, "exec", flags, dont_inherit=True)
            else:  # "single": bare expressions in it call sys.displayhook
                code = compile(ast.Interactive([node]), filename, "single", flags, dont_inherit=True)
            if isinstance(node, ast.ImportFrom) and node.module == "__future__":
                flags |= code.co_flags & _FUTURE
            yield Statement(code, place(node), echo, timed, isinstance(node, ast.Import | ast.ImportFrom))


def _is_comment(node: ast.stmt) -> bool:
    """Whether a bare expression is a text that only says something to the reader, or `...`."""
    return isinstance(node, ast.Expr) and isinstance(getattr(node.value, "value", None), str | type(...))


def _once(setup: list[ast.stmt], nodes: list[ast.stmt]) -> ast.Module:
    """`def inner(): ...; inner()`: as `timeit` runs its code, in a scope of its own."""
    for statement in setup:
        for part in ast.walk(statement):
            ast.copy_location(part, nodes[0])
    module = ast.parse("def inner(): pass\ninner()\ndel inner")
    inner = module.body[0]
    assert isinstance(inner, ast.FunctionDef)
    for statement in module.body:
        for part in ast.walk(statement):
            if hasattr(part, "lineno"):
                ast.copy_location(part, nodes[0])
    inner.body = [*setup, *nodes]
    return module


def _as_written(problem: SyntaxError, plain: PlainCell) -> None:
    """Put the columns of a syntax error where the user's text has them."""
    if problem.lineno in plain.removed and problem.offset:
        shift = column_before(plain.removed, problem.lineno, problem.offset - 1) - (problem.offset - 1)
        problem.offset += shift
        if problem.end_offset and problem.end_lineno == problem.lineno:
            problem.end_offset += shift


def _silenced(source: str) -> bool:
    """Whether the last statement ends with a semicolon, as in Jupyter."""
    if ";" not in source:
        return False
    passed = (tokenize.ENDMARKER, tokenize.NEWLINE, tokenize.NL, tokenize.COMMENT, tokenize.DEDENT)
    tokens = [token for token in tokenize.generate_tokens(io.StringIO(source).readline) if token.type not in passed]
    return bool(tokens) and tokens[-1].string == ";"
