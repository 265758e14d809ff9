"""Graphs that a loop carries into its next round: the names that carry them, and the line that cuts them."""

import re

from explorer.analysis.errors.gradients.tensor_origins import makers
from explorer.analysis.errors.rule import Explanation, FailureContext
from explorer.analysis.source import at as code_at
from explorer.trace import Backward

LONGEST = 400  # characters of a line that is read


def _carried(at: FailureContext, first: Backward, now: Backward) -> tuple[list[str], str]:
    """The names whose tensors were computed before one backward and read before the next; or a tuple's.

    The line of the loop both reads that tuple and gives it a value: `out, state = lstm(x, state)`.
    """
    trace, tuples = at.trace, []
    old = {t for t, made in makers(trace).items() if made < first.operations and not trace.tensors.is_leaf[t]}
    names: list[str] = []
    for i in range(first.operations, now.operations):
        read = [tensor for tensor in trace.operations.inputs[i] if tensor in old]
        names += [binding.name for tensor in read for binding in at.bindings(tensor)[:1]]
        code = at.code_of(i) if read else None
        targets, equals, value = code.whole_line[:LONGEST].partition(" = ") if code else ("", "", "")
        given = re.findall(r"[A-Za-z_]\w*", targets) if equals else ()
        tuples += [n for n in given if trace.bound(n) is None and re.search(rf"(?<![\w.]){n}(?!\w)", value)]
    return [name for name in dict.fromkeys(names) if name.isidentifier()], next(iter(tuples), "")


def cut(names: list[str]) -> str:
    """The line that detaches these names.

    >>> cut(["h", "c"])
    'h, c = h.detach(), c.detach()'
    """
    return f"{', '.join(names)} = {', '.join(f'{name}.detach()' for name in names)}"


def carried_over(
    at: FailureContext, first: Backward, now: Backward, kind: str, values: dict[str, str | int]
) -> Explanation | None:
    """A state that depends on the graph of the round before; None if no name of the program carries it."""
    names, pair = _carried(at, first, now)
    if not names and not pair:
        return None
    line = cut(names) if names else f"{pair} = tuple(part.detach() for part in {pair})"
    call, repair = code_at(at.trace, now.span), None
    if call.is_statement and not call.after.endswith("\\"):
        end = call.span.end_line
        repair = call.replace_lines(call.indent + line, first=end + 1, last=end)
    values = values | {"name": ", ".join(names or [pair]), "cut": line, "second": call.text}
    return at.explain(kind, repair, **values)
