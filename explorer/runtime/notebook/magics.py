"""IPython's own syntax in a cell (`%magic`, `!command`, `name?`, prompts, indentation), turned into Python in place.

What counts as such syntax is IPython's decision: its own recognisers find it. What becomes of it is ours: every line
keeps its number, and where text before the user's code goes away (`%time `, `>>> `), the columns are put back after
parsing.
"""

import ast
import re
from dataclasses import dataclass, field
from typing import Any

from IPython.core.inputtransformer2 import (
    EscapedCommand,
    HelpEnd,
    MagicAssign,
    SystemAssign,
    classic_prompt,
    find_end_of_continued_line,
    ipython_prompt,
    leading_indent,
    make_tokens_by_line,
)

from explorer.runtime.notebook.namespace import SCRIPTS, SILENT
from explorer.runtime.recording.source import Place

MOST = 500  # pieces of syntax per cell; beyond, the rest is left to Python's own SyntaxError (as in IPython)

_RUN = re.compile(
    r"%(?P<name>time|timeit)\b(?P<options>(?:[ \t]+(?:-[nrpv][ \t]*\d+|-[tcqo]+|--[a-z-]+)(?=\s|$))*)[ \t]*"
)
_HELP = re.compile(r"get_ipython\(\)\.run_line_magic\('(?P<how>pinfo2?|psearch)', (?P<target>.*)\)\n")
_SYNTAX = re.compile(r"^\s*[%!?/,;]|\?|=\s*[%!]", re.MULTILINE)
_RECOGNISERS = (MagicAssign, SystemAssign, EscapedCommand, HelpEnd)


@dataclass(frozen=True)
class Removed:
    """Text that stood in a line before the user's code: from which column on (UTF-8 bytes), and how many bytes."""

    column: int
    count: int


@dataclass
class PlainCell:
    """A cell as Python text, and what its IPython syntax asked for.

    Attributes:
        text: Python, with as many lines as the cell.
        removed: by line from 1, in the order the pieces went away.
        places: the calls that stand for a piece of syntax (their place in `text`) to the place of that piece.
        runs: the lines whose statements are to be run as `%time` and `%timeit` do, to that word.
        whole: the same for all of the cell: "time", "timeit", "capture" or "".
        argument: of `%%timeit` (its setup) and `%%capture` (a name).
    """

    text: str
    removed: dict[int, list[Removed]] = field(default_factory=dict)
    places: dict[Place, Place] = field(default_factory=dict)
    runs: dict[int, str] = field(default_factory=dict)
    whole: str = ""
    argument: str = ""


def plain_python(source: str) -> PlainCell:
    """The cell as Python text.

    >>> plain_python("%matplotlib inline\\nx = 1").text
    'pass\\nx = 1'
    """
    cell = PlainCell(source)
    lines = source.split("\n")
    _unprompt(cell, lines)
    _cell_magics(cell, lines)
    for _ in range(MOST):
        if not _SYNTAX.search("\n".join(lines)) or not _line_magic(cell, lines):
            break
    cell.text = "\n".join(lines)
    return cell


def put_back(tree: ast.AST, removed: dict[int, list[Removed]]) -> None:
    """Move every node of a parsed cell to the columns of the text as the user wrote it."""
    if not removed:
        return
    node: Any
    for node in ast.walk(tree):
        if hasattr(node, "lineno"):
            node.col_offset = column_before(removed, node.lineno, node.col_offset)
            node.end_col_offset = column_before(removed, node.end_lineno, node.end_col_offset)


def column_before(removed: dict[int, list[Removed]], line: int, column: int) -> int:
    """The column that a place of the Python text had in the cell."""
    for piece in reversed(removed.get(line, ())):
        if column >= piece.column:
            column += piece.count
    return column


def _unprompt(cell: PlainCell, lines: list[str]) -> None:
    """Common indentation and prompts go, as IPython lets them go."""
    before = [line + "\n" for line in lines]
    after = ipython_prompt(classic_prompt(leading_indent(before)))
    if len(after) != len(before):
        return
    for number, (old, new) in enumerate(zip(before, after, strict=True)):
        if old != new and old.endswith(new):
            lines[number] = new[:-1]
            _remove(cell, number, 0, len(old) - len(new), old)
        elif not new.strip():
            lines[number] = ""


