"""A Trace by cells: shown backward, stop, tensors and modules of lines."""

import math
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping

from msgspec import Struct

from explorer.analysis.explain.autograd.gradients import called_backwards, ending_backwards, ending_spans
from explorer.analysis.explain.autograd.view_records import GraphView
from explorer.analysis.run.rounding import EPS
from explorer.analysis.run.source.assignments import all_assignments, assignments_by_name
from explorer.safe_regex import plain
from explorer.trace import Backward, Binding, Failure, Limit, Trace, memoized
from explorer.trace.index import names_in

Place = tuple[int, int]  # a cell, and a line of it from 1

_WORD = plain(r"\w+(?:\[\d+\])?")


class NamedResult(Struct, frozen=True):
    """A tensor that a line named or changed in place.

    Attributes:
        cell, line: place, with lines from 1.
        tensor: id. version: row of Trace.versions after the line.
        written: whether the line wrote it in place rather than binding it.
    """

    name: str
    cell: int
    line: int
    tensor: int
    version: int
    written: bool = False


def cell_of(trace: Trace, span: int) -> int:
    """Return the cell that contains a span, or -1."""
    return trace.spans[span].cell if span >= 0 else -1


def own_backward(trace: Trace, cell: int) -> int | None:
    """Return a cell's own backward, preferring successful calls."""
    calls = called_backwards(trace)
    own = [i for i in calls if cell_of(trace, trace.backwards[i].span) == cell]
    if own:
        return next((i for i in reversed(own) if trace.backwards[i].status == "ok"), own[-1])
    spans = trace.operations.span
    made = {node for node, by in enumerate(trace.nodes.operation) if by >= 0 and cell_of(trace, spans[by]) == cell}
    through = [i for i in calls if not made.isdisjoint(trace.backwards[i].order)] if made else []
    return next((i for i in through if trace.backwards[i].status == "ok"), through[0] if through else None)


def backward_of_cell(trace: Trace, cell: int) -> int | None:
    """Return a cell's backward, else the nearest earlier or later."""
    if (own := own_backward(trace, cell)) is not None and trace.backwards[own].status == "ok":
        return own
    calls = called_backwards(trace)
    cells = {i: cell_of(trace, trace.backwards[i].span) for i in calls}
    good = [i for i in calls if trace.backwards[i].status == "ok"]
    earlier = [i for i in good if cells[i] <= cell] or [i for i in calls if cells[i] <= cell]
    if earlier:
        return earlier[-1]
    later = good or calls
    return later[0] if later else None


def made_tensors(trace: Trace, until: int | None = None) -> list[NamedResult]:
    """List the tensors that lines created, in line order and linear time.

    A repeated line appears once for each of its names, with its last run.

    Args:
        until: consider only operations before `until`. None: the whole run.
    """
    before = len(trace.operations) if until is None else until - 1
    last = ((results, bisect_right(times, before)) for times, results in _made_in_time(trace))
    chosen = [results[behind - 1] for results, behind in last if behind]
    return sorted(chosen, key=lambda result: (result.cell, result.line))


@memoized
def _made_in_time(trace: Trace) -> list[tuple[list[int], list[NamedResult]]]:
    """Return when each name on a line was bound again, and its tensor."""
    groups: dict[tuple[int, int, str], list[tuple[int, NamedResult]]] = {}

    def add(time: int, name: str, place: Place, tensor: int, row: int, written: bool = False) -> None:
        result = NamedResult(name, *place, tensor, row, written)
        groups.setdefault((*place, name), []).append((time, result))

    for binding in trace.bindings:
        if (place := _line_of(trace, binding)) is not None:
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
    ordered = (sorted(results, key=lambda result: result[0]) for results in groups.values())
    return [([time for time, _ in results], [result for _, result in results]) for results in ordered]


def _line_of(trace: Trace, binding: Binding) -> Place | None:
    """Return the line that bound a name to a tensor, None if unknown.

    A binding inferred from a read has no place. It belongs to the name's assignment that created the tensor, or to the
    name's only assignment.
    """
    if binding.span >= 0:
        return _place(trace, binding.span)
    own, operations = assignments_by_name(trace).get(binding.name, ()), trace.operations
    if 0 <= binding.start < len(operations) and (span := operations.span[binding.start]) >= 0:
        at = trace.spans[span]
        for one in own:
            if one.value and one.cell == at.cell and one.line <= at.line <= one.last:
                return one.cell, one.line
    if binding.call == 0 and len(own) == 1 and own[0].value:
        return own[0].cell, own[0].line
    return None


