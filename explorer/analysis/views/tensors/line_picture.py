"""Choose the best view of a program line."""

from collections import deque
from collections.abc import Mapping, Sequence
from operator import itemgetter

from msgspec import Struct

from explorer.analysis.explain.entries.operation_view import ListedCall, operations
from explorer.analysis.run.operations import operation_of
from explorer.analysis.run.source.assignments import all_assignments
from explorer.analysis.views.tensors.memory import sharing
from explorer.analysis.views.tensors.program_lines import ProgramLine, place_of_binding, place_of_operation
from explorer.analysis.views.tensors.tensor_list import ListedTensor, tensor_list, writes
from explorer.trace import Trace, memoized
from explorer.trace.index import names_in

# Lines that introduce their own names, which mean something else elsewhere.
_INTRODUCES = ("import ", "from ", "def ", "class ", "for ", "with ", "async ", "@", "#", "%", "!", " ", "\t")


class LinePicture(Struct, frozen=True):
    """One line, seen by a call or by a tensor.

    Attributes:
        line: from 1, in its cell.
        call: a call of the line that has a picture, or None.
        tensor: without a call the tensor that the line made, wrote to or read.
    """

    line: int
    call: ListedCall | None = None
    tensor: ListedTensor | None = None


def line_picture(trace: Trace, cell: int, line: int | None) -> LinePicture | None:
    """Return the picture of a line (None: the cell's end) or the nearest one."""
    lines = _by_line(trace, cell)
    if not lines:
        return None
    above = [number for number in lines if line is None or number <= line]
    return lines[max(above) if above else min(lines)]


def lines_with_pictures(trace: Trace, cell: int) -> frozenset[int]:
    """Return the lines of a cell, from 1, that have a picture."""
    return frozenset(_by_line(trace, cell))


@memoized
def shares_memory(trace: Trace) -> bool:
    """Return whether named tensors were written to in place, or two of them have one storage."""
    named = [tensor for tensor in trace.index.bindings if tensor >= 0]
    storages = [trace.tensors.storage[tensor] for tensor in named if trace.tensors.storage[tensor] >= 0]
    return len({*storages}) < len(storages) or any(len(trace.versions_of(tensor)) > 1 for tensor in named)


def is_about_memory(trace: Trace, cell: int, line: int | None) -> bool:
    """Return whether a line changes several names or their storage."""
    shown = line_picture(trace, cell, line)
    return shown is not None and ProgramLine(cell, shown.line) in _about_memory(trace)


@memoized
def _about_memory(trace: Trace) -> frozenset[ProgramLine]:
    """Return the lines that write to storages of several names, or that named them."""
    shared = [write for write in writes(trace) if write.kind in ("written", "unseen") and (write.also or write.arrays)]
    names = {name for write in shared for name in (write.name, *write.also, *write.arrays)}
    second = [write.place for write in writes(trace) if write.kind == "named" and write.name in names]
    views = [each.place for each in sharing(trace) if each.outcome == "view" and each.result in names]
    return frozenset(place for place in (*(write.place for write in shared), *second, *views) if place is not None)


def moment_of(trace: Trace, place: ProgramLine) -> int | None:
    """Return the last operation run when a line last ended, None if not recorded."""
    return _moments(trace).get(place)


@memoized
def _moments(trace: Trace) -> Mapping[ProgramLine, int]:
    moments: dict[ProgramLine, int] = {}
    for operation in range(len(trace.operations)):
        if (place := place_of_operation(trace, operation)) is not None:
            moments[place] = operation
    for binding in trace.bindings:
        if (place := place_of_binding(trace, binding)) is not None:
            moments[place] = max(moments.get(place, -1), binding.start)
    for write in writes(trace):  # writes are found only afterwards
        if write.kind == "unseen" and write.place is not None:
            moments.pop(write.place, None)
    return moments


@memoized
def _by_line(trace: Trace, cell: int) -> Mapping[int, LinePicture]:
    """Map lines to pictures. Later calls and tensors of a line take precedence."""
    text = trace.cells[cell].lines
    shown = {line: LinePicture(line, tensor=tensor) for line, tensor in _read(trace, cell, text).items()}
    for tensor in tensor_list(trace):
        if tensor.place is not None and tensor.place.cell == cell:
            line = tensor.place.line
            earlier = shown.get(line)
            if earlier is None or earlier.tensor is None or tensor.named or not earlier.tensor.named:
                shown[line] = LinePicture(line, tensor=tensor)
    for call in sorted(operations(trace), key=lambda call: call.operation):
        if call.cell == cell and operation_of(call.name).subject != "create":
            shown[call.line] = LinePicture(call.line, call=call)
    return shown


def _read(trace: Trace, cell: int, text: Sequence[str]) -> dict[int, ListedTensor]:
    """Map lines to the first tensor that they name, as previous lines left it."""
    found: dict[int, ListedTensor] = {}
    latest: dict[str, ListedTensor] = {}
    outside = {(binding.name, binding.tensor) for binding in trace.bindings if binding.call == 0}
    given: list[tuple[ProgramLine, str, ListedTensor | None]] = [
        (ProgramLine(one.cell, one.line), one.name, None) for one in all_assignments(trace) if not one.indent
    ]
    given += [
        (one.place, one.name, one)
        for one in tensor_list(trace)
        if one.place is not None and (one.name, one.tensor) in outside
    ]
    waiting = deque(sorted(given, key=itemgetter(0)))  # within one line, tensors come after names
    for number, line in enumerate(text, 1):
        while waiting and waiting[0][0] <= ProgramLine(cell, number):
            _, name, tensor = waiting.popleft()
            if tensor is not None:
                latest[name] = tensor
            else:  # the name may no longer refer to a tensor
                latest.pop(name, None)
        if line.startswith(_INTRODUCES):
            continue
        code = line.partition("#")[0]
        if names := [name for name in names_in(code) if name in latest]:
            found[number] = latest[min(names, key=code.index)]
    return found
