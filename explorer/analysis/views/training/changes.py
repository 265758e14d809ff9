"""Describe small differences between two versions of a program in a few words."""

from collections.abc import Sequence
from dataclasses import dataclass

from explorer.analysis.run.source.expressions import alike_ends
from explorer.safe_regex import linear, plain

MOST = 5  # most lines that may differ between versions of one program
_NUMBER = linear(r"\d[\d_]*(?:\.[\d_]*)?(?:[eE][+-]?\d+)?|\.\d[\d_]*(?:[eE][+-]?\d+)?")
_NAME = plain(r"[^\W\d]\w*+")


@dataclass(frozen=True)
class Changed:
    """A difference between versions.

    Attributes:
        line, last: first and last line in the newer version, from 1.
        name: name before a changed number (`lr` in `lr = 0.1`), or "".
        before, after: the number as written, "" unless a single number.
    """

    line: int
    last: int
    name: str = ""
    before: str = ""
    after: str = ""


def changes(before: Sequence[str], after: Sequence[str]) -> tuple[Changed, ...] | None:
    """List the differences between two versions' cells: numbers, otherwise lines.

    None if more than a few lines differ, because they are different programs. Lines count over all cells. Takes linear
    time.
    """
    old, new = "\n".join(before).split("\n"), "\n".join(after).split("\n")
    head, tail = alike_ends(old, new)
    old, new = old[head : len(old) - tail], new[head : len(new) - tail]
    if len(old) != len(new):
        return (Changed(head + 1, head + max(1, len(new))),) if max(len(old), len(new)) <= MOST else None
    differences: list[Changed] = []
    differing = 0
    for line, (a, b) in enumerate(zip(old, new, strict=True), start=head + 1):
        if a == b:
            continue
        differing += 1
        if differing > MOST:
            return None
        differences += _numbers(a, b, line) or [Changed(line, line)]
    return tuple(differences)


def _numbers(a: str, b: str, line: int) -> list[Changed]:
    """Return the numbers that differ between two lines, [] if anything else differs."""
    ours, theirs = _found(a), _found(b)
    if len(ours) != len(theirs) or _without(a, ours) != _without(b, theirs):
        return []
    numbers = ((a[slice(*here)], b[slice(*there)], there[0]) for here, there in zip(ours, theirs, strict=True))
    return [Changed(line, line, _named(b, at), before, after) for before, after, at in numbers if before != after]


def _found(text: str) -> list[tuple[int, int]]:
    """Return the positions of a line's numbers, ignoring digits in names."""
    found = [(*match.span(), text[max(match.start() - 1, 0) : match.start()]) for match in _NUMBER.finditer(text)]
    return [(begin, end) for begin, end, before in found if not (before.isalnum() or before == "_")]


def _without(text: str, numbers: Sequence[tuple[int, int]]) -> list[str]:
    """Return the text around the numbers."""
    edges = [0, *(edge for pair in numbers for edge in pair), len(text)]
    return [text[edges[i] : edges[i + 1]] for i in range(0, len(edges), 2)]


def _named(text: str, at: int) -> str:
    """Return the name before a number, as lr, or ""."""
    before = text[:at].rstrip()
    if before[-1:] in ("-", "+"):
        before = before[:-1].rstrip()
    if not before or before[-1] not in "=(" or before[-2:-1] in ("=", "<", ">", "!"):
        return ""
    names = list(_NAME.finditer(before[-60:]))
    return names[-1][0] if names and before[:-1].rstrip().endswith(names[-1][0]) else ""