def written_name(trace: Trace, place: Place, tensor: int) -> str:
    """Return the name of a tensor that a line wrote in place, otherwise "".

    Building a module also fills its parameters, and running it updates buffers. Those do not count.
    """
    name = _first_names(trace).get(tensor, "")
    inside = "." in name and not trace.tensors.is_parameter[tensor] and not mentions_name(trace, place, name)
    return "" if inside or ("." in name and place in module_lines(trace)) else name


def mentions_name(trace: Trace, place: Place, name: str) -> bool:
    """Return whether a line mentions a name or its last part (`self.count` for model.count)."""
    return name.rpartition(".")[2] in _WORD.findall(trace.cells[place[0]].lines[place[1] - 1])


def names_bound(trace: Trace, place: Place) -> frozenset[str]:
    """Return the names that a line's statements assign."""
    return _names_bound(trace).get(place, frozenset())


@memoized
def _names_bound(trace: Trace) -> Mapping[Place, frozenset[str]]:
    by_line: dict[Place, set[str]] = defaultdict(set)
    for one in all_assignments(trace):
        if one.name.isidentifier():
            by_line[one.cell, one.line].add(one.name)
    return {place: frozenset(names) for place, names in by_line.items()}


@memoized
def _first_names(trace: Trace) -> Mapping[int, str]:
    return {binding.tensor: binding.name for binding in reversed(trace.bindings)}


def _place(trace: Trace, span: int) -> Place:
    return trace.spans[span].cell, trace.spans[span].line


_PATH = plain(r"[A-Za-z_]\w*(?:\.\w+)+$")
_ATTRIBUTE = plain(r"\s*self\.(\w+)\s*(?::[^=]*)?=[^=]")
_SEARCHED_LINES = 20_000  # lines searched for attributes


class ModuleLine(Struct, frozen=True):
    """A module bound by a line, with its own weight's shape and its parameter entries, each counted once."""

    shape: tuple[int, ...] | None
    parameters: int


@memoized
def module_lines(trace: Trace) -> Mapping[Place, ModuleLine]:
    """Map lines to the modules that they bound to names or attributes of `self`."""
    parts: dict[str, dict[str, int]] = defaultdict(dict)  # parameters below each path
    ends: dict[str, set[str]] = defaultdict(set)  # paths that end with each attribute
    for binding in trace.bindings:
        if trace.tensors.is_parameter[binding.tensor] and _PATH.match(binding.name):
            steps = binding.name.split(".")
            for end in range(1, len(steps)):
                path = ".".join(steps[:end])
                parts[path][binding.name] = binding.tensor
                ends[steps[end - 1]].add(path)
    lines: dict[Place, ModuleLine] = {}
    if not parts:
        return lines
    for name, (*before, last) in sorted(assignments_by_name(trace).items()):
        if name in parts and last.value and not (before and last.indent):  # otherwise the name may mean another module
            lines[last.cell, last.line] = _module(trace, name, parts[name])
    built = _storages_by_line(trace)
    texts = ((cell, line, text) for cell, one in enumerate(trace.cells) for line, text in enumerate(one.lines, 1))
    for cell, line, text in texts:
        if line > _SEARCHED_LINES or not (assigned := _ATTRIBUTE.match(text)):
            continue
        place, attribute = (cell, line), assigned[1]
        # The same line builds every layer of a stack, so only common facts are shown.
        modules = {
            _module(trace, path, parts[path])
            for path in ends.get(attribute, ())
            if any(trace.tensors.storage[tensor] in built[place] for tensor in parts[path].values())
        }
        if len(modules) == 1:
            lines[place] = modules.pop()
    return lines


def _module(trace: Trace, path: str, parameters: Mapping[str, int]) -> ModuleLine:
    shapes = {tensor: trace.shapes[trace.tensors.shape[tensor]] for tensor in parameters.values()}
    weight = parameters.get(f"{path}.weight")
    return ModuleLine(
        None if weight is None else tuple(shapes[weight]), sum(math.prod(shape) for shape in shapes.values())
    )


