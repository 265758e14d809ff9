"""Inputs of an operation that require no gradient, and where detach, .data, no_grad or .item() cut the gradient."""

from dataclasses import dataclass

from explorer.analysis.autograd.python_numbers import NUMBERS, came_back
from explorer.analysis.autograd.view import WireKind
from explorer.analysis.titles import Titles
from explorer.safe_regex import plain
from explorer.trace import Trace

_ASSIGNED = plain(r"\s*([^\W\d]\w*)\s*=\s*")
_CUTS: dict[str, WireKind] = {"detach": "detach", "detach_": "detach", "data": "data_attribute"}
_REACH = 40  # operations at most between a tensor without history and the one whose gradient was cut


@dataclass(frozen=True)
class DataInput:
    """An input of an operation that requires no gradient.

    Attributes:
        key: the tensor (>= 0), or -1 - operation for a number taken out of a tensor by .item().
        position: which input of the operation it is.
        row: its version (Trace.versions), -1 if unknown.
        source_row: the version whose gradient is cut on the way here, or -1; kind says by what.
    """

    key: int
    position: int
    row: int
    source_row: int = -1
    kind: WireKind = "data"


def row_before(trace: Trace, tensor: int, version: int, operation: int) -> int:
    """The row of `versions` that an operation read: the one with the counter it saw, otherwise the last written
    before.
    """
    index = trace.index
    read = index.before(tensor, operation, version) if version >= 0 else None
    read = index.before(tensor, operation) if read is None else read
    return trace.tensors.version_start[tensor] if read is None else read


def has_history(trace: Trace, tensor: int, row: int) -> bool:
    """Whether a gradient could flow to this version of a tensor."""
    if trace.versions.node[row] >= 0:
        return True
    return trace.tensors.requires_grad[tensor] and trace.tensors.is_leaf[tensor]


def data_inputs(trace: Trace, titles: Titles, operation: int, numbers: dict[int, list[int]]) -> list[DataInput]:
    """The named tensors without history that an operation read, and every cut that ends in it."""
    operations, found, seen = trace.operations, [], set()
    versions = operations.input_versions[operation]
    for position, tensor in enumerate(operations.inputs[operation]):
        row = row_before(trace, tensor, versions[position] if versions else -1, operation)
        if tensor in seen or has_history(trace, tensor, row):
            continue
        seen.add(tensor)
        source, kind = _cut_behind(trace, row)
        if source >= 0 or titles.name(tensor, operation):
            found.append(DataInput(tensor, position, row, source, kind))
    for number in numbers.get(operation, ()):
        tensor = operations.inputs[number][0]
        row = row_before(trace, tensor, -1, number)
        if has_history(trace, tensor, row):
            found.append(DataInput(-1 - number, len(seen) + 100, row, row, "item"))
    return found


def _cut_behind(trace: Trace, row: int) -> tuple[int, WireKind]:
    """The version with history that a tensor without one was computed from, and what cut its gradient, or (-1,
    data).
    """
    operations = trace.operations
    todo = [trace.versions.operation[row]]
    seen: set[int] = set()
    while todo and len(seen) < _REACH:
        operation = todo.pop(0)
        if operation < 0 or operation in seen:
            continue
        seen.add(operation)
        versions = operations.input_versions[operation]
        for position, tensor in enumerate(operations.inputs[operation]):
            before = row_before(trace, tensor, versions[position] if versions else -1, operation)
            if not has_history(trace, tensor, before):
                todo.append(trace.versions.operation[before])
                continue
            kind = _CUTS.get(trace.strings[operations.name[operation]])
            if kind or not operations.grad_enabled[operation]:
                return before, kind or "no_grad"
    return -1, "data"


def numbers_used(trace: Trace) -> dict[int, list[int]]:
    """The `.item()`-like calls whose number went into each operation, as far as the text tells; the first of each."""
    found: dict[int, list[int]] = {}
    for call, fed in came_back(trace).items():
        if trace.strings[trace.operations.name[call]] in NUMBERS:
            found.setdefault(fed[0], []).append(call)
    return found


def bound_name(trace: Trace, call: int) -> str:
    """The name in `name = <the call>`, "" for any other statement."""
    place = trace.spans[trace.operations.span[call]]
    lines = trace.cells[place.cell].lines
    before = _ASSIGNED.fullmatch(lines[place.line - 1][: place.column])
    after = lines[place.end_line - 1][place.end_column :].split("#")[0].strip(" ;")
    return before.group(1) if before and not after else ""