def _remove(cell: PlainCell, number: int, column: int, count: int, line: str) -> None:
    start, gone = len(line[:column].encode()), len(line[column : column + count].encode())
    cell.removed.setdefault(number + 1, []).append(Removed(start, gone))


def _cell_magics(cell: PlainCell, lines: list[str]) -> None:
    for number, line in enumerate(lines):
        if not line.strip() or line.startswith("#"):
            continue
        if not line.startswith("%%") or re.match(r"%%\w+\?", line):
            return
        name, _, argument = line[2:].strip().partition(" ")
        body = "\n".join(lines[number + 1 :])
        below_a_comment = any(map(str.strip, lines[:number]))  # there IPython knows no cell magic
        if name not in ("time", "timeit", "capture") or below_a_comment:
            method, *arguments = _foreign(name, argument, line.strip(), body)
            _call(cell, lines, number, 0, len(lines) - 1, method, *arguments)
            return
        cell.whole, lines[number] = name, ""
        cell.argument = re.sub(r"^(\s*-\S+(\s+\d+)?)+\s*", "", argument).strip()


def _foreign(name: str, argument: str, line: str, body: str) -> tuple[str, ...]:
    """What is called for a cell that is not Python."""
    if name in SCRIPTS:
        return "script", line, body
    if name in ("writefile", "file"):
        return "write", argument, body + "\n"
    return "special", line


def _line_magic(cell: PlainCell, lines: list[str]) -> bool:
    """Turn the first piece of syntax into Python; whether there was one."""
    ended = [line + "\n" for line in lines]
    tokens = make_tokens_by_line(ended)
    found = sorted(filter(None, (kind.find(tokens) for kind in _RECOGNISERS)), key=lambda one: one.sortby())
    return any(_replaced(cell, lines, one, ended) for one in found)


def _replaced(cell: PlainCell, lines: list[str], found, ended: list[str]) -> bool:
    number, column = found.start_line, found.start_col
    last = found.q_line if isinstance(found, HelpEnd) else find_end_of_continued_line(ended, number)
    last = min(last, len(lines) - 1)
    text = "\n".join(lines[number : last + 1])[column:].rstrip()
    value = isinstance(found, MagicAssign | SystemAssign) or text.startswith("!!")
    if isinstance(found, HelpEnd) or text.startswith("?"):
        try:
            asked = _HELP.search("".join(found.transform(ended)))
        except SyntaxError:
            return False
        target = ast.literal_eval(asked["target"]) if asked else ""
        _call(cell, lines, number, column, last, "help", target.strip(), asked is not None and asked["how"] == "pinfo2")
        return True
    name = text[1:].split(" ")[0].strip() if text.startswith("%") else ""
    code = _RUN.match(text)
    if code and (rest := text[code.end() :].strip()) and not rest.startswith("#"):
        line = lines[number]
        lines[number] = line[:column] + line[column + code.end() :]
        _remove(cell, number, column, code.end(), line)
        cell.runs.update(dict.fromkeys(range(number + 1, last + 2), code["name"]))
    elif (code or name in SILENT) and not value:
        _put(lines, number, column, last, "pass")
    else:
        _call(cell, lines, number, column, last, "special_value" if value else "special", text)
    return True


def _call(cell: PlainCell, lines: list[str], number: int, column: int, last: int, method: str, *arguments) -> None:
    call = f"get_ipython().{method}({', '.join(ascii(argument) for argument in arguments)})"
    written = "\n".join(lines[number : last + 1]).rstrip().split("\n")
    start = len(lines[number][:column].encode())
    shown = column_before(cell.removed, number + 1, start)
    end = column_before(cell.removed, number + len(written), len(written[-1].encode()))
    _put(lines, number, column, last, call)
    there = (number + 1, number + 1, shown, shown + len(call))
    cell.places[there] = (number + 1, number + len(written), shown, end)


def _put(lines: list[str], number: int, column: int, last: int, text: str) -> None:
    lines[number] = lines[number][:column] + text
    for following in range(number + 1, last + 1):
        lines[following] = ""
