"""The lines that a change of a text touches."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

MATCHED = 300  # lines between the first and the last change that are compared one by one


@dataclass(frozen=True)
class ChangedLine:
    """A line that a change removes (sign -) or adds (+). Attributes: number: its line from 1, before or after the
    change.
    """

    sign: str
    number: int
    text: str


def alike_ends(old: Sequence[str], new: Sequence[str]) -> tuple[int, int]:
    """How many lines at the beginning of two texts are the same, and how many of the rest at their end."""
    most = min(len(old), len(new))
    head = next((at for at in range(most) if old[at] != new[at]), most)
    return head, next((at for at in range(most - head) if old[-1 - at] != new[-1 - at]), most - head)


def changed_lines(before: str, after: str) -> list[ChangedLine]:
    """The changed lines of a text, place by place: removed lines, then added ones.

    >>> changed_lines("a\\nb\\nc", "a\\nB\\nc")
    [ChangedLine(sign='-', number=2, text='b'), ChangedLine(sign='+', number=2, text='B')]
    >>> [f"{one.sign}{one.number}" for one in changed_lines("a\\nb\\nc", "A\\nb\\nC")]
    ['-1', '+1', '-3', '+3']
    """
    old, new = before.split("\n"), after.split("\n")
    head, tail = alike_ends(old, new)
    old_end, new_end = len(old) - tail, len(new) - tail
    blocks = [(head, old_end, head, new_end)]
    if max(old_end, new_end) - head <= MATCHED:
        matcher = SequenceMatcher(None, old[head:old_end], new[head:new_end], autojunk=False)
        blocks = [
            (head + a, head + b, head + c, head + d) for kind, a, b, c, d in matcher.get_opcodes() if kind != "equal"
        ]
    changes = []
    for gone, gone_end, came, came_end in blocks:
        changes += [ChangedLine("-", at + 1, old[at]) for at in range(gone, gone_end)]
        changes += [ChangedLine("+", at + 1, new[at]) for at in range(came, came_end)]
    return changes
