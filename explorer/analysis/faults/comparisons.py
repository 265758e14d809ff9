"""What losses compare: predictions, which require a gradient, with targets, which do not.

And when things happen in a training: between two calls, or before a step.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise

from explorer.analysis.operations import LOSSES, names_where, spellings
from explorer.analysis.run import BackwardCall, Call, Run, Tensor

AMOUNTS = names_where(lambda operation: operation.compares)  # losses that compare amounts, not classes
DIFFERENCES = spellings("sub") | AMOUNTS
COMPARED = LOSSES | DIFFERENCES


def comparisons(run: Run, names: Collection[str] = COMPARED) -> Iterator[tuple[Call, Tensor, Tensor]]:
    """The calls with these names that lead to a root, each with a prediction and a target, in either order."""
    for loss in run.rooted(names):
        pair = loss.inputs[:2]
        if len(pair) == 2 and pair[0].requires_grad != pair[1].requires_grad:
            prediction, target = sorted(pair, key=lambda one: not one.requires_grad)
            yield loss, prediction, target


def has_targets(call: Call, made: Tensor, rows: int) -> bool:
    """Whether a later loss compares so many rows, computed from what was made, with data."""
    later = ((prediction, target) for loss, prediction, target in comparisons(call.run) if loss.id > call.id)
    alike = (prediction for prediction, target in later if {prediction.shape[:1], target.shape[:1]} == {(rows,)})
    return any(made.id in call.run.below([prediction]) for prediction in alike)


def between(times: Iterable[int], moments: Iterable[int]) -> list[bool]:
    """For each two moments in a row whether one of some times lies between them.

    >>> between([1, 5], [0, 3, 4, 9])
    [True, False, True]
    """
    ordered = sorted(times)
    return [a < b for a, b in pairwise(bisect_left(ordered, moment) for moment in moments)]


def rounds(calls: Sequence[BackwardCall], steps: Iterable[int]) -> list[Sequence[BackwardCall]]:
    """The backward calls before each step, since the one before it."""
    ends = [bisect_right(calls, step, key=lambda call: call.time) for step in steps]
    return [calls[begin:end] for begin, end in pairwise((0, *ends))]


def earlier(calls: Sequence[BackwardCall], time: int) -> Iterator[BackwardCall]:
    """The backward calls before a time, the last one first."""
    return reversed(calls[: bisect_right(calls, time, key=lambda call: call.time)])
