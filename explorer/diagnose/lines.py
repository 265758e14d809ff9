"""Changes of a cell's lines: moved, added, dropped. Pure functions from text to text, None where a line is not alone.

Only plain lines are moved: one that opens a block, or belongs to a statement of several lines, stays where it is.
"""

import re

_BLOCK = re.compile(r":\s*(?:#.*)?$")


def indent_of(line: str) -> str:
    """The white space before a line."""
    return line[: len(line) - len(line.lstrip())]


def is_alone(line: str) -> bool:
    """Whether a line is a statement of its own, as far as its text tells."""
    opened = sum(line.count(one) for one in "([{") - sum(line.count(one) for one in ")]}")
    return bool(line.strip()) and not opened and not _BLOCK.search(line) and not line.rstrip().endswith("\\")


def added(source: str, after: int, text: str, indent: str | None = None) -> str:
    """The text with a line behind line `after` (from 1; 0: at the beginning), indented as that one."""
    lines = source.split("\n")
    space = indent_of(lines[after - 1]) if indent is None else indent
    return "\n".join([*lines[:after], space + text, *lines[after:]])


def dropped(source: str, line: int) -> str | None:
    """The text without a line; None where the line is not alone, or the only one of its block."""
    lines = source.split("\n")
    if not is_alone(lines[line - 1]) or _only_of_block(lines, line):
        return None
    return "\n".join(lines[: line - 1] + lines[line:])


def moved(source: str, line: int, after: int) -> str | None:
    """The text with a line taken away and put behind line `after`, indented as that one; None where it is not alone."""
    rest = dropped(source, line)
    lines = source.split("\n")
    if rest is None or line == after or (after and not is_alone(lines[after - 1])):
        return None
    return added(rest, after - (line < after), lines[line - 1].strip(), None if after else "")


def moved_before(source: str, line: int, before: int) -> str | None:
    """The text with a line taken away and put in front of an earlier one, indented as that; None where not alone."""
    rest = dropped(source, line)
    lines = source.split("\n")
    if rest is None or before >= line:
        return None
    return added(rest, before - 1, lines[line - 1].strip(), indent_of(lines[before - 1]))


def changed(source: str, line: int, new: str) -> str:
    """The text with another line in place of one, indented as that was."""
    lines = source.split("\n")
    lines[line - 1] = indent_of(lines[line - 1]) + new
    return "\n".join(lines)


def _only_of_block(lines: list[str], line: int) -> bool:
    """Whether nothing else stands in the block that a line belongs to."""
    indent = len(indent_of(lines[line - 1]))
    if not indent:
        return False
    before = next((one for one in reversed(lines[: line - 1]) if one.strip()), "")
    after = next((one for one in lines[line:] if one.strip()), "")
    return bool(_BLOCK.search(before)) and len(indent_of(after)) < indent
