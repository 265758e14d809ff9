"""`footprint`: what a call of any library leaves behind in the process that makes it.

The call is the user's own: it runs here, in this process.
"""

import argparse
import importlib
from collections.abc import Callable
from typing import Any

from explorer.cli.commands.terminal import STATUS, CannotRun, add_command
from explorer.safe_regex import linear
from explorer.text import say

_MODULE = linear(r"\b([A-Za-z_]\w*)\.")
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
    names: dict[str, object] = {}
    try:
        compiled = compile(code, "<CALL>", "exec")
        for name in dict.fromkeys(_MODULE.findall(code)):
            if name in compiled.co_names and name not in _GIVEN:
                names[name] = importlib.import_module(name)
    except (SyntaxError, ImportError) as problem:
        raise CannotRun("footprint-call", reason=str(problem)) from None
    return lambda model, x: exec(compiled, names | {"model": model, "x": x})
