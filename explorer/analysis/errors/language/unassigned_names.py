"""Names whose cell ended before assigning them: refused, limited, failed, or not run at all."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from explorer.analysis.errors.rule import Explanation, FailureContext
from explorer.analysis.source import Assignment, all_assignments, find_lines, shorten_code
from explorer.trace import Failure, Limit, Refusal, Trace

_NOT_PYTHON = ("SyntaxError", "IndentationError", "TabError")
_UNKNOWN = re.compile(r"name '(\w+)' is not defined")
_DEEPEST = 50  # cells that failed because of one another


@dataclass(frozen=True)
class Ending:
    """The reason why a cell ended early.

    Attributes:
        how: failed, refused or limited.
        line: of the cell's own text where it ended, 0 where none of it ran or the line is unknown.
        what: the error, what was refused, or the limit.
    """

    how: str
    line: int
    what: str


def ending(trace: Trace, cell: int) -> Ending | None:
    """Why a cell did not run to its end; None if it did, as far as its outputs tell."""
    for output in reversed(trace.cells[cell].outputs):
        if isinstance(output, Failure):
            whole = output.type in _NOT_PYTHON
            text = shorten_code(output.text)
            return Ending("failed", 0 if whole else _line(trace, cell, output), f"{output.type}: {text}".rstrip(": "))
        if isinstance(output, Refusal):
            return Ending("refused", _line(trace, cell, output), shorten_code(output.what))
        if isinstance(output, Limit) and not output.folds:
            return Ending("limited", _line(trace, cell, output), output.limit)
    return None


def _line(trace: Trace, cell: int, output: Failure | Refusal | Limit) -> int:
    """The line in the cell itself: for an error in a function, the line of the call."""
    spans = [*output.frames, output.span] if isinstance(output, Failure) else [output.span]
    own = [trace.spans[span].line for span in spans if span >= 0 and trace.spans[span].cell == cell]
    return own[0] if own else 0


def not_assigned(at: FailureContext, name: str, places: Iterable[Assignment]) -> Explanation | None:
    """A name is missing because the cell that assigns it ended before; None if no such cell is known."""
    found = _unfinished(at.trace, at.cell, places)
    if found is None:
        return None
    where, why = found
    root, first = _root(at.trace, where.cell, why)
    values: dict[str, str | int] = {"where": where.line, "cell": where.cell + 1}
    values |= {"how": first.how, "what": first.what, "stop": first.line, "root": root + 1}
    return at.explain(
        "name-of-a-cell-that-needs-another" if root != where.cell else f"name-of-a-{why.how}-cell", **values
    )


def perhaps_imported(at: FailureContext, name: str) -> Explanation | None:
    """A name of unknown origin, if an earlier cell ended before an import of everything from a module."""
    stars = find_lines(at.trace, r"^\s*(?:from [\w.]+ import \*|%run\b|%load\b)")
    found = _unfinished(at.trace, at.cell, [Assignment("*", star.span.cell, star.line, star.line) for star, _ in stars])
    if found is None:
        return None
    where, why = found
    text = shorten_code(at.trace.cells[where.cell].lines[where.line - 1].strip())
    values: dict[str, str | int] = {"where": where.line, "cell": where.cell + 1, "what": why.what}
    return at.explain("name-of-an-import-that-failed", **values | {"import": text})


def _unfinished(trace: Trace, before: int, places: Iterable[Assignment]) -> tuple[Assignment, Ending] | None:
    """The last of these assignments that an earlier cell did not reach, and why."""
    for at in reversed(list(places)):
        why = ending(trace, at.cell) if at.cell < before else None
        if why is not None and (at.indent or at.last >= why.line):
            return at, why
    return None


def _root(trace: Trace, cell: int, why: Ending) -> tuple[int, Ending]:
    """The cell that a missing name leads back to: one cell fails because another did."""
    for _ in range(_DEEPEST):
        missing = _UNKNOWN.search(why.what) if why.what.startswith("NameError") else None
        found = missing and _unfinished(
            trace, cell, [each for each in all_assignments(trace) if each.name == missing[1]]
        )
        if not found:
            break
        cell, why = found[0].cell, found[1]
    return cell, why
