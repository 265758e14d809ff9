"""Numbers of a program that have a name: `lr = 0.1` at the top level of a cell."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from explorer.safe_regex import linear

MOST = 4  # that are offered
_ASSIGNED = linear(r"([^\W\d]\w*) *= *(\d[\d_]*(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?) *(?:#.*)?")
_DIGITS = 15  # beyond, it is no number that one slides


@dataclass(frozen=True)
class NamedNumber:
    """One assignment.

    Attributes:
        name: of the variable; text: the number as written.
        cell: from 0; line: from 0 in its text; start, end: columns of the number in the line.
    """

    name: str
    text: str
    cell: int
    line: int
    start: int
    end: int

    @property
    def whole(self) -> bool:
        """Whether it is written as a whole number."""
        return self.text.isdigit()

    def replaced(self, source: str, text: str) -> str:
        """The text of the cell with another number."""
        lines = source.split("\n")
        line = lines[self.line]
        lines[self.line] = line[: self.start] + text + line[self.end :]
        return "\n".join(lines)

    def choices(self) -> tuple[str, ...]:
        """Numbers around this one, rising, among them the one as it is written."""
        now = float(self.text)
        if self.whole:
            few = range(1 if now else 0, max(8, 2 * int(now)) + 1) if now <= 12 else ()
            found = {*few, *(max(1, round(now * share / 8)) for share in (1, 2, 4, 6, 8, 12, 16, 24, 32) if now > 12)}
            return tuple(str(entry) for entry in sorted({*found, int(now)}))
        if now == 0:
            return (self.text, "0.001", "0.01", "0.1", "0.5", "1.0")
        power = 10.0 ** _floor_log(now)
        ladder = {float(f"{k * power * 10.0**up:.6g}") for up in (-2, -1, 0, 1, 2) for k in (1, 2, 5)}
        texts = {
            entry: f"{entry:g}" if entry % 1 else f"{entry:.1f}" for entry in ladder if now / 110 < entry < now * 110
        }
        return tuple((texts | {now: self.text})[entry] for entry in sorted({*texts, now}))


def named_numbers(texts: Sequence[str]) -> tuple[NamedNumber, ...]:
    """The first numbers of a program whose names are assigned once at the top level of its cells."""
    found: dict[str, NamedNumber] = {}
    twice: set[str] = set()
    for cell, text in enumerate(texts):
        for number, line in enumerate(text.split("\n")):
            match = _ASSIGNED.fullmatch(line) if len(line) < 200 else None
            if match is None:
                continue
            name, value = match.group(1), match.group(2)
            if name in found:
                twice.add(name)
            elif len(value) <= _DIGITS and "_" not in value and math.isfinite(float(value)):
                start, end = match.span(2)
                found[name] = NamedNumber(name, value, cell, number, start, end)
    return tuple(number for number in found.values() if number.name not in twice)[:MOST]


def _floor_log(number: float) -> int:
    return int(f"{number:e}".partition("e")[2])
