"""`footprint`: what a call of any library leaves behind in the process that makes it.

The call is the user's own: it runs here, in this process.
"""

import argparse
import ast
import importlib
from collections.abc import Callable
from typing import Any

from explorer.cli.commands.terminal import STATUS, CannotRun, add_command
from explorer.text import say

_GIVEN = ("model", "x")


def parser(commands, lang: str) -> argparse.ArgumentParser:
    """The parser of `footprint`."""
    command = add_command(commands, lang, "footprint")
    command.set_defaults(command=run)
    command.add_argument("call", metavar="CALL", help=say(lang, "help-footprint-call"))
    command.add_argument("--plain", default="", metavar="CODE", help=say(lang, "help-footprint-plain"))
    return command


def run(asked: argparse.Namespace) -> int:
    """Run `footprint`."""
    from explorer.runtime.footprint import footprint  # imports torch

    found = footprint(_step(asked.call), _step(asked.plain) if asked.plain else None)
    for name, held in found.left.items():
        shown = held if isinstance(held, int) else f"{len(held)}: {', '.join(held[:4])}{' …' if len(held) > 4 else ''}"
        print(f"{name}: {shown}")
    if not found.left:
        print(say(asked.lang, "footprint-nothing"))
    print(say(asked.lang, "footprint-slower", times=f"{found.slower:.2f}"))
    return STATUS["error" if found.left else "ok"]


def _step(code: str) -> Callable[[Any, Any], None]:
    """The call as a function of the model and its input; a package that it names is imported."""
    try:
        names = {name: importlib.import_module(name) for name in _packages(ast.parse(code))}
        compiled = compile(code, "<CALL>", "exec")
    except (SyntaxError, ImportError) as problem:
        raise CannotRun("footprint-call", reason=str(problem)) from None

    def step(model: Any, x: Any) -> None:
        try:
            exec(compiled, names | {"model": model, "x": x})
        except Exception as problem:  # the library's, or a mistake in the call
            raise CannotRun("footprint-call", reason=f"{type(problem).__name__}: {problem}") from problem

    return step


def _packages(code: ast.Module) -> list[str]:
    """The names whose attributes the code reads and that it does not bind itself."""
    bound, read = set(_GIVEN), dict[str, None]()
    for node in ast.walk(code):
        match node:
            case ast.alias():
                bound.add(node.asname or node.name.split(".")[0])
            case ast.arg():
                bound.add(node.arg)
            case ast.Name(id=name, ctx=ast.Store()):
                bound.add(name)
            case ast.Attribute(value=ast.Name(id=name)):
                read[name] = None
    return [name for name in read if name not in bound]
