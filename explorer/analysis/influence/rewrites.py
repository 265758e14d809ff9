"""Rows of a buffer that each write replaces although the write before it has just written them."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from explorer.analysis.run import Run
from explorer.analysis.run_objects import Call

_WRITES = 3  # minimum writes of one line; fewer could form a pattern by chance


@dataclass(frozen=True)
class RewrittenRows:
    """Writes that move on by less than they write.

    Attributes:
        last: the last write. rows: of each write. again: of these, those that the write before wrote too.
        untouched: rows that no write reached. size: rows of the buffer. writes: their number.
    """

    last: Call
    rows: int
    again: int
    untouched: int
    size: int
    writes: int


def rewritten_rows(run: Run) -> Iterator[RewrittenRows]:
    """Yield the lines that write rows into a buffer by indices, each time mostly the rows of the time before."""
    lines: dict[tuple[int, int], list[Call]] = {}
    for call in run.calls(("__setitem__", "index_copy_")):
        if call.inputs and not call.is_of_optimizer:
            lines.setdefault((call.span, call.inputs[0].id), []).append(call)
    for calls in lines.values():
        found = _judged(calls) if len(calls) >= _WRITES else None
        if found is not None:
            yield found


def _judged(calls: list[Call]) -> RewrittenRows | None:
    written = [_rows(call) for call in calls]
    first, size = written[0], calls[0].inputs[0].shape[0] if calls[0].inputs[0].shape else 0
    if first is None or not 1 < len(first) < size:
        return None
    known = [rows for rows in written if rows is not None and len(rows) == len(first)]
    if len(known) < len(calls):
        return None
    again = {len(before & rows) for before, rows in pairwise(known)}
    untouched = size - len(set().union(*known))
    same = again.pop() if len(again) == 1 else 0
    if not (2 * same >= len(first) > same and untouched):
        return None
    return RewrittenRows(calls[-1], len(first), same, untouched, size, len(calls))


def _rows(call: Call) -> set[int] | None:
    """Return the rows that a write replaces with values that do not come from the buffer, or None."""
    buffer, *others = call.inputs
    index = next((one for one in others if one.dtype in ("int64", "int32") and len(one.shape) == 1), None)
    values = [one for one in others if one is not index]
    if index is None or len(values) != 1 or call.run.tensor(values[0].id).is_computed_from({buffer.id}):
        return None
    entries = index.before(call)
    if entries is None or len(entries) != index.size:
        return None
    rows = np.where(entries < 0, entries + buffer.shape[0], entries)
    return set(rows.tolist()) if len(set(rows.tolist())) == len(rows) else None
