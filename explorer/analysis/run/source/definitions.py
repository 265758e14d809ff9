"""Classes and functions of a program's text, parsed with Python's own parser."""

import ast
from collections.abc import Collection, Iterator, Mapping

from explorer.analysis.run.source.assignments import span_of, trees
from explorer.analysis.run.source.code import Code, code_at
from explorer.trace import Trace, memoized

Function = ast.FunctionDef | ast.AsyncFunctionDef


@memoized
def classes(trace: Trace) -> Mapping[str, ast.ClassDef]:
    """Return the program's classes by name, of equal names the last."""
    nodes = (node for tree in trees(trace) if tree for node in ast.walk(tree))
    return {node.name: node for node in nodes if isinstance(node, ast.ClassDef)}


@memoized
def imported(trace: Trace) -> frozenset[str]:
    """Return the names that import statements bind."""
    nodes = (node for tree in trees(trace) for node in ast.walk(tree or ast.Module([], [])))
    names = (alias for node in nodes if isinstance(node, ast.Import | ast.ImportFrom) for alias in node.names)
    return frozenset(alias.asname or alias.name.partition(".")[0] for alias in names)


def parsed(text: str) -> ast.expr | None:
    """Return the tree of an expression, None for other text."""
    try:
        return ast.parse(f"({text}\n)", mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None


def calls(trace: Trace, names: Collection[str]) -> Iterator[tuple[str, ast.Call, Code]]:
    """Yield the calls of functions or methods of these names."""
    for cell, tree in enumerate(trees(trace)):
        for node in (one for one in ast.walk(tree or ast.Module([], [])) if isinstance(one, ast.Call)):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if name in names:
                yield name, node, code_at(trace, span_of(trace, cell, node))


def methods(of: ast.ClassDef) -> dict[str, Function]:
    """Return a class's own methods by name."""
    return {node.name: node for node in of.body if isinstance(node, Function)}


def methods_around(trace: Trace, line: int, name: str) -> Iterator[Function]:
    """Yield the methods of a name that hold a line."""
    own = (method for one in classes(trace).values() if (method := methods(one).get(name)))
    return (one for one in own if one.lineno <= line <= (one.end_lineno or 0))


def stores(of: ast.AST, name: str) -> Iterator[ast.Attribute]:
    """Yield the places that assign an attribute of that name."""
    for node in ast.walk(of):
        if isinstance(node, ast.Attribute) and node.attr == name and isinstance(node.ctx, ast.Store):
            yield node


def function_at(trace: Trace, cell: int, line: int) -> Function | None:
    """Return the function that begins on a line, with its first decorator or `def`."""
    tree = trees(trace)[cell]
    functions = (node for node in (ast.walk(tree) if tree else ()) if isinstance(node, Function))
    return next((node for node in functions if line in (first_line(node), node.lineno)), None)


def first_line(of: Function) -> int:
    """Return the line of a function's first decorator or of its `def`."""
    return min([of.lineno, *(decorator.lineno for decorator in of.decorator_list)])


def parameters(of: Function) -> list[ast.arg]:
    """Return a function's arguments, without those that gather others."""
    return [*of.args.posonlyargs, *of.args.args, *of.args.kwonlyargs]


def own_nodes(of: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes inside, without those of functions and classes in it."""
    for node in ast.iter_child_nodes(of):
        yield node
        if not isinstance(node, Function | ast.Lambda | ast.ClassDef):
            yield from own_nodes(node)


def returns(function: Function) -> list[ast.expr]:
    """Return the expressions that a function returns."""
    return [node.value for node in own_nodes(function) if isinstance(node, ast.Return) and node.value is not None]


def yields(function: Function) -> bool:
    """Return whether it is a generator."""
    return any(isinstance(node, ast.Yield | ast.YieldFrom) for node in own_nodes(function))
