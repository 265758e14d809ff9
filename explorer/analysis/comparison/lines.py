"""The lines that differ between two programs."""

from collections.abc import Sequence
from dataclasses import dataclass

from explorer.analysis.comparison.matching import Pair, matched
from explorer.program.scanner import bound_names, words_of
from explorer.trace import Trace

Line = tuple[int, int]  # cell from 0, line from 1


def changed_lines(left: Sequence[str], right: Sequence[str]) -> tuple[frozenset[Line], frozenset[Line]]:
    """The lines of each program without a partner in the other, given the texts of their cells.

    Cells do not matter: a line that moved to another cell is the same. Trailing spaces do not matter.

    >>> changed_lines(["a = 1\\nb = 2"], ["a = 1\\nb = 3\\nc = 4"])
    (frozenset({(0, 2)}), frozenset({(0, 2), (0, 3)}))
    """
    sides = [
        [
            ((cell, number), line.rstrip())
            for cell, text in enumerate(texts)
            for number, line in enumerate(text.split("\n"), 1)
        ]
        for texts in (left, right)
    ]
    pairs = matched([line for _, line in sides[0]], [line for _, line in sides[1]])
    same = [{pair[at] for pair in pairs} for at in range(2)]
    changed = [
        frozenset(place for i, (place, line) in enumerate(side) if i not in known and line)
        for side, known in zip(sides, same, strict=True)
    ]
    return changed[0], changed[1]


@dataclass(frozen=True)
class ChangedAssignment:
    """A name that both programs assign on differing lines.

    Attributes:
        name: the name.
        lines: the line of the assignment in each program, from 1.
        codes: the text of both lines.
    """

    name: str
    lines: Pair
    codes: tuple[str, str]


def changed_assignment(traces: tuple[Trace, Trace], operations: Pair) -> ChangedAssignment | None:
    """The changed assignment of the single name that an operation of equal text reads in both programs.

    An operation with equal text and tensors but other values got other Python values. None if its text has no such
    name, or several.
    """
    spans = [trace.operations.span[operation] for trace, operation in zip(traces, operations, strict=True)]
    if min(spans) < 0:
        return None
    read = words_of(traces[0].text(spans[0]))
    texts = [[cell.source for cell in trace.cells] for trace in traces]
    assigned: list[dict[str, tuple[int, str]]] = []
    for trace, span, side, changed in zip(traces, spans, texts, changed_lines(*texts), strict=True):
        at = trace.spans[span]
        found: dict[str, tuple[int, str]] = {}
        for cell, line in sorted(changed):
            if (cell, line) < (at.cell, at.line):
                text = side[cell].split("\n")[line - 1].strip()
                found.update((name, (line, text)) for name in bound_names(text) & read)
        assigned.append(found)
    names = assigned[0].keys() & assigned[1].keys()
    if len(names) != 1:
        return None
    (name,) = names
    (line, code), (other_line, other_code) = (side[name] for side in assigned)
    return ChangedAssignment(name, (line, other_line), (code, other_code))
