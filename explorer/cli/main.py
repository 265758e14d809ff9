"""The command line: `python -m explorer COMMAND`.

Exit status: 0 ok, 1 error (a cell raised or does not compile), 2 unusable (nothing was run), 3 refused, 4 limited.
Several paths exit with the highest.
"""

import argparse
import os
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from explorer.cli.commands.terminal import STATUS, shown, visible
from explorer.collector import paused_collector
from explorer.text import LANGUAGES, SayableError, say
from explorer.version import __version__

COMMANDS = {  # file of each command in explorer/cli/commands, imported on demand
    "run": "run",
    "draw": "draw",
    "why": "why",
    "report": "report",
    "compare": "compare",
    "check": "report",
    "record": "recording",
    "open": "app_server",
    "lesson": "lesson",
    "app": "app_server",
    "worker": "cluster",
    "scheduler": "cluster",
    "doctor": "doctor",
}
INSTALLED = "autograd-explorer"  # the name of the installed command
INTERRUPTED = 130  # exit status that a shell uses


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return the exit status."""
    arguments = sys.argv[1:] if arguments is None else arguments
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a terminal that cannot show 中文 shows \u escapes
            stream.reconfigure(errors="backslashreplace")
    with paused_collector():  # imports make many objects and little garbage
        parser = _parser(_language(arguments), arguments[0] if arguments else "")
    asked, others = parser.parse_known_args(arguments)
    asked.others = others
    if others and asked.name not in ("app", "open"):
        parser.error(say(asked.lang, "unknown-arguments", arguments=" ".join(others)))
    try:
        return asked.command(asked)
    except SayableError as problem:
        print(visible(problem.message.text(asked.lang)), file=sys.stderr)
        return STATUS["unusable"]
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # the reader, such as `head`, has closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return STATUS["ok"]
    except Exception as problem:
        if asked.name == "record":  # the user's own script
            raise
        from explorer.sandbox import hosting  # needed only after a failure

        error, place = type(problem).__name__, hosting.log_undrawn(arguments[0], problem)
        print(say(asked.lang, "unshown", error=error, place=place), file=sys.stderr)
        return STATUS["unusable"]


def _language(arguments: list[str]) -> str:
    """Find the language before parsing, for help and error messages."""
    finder = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    finder.add_argument("--lang", default=LANGUAGES[0])
    try:
        return finder.parse_known_args(arguments)[0].lang
    except SystemExit:
        return LANGUAGES[0]


def _parser(lang: str, asked: str = "") -> argparse.ArgumentParser:
    """Build the parser of one command, or of all for help."""
    called = Path(sys.argv[0]).name
    parser = argparse.ArgumentParser(prog=called if called == INSTALLED else "python -m explorer")
    parser.add_argument(
        "--version", action="version", version=f"Autograd Explorer {__version__}", help=say(lang, "help-version")
    )
    commands = parser.add_subparsers(required=True, metavar=" | ".join(filter(shown, COMMANDS)))
    for name in (asked,) if asked in COMMANDS else COMMANDS:
        text = say(lang, f"help-{name}")
        listed: dict[str, Any] = {"help": text} if shown(name) else {}
        command = commands.add_parser(name, description=text, **listed)
        run = import_module(f"explorer.cli.commands.{COMMANDS[name]}").arguments(command, lang, name)
        command.set_defaults(name=name, command=run)
        command.add_argument("--lang", choices=LANGUAGES, default=LANGUAGES[0], help=say(lang, "help-lang"))
    return parser
