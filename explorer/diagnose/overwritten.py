"""Backward computed with numbers that were not there when the operation ran."""

from collections.abc import Iterator

import numpy as np

from explorer.autograd.gradients import node_gradients
from explorer.diagnose.facts import Facts, is_zero, numbers
from explorer.diagnose.finding import Finding
from explorer.patterns import plain
from explorer.trace import Span

_PUTS = plain(r"\s*[^\W\d]\w*\[.*\]\s*[-+*/]?=(?!=)")


def gradient_falsified(facts: Facts) -> Iterator[Finding]:
    """The entries of a saved tensor changed before backward read them, and torch's version counter did not see it."""
    trace = facts.trace
    for number, call in facts.calls:
        gradients, reached = node_gradients(trace, number), set(call.order)
        for row, node in enumerate(trace.saved.node):
            tensor, operation = trace.saved.tensor[row], trace.nodes.operation[node]
            if node not in reached or tensor < 0 or operation < 0:
                continue
            arrived = [facts.entries(value) for value in gradients[node] if value >= 0]
            if arrived and all(is_zero(one) for one in arrived):
                continue
            was, now = trace.index.before(tensor, operation + 1), trace.index.before(tensor, call.operations)
            if was is None or now is None or was == now:
                continue
            if trace.versions.version[was] != trace.versions.version[now]:
                continue
            saved, read = facts.entries(trace.versions.value[was]), facts.entries(trace.versions.value[now])
            if saved is None or read is None or np.array_equal(saved, read, equal_nan=saved.dtype.kind in "fc"):
                continue
            place = _place_of_write(facts, trace.versions.operation[now], operation, call.span)
            if place is None:
                continue
            values = {
                "name": facts.name(tensor),
                "code": facts.text(operation),
                "was": numbers(saved),
                "now": numbers(read),
            }
            yield Finding("gradient_falsified", place, values, tensor, node)


def _place_of_write(facts: Facts, write: int, operation: int, backward: int) -> Span | None:
    """What wrote; of a write seen by comparison alone, the last assignment to entries in between."""
    trace = facts.trace
    if write >= 0:
        return facts.place(write)
    first, last = facts.place(operation), trace.spans[backward] if backward >= 0 else None
    if first is None or last is None or first.cell != last.cell:
        return None
    lines = trace.cells[first.cell].lines
    puts = [at for at in range(first.line, last.line + 1) if _PUTS.match(lines[at - 1])]
    return facts.line(first.cell, puts[-1]) if puts else None


RULES = (gradient_falsified,)
