"""Changes of a program's text at the places a Trace names: pure functions from text to text.

Lines are counted from 1, columns from 0, in code points, as everywhere (explorer.trace.Span).
"""

from dataclasses import dataclass

from explorer.trace import Span


@dataclass(frozen=True)
class ChangedLine:
    """A line that a change takes away (sign -) or brings (+). Attributes: number: from 1, in the text it stands in."""

    sign: str
    number: int
    text: str


def changed_lines(before: str, after: str) -> list[ChangedLine]:
    """What one change makes of a text: the lines it takes away, then those it brings.

    >>> changed_lines("a\\nb\\nc", "a\\nB\\nc")
    [ChangedLine(sign='-', number=2, text='b'), ChangedLine(sign='+', number=2, text='B')]
    """
    old, new = before.split("\n"), after.split("\n")
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    gone = [ChangedLine("-", head + i + 1, text) for i, text in enumerate(old[head : len(old) - tail])]
    return gone + [ChangedLine("+", head + i + 1, text) for i, text in enumerate(new[head : len(new) - tail])]


def replaced(source: str, span: Span, new: str) -> str:
    """The text with another at a span.

    >>> replaced("y = a @ b", Span(0, 1, 4, 1, 9), "a @ b.T")
    'y = a @ b.T'
    """
    lines = source.split("\n")
    before, after = lines[span.line - 1][: span.column], lines[span.end_line - 1][span.end_column :]
    lines[span.line - 1 : span.end_line] = (before + new + after).split("\n")
    return "\n".join(lines)


def with_line_before(source: str, line: int, new: str) -> str:
    """The text with a line put before a line, indented as that one.

    >>> with_line_before("if x:\\n    y()", 2, "z()")
    'if x:\\n    z()\\n    y()'
    """
    lines = source.split("\n")
    at = lines[line - 1]
    lines.insert(line - 1, at[: len(at) - len(at.lstrip())] + new)
    return "\n".join(lines)


def with_argument(call: str, argument: str) -> str | None:
    """A call with one more argument at its end; None for a text that does not end as a call.

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
