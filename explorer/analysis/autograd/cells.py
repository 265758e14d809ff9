"""A Trace cell by cell: which backward a cell's picture shows, and the tensors that its lines made."""

from bisect import bisect_right
from typing import Any

from msgspec import Struct

from explorer.trace import Trace


class NamedResult(Struct, frozen=True):
    """A tensor that a line named, or changed in place.

    Attributes:
        name: its name in the program.
        cell, line: its place, the line from 1.
        tensor: its id; version: the row of Trace.versions after the line.
    """

    name: str
    cell: int
    line: int
    tensor: int
    version: int


def called_backwards(trace: Trace) -> list[int]:
    """The backward calls that a user can choose from: not those that ran inside another. Indices, in order."""
    return [i for i, call in enumerate(trace.backwards) if call.inside < 0]


def cell_of(trace: Trace, span: int) -> int:
    """The cell that contains a span, -1 for none."""
    return trace.spans[span].cell if span >= 0 else -1


def backward_of_cell(trace: Trace, cell: int) -> int | None:
    """The backward whose picture belongs to a cell: its own last one, else the nearest earlier, else the nearest later.

    Calls that succeeded are preferred. An index, None if the program has no backward.
    """
    calls = called_backwards(trace)
    cells = {i: cell_of(trace, trace.backwards[i].span) for i in calls}
    good = [i for i in calls if trace.backwards[i].status == "ok"]
    earlier = [i for i in good if cells[i] <= cell] or [i for i in calls if cells[i] <= cell]
    if earlier:
        return earlier[-1]
    later = good or calls
    return later[0] if later else None


def records_gradients(trace: Trace, cell: int) -> bool:
    """Whether a cell made nodes of the graph or called backward."""
    operations = trace.operations
    spans = [operations.span[made] for made in trace.nodes.operation if made >= 0]
    spans += [trace.backwards[i].span for i in called_backwards(trace)]
    return any(cell_of(trace, span) == cell for span in spans)


def made_tensors(trace: Trace, cell: int | None = None) -> list[NamedResult]:
    """The tensors that lines of a cell (None: of every cell) made, in the order of the lines.

    A line that ran several times appears once for each of its names, with its last run.
    """
    found: dict[tuple[int, int, str], NamedResult] = {}
    for binding in trace.bindings:
        if binding.span < 0:
            continue
        then = trace.index.before(binding.tensor, binding.start + 1)
        row = trace.tensors.version_start[binding.tensor] if then is None else then
        _add(found, trace, binding.name, binding.span, binding.tensor, row)
    names = {binding.tensor: binding.name for binding in reversed(trace.bindings)}
    for tensor, name in names.items():
        for row in list(trace.versions_of(tensor))[1:]:
            operation = trace.versions.operation[row]
            if operation >= 0 and trace.operations.span[operation] >= 0:
                _add(found, trace, name, trace.operations.span[operation], tensor, row)
    chosen = [result for result in found.values() if cell is None or result.cell == cell]
    return sorted(chosen, key=lambda result: (result.cell, result.line))


def made_until(trace: Trace, operation: int) -> list[NamedResult]:
    """The result of `made_tensors` for a run that ends before this operation, in time linear in the lines."""
    made = trace.index.memoize(("made",), lambda: _made_in_time(trace))
    last = ((results, bisect_right(times, operation - 1)) for times, results in made)
    chosen = [results[behind - 1] for results, behind in last if behind]
    return sorted(chosen, key=lambda result: (result.cell, result.line))


def _made_in_time(trace: Trace) -> list[tuple[list[int], list[NamedResult]]]:
    """For each name at a line the operations after which it was bound again, and to what."""
    found: dict[tuple[int, int, str], list[tuple[int, NamedResult]]] = {}
    at: dict[tuple[int, int, str], NamedResult] = {}

    def add(time: int, *made: Any) -> None:
        at.clear()
        _add(at, trace, *made)
        for key, result in at.items():
            found.setdefault(key, []).append((time, result))

    for binding in trace.bindings:
        if binding.span >= 0:
            then = trace.index.before(binding.tensor, binding.start + 1)
            row = trace.tensors.version_start[binding.tensor] if then is None else then
            add(binding.start, binding.name, binding.span, binding.tensor, row)
    names = {binding.tensor: binding.name for binding in reversed(trace.bindings)}
    for tensor, name in names.items():
        for row in list(trace.versions_of(tensor))[1:]:
            operation = trace.versions.operation[row]
            if operation >= 0 and trace.operations.span[operation] >= 0:
                add(operation, name, trace.operations.span[operation], tensor, row)
    ordered = (sorted(results, key=lambda result: result[0]) for results in found.values())
    return [([time for time, _ in results], [result for _, result in results]) for results in ordered]


def _add(found: dict, trace: Trace, name: str, span: int, tensor: int, version: int) -> None:
    place = trace.spans[span]
    # A change in place belongs to the line where it ends; a binding to the line where its expression begins.
    found[place.cell, place.line, name] = NamedResult(name, place.cell, place.line, tensor, version)
