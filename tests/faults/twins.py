"""Write programs with other names, keeping the line numbers."""

import ast
from collections.abc import Iterator
from itertools import count

IMPORTS = {"torch": "th", "nn": "layers", "F": "fun", "copy": "cp", "math": "mt"}
HOLDERS = {"dict": ("{}", "held['{}']"), "list": ("[None] * 99", "held[{1}]")}
HOLDERS |= {"attribute": ("type('Held', (), {})()", "held.{}"), "name": ("0", "value_{1}")}


def twins(program: str) -> Iterator[tuple[str, str]]:
    """Yield every applicable rewriting of a program whose first line has only imports."""
    _, _, rest = program.partition("\n")
    tree = ast.parse(program)
    alias = ", ".join(f"{name} as {IMPORTS[name]}" for name in ("copy", "math", "torch"))
    first = f"import {alias}; from torch import nn as layers; from torch.nn import functional as fun; th.manual_seed(0)"
    rows = [first, *rest.split("\n")]
    if not _stored(tree) & {*IMPORTS, *IMPORTS.values()} and not _imported(tree):
        yield from (("alias", text) for text in _renamed(tree, program.split("\n")[:1] + rows[1:], IMPORTS, first))
    for how, (start, form) in HOLDERS.items():
        names = sorted(_movable(tree, how == "name"))
        if new := {name: form.format(name, i) for name, i in zip(names, count(1))}:
            begin = f"{program.partition(chr(10))[0]}; held = {start}"
            yield from ((how, text) for text in _renamed(tree, program.split("\n"), new, begin))


def _renamed(tree: ast.Module, rows: list[str], new: dict[str, str], first: str) -> Iterator[str]:
    """Yield the program with renamed variables and a new first line.

    Yields nothing if a name has no position of its own, as in f-strings.
    """
    rows = list(rows)
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id in new and node.lineno > 1]
    for node in sorted(names, key=lambda node: (node.lineno, node.col_offset), reverse=True):
        row = rows[node.lineno - 1].encode()
        if row[node.col_offset : node.end_col_offset] != node.id.encode():
            return
        new_row = row[: node.col_offset] + new[node.id].encode() + row[node.end_col_offset :]
        rows[node.lineno - 1] = new_row.decode()
    yield "\n".join([first, *rows[1:]])


def _stored(tree: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


def _imported(tree: ast.Module) -> bool:
    """Return whether a line below the first imports a name that an alias replaces."""
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom) and node.lineno > 1]
    return any((one.asname or one.name).partition(".")[0] in IMPORTS for node in imports for one in node.names)


def _movable(tree: ast.Module, every: bool) -> set[str]:
    """Return names that a container could hold instead: all of them, or those of the module outside loops."""
    other = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    nested = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Lambda)]
    other |= {node.name for node in nested if not isinstance(node, ast.Lambda)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Global | ast.Nonlocal):
            other.update(node.names)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            other.update((one.asname or one.name).partition(".")[0] for one in node.names)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            other.add(node.name)
        elif isinstance(node, ast.ClassDef):
            other.update(_stored(ast.Module([line for line in node.body if not isinstance(line, ast.FunctionDef)], [])))
    inner = set().union(*(_stored(node) for node in nested if not isinstance(node, ast.ClassDef))) if nested else set()
    comprehensions = [node for node in ast.walk(tree) if isinstance(node, ast.comprehension)]
    inner |= set().union(*(_stored(node.target) for node in comprehensions)) if comprehensions else set()
    inner |= set().union(*(_stored(node.target) for node in ast.walk(tree) if isinstance(node, ast.For | ast.AsyncFor)))
    return _stored(tree) - other - (set() if every else inner)
