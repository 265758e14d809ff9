"""What every command needs: its parser, exit statuses, and text without control characters."""

import argparse
from typing import TYPE_CHECKING

from explorer.extras import missing
from explorer.text import SayableError, say

if TYPE_CHECKING:
    from explorer.trace import Trace

STATUS = {"ok": 0, "error": 1, "unusable": 2, "refused": 3, "limited": 4}


class CannotRun(SayableError):
    """Raised by a command that cannot do what it was asked for: `main` says why, with the status "unusable"."""


def reason_of(problem: Exception) -> str:
    """What the system says of an error with a file, otherwise the error's own text."""
    return getattr(problem, "strerror", None) or str(problem)


OF_THE_APP = frozenset({"lesson", "worker", "scheduler"})  # commands for a course and for servers


def shown(command: str) -> bool:
    """Whether the help names a command: those of the app only where the app is installed."""
    return command not in OF_THE_APP or not missing("app")


def add_command(commands: "argparse._SubParsersAction", lang: str, name: str) -> argparse.ArgumentParser:
    """The parser of a command, whose sentence is `help-` and its name."""
    said = say(lang, f"help-{name}")
    if not shown(name):
        return commands.add_parser(name, description=said)
    return commands.add_parser(name, help=said, description=said)


def visible(text: str) -> str:
    """Escape control characters except newline and tab, so that a program cannot control the terminal.

    >>> visible("\\x1b[31mred\\n")
    '\\\\x1b[31mred\\n'
    """
    return "".join(c if c in "\n\t" or c.isprintable() or c == "\u3000" else ascii(c)[1:-1] for c in text)


def no_such_backward(trace: "Trace", number: int) -> CannotRun:
    """What is raised where a program has no `number`th backward."""
    return CannotRun("no-such-backward", number=number, count=len(trace.backwards))
