"""Edit a cell's lines: move, add, drop. Pure functions from text to text, None if a line is not a whole statement.

Only plain lines are moved: not one that opens a block, or belongs to a statement of several lines.
"""

import ast
import re
import warnings

_BLOCK = re.compile(r":\s*(?:#.*)?$")


def indent_of(line: str) -> str:
    """The white space before a line."""
    return line[: len(line) - len(line.lstrip())]


def is_alone(line: str) -> bool:
    """Whether a line is a whole statement, or a comment."""
    try:
        with warnings.catch_warnings(action="ignore"):
            ast.parse(line.strip())
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return False
    return bool(line.strip())


def added(source: str, after: int, text: str, indent: str | None = None) -> str:
    """Insert a line after line `after` (from 1; 0: at the beginning), with its indentation."""
    lines = source.split("\n")
    space = indent_of(lines[after - 1]) if indent is None else indent
    return "\n".join([*lines[:after], space + text, *lines[after:]])


def dropped(source: str, line: int) -> str | None:
    """Remove a line; None if it is not a whole statement, or the only one of its block."""
    lines = source.split("\n")
    if not is_alone(lines[line - 1]) or _only_of_block(lines, line):
        return None
    return "\n".join(lines[: line - 1] + lines[line:])


def moved(source: str, line: int, after: int) -> str | None:
    """Move a line after line `after`, with its indentation; None if it is not a whole statement."""
    rest = dropped(source, line)
    lines = source.split("\n")
    if rest is None or line == after or (after and not is_alone(lines[after - 1])):
        return None
    return added(rest, after - (line < after), lines[line - 1].strip(), None if after else "")


def moved_before(source: str, line: int, before: int) -> str | None:
    """Move a line before an earlier one, with its indentation; None if it is not a whole statement."""
    rest = dropped(source, line)
    lines = source.split("\n")
    if rest is None or before >= line:
        return None
    return added(rest, before - 1, lines[line - 1].strip(), indent_of(lines[before - 1]))


def changed(source: str, line: int, new: str) -> str:
    """Replace a line, keeping its indentation."""
    lines = source.split("\n")
    lines[line - 1] = indent_of(lines[line - 1]) + new
    return "\n".join(lines)


def _only_of_block(lines: list[str], line: int) -> bool:
    """Whether a line is the only one of its block."""
    indent = len(indent_of(lines[line - 1]))
    if not indent:
        return False
    before = next((line for line in reversed(lines[: line - 1]) if line.strip()), "")
    after = next((line for line in lines[line:] if line.strip()), "")
    return bool(_BLOCK.search(before)) and len(indent_of(after)) < indent