def _storages_by_line(trace: Trace) -> Mapping[Place, set[int]]:
    """Return the storages that each line's operations created or filled."""
    storages: dict[Place, set[int]] = defaultdict(set)
    operations, storage = trace.operations, trace.tensors.storage
    for operation, span in enumerate(operations.span):
        if span >= 0:
            at = trace.spans[span]
            storages[at.cell, at.line] |= {storage[tensor] for tensor in operations.outputs[operation]}
    return storages


_OF_PYTHON = ("NameError", "UnboundLocalError", "SyntaxError", "IndentationError", "TabError", "KeyboardInterrupt")


def stopped_operation(trace: Trace, cell: int) -> int:
    """Return the operation that ended a cell, by an exception or without a derivative, or -1."""
    operations, places = trace.operations, ending_spans(trace, cell)
    refused = _refused(trace, cell)
    if refused is not None:
        made = refused.root_tensors[0] if len(trace.nodes) and refused.roots and max(refused.roots) < 0 else -1
        return trace.versions.operation[trace.versions_of(made)[-1]] if made >= 0 else -1
    for i in reversed(range(len(operations))):
        span = operations.span[i] if operations.error[i] >= 0 else -1
        if span >= 0 and any(trace.spans[span].meets(trace.spans[place]) for place in places):
            return i
    return -1


def ending_operation(trace: Trace) -> int:
    """Return the operation that ended a run, or -1."""
    failed = [i for i, cell in enumerate(trace.cells) if any(isinstance(output, Failure) for output in cell.outputs)]
    if not failed:
        return -1
    last = len(trace.operations) - 1  # a call made by `explorer.draw` has no program line
    raised = last if last >= 0 and trace.operations.error[last] >= 0 else -1
    return max(stopped_operation(trace, failed[-1]), raised)


def stopped_cards(view: GraphView, trace: Trace, cell: int) -> tuple[str, ...]:
    """Return ids of cards where a cell stopped (backward, operation or names).

    Unknown names and syntax errors mark no card. A limit marks those of its line.
    """
    marked = [card.id for card in view.cards if card.failed]
    if marked:
        return tuple(marked)
    outputs = [
        output for output in trace.cells[cell].outputs if isinstance(output, Failure | Limit) and output.span >= 0
    ]
    if not outputs:
        return ()
    last = outputs[-1]
    if isinstance(last, Limit):
        placed = ((card.id, card.place) for card in view.cards if card.place and not last.folds)
        return tuple(id for id, at in placed if (at.cell, at.line) == _place(trace, last.span))
    refused = _refused(trace, cell)
    if refused is not None:
        asked = set(refused.root_tensors)
        return tuple(card.id for card in view.cards if not asked.isdisjoint(card.tensors))
    if last.type in _OF_PYTHON:
        return ()
    last_names = names_in(trace.text(last.span))
    now = {tensor for name, tensor in trace.index.bound.items() if name in last_names}
    named = tuple(card.id for card in view.cards if not now.isdisjoint(card.tensors))
    return named or tuple(card.id for card in view.cards if card.name in last_names)


def _refused(trace: Trace, cell: int) -> Backward | None:
    """Return the backward that ended a cell before it began."""
    failed = ending_backwards(trace, cell)
    last = trace.backwards[failed[-1]] if failed else None
    return last if last is not None and last.failed_node < 0 and not last.order else None


MOST = 200  # most names offered


class Root(Struct, frozen=True):
    """A name whose tensor can be differentiated, and the tensor's shape."""

    name: str
    shape: tuple[int, ...]


def possible_roots(trace: Trace) -> tuple[Root, ...]:
    """Return the last names bound to autograd's results, in order."""
    tensors = trace.tensors
    last: dict[str, int] = {}
    for binding in trace.bindings:
        last.pop(binding.name, None)
        last[binding.name] = binding.tensor
    roots = [
        Root(name, tuple(trace.shapes[tensors.shape[i]]))
        for name, i in last.items()
        if tensors.requires_grad[i]
        and not tensors.is_leaf[i]
        and trace.string(tensors.dtype[i]) in EPS
        and name.isidentifier()
    ]
    return tuple(roots[-MOST:])
