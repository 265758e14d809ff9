"""Which operation of one run is which of another."""

from collections.abc import Hashable, Sequence
from itertools import takewhile

from explorer.trace import Trace

MOST = 1_500  # operations of the part between the same beginning and the same end that are aligned with one another

Pair = tuple[int, int]


def keys(trace: Trace, texts: bool = True) -> list[tuple[str, ...]]:
    """What each operation is known by: its name, the path of the module whose forward ran, and its text."""
    operations = trace.operations
    rows = zip(operations.name, operations.module, operations.span, strict=True)
    return [
        (trace.strings[name], trace.string(module) or "", trace.text(span) if texts else "")
        for name, module, span in rows
    ]


def paired(left: Trace, right: Trace) -> list[Pair]:
    """The operations of two runs that are the same: by name, module and text, and between those by name and module."""
    sure = matched(keys(left), keys(right))
    names = keys(left, texts=False), keys(right, texts=False)
    found, before = [], (-1, -1)
    for pair in (*sure, (len(names[0]), len(names[1]))):
        begin, other = before[0] + 1, before[1] + 1
        between = matched(names[0][begin : pair[0]], names[1][other : pair[1]])
        found += [(begin + i, other + j) for i, j in between]
        found.append(pair)
        before = pair
    return found[:-1]


def matched(left: Sequence, right: Sequence) -> list[Pair]:
    """Pairs of places with equal keys, in order: the same beginning, and what aligns after it, the first of several.

    Where more than MOST are left, those at the end count as the same that agree from there on, and of a part between
    that is still longer only as much as agrees place by place.

    >>> matched("abcd", "abxcd")
    [(0, 0), (1, 1), (2, 3), (3, 4)]
    >>> matched("xacby", "zabcw")
    [(1, 1), (3, 2)]
    >>> matched("a", "ba a")
    [(0, 1)]
    """
    begin = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(left, right, strict=False)))
    rest = min(len(left), len(right)) - begin
    backwards = zip(reversed(left[begin:]), reversed(right[begin:]), strict=False)
    long = max(len(left), len(right)) - begin > MOST
    end = min(rest, sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], backwards))) if long else 0
    middle = _aligned(left[begin : len(left) - end], right[begin : len(right) - end])
    return [
        *((i, i) for i in range(begin)),
        *((begin + i, begin + j) for i, j in middle),
        *((len(left) - i, len(right) - i) for i in range(end, 0, -1)),
    ]


def _aligned(left: Sequence, right: Sequence) -> list[Pair]:
    """Pairs of places of a longest common subsequence; of texts that are too long those that agree place by place.

    Bit by bit, in the numbers of Python (Hyyrö 2004): a row takes as long whatever stands there, where difflib, which
    looks for long blocks, can take the cube of the length. Bit j of row i is 0 where one more of `right` than up to j
    is in the longest one with the first i + 1 of `left`.
    """
    if max(len(left), len(right)) > MOST:
        return [(i, i) for i in range(min(len(left), len(right))) if left[i] == right[i]]
    places: dict[Hashable, int] = {}
    for j, one in enumerate(right):
        places[one] = places.get(one, 0) | 1 << j
    whole = (1 << len(right)) - 1
    row, rows = whole, []
    for one in left:
        there = row & places.get(one, 0)
        row = (row + there | row - there) & whole
        rows.append(row)
    found, i, j = [], len(left), len(right)
    while i and j:
        if rows[i - 1] >> (j - 1) & 1:
            j -= 1
            continue
        i -= 1
        if not i or rows[i - 1] >> (j - 1) & 1:
            j -= 1
            found.append((i, j))
    return found[::-1]
