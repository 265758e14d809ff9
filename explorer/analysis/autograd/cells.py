"""A Trace cell by cell: which backward a cell's picture shows, and the tensors that its lines made."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping

from msgspec import Struct

from explorer.analysis.autograd.line_modules import Place, module_lines
from explorer.analysis.source.assignments import Assignment, all_assignments
from explorer.safe_regex import plain
from explorer.trace import Binding, Trace

_WORD = plain(r"\w+(?:\[\d+\])?")


class NamedResult(Struct, frozen=True):
    """A tensor that a line named, or changed in place.

    Attributes:
        name: its name in the program.
        cell, line: its place, the line from 1.
        tensor: its id; version: the row of Trace.versions after the line.
        written: whether the line wrote it in place, and did not bind it.
    """

    name: str
    cell: int
    line: int
    tensor: int
    version: int
    written: bool = False


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
    chosen = [made[-1] for _, made in _made_in_time(trace) if cell is None or made[-1].cell == cell]
    return sorted(chosen, key=lambda result: (result.cell, result.line))


def made_until(trace: Trace, operation: int) -> list[NamedResult]:
    """The result of `made_tensors` for a run that ends before this operation, in time linear in the lines."""
    last = ((results, bisect_right(times, operation - 1)) for times, results in _made_in_time(trace))
    chosen = [results[behind - 1] for results, behind in last if behind]
    return sorted(chosen, key=lambda result: (result.cell, result.line))


def _made_in_time(trace: Trace) -> list[tuple[list[int], list[NamedResult]]]:
    """For each name at a line the operations after which it was bound again, and to what."""
    return trace.index.memoize(("made",), lambda: _read_in_time(trace))


def _read_in_time(trace: Trace) -> list[tuple[list[int], list[NamedResult]]]:
    found: dict[tuple[int, int, str], list[tuple[int, NamedResult]]] = {}

    def add(time: int, name: str, place: Place, tensor: int, row: int, written: bool = False) -> None:
        result = NamedResult(name, *place, tensor, row, written)
        found.setdefault((*place, name), []).append((time, result))

    lines = _BindingLines(trace)
    for binding in trace.bindings:
        if (place := lines.of(binding)) is not None:
            then = trace.index.before(binding.tensor, binding.start + 1)
            row = trace.tensors.version_start[binding.tensor] if then is None else then
            add(binding.start, binding.name, place, binding.tensor, row)
    for tensor, name in _first_names(trace).items():
        for row in list(trace.versions_of(tensor))[1:]:
            operation = trace.versions.operation[row]
            if operation < 0 or trace.operations.span[operation] < 0:
                continue
            place = _place(trace, trace.operations.span[operation])
            if written_name(trace, place, tensor):
                add(operation, name, place, tensor, row, True)
    ordered = (sorted(results, key=lambda result: result[0]) for results in found.values())
    return [([time for time, _ in results], [result for _, result in results]) for results in ordered]


class _BindingLines:
    """The lines that bound names to tensors.

    A binding that was found by reading has no place of its own. It belongs to the assignment of its name in which its
    tensor was made, or to the only assignment of the name.
    """

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._assigned: dict[str, list[Assignment]] = defaultdict(list)
        for one in all_assignments(trace):
            self._assigned[one.name].append(one)

    def of(self, binding: Binding) -> Place | None:
        """Cell and line, None if unknown."""
        if binding.span >= 0:
            return _place(self._trace, binding.span)
        own = self._assigned.get(binding.name, ())
        operations = self._trace.operations
        if 0 <= binding.start < len(operations) and (span := operations.span[binding.start]) >= 0:
            at = self._trace.spans[span]
            for one in own:
                if one.value and one.cell == at.cell and one.line <= at.line <= one.last:
                    return one.cell, one.line
        if binding.call == 0 and len(own) == 1 and own[0].value:
            return own[0].cell, own[0].line
        return None


def written_name(trace: Trace, place: Place, tensor: int) -> str:
    """The name of a tensor that a line wrote in place, "" if it has none or the line does not mean it.

    A module that is built fills its parameters, and one that runs counts in its buffers.
    """
    name = _first_names(trace).get(tensor, "")
    inside = "." in name and not trace.tensors.is_parameter[tensor] and not says_name(trace, place, name)
    return "" if inside or ("." in name and place in module_lines(trace)) else name


def says_name(trace: Trace, place: Place, name: str) -> bool:
    """Whether a line says a name, of a path its last step: `self.count += 1` of model.count."""
    return name.rpartition(".")[2] in _WORD.findall(trace.cells[place[0]].lines[place[1] - 1])


def _first_names(trace: Trace) -> Mapping[int, str]:
    return trace.index.memoize(("first names",), lambda: {of.tensor: of.name for of in reversed(trace.bindings)})


def _place(trace: Trace, span: int) -> Place:
    return trace.spans[span].cell, trace.spans[span].line
