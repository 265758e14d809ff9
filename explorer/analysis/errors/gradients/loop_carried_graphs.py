"""Graphs that a loop carries into its next round: the names that carry them, and the line that cuts them."""

import re

from explorer.analysis.errors.failure_facts import Stopped
from explorer.analysis.errors.gradients.source_lines import indent, is_statement, line_at, makers
from explorer.analysis.errors.rule import Explanation
from explorer.trace import Backward, Span, Trace

LONGEST = 400  # characters of a line that is read


def carried_names(stopped: Stopped, first: Backward, now: Backward) -> list[str]:
    """The names whose tensors were computed before one backward and read before the next."""
    trace = stopped.trace
    old = {t for t, made in makers(trace).items() if made < first.operations and not trace.tensors.is_leaf[t]}
    read = (t for i in range(first.operations, now.operations) for t in trace.operations.inputs[i] if t in old)
    names = (binding.name for tensor in dict.fromkeys(read) for binding in stopped.bindings(tensor)[:1])
    return [name for name in dict.fromkeys(names) if name.isidentifier()]


def _carried_tuple(stopped: Stopped, first: Backward, now: Backward) -> str:
    """The name of a tuple that a line of the loop both reads and gives a value: `out, state = lstm(x, state)`."""
    trace = stopped.trace
    old = {t for t, made in makers(trace).items() if made < first.operations and not trace.tensors.is_leaf[t]}
    for i in range(first.operations, now.operations):
        place = trace.operations.span[i]
        if place < 0 or not old & set(trace.operations.inputs[i]):
            continue
        line = line_at(trace, trace.spans[place].cell, trace.spans[place].line)
        targets, equals, value = line[:LONGEST].partition(" = ")
        for name in re.findall(r"[A-Za-z_]\w*", targets) if equals else ():
            if trace.bound(name) is None and re.search(rf"(?<![\w.]){name}(?!\w)", value):
                return name
    return ""


def cut(names: list[str]) -> str:
    """The line that detaches these names.

    >>> cut(["h", "c"])
    'h, c = h.detach(), c.detach()'
    """
    return f"{', '.join(names)} = {', '.join(f'{name}.detach()' for name in names)}"


def carried_over(
    stopped: Stopped, first: Backward, now: Backward, kind: str, values: dict[str, str | int]
) -> Explanation | None:
    """A state that depends on the graph of the round before; None if no name of the program carries it."""
    names = carried_names(stopped, first, now)
    line = cut(names)
    if not names and (name := _carried_tuple(stopped, first, now)):
        names, line = [name], f"{name} = tuple(part.detach() for part in {name})"
    if not names:
        return None
    trace, span = stopped.trace, stopped.trace.spans[now.span]
    values = values | {"name": ", ".join(names), "cut": line, "second": trace.text(now.span)}
    return Explanation(kind, values, _with_line_behind(trace, span, line), span.cell)


def _with_line_behind(trace: Trace, span: Span, new: str) -> str:
    """Insert a line after a statement, with its indentation; "" if it is no line of its own."""
    if not is_statement(trace, span) or re.search(r"\\$", line_at(trace, span.cell, span.end_line)):
        return ""
    lines = trace.cells[span.cell].source.split("\n")
    lines.insert(span.end_line, " " * indent(lines[span.line - 1]) + new)
    return "\n".join(lines)
