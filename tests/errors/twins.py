"""The same program with its layers named and held differently."""

import ast
import re
from collections.abc import Iterator
from itertools import count

NN = r"(?<![\w.])(?:torch\.)?nn\.(?!(?:utils|init|functional|modules|parallel)\b)"
HOLDERS = {"dict": ("{}", "held['{}']"), "list": ("[None] * 99", "held[{1}]")}
HOLDERS |= {"attribute": ("type('Held', (), {})()", "held.{}"), "name": ("0", "value_{1}")}


def twins(program: str) -> Iterator[tuple[str, str]]:
    """Yield each way of writing a program that fits it, with its text."""
    if used := sorted(set(re.findall(rf"{NN}([A-Z]\w*)", program))):
        yield "alias", "import torch.nn as tnn\n" + re.sub(NN, "tnn.", program)
        if not re.search(rf"\bclass (?:{'|'.join(used)})\b", program):
            yield (
                "from",
                f"from torch.nn import {', '.join(used)}\n" + re.sub(rf"{NN}(?={'|'.join(used)})", "", program),
            )
    try:
        tree = ast.parse(program)
    except SyntaxError:  # it contains shell commands
        return
    for how, (start, form) in HOLDERS.items():
        if new := {name: form.format(name, i) for name, i in zip(_renamed(tree, how == "name"), count(1))}:
            yield how, f"held = {start}\n" + ast.unparse(_Renamer(new).visit(ast.parse(program)))


def _renamed(tree: ast.Module, every: bool) -> list[str]:
    """Return names assigned by only one line of the module: all, or those of layers, losses, optimizers, classes."""
    stored = [node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)]
    inner = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    inner |= {name for node in ast.walk(tree) if isinstance(node, ast.Global | ast.Nonlocal) for name in node.names}
    lines = [(one, line.value) for line in tree.body if isinstance(line, ast.Assign) for one in line.targets]
    made = [(one.id, getattr(value, "func", value)) for one, value in lines if isinstance(one, ast.Name)]
    upper = [name for name, of in made if every or ast.unparse(of).rpartition(".")[2][:1].isupper()]
    return [name for name in upper if stored.count(name) == 1 and name not in inner]


class _Renamer(ast.NodeTransformer):
    def __init__(self, new: dict[str, str]) -> None:
        self._new = new

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.parse(self._new.get(node.id, node.id), mode="eval").body
