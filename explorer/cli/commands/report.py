"""`report`: the gradients of a program, or of a saved run, and their faults."""

import argparse
import sys

from explorer.cli.commands.programs import runs
from explorer.cli.commands.terminal import STATUS, add_command, no_such_backward, visible
from explorer.io.json_values import dumps
from explorer.text import say


def parser(commands, lang: str) -> argparse.ArgumentParser:
    """The parser of `report`."""
    found = add_command(commands, lang, "report")
    found.set_defaults(command=run)
    found.add_argument("paths", nargs="+", metavar="PATH", help=say(lang, "help-path-or-trace"))
    found.add_argument("--json", action="store_true", help=say(lang, "help-json"))
    return found


def run(asked: argparse.Namespace) -> int:
    """Print the report of each path."""
    from explorer.api.answers import answering

    worst = 0
    for file, result in runs(asked.paths, asked):
        if result is None:
            worst = max(worst, STATUS["unusable"])
            continue
        try:
            told = answering(result).report(asked.backward, asked.lang)
        except IndexError:
            print(no_such_backward(result, asked.backward).message.text(asked.lang), file=sys.stderr)
            worst = max(worst, STATUS["unusable"])
            continue
        if asked.json:
            print(dumps({"path": file.path, **told.to_json()}), flush=True)
        else:
            if len(asked.paths) > 1:
                print(f"== {visible(file.path)}")
            print(visible(str(told)))
        worst = max(worst, STATUS[result.status])
    return worst
