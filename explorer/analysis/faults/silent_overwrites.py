"""Backward computed with other numbers than the operation saved."""

from collections.abc import Iterator

import numpy as np

from explorer.analysis.autograd.gradients import node_gradients
from explorer.analysis.faults.facts import Facts, is_zero, numbers
from explorer.analysis.faults.finding import Finding
from explorer.safe_regex import plain
from explorer.trace import Span, Trace

_PUTS = plain(r"\s*([^\W\d]\w*)(?:\[.*\]\s*[-+*/]?=(?!=)|\s*[-+*/]=|\.(?:fill|sort|put|partition|resize)\()")


def gradient_falsified(facts: Facts) -> Iterator[Finding]:
    """The entries of a saved tensor changed before backward read them, unnoticed by torch's version counter."""
    trace = facts.trace
    unread = _unread(trace)
    for number, call in facts.calls:
        gradients, reached = node_gradients(trace, number), set(call.order)
        for row, node in enumerate(trace.saved.node):
            tensor, operation = trace.saved.tensor[row], trace.nodes.operation[node]
            if node not in reached or tensor < 0 or operation < 0 or row in unread:
                continue
            was, now = trace.index.before(tensor, operation + 1), trace.index.before(tensor, call.operations)
            if was is None or now is None or was == now:
                continue
            if trace.versions.version[was] != trace.versions.version[now]:
                continue
            saved, read = facts.entries(trace.versions.value[was]), facts.entries(trace.versions.value[now])
            if saved is None or read is None or np.array_equal(saved, read, equal_nan=saved.dtype.kind in "fc"):
                continue
            arrived = [facts.entries(value) for value in gradients[node] if value >= 0]
            if arrived and all(is_zero(gradient) for gradient in arrived):
                continue
            place = _place_of_write(facts, now, operation, call.span)
            if place is None:
                continue
            values = {
                "name": facts.name(tensor),
                "code": facts.text(operation),
                "was": numbers(saved),
                "now": numbers(read),
            }
            yield Finding("gradient_falsified", place, values, tensor, node)


def _unread(trace: Trace) -> set[int]:
    """Rows of batch norm's running statistics in training: it writes them, and reads the batch's own."""
    saved, names = trace.saved, trace.strings
    training = {
        node
        for node, name, constant in zip(saved.node, saved.name, saved.constant, strict=True)
        if names[name] == "training" and trace.string(constant) == "True"
    }
    return {
        row
        for row, (node, name) in enumerate(zip(saved.node, saved.name, strict=True))
        if node in training and names[name] in ("running_mean", "running_var")
    }


def _place_of_write(facts: Facts, row: int, operation: int, backward: int) -> Span | None:
    """What wrote; for an unrecorded write the last line in between that changes an array in that memory."""
    trace = facts.trace
    write = trace.versions.operation[row]
    if write >= 0:
        return facts.place(write)
    storage = trace.tensors.storage[trace.index.tensor_of(row)]
    names = {array.name for array in trace.arrays if array.storage == storage >= 0}
    first, last = facts.place(operation), trace.spans[backward] if backward >= 0 else None
    if first is None or last is None or first.cell != last.cell:
        return None
    lines = trace.cells[first.cell].lines
    puts = [(at, _PUTS.match(lines[at - 1])) for at in range(first.line, last.line + 1)]
    wrote = [at for at, found in puts if found and (not names or found[1] in names)]
    return facts.line(first.cell, wrote[-1]) if wrote else None


RULES = (gradient_falsified,)
