"""Program lines of operations, names and unexecuted branches, and tensor versions."""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass

from explorer.analysis.run.source.assignments import assignments_by_name
from explorer.safe_regex import is_word, linear, plain, stands_in
from explorer.trace import Binding, Trace, Value

LONGEST = 400  # most characters examined per line
_COMMENT = linear(r"\s+#[^'\"]*$")
_WRITES = linear(r"^\s*([\w.]+)\s*(?:\[.*\]\s*=(?:[^=]|$)|(?:\[.*\]\s*)?[-+*/%@&|^]+=|\.(?:fill|sort|put|itemset)\()")
_OUT = plain(r"(?<!\w)out=(\w+)")


@dataclass(frozen=True, order=True)
class ProgramLine:
    """A program line. Attributes: cell: from 0. line: in that cell, from 1."""

    cell: int
    line: int


@dataclass(frozen=True)
class Branch:
    """A branch for a device that is missing here: its last line and condition."""

    place: ProgramLine
    last: int
    condition: str


def place_of_span(trace: Trace, span: int) -> ProgramLine | None:
    """Return the line where a span begins, None for -1."""
    return ProgramLine(trace.spans[span].cell, trace.spans[span].line) if span >= 0 else None


def place_of_operation(trace: Trace, operation: int) -> ProgramLine | None:
    """Return the line that called an operation, None without a place."""
    return place_of_span(trace, trace.operations.span[operation]) if operation >= 0 else None


def place_of_binding(trace: Trace, binding: Binding) -> ProgramLine | None:
    """Return the line that named a tensor, if late the assignment in the text."""
    if binding.span >= 0:
        return place_of_span(trace, binding.span)
    seen = place_of_operation(trace, binding.start) or ProgramLine(0, 1)
    assigned = _places_of(trace, binding.name)
    late = bool(assigned) and assigned[-1] < seen  # the recorder saw it after the binding line
    return place_of_name(trace, binding.name, trace.maker(binding.tensor) if late else binding.start)


def place_of_name(trace: Trace, name: str, operation: int) -> ProgramLine | None:
    """Return the next line that assigns a name, or None.

    Without an assignment, the function, loop or block that introduces the name counts. A module part (`net.0.weight`)
    belongs to the module's assignment.
    """
    begins = place_of_operation(trace, operation) or ProgramLine(0, 1)
    places = _places_of(trace, name)
    behind = bisect_left(places, begins)
    return places[behind if behind < len(places) else 0] if places else None


def _places_of(trace: Trace, name: str) -> list[ProgramLine]:
    """Return the lines that assign a path, otherwise the head of a dotted name, in order."""
    head = name if name in assignments_by_name(trace) else name.split(".", 1)[0]
    return trace.index.memoize(("places", head), lambda: _introducing(trace, head))


def _introducing(trace: Trace, name: str) -> list[ProgramLine]:
    """Return the lines that assign a name, otherwise those that introduce it."""
    places = [ProgramLine(one.cell, one.line) for one in assignments_by_name(trace).get(name, ()) if one.value]
    return places or [place for place, text in _lines(trace, name) if _introduces(text, name)]


def _introduces(line: str, name: str) -> bool:
    """Return whether a line begins a function, loop or block that binds a name."""
    text = line.lstrip()
    for word, behind in (("def", "("), ("for", ""), ("with", " as ")):
        if begins_with(text, word):
            return stands_in(text[len(word) :].partition(behind)[2] if behind else text[len(word) :], name)
    return False


def _writes(line: str, names: tuple[str, ...]) -> bool:
    """Return whether a line writes to one of these arrays."""
    if not any(name in line for name in names):
        return False
    match = _WRITES.match(line)
    return (match is not None and match[1] in names) or any(name in names for name in _OUT.findall(line))


def place_of_array_write(trace: Trace, names: tuple[str, ...], operation: int, number: int = 0) -> ProgramLine | None:
    """Return the `number`th line (from 0) after an operation that writes to these arrays, or None."""
    if not names:
        return None
    begins = place_of_operation(trace, operation) or ProgramLine(0, 0)
    writes = trace.index.memoize(("array writes", names), lambda: _array_writes(trace, names))
    first = bisect_right(writes, begins) + number
    return writes[first] if first < len(writes) else None


