"""Which lines of two programs are not the same."""

from collections.abc import Sequence

from explorer.comparing.matching import matched

Line = tuple[int, int]  # cell from 0, line from 1


def changed_lines(left: Sequence[str], right: Sequence[str]) -> tuple[frozenset[Line], frozenset[Line]]:
    """The lines of each program that have no partner in the other, given the texts of their cells.

    Cells count for nothing: a line that only went to another cell is the same. Spaces at the end count for nothing.

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
