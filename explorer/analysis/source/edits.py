"""Pure functions from a text to a text.

Lines are counted from 1, columns from 0, in code points, as everywhere (explorer.trace.Span).
"""

from explorer.trace import Span


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
