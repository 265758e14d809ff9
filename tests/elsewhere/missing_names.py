"""Names that Python lacks on other systems, from typeshed, whose tests compare them with Python on each system.

`test_elsewhere.py` compares them with the availability in Python's documentation.
"""

import ast
import functools
import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path

SYSTEMS = ("win32", "darwin")
NOT_INSTALLED = frozenset({"pyseccomp"})  # required only on Linux


@functools.cache
def missing_names(module: str, system: str) -> frozenset[str]:
    """Return the names that a module of the standard library has on Linux, and not there."""
    return _names(module, "linux") - _names(module, system)


def is_missing(module: str, system: str) -> bool:
    """Return whether a module is missing there."""
    there = _names(module, "linux") and not _names(module, system)
    return bool(there) or module.partition(".")[0] in NOT_INSTALLED


@functools.cache
def _names(module: str, system: str) -> frozenset[str]:
    path = _stub(module)
    return frozenset(_defined(ast.parse(path.read_text(encoding="utf-8")).body, system)) if path else frozenset()


def _stub(module: str) -> Path | None:
    found = importlib.util.find_spec("mypy")
    if found is None or not found.origin or module.partition(".")[0] not in sys.stdlib_module_names:
        return None
    place = Path(found.origin).parent.joinpath("typeshed", "stdlib", *module.split("."))
    return next((path for path in (place / "__init__.pyi", place.with_suffix(".pyi")) if path.exists()), None)


def _defined(body: list[ast.stmt], system: str) -> Iterator[str]:
    """Yield the public names that statements of a stub define."""
    for statement in body:
        match statement:
            case ast.If(test=test, body=then, orelse=otherwise):
                yield from _defined(then if _holds(test, system) else otherwise, system)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield name
            case ast.Assign(targets=targets):
                yield from (target.id for target in targets if isinstance(target, ast.Name))
            case ast.ImportFrom(module=str(module), names=[ast.alias(name="*")], level=0):
                yield from _names(module, system)
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                yield from (alias.asname for alias in aliases if alias.asname == alias.name)


def _holds(test: ast.expr, system: str) -> bool:
    """Return whether a condition on the system, or on Python's version, holds."""
    match test:
        case ast.BoolOp(op=ast.And(), values=values):
            return all(_holds(value, system) for value in values)
        case ast.BoolOp(values=values):
            return any(_holds(value, system) for value in values)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return not _holds(operand, system)
    view = {"sys": _System(system)}
    return bool(eval(compile(ast.Expression(test), "<stub>", "eval"), {"__builtins__": {}}, view))


class _System:
    version_info = sys.version_info

    def __init__(self, platform: str) -> None:
        self.platform = platform
