"""`compare`: where two programs, or two saved runs, first differ."""

import argparse
import math
import sys

from explorer.cli.commands.programs import runs
from explorer.cli.commands.terminal import STATUS, add_command, visible
from explorer.io.json_values import dumps
from explorer.text import say


def parser(commands, lang: str) -> argparse.ArgumentParser:
    """The parser of `compare`."""
    command = add_command(commands, lang, "compare")
    command.set_defaults(command=run)
    for name in ("A", "B"):
        command.add_argument(name.lower(), metavar=name, help=say(lang, "help-path-or-trace"))
    for name in ("rtol", "atol"):
        command.add_argument(f"--{name}", type=_tolerance, metavar="X", help=say(lang, f"help-{name}"))
    command.add_argument("--json", action="store_true", help=say(lang, "help-json"))
    return command


def _tolerance(text: str) -> float:
    number = float(text)
    if not 0 <= number < math.inf:
        raise ValueError(text)
    return number


def run(asked: argparse.Namespace) -> int:
    """Print where the runs differ. The status is 0 if they agree, 1 if they differ, 2 if one could not be run."""
    from explorer.analysis.comparison import compare

    (_, left), (_, right) = runs([asked.a, asked.b], asked)
    if left is None or right is None:
        return STATUS["unusable"]
    for path, side in ((asked.a, left), (asked.b, right)):
        if side.status != "ok":
            print(visible(f"{path}: {say(asked.lang, f'report-status-{side.status}')}"), file=sys.stderr)
    compared = compare(left, right, asked.rtol, asked.atol, asked.lang)
    print(dumps({"paths": [asked.a, asked.b], **compared.to_json()}) if asked.json else visible(str(compared)))
    return STATUS["ok"] if compared.same else STATUS["error"]
