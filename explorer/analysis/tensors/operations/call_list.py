"""The calls of a program that have a picture, one per place in the program."""

from collections import Counter
from dataclasses import dataclass
from itertools import islice

from explorer.analysis.operations import operation_of
from explorer.trace import Trace

MOST = 500  # listed
_SUMS = ("sum", "mean")


@dataclass(frozen=True)
class ListedCall:
    """A place of the program whose call has a picture.

    Attributes:
        operation: the last run of it.
        cell, line: its place, from 0 and from 1; text: its expression.
        name: torch's short name.
        runs: how many times that place ran.
    """

    operation: int
    cell: int
    line: int
    text: str
    name: str
    runs: int


def operations(trace: Trace) -> list[ListedCall]:
    """Every place whose call has a picture, in the program's order, at most MOST."""
    columns = trace.operations
    last: dict[tuple[int, str], int] = {}
    runs: Counter[tuple[int, str]] = Counter()
    for operation in range(len(columns)):
        name = trace.strings[columns.name[operation]]
        known = bool(operation_of(name).subject)
        here = columns.span[operation]
        if not known or here < 0 or columns.in_backward[operation] >= 0 or columns.error[operation] >= 0:
            continue
        if not columns.outputs[operation] and not name.endswith("_"):
            continue
        last[here, name] = operation
        runs[here, name] += 1
    return [_listed(trace, *key, operation, runs[key]) for key, operation in islice(last.items(), MOST)]


def _listed(trace: Trace, span: int, name: str, operation: int, runs: int) -> ListedCall:
    place = trace.spans[span]
    return ListedCall(operation, place.cell, place.line, " ".join(trace.text(span).split()), name, runs)


def telling(trace: Trace, listed: list[ListedCall]) -> int:
    """Which of them to show first: the last with a tensor input that is not just the sum that backward was called
    on.
    """
    roots = {root for call in trace.backwards for root in call.root_tensors}
    taken, made = trace.operations.inputs, trace.operations.outputs
    inner = [i for i, call in enumerate(listed) if call.name not in _SUMS or not roots & set(made[call.operation])]
    taking = [i for i in inner if taken[listed[i].operation]]
    return (taking or inner or [len(listed) - 1])[-1]
