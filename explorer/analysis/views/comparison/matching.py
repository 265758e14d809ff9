"""Pair the operations of two runs, and the lines of their programs."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile

from explorer.analysis.run.operations import operation_of
from explorer.program.scanner import bound_names, words_of
from explorer.trace import Trace

MOST = 1_500  # operations aligned exactly between the common beginning and end

Match = tuple[int, int]


def keys(trace: Trace) -> list[tuple[str, ...]]:
    """Return each operation's key: name, module path and text."""
    operations = trace.operations
    rows = zip(operations.name, operations.module, operations.span, strict=True)
    return [(called(trace.strings[name]), trace.string(module) or "", trace.text(span)) for name, module, span in rows]


@lru_cache(4096)
def called(name: str) -> str:
    """Normalize an operation's name from Python or an exported program.

    >>> called("mul.Tensor"), called("__rmul__"), called("view.default"), called("Reverse.apply")
    ('mul', 'mul', 'view', 'Reverse.apply')
    """
    stem, dot, overload = name.partition(".")
    aten = dot and overload != "apply" and (overload == "default" or operation_of(stem).name)
    stem = stem if aten else name
    return (
        operation_of(stem).name + "_" * (stem.endswith("_") and not stem.startswith("_"))
        if operation_of(stem).name
        else stem
    )


def paired(left: Trace, right: Trace) -> list[Match]:
    """Pair two runs' operations by name, module and text, and the rest by less."""
    return _paired(keys(left), keys(right), 3)


def _paired(left: Sequence[tuple], right: Sequence[tuple], most: int) -> list[Match]:
    """Pair equal keys, and between them shorter keys."""
    if not most:
        return []
    pairs, before = [], (-1, -1)
    sure = matched([key[:most] for key in left], [key[:most] for key in right])
    for pair in (*sure, (len(left), len(right))):
        begin, other = before[0] + 1, before[1] + 1
        between = _paired(left[begin : pair[0]], right[other : pair[1]], most - 1)
        pairs += [(begin + i, other + j) for i, j in between]
        pairs.append(pair)
        before = pair
    return pairs[:-1]


def bound_pairs(left: Trace, right: Trace, sure: Sequence[Match]) -> list[Match]:
    """Pair unmatched operations whose results have the same name."""
    taken = [{pair[at] for pair in sure} for at in range(2)]
    rows = [
        [(i, names) for i, names in enumerate(_bound_names(trace)) if names and i not in own]
        for trace, own in zip((left, right), taken, strict=True)
    ]
    pairs = matched([names for _, names in rows[0]], [names for _, names in rows[1]])
    return [(rows[0][i][0], rows[1][j][0]) for i, j in pairs]


def _bound_names(trace: Trace) -> list[tuple[str, ...]]:
    """Return the names bound to each operation's results."""
    bindings, outputs = trace.index.bindings, trace.operations.outputs
    return [
        tuple(binding.name for made in outputs[operation] for binding in bindings.get(made, ()))
        for operation in range(len(trace.operations))
    ]


def matched(left: Sequence, right: Sequence) -> list[Match]:
    """Pair positions with equal keys: common beginning, then first alignment.

    If more than MOST are left, a common end is paired too, and a still longer middle position by position.

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


def _aligned(left: Sequence, right: Sequence) -> list[Match]:
    """Pair positions of a longest common subsequence, or by position for long texts.

    Bit-parallel in Python's integers (Hyyrö 2004): each row takes constant time, while difflib can take cubic time. Bit
    j of row i is 0 if the subsequence with the first i + 1 of `left` grows at j of `right`.
    """
    if max(len(left), len(right)) > MOST:
        return [(i, i) for i in range(min(len(left), len(right))) if left[i] == right[i]]
    places: dict[Hashable, int] = {}
    for j, item in enumerate(right):
        places[item] = places.get(item, 0) | 1 << j
    whole = (1 << len(right)) - 1
    row, rows = whole, []
    for item in left:
        there = row & places.get(item, 0)
        row = (row + there | row - there) & whole
        rows.append(row)
    pairs, i, j = [], len(left), len(right)
    while i and j:
        if rows[i - 1] >> (j - 1) & 1:
            j -= 1
            continue
        i -= 1
        if not i or rows[i - 1] >> (j - 1) & 1:
            j -= 1
            pairs.append((i, j))
    return pairs[::-1]


Line = tuple[int, int]  # cell from 0, line from 1


def changed_lines(left: Sequence[str], right: Sequence[str]) -> tuple[frozenset[Line], frozenset[Line]]:
    r"""Return both programs' unmatched lines, given the texts of their cells.

    Cells and trailing spaces do not matter: a line moved to another cell is the same.

    >>> changed_lines(["a = 1\nb = 2"], ["a = 1\nb = 3\nc = 4"])
    (frozenset({(0, 2)}), frozenset({(0, 2), (0, 3)}))
    """

    def lines(texts: Sequence[str]) -> list[tuple[Line, str]]:
        numbered = [(cell, list(enumerate(text.split("\n"), 1))) for cell, text in enumerate(texts)]
        return [((cell, number), line.rstrip()) for cell, own in numbered for number, line in own]

    sides = lines(left), lines(right)
    pairs = matched([line for _, line in sides[0]], [line for _, line in sides[1]])
    same = [{pair[at] for pair in pairs} for at in range(2)]
    changed = [
        frozenset(place for i, (place, line) in enumerate(side) if i not in own and line)
        for side, own in zip(sides, same, strict=True)
    ]
    return changed[0], changed[1]


@dataclass(frozen=True)
class ChangedAssignment:
    """A name that both programs assign on differing lines (from 1), with the text of both lines."""

    name: str
    lines: Match
    codes: tuple[str, str]


def changed_assignment(traces: tuple[Trace, Trace], operations: Match) -> ChangedAssignment | None:
    """Return the changed assignment of the only name that an equal operation reads.

    An operation with equal text and tensors but other values received different Python values. None unless its text has
    exactly one such name.
    """
    spans = [trace.operations.span[operation] for trace, operation in zip(traces, operations, strict=True)]
    if min(spans) < 0:
        return None
    read = words_of(traces[0].text(spans[0]))
    texts = [[cell.source for cell in trace.cells] for trace in traces]
    assigned: list[dict[str, tuple[int, str]]] = []
    for trace, span, side, changed in zip(traces, spans, texts, changed_lines(*texts), strict=True):
        at = trace.spans[span]
        by_name: dict[str, tuple[int, str]] = {}
        for cell, line in sorted(changed):
            if (cell, line) < (at.cell, at.line):
                text = side[cell].split("\n")[line - 1].strip()
                by_name.update((name, (line, text)) for name in bound_names(text) & read)
        assigned.append(by_name)
    names = assigned[0].keys() & assigned[1].keys()
    if len(names) != 1:
        return None
    (name,) = names
    (line, code), (other_line, other_code) = (side[name] for side in assigned)
    return ChangedAssignment(name, (line, other_line), (code, other_code))
