"""Assignments in a program's text, parsed with Python's own parser."""

import ast
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from explorer.trace import Span, Trace, memoized

LONGEST = 400  # most characters read per value
_FARTHEST = 2_000  # column up to which statements of a line are read
_READ = 600_000  # most characters parsed per program, including repeated parses


@dataclass(frozen=True)
class Assignment:
    """A place that assigns a name, attribute or item: `=`, import, loop, function, class.

    Attributes:
        last: last line of the statement or its header.
        value: text after `=`, or "".
        alone: whether the name is the only target.
    """

    name: str
    cell: int
    line: int
    last: int
    indent: int = 0
    value: str = ""
    alone: bool = False


@memoized
def all_assignments(trace: Trace) -> Sequence[Assignment]:
    """Return every assignment of the program in text order."""
    cells = enumerate(zip(trace.cells, trees(trace), strict=True))
    return [place for cell, (of, tree) in cells if tree for place in _Places(of.source, cell).of(tree)]


@memoized
def assignments_by_name(trace: Trace) -> Mapping[str, Sequence[Assignment]]:
    """Return each name's assignments in text order."""
    by_name: dict[str, list[Assignment]] = {}
    for one in all_assignments(trace):
        by_name.setdefault(one.name, []).append(one)
    return by_name


def expressions(trace: Trace) -> Iterator[Span]:
    """Yield single-line expression statements in text order."""
    for cell, tree in enumerate(trees(trace)):
        for node in _statements(tree) if tree else ():
            if isinstance(node, ast.Expr) and node.lineno == node.end_lineno and node.col_offset < _FARTHEST:
                yield span_of(trace, cell, node)


def span_of(trace: Trace, cell: int, node: ast.stmt | ast.expr | ast.arg) -> Span:
    """Return a node's place, whose columns count bytes of UTF-8 in the tree."""
    lines, last = trace.cells[cell].lines, node.end_lineno or node.lineno
    begin, end = (
        len(lines[line - 1].encode()[:column].decode(errors="ignore"))
        for line, column in ((node.lineno, node.col_offset), (last, node.end_col_offset or 0))
    )
    return Span(cell, node.lineno, begin, last, end)


@memoized
def trees(trace: Trace) -> Sequence[ast.Module | None]:
    """Return each cell's tree, None if unreadable or beyond the budget."""
    left, trees = _READ, list[ast.Module | None]()
    for cell in trace.cells:
        tree, left = _parsed(cell.source, left)
        trees.append(tree)
    return trees


def last_assignment(trace: Trace, name: str, before: Span) -> Assignment | None:
    """Return the last assignment of a name above a place."""
    own = assignments_by_name(trace).get(name, ())
    return next((one for one in reversed(own) if (one.cell, one.line) < (before.cell, before.line)), None)


def only_assignment(trace: Trace, name: str) -> Assignment | None:
    """Return a name's only assignment, if it is short and has no other target."""
    places = assignments_by_name(trace).get(name, ())
    sole = len(places) == 1 and places[0].alone and 0 < len(places[0].value) < LONGEST and "#" not in places[0].value
    return places[0] if sole else None


def _parsed(source: str, left: int) -> tuple[ast.Module | None, int]:
    """Parse a cell without magics. Return tree and remaining characters."""
    lines, wrong = source.replace("\r", " ").split("\n"), 0
    while left > 0:
        left -= len(source) + 1
        try:
            with warnings.catch_warnings(action="ignore"):
                return ast.parse("\n".join(lines)), left
        except SyntaxError as error:
            last, wrong = wrong, error.lineno or 0
        except (ValueError, MemoryError, RecursionError):
            break
        if not 0 < wrong <= len(lines) or not lines[wrong - 1]:
            break
        text = lines[wrong - 1]  # it may be the only line of its block, so `pass` replaces it
        lines[wrong - 1] = "" if wrong == last else f"{text[: len(text) - len(text.lstrip())]}pass"
    return None, left


class _Places:
    """The assignments of one cell."""

    def __init__(self, source: str, cell: int) -> None:
        self._cell = cell
        self._source = source
        self._lines = source.split("\n")
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line) + 1)

    def of(self, tree: ast.Module) -> list[Assignment]:
        """Return a tree's assignments in text order."""
        nodes = ast.walk(tree) if ":=" in self._source else _statements(tree)
        near = (node for node in nodes if getattr(node, "col_offset", 0) < _FARTHEST)
        return sorted((place for node in near for place in self._in(node)), key=lambda place: place.line)

    def _in(self, node: ast.AST) -> Iterator[Assignment]:
        match node:
            case ast.Assign(targets=targets, value=value):
                sole = len(targets) == 1 and isinstance(targets[0], ast.Name)
                yield from (self._place(name, node, value, sole) for target in targets for name in _names(target))
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                yield self._place(name, node, value, True)
            case ast.For(target=target) | ast.AsyncFor(target=target):
                yield from (self._place(name, node, None, isinstance(target, ast.Name)) for name in _names(target))
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield self._place(name, node, None, True)
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                bound = [alias.asname or alias.name.partition(".")[0] for alias in names if alias.name != "*"]
                yield from (self._place(name, node, None, len(bound) == 1) for name in bound)
            case ast.With(items=items) | ast.AsyncWith(items=items):
                targets = [item.optional_vars for item in items if item.optional_vars]
                yield from (self._place(name, node) for target in targets for name in _names(target))
            case ast.ExceptHandler(name=str(name)):
                yield self._place(name, node)
            case ast.NamedExpr(target=ast.Name(id=name)):
                yield self._place(name, node)

    def _place(self, name: str, node: ast.AST, value: ast.expr | None = None, alone: bool = False) -> Assignment:
        line: int = node.lineno  # type: ignore[attr-defined]
        text = self._lines[line - 1]
        begin = self._offset(value.lineno, value.col_offset) if value else 0
        end = self._offset(value.end_lineno or value.lineno, value.end_col_offset or 0) if value else 0
        written = self._source[begin : min(end, begin + LONGEST)]
        last = line if hasattr(node, "body") else getattr(node, "end_lineno", line)
        return Assignment(name, self._cell, line, last, len(text) - len(text.lstrip()), written, alone)

    def _offset(self, line: int, column: int) -> int:
        """Return a place's offset in the source. `column` counts bytes of UTF-8."""
        return self._starts[line - 1] + len(self._lines[line - 1][:column].encode()[:column].decode(errors="ignore"))


def _statements(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield statements and their containers, which is cheaper than walking every expression."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        for part in ("finalbody", "orelse", "handlers", "cases", "body"):
            inner = getattr(node, part, ())
            waiting += reversed(inner) if isinstance(inner, list) else ()  # a lambda's body is not a list


def _names(target: ast.expr) -> Iterator[str]:
    """Yield what a target assigns: names, attributes, and items with constant keys, spelled like the Trace's names."""
    match target:
        case ast.Name(id=name):
            yield name
        case ast.Attribute() | ast.Subscript(slice=ast.Constant()):
            yield ast.unparse(target).replace("'", '"')
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            yield from (name for part in parts for name in _names(part))
        case ast.Starred(value=part):
            yield from _names(part)