def _array_writes(trace: Trace, names: tuple[str, ...]) -> list[ProgramLine]:
    """Return the lines that write to these arrays, in order."""
    heads = (name.split(".", 1)[0] for name in names)
    return [place for place, text in _lines(trace, *heads) if _writes(text, names)]


def line_of(trace: Trace, place: ProgramLine) -> str:
    """Return a line's text without indentation."""
    return trace.cells[place.cell].lines[place.line - 1][:LONGEST].strip()


def statement(trace: Trace, place: ProgramLine | None, text: str) -> str:
    """Return the line if one statement, else the expression."""
    line = line_of(trace, place) if place else ""
    whole = _COMMENT.sub("", line)
    return whole if text and text in whole and ";" not in whole else text


_ASKS = linear(r"^(\s*)(?:if|elif)(?:[^\w]|[^\w].*[^\w])(?:cuda|mps|xpu)\.is_available\(\).*:\s*(?:#.*)?$")


def branches_not_run(trace: Trace) -> tuple[Branch, ...]:
    """List the branches for another device in which no operation ran."""
    ran = {place_of_span(trace, span) for span in trace.operations.span}
    branches = []
    for cell, cell_run in enumerate(trace.cells):
        if "is_available" not in cell_run.source:
            continue
        lines = [line[:LONGEST] for line in cell_run.lines]
        for number, text in enumerate(lines, 1):
            if "is_available" not in text or (asks := _ASKS.match(text)) is None:
                continue
            last = number
            for below, inner in enumerate(lines[number:], number + 1):
                if inner.strip() and len(inner) - len(inner.lstrip()) <= len(asks[1]):
                    break
                last = below if inner.strip() else last
            if last > number and not any(ProgramLine(cell, line) in ran for line in range(number + 1, last + 1)):
                branches.append(Branch(ProgramLine(cell, number), last, text.strip()))
    return tuple(branches)


def _lines(trace: Trace, *words: str) -> list[tuple[ProgramLine, str]]:
    """Return up to a limit of lines, with places, that contain a word."""
    places = {place for word in words for place in trace.index.lines_with.get(word, ())}
    return [(ProgramLine(cell, line), trace.cells[cell].lines[line - 1][:LONGEST]) for cell, line in sorted(places)]


def writes_to(trace: Trace, operation: int, tensor: int) -> bool:
    """Return whether an operation was called on this very tensor."""
    inputs, outputs = trace.operations.inputs[operation], trace.operations.outputs[operation]
    return tensor in outputs or inputs[:1] == [tensor]


def begins_with(text: str, name: str) -> bool:
    """Return whether a statement starts with exactly this name."""
    return text.startswith(name) and not is_word(text[len(name) : len(name) + 1])


def version_at(trace: Trace, tensor: int, operation: int) -> int:
    """Return a tensor's version after an operation, as a row of Trace.versions.

    A version without a recorded write counts from the operation that began after its discovery.
    """
    versions = trace.versions_of(tensor)
    if len(versions) == 1:  # the usual case
        return versions[0]
    rows = (trace.index.before(tensor, operation), trace.index.written(tensor, operation))
    return max((row for row in rows if row is not None), default=versions[0])


def shape_of(trace: Trace, version: int) -> tuple[tuple[int, ...], str]:
    """Return a version's shape and dtype, or its tensor's if entries were not kept."""
    value, tensors = trace.versions.value[version], trace.tensors
    if value < 0:
        tensor = trace.index.tensor_of(version)
        return tuple(trace.shapes[tensors.shape[tensor]]), trace.strings[tensors.dtype[tensor]]
    return tuple(trace.shapes[trace.values.shape[value]]), trace.strings[trace.values.dtype[value]]


def value_of(trace: Trace, version: int) -> Value:
    """Return a version's value, without entries if they were not kept."""
    return trace.value_at(version) or Value(*shape_of(trace, version), None, (), None, None, None, None, 0)
