"""Pure functions from a text to a text, and what a change of a text touches.

Lines are counted from 1, columns from 0, in code points, as everywhere (explorer.trace.Span).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from explorer.trace import Span

MATCHED = 300  # lines between the first and the last change that are compared one by one


def replace_span(source: str, span: Span, new: str) -> str:
    """Replace the text at a span.

    >>> replace_span("y = a @ b", Span(0, 1, 4, 1, 9), "a @ b.T")
    'y = a @ b.T'
    """
    lines = source.split("\n")
    before, after = lines[span.line - 1][: span.column], lines[span.end_line - 1][span.end_column :]
    lines[span.line - 1 : span.end_line] = (before + new + after).split("\n")
    return "\n".join(lines)


def with_argument(call: str, argument: str) -> str | None:
    """Add an argument at the end of a call; None if the text does not end as a call.

    >>> with_argument("L.backward()", "retain_graph=True")
    'L.backward(retain_graph=True)'
    >>> with_argument("f(x, )", "y")
    'f(x, y)'
    """
    if not call.rstrip().endswith(")") or "(" not in call:
        return None
    inner = call.rstrip()[:-1].rstrip()
    if inner.endswith("("):
        return f"{inner}{argument})"
    return f"{inner.removesuffix(',')}, {argument})"


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
