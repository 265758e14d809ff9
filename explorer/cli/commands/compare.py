"""`compare`: find the first difference between two programs, saved runs or modules.

Modules are the user's own, so their file runs in this process.
"""

import argparse
import math
import runpy
import sys
from pathlib import Path
from typing import Any

from explorer.cli.commands.programs import add_options, runs
from explorer.cli.commands.terminal import STATUS, CannotRun, Run, visible
from explorer.io.json_values import dumps
from explorer.text import say


def arguments(command: argparse.ArgumentParser, lang: str, name: str) -> Run:
    """Add the arguments of `compare`."""
    command.add_argument("a", metavar="A", help=say(lang, "help-compare-a"))
    command.add_argument("b", metavar="B", nargs="?", default="", help=say(lang, "help-compare-b"))
    command.add_argument("--batch", metavar="NAME", default="x", help=say(lang, "help-compare-batch"))
    command.add_argument("--loss", metavar="NAME", default="", help=say(lang, "help-compare-loss"))
    for bound in ("rtol", "atol"):
        command.add_argument(f"--{bound}", type=_tolerance, metavar="X", help=say(lang, f"help-{bound}"))
    command.add_argument("--json", action="store_true", help=say(lang, "help-json"))
    add_options(command, lang)
    return run


_MODULE = ".py:"  # FILE.py:NAME


def _run_modules(asked: argparse.Namespace) -> int:
    """Compare gradients of two modules, or a module's forms, and print them."""
    import explorer

    files: dict[str, dict[str, Any]] = {}

    def named(text: str) -> Any:
        """Load the object FILE.py:NAME. A bare NAME comes from A's file. Raises CannotRun."""
        path, _, name = (text if _MODULE in text else f"{file}:{text}").rpartition(":")
        try:
            if path not in files:
                sys.path.insert(0, str(Path(path).resolve().parent))
                files[path] = runpy.run_path(path, run_name=Path(path).stem)
            return files[path][name]
        except KeyError:
            raise CannotRun("compare-no-name", name=name, path=path) from None
        except Exception as problem:
            raise CannotRun("compare-stopped", path=path, reason=f"{type(problem).__name__}: {problem}") from None

    file = asked.a.rpartition(":")[0]
    model, batch = named(asked.a), named(asked.batch)
    inputs = batch if isinstance(batch, tuple) else (batch,)
    how = {"loss": named(asked.loss) if asked.loss else None, "lang": asked.lang}
    found: Any
    if not asked.b:
        found = explorer.compare_forms(model, *inputs, **how)
        ended = all(row.verdict != "different" for row in found.rows.values())
    else:
        found = explorer.compare(model, named(asked.b), *inputs, rtol=asked.rtol, atol=asked.atol, **how)
        ended = found.same
    print(dumps(found.to_json()) if asked.json else visible(str(found)))
    return STATUS["ok" if ended else "error"]


def _tolerance(text: str) -> float:
    number = float(text)
    if not 0 <= number < math.inf:
        raise ValueError(text)
    return number


def run(asked: argparse.Namespace) -> int:
    """Print where the runs differ. Exit status: 0 equal, 1 different, 2 not runnable."""
    if _MODULE in asked.a:
        return _run_modules(asked)
    if not asked.b:
        raise CannotRun("compare-one", path=asked.a)
    from explorer.analysis.views.comparison import compare

    (_, left), (_, right) = runs([asked.a, asked.b], asked)
    if left is None or right is None:
        return STATUS["unusable"]
    for path, side in ((asked.a, left), (asked.b, right)):
        if side.end != "ok":
            print(visible(f"{path}: {say(asked.lang, f'report-status.{side.end}')}"), file=sys.stderr)
    compared = compare(left, right, asked.rtol, asked.atol, asked.lang)
    print(dumps({"paths": [asked.a, asked.b], **compared.to_json()}) if asked.json else visible(str(compared)))
    return STATUS["ok"] if compared.same else STATUS["error"]
