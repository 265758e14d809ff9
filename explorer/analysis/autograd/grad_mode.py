"""Find where a program switched recording off: the with block, the decorator or the call, from its text."""

from collections.abc import Sequence
from typing import NamedTuple

from explorer.safe_regex import linear
from explorer.trace import Trace

_CALL = r"(?:torch\.|autograd\.)*(?:no_grad|inference_mode|set_grad_enabled)(?:\([^()]*\))?"
_WITH = linear(rf"\s*with [^#]*?({_CALL})")
_DECORATOR = linear(rf"\s*@({_CALL})\s*(?:#.*)?")
_STATEMENT = linear(
    r"\s*(?:torch\.)?(set_grad_enabled\(\s*(?:mode=)?False\s*\)|_C\._set_grad_enabled\(False\))\s*(?:#.*)?"
)
_FUNCTION = linear(r"\s*(?:async )?def \w+")
_LONGEST = 400  # characters of a line that are read
_ON = ("set_grad_enabled(True)", "no_grad(False)", "inference_mode(False)", "mode=True", "mode=False)")


class Switch(NamedTuple):
    """What switched recording off. Attributes: text: as in the program; cell, line: its place (line from 1)."""

    text: str
    cell: int
    line: int


def switch_of(trace: Trace, operation: int) -> Switch | None:
    """What switched recording off for an operation; None for a recorded one, or if that is not certain.

    Certain is a block or a function around its own line; otherwise the only such place in the program, since the
    operation may be in a function called from there.
    """
    span = trace.operations.span[operation]
    if span < 0 or trace.operations.grad_enabled[operation]:
        return None
    place = trace.spans[span]
    lines = trace.cells[place.cell].lines
    around = _around(lines, place.line)
    if around is not None:
        return Switch(around[0], place.cell, around[1])
    found = [switch for cell in range(len(trace.own_cells)) for switch in _all(trace.cells[cell].lines, cell)]
    return found[0] if len(found) == 1 else None


def _around(lines: Sequence[str], number: int) -> tuple[str, int] | None:
    """The nearest block or decorator around a line, with its own line."""
    least = _indent(lines[number - 1])
    if (here := _block(lines[number - 1])) is not None:
        return here, number
    for at in range(number - 1, 0, -1):
        line = lines[at - 1]
        if not line.strip() or line.lstrip().startswith("#") or _indent(line) >= least:
            continue
        least = _indent(line)
        if (block := _block(line)) is not None:
            return block, at
        if _FUNCTION.match(line[:_LONGEST]) and (above := _decorator(lines, at)) is not None:
            return above
    own = _decorator(lines, number) if _FUNCTION.match(lines[number - 1][:_LONGEST]) else None
    return own


def _block(line: str) -> str | None:
    found = _WITH.match(line[:_LONGEST])
    return found[1] if found and not found[1].endswith(_ON) else None


def _decorator(lines: Sequence[str], number: int) -> tuple[str, int] | None:
    """The decorator of the function whose head is on a line."""
    at = number - 1
    while at >= 1 and lines[at - 1].lstrip().startswith("@"):
        if found := _DECORATOR.fullmatch(lines[at - 1][:_LONGEST]):
            return f"@{found[1]}", at
        at -= 1
    return None


def _all(lines: Sequence[str], cell: int) -> list[Switch]:
    """Every place in a cell that may switch recording off."""
    found = []
    for number, line in enumerate(lines, 1):
        text = _block(line)
        decorator, statement = _DECORATOR.fullmatch(line[:_LONGEST]), _STATEMENT.fullmatch(line[:_LONGEST])
        text = text or (f"@{decorator[1]}" if decorator else line.strip() if statement else None)
        if text:
            found.append(Switch(text, cell, number))
    return found


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
