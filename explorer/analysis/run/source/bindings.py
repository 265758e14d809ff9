"""Everything that binds or deletes a name in a program's text, with its scope and block."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from explorer.analysis.run.source.assignments import trees
from explorer.analysis.run.source.definitions import Function
from explorer.trace import Span, Trace, memoized

Scope = Function | ast.Lambda | ast.ClassDef | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
COMPREHENSION = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
_BLOCK = ast.If | ast.For | ast.AsyncFor | ast.While | ast.Try | ast.With | ast.AsyncWith | ast.Match
_WORDS = {ast.AsyncFor: "for", ast.AsyncWith: "with", ast.FunctionDef: "def", ast.AsyncFunctionDef: "def"}


@dataclass(frozen=True)
class Binding:
    """A place that binds a name, or deletes it.

    Attributes:
        node: what binds it: a name, argument, alias, definition, or `except … as`.
        statement: its statement.
        scopes: the functions, classes and comprehensions around it, outermost first.
        blocks: the if, for, try and so on around it in the last of them, outermost first.
    """

    name: str
    cell: int
    node: ast.AST
    statement: ast.stmt
    scopes: tuple[Scope, ...] = ()
    blocks: tuple[ast.AST, ...] = ()

    @property
    def line(self) -> int:
        """Line of the name."""
        return getattr(self.node, "lineno", self.statement.lineno)

    @property
    def deletes(self) -> bool:
        """Whether it is in a `del`."""
        return isinstance(self.node, ast.Name) and isinstance(self.node.ctx, ast.Del)

    @property
    def is_definition(self) -> bool:
        """Whether it is an import, function or class."""
        return isinstance(self.node, ast.alias | Function | ast.ClassDef)


def word_of_block(block: ast.AST) -> str:
    """Return the keyword that begins a block."""
    return _WORDS.get(type(block), type(block).__name__.lower())


@memoized
def bindings(trace: Trace) -> dict[str, list[Binding]]:
    """Return each name's bindings in text order."""
    found: dict[str, list[Binding]] = {}
    for cell, tree in enumerate(trees(trace)):
        for one in _inside(tree, Binding("", cell, tree, ast.Pass(lineno=0))) if tree else ():
            found.setdefault(one.name, []).append(one)
    return found


def scopes_at(trace: Trace, place: Span) -> tuple[Scope, ...]:
    """Return the functions and classes whose body holds a place, outermost first."""
    at, tree = (place.line, place.column), trees(trace)[place.cell]
    nodes = (node for node in (ast.walk(tree) if tree else ()) if isinstance(node, Scope))
    found = [node for node in nodes if _first(node) <= at < (node.end_lineno or 0, node.end_col_offset or 0)]
    return tuple(sorted(found, key=_first))


def _first(scope: Scope) -> tuple[int, int]:
    """Return where a scope's body begins."""
    body = getattr(scope, "body", scope)
    begin = body[0] if isinstance(body, list) else body
    return begin.lineno, begin.col_offset


def _inside(tree: ast.AST, outside: Binding) -> Iterator[Binding]:
    """Yield the bindings inside a node. `outside`: an empty binding with the node's place."""
    waiting = [(tree, outside)]
    while waiting:
        node, around = waiting.pop()
        below = []
        for child in ast.iter_child_nodes(node):
            statement = child if isinstance(child, ast.stmt) else around.statement
            here = Binding("", around.cell, child, statement, around.scopes, around.blocks)
            yield from (Binding(name, here.cell, *rest) for name, *rest in _names(here))
            scopes, blocks = around.scopes, around.blocks
            if isinstance(child, Scope):
                scopes, blocks = (*scopes, child), ()
            elif isinstance(child, _BLOCK) and len(blocks) < 20:
                blocks = (*blocks, child)
            below.append((child, Binding("", here.cell, child, statement, scopes, blocks)))
        waiting += reversed(below)


def _names(at: Binding) -> Iterator[tuple]:
    """Yield each name that a node binds or deletes, with its place."""
    rest, node, blocks = (at.statement, at.scopes), at.node, at.blocks
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            if not (isinstance(at.statement, ast.AnnAssign) and at.statement.value is None):
                yield name, node, *rest, blocks[:-1] if blocks[-1:] == (at.statement,) else blocks  # in the header
        case ast.arg(arg=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            yield name, node, *rest, blocks
        case ast.ClassDef(name=name) | ast.ExceptHandler(name=str(name)):
            yield name, node, *rest, blocks
        case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            yield name, node, *rest, blocks
        case ast.alias():
            yield node.asname or node.name.partition(".")[0], node, *rest, blocks
        case ast.Global(names=names) | ast.Nonlocal(names=names):
            yield from ((name, node, *rest, blocks) for name in names)
