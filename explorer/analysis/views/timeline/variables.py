"""Values of a program's names after a cell, if they fit on a line."""

from typing import NamedTuple

from explorer.analysis.views.timeline.sentence_parts import shortened
from explorer.trace import Trace
from explorer.trace.statements import GONE

MOST = 40  # most variables listed


class Variable(NamedTuple):
    """A program's name and its value's repr, shortened."""

    name: str
    value: str


def variables_after(trace: Trace, cell: int) -> list[Variable]:
    """Return a cell's final variables without tensors, modules and functions, if statements were recorded."""
    rows, held = trace.statements, dict[int, int]()
    for row, of in enumerate(rows.cell):
        if of <= cell:
            for name, scope, value in rows.changes(row):
                if not scope:
                    held.pop(name, None)
                    held[name] = value
    plain = (
        (trace.strings[name], trace.strings[value >> 1])
        for name, value in held.items()
        if value != GONE and not value & 1
    )
    return [Variable(name, shortened(text)) for name, text in plain if text and not text.startswith("<")][:MOST]
