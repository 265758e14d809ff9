"""Uninitialised entries: what `torch.empty` finds in memory until something is written over it."""

from explorer.analysis.autograd.cuts import row_before
from explorer.analysis.operations import operation_of
from explorer.trace import Trace

UNFILLED = frozenset({"empty", "empty_like", "new_empty", "empty_strided", "empty_permuted"})


def rows_read(trace: Trace, operation: int) -> list[int]:
    """The versions (Trace.versions) whose entries an operation read."""
    operations = trace.operations
    tensors, counters = operations.inputs[operation], operations.input_versions[operation]
    counters = counters if len(counters) == len(tensors) else [-1] * len(tensors)
    rows = [row_before(trace, tensor, at, operation) for tensor, at in zip(tensors, counters, strict=True)]
    name = trace.strings[operations.name[operation]]
    return rows[1:] if name.endswith("_") and operation_of(name).fills else rows


def told_rows(trace: Trace) -> frozenset[int]:
    """The versions whose entries matter: those that an operation read, and every tensor's last."""
    return trace.index.memoize(("told rows",), lambda: _told_rows(trace))


def _told_rows(trace: Trace) -> frozenset[int]:
    names, strings = trace.operations.name, trace.strings
    read = {row for operation in range(len(names)) for row in rows_read(trace, operation)}
    last = {trace.versions_of(tensor)[-1] for tensor in range(len(trace.tensors))}
    made = trace.versions.operation
    return frozenset(row for row in read | last if made[row] < 0 or strings[names[made[row]]] not in UNFILLED)
