"""Order the calls and steps of a training in time."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from explorer.analysis.run.objects import BackwardCall


def between(times: Iterable[int], moments: Iterable[int]) -> list[bool]:
    """Return, for each pair of successive moments, whether one of the times is between them.

    >>> between([1, 5], [0, 3, 4, 9])
    [True, False, True]
    """
    ordered = sorted(times)
    return [a < b for a, b in pairwise(bisect_left(ordered, moment) for moment in moments)]


def rounds(calls: Sequence[BackwardCall], steps: Iterable[int]) -> list[Sequence[BackwardCall]]:
    """Return the backward calls before each step, since the previous step."""
    ends = [bisect_right(calls, step, key=lambda call: call.time) for step in steps]
    return [calls[begin:end] for begin, end in pairwise((0, *ends))]


def earlier(calls: Sequence[BackwardCall], time: int) -> Iterator[BackwardCall]:
    """Return the backward calls before a time, the last one first."""
    return reversed(calls[: bisect_right(calls, time, key=lambda call: call.time)])
