"""Shared by all commands: parsers, exit statuses, text without control characters."""

import argparse
import shutil
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from explorer.extras import missing
from explorer.safe_regex import plain
from explorer.text import SayableError
from explorer.text.numbers import cells_of

if TYPE_CHECKING:
    from explorer.trace import Trace

Run = Callable[[argparse.Namespace], int]  # runs a command and returns the exit status
STATUS = {"ok": 0, "error": 1, "unusable": 2, "refused": 3, "limited": 4}


class CannotRun(SayableError):
    """Raised if a command cannot run. `main` prints why and exits as "unusable"."""


def reason_of(problem: Exception) -> str:
    """Return the system's text for a file error, otherwise the error's own."""
    return getattr(problem, "strerror", None) or str(problem)


OF_THE_APP = frozenset({"lesson", "worker", "scheduler"})  # commands for a course and for servers


def shown(command: str) -> bool:
    """Return whether help lists a command. App commands need the installed app."""
    return command not in OF_THE_APP or not missing("app")


def visible(text: str) -> str:
    r"""Escape control characters, except newline and tab, to protect the terminal.

    >>> visible("\x1b[31mred\n")
    '\\x1b[31mred\n'
    """
    return "".join(c if c in "\n\t" or c.isprintable() or c == "\u3000" else ascii(c)[1:-1] for c in text)


_WORD = plain(r"[^ \u3000-\u9fff]+ *|[\u3000-\u9fff][，。；：、）]*| +")  # Chinese breaks between any two characters
_CODE = plain(r" {4}[+-] +\d+  ")  # a line of a change


def fitting(text: str, width: int | None = None) -> str:
    """Wrap long lines for a terminal, indented as they begin, except lines of code.

    Args:
        width: of the terminal in cells. None: its own, or no limit if the output is not a terminal.

    >>> print(fitting("a\\n  several words that follow", 16))
    a
      several words
      that follow
    """
    if width is None:
        width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 0
    return "\n".join(line if _CODE.match(line) else _wrapped(line, width) for line in text.split("\n"))


def _wrapped(line: str, width: int) -> str:
    indent = line[: len(line) - len(line.lstrip(" "))]
    lines, row = [], ""
    for word in _WORD.findall(line[len(indent) :]):
        if row and width and cells_of(indent + (row + word).rstrip(" ")) > width:
            lines.append(row.rstrip(" "))
            row = ""
        row += word
    return "\n".join(f"{indent}{part}" for part in [*lines, row])


def no_such_backward(trace: "Trace", number: int) -> CannotRun:
    """Return the error for a program without a `number`th backward."""
    return CannotRun("no-such-backward", number=number, count=len(trace.backwards))
