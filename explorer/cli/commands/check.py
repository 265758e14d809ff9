"""`check`: whether programs or saved runs are sound, for CI: status 1 where one is not."""

import argparse
from typing import TYPE_CHECKING

from explorer.analysis.health.report_text import warned_text
from explorer.cli.commands.programs import runs
from explorer.cli.commands.terminal import STATUS, add_command, visible
from explorer.io.json_values import dumps
from explorer.text import say

if TYPE_CHECKING:
    from explorer.analysis.health.report import Report


def parser(commands, lang: str) -> argparse.ArgumentParser:
    """The parser of `check`."""
    found = add_command(commands, lang, "check")
    found.set_defaults(command=run)
    found.add_argument("paths", nargs="+", metavar="PATH", help=say(lang, "help-path-or-trace"))
    found.add_argument("--allow", action="append", default=[], metavar="KIND", help=say(lang, "help-allow"))
    found.add_argument("--json", action="store_true", help=say(lang, "help-json"))
    return found


def run(asked: argparse.Namespace) -> int:
    """Print a line for each sound path, and the report of every other."""
    from explorer.api.answers import answering

    worst = 0
    for file, result in runs(asked.paths, asked):
        if result is None:
            worst = max(worst, STATUS["unusable"])
            continue
        report = answering(result).report(lang=asked.lang, allow=asked.allow)
        _print(file.path, report, asked)
        worst = max(worst, STATUS[result.status], STATUS["ok" if report.sound else "error"])
    return worst


def _print(path: str, report: "Report", asked: argparse.Namespace) -> None:
    if asked.json:
        print(dumps({"path": path, **report.to_json()}), flush=True)
        return
    sound = "unknown" if report.sound is None else "yes" if report.sound else "no"
    print(visible(say(asked.lang, "check-sound", path=path, sound=sound)), flush=True)
    if not report.sound:
        print(visible(str(report)), flush=True)
        return
    for warning in report.warnings:
        print(*warned_text(report, warning), sep="\n", flush=True)
