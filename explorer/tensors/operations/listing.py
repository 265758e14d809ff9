"""The calls of a program that have a picture, one per place in the program."""

from dataclasses import dataclass

from explorer.tensors.operations.view import NAMES
from explorer.trace import Trace

MOST = 500  # listed
_SUMS = ("sum", "mean")


@dataclass(frozen=True)
class Listed:
    """A call that has a picture.

    Attributes:
        operation: the last run of it.
        cell, line: where it stands, from 0 and from 1; text: its expression.
        name: torch's short name.
        runs: how many times that place ran.
    """

    operation: int
    cell: int
    line: int
    text: str
    name: str
    runs: int


def operations(trace: Trace) -> list[Listed]:
    """Every place of the program whose call has a picture, in the program's order, at most MOST."""
    columns, found = trace.operations, {}
    for operation in range(len(columns)):
        name = trace.strings[columns.name[operation]]
        known = name in NAMES or (name.endswith("_") and name.rstrip("_") in NAMES)
        here = columns.span[operation]
        if not known or here < 0 or columns.in_backward[operation] >= 0 or columns.error[operation] >= 0:
            continue
        if not columns.outputs[operation] and not name.endswith("_"):
            continue
        runs = found[here, name].runs + 1 if (here, name) in found else 1
        span = trace.spans[here]
        text = " ".join(trace.text(here).split())
        found[here, name] = Listed(operation, span.cell, span.line, text, name, runs)
    return list(found.values())[:MOST]


def telling(trace: Trace, listed: list[Listed]) -> int:
    """Which of them to show first: the last one that is not just the sum that backward was called on."""
    roots = {root for call in trace.backwards for root in call.root_tensors}
    outputs = trace.operations.outputs
    inner = [i for i, one in enumerate(listed) if one.name not in _SUMS or not roots & set(outputs[one.operation])]
    return inner[-1] if inner else len(listed) - 1
