"""What a line of the program is best seen by: the call that it makes, or the tensor that it makes or reads."""

from collections import deque
from collections.abc import Mapping, Sequence
from operator import itemgetter

from msgspec import Struct

from explorer.analysis.operations import operation_of
from explorer.analysis.source.assignments import all_assignments
from explorer.analysis.tensors.memory import sharing
from explorer.analysis.tensors.operations.view import ListedCall, operations
from explorer.analysis.tensors.program_lines import ProgramLine, place_of_binding, place_of_operation
from explorer.analysis.tensors.tensor_list import ListedTensor, tensor_list, writes
from explorer.trace import Trace, memoized
from explorer.trace.index import names_in

# A line that begins so introduces names of its own: what they mean elsewhere says nothing of it.
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
    """What a line of a cell shows; of a line with nothing to show the nearest above it, else below it.

    Args:
        line: from 1; None is the end of the cell.

    Returns None for a cell in which no line has to do with a tensor.
    """
    lines = _by_line(trace, cell)
    if not lines:
        return None
    above = [number for number in lines if line is None or number <= line]
    return lines[max(above) if above else min(lines)]


def lines_with_pictures(trace: Trace, cell: int) -> frozenset[int]:
    """The lines of a cell, from 1, that have something to show."""
    return frozenset(_by_line(trace, cell))


def tells_memory(trace: Trace, cell: int, line: int | None) -> bool:
    """Whether a line is about memory: by it several names change at once, or get the storage of which that is true."""
    shown = line_picture(trace, cell, line)
    return shown is not None and ProgramLine(cell, shown.line) in _about_memory(trace)


@memoized
def _about_memory(trace: Trace) -> frozenset[ProgramLine]:
    """The lines that write into a storage of several names, and those that gave it the names."""
    shared = [write for write in writes(trace) if write.kind in ("written", "unseen") and (write.also or write.arrays)]
    names = {name for write in shared for name in (write.name, *write.also, *write.arrays)}
    second = [write.place for write in writes(trace) if write.kind == "named" and write.name in names]
    views = [each.place for each in sharing(trace) if each.outcome == "view" and each.result in names]
    return frozenset(place for place in (*(write.place for write in shared), *second, *views) if place is not None)


def moment_of(trace: Trace, place: ProgramLine) -> int | None:
    """The last operation that had run when a line had run last; None where the record does not show it."""
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
    for write in writes(trace):  # found only afterwards
        if write.kind == "unseen" and write.place is not None:
            moments.pop(write.place, None)
    return moments


@memoized
def _by_line(trace: Trace, cell: int) -> Mapping[int, LinePicture]:
    """Later calls and tensors of a line come last in the lists, and are what the line is about."""
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
    """By line the first tensor that it names, as the lines before left it; names within functions are others."""
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
    waiting = deque(sorted(given, key=itemgetter(0)))  # of one line the tensors stand behind the names
    for number, line in enumerate(text, 1):
        while waiting and waiting[0][0] <= ProgramLine(cell, number):
            _, name, tensor = waiting.popleft()
            if tensor is not None:
                latest[name] = tensor
            else:  # it may be no tensor any more
                latest.pop(name, None)
        if line.startswith(_INTRODUCES):
            continue
        code = line.partition("#")[0]
        if names := [name for name in names_in(code) if name in latest]:
            found[number] = latest[min(names, key=code.index)]
    return found
