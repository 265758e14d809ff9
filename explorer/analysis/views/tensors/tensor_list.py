"""List a program's tensors and each line's effects on them.

A version was written by an operation, by a backward that added to `.grad`, or by something unrecorded.
"""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from explorer.analysis.explain.autograd.gradients import gradient_leaves
from explorer.analysis.run.model import run_of
from explorer.analysis.run.names import word_of
from explorer.analysis.views.tensors.program_lines import (
    ProgramLine,
    begins_with,
    line_of,
    place_of_array_write,
    place_of_binding,
    place_of_operation,
    place_of_span,
    shape_of,
    statement,
    version_at,
    writes_to,
)
from explorer.trace import Array, Backward, Trace
from explorer.trace.index import memoized

NOWHERE = ProgramLine(1 << 20, 0)  # sorts last
WriterKind = Literal["operation", "backward", "counted", "unseen"]


@dataclass(frozen=True)
class ListedTensor:
    """A tensor as a line left it.

    Attributes:
        name: the program's word for it, or the expression that made it.
        named: whether that is a name.
        place: its line, None when the text does not show one, as where operations were not recorded.
        version: the row of Trace.versions as the line left it.
    """

    name: str
    named: bool
    place: ProgramLine | None
    tensor: int
    version: int
    shape: tuple[int, ...]
    dtype: str

    @property
    def key(self) -> str:
        """Address within a program: name, cell and line."""
        return f"{self.name}@{self.place.cell}.{self.place.line}" if self.place else f"{self.name}@"


@memoized
def tensor_list(trace: Trace) -> tuple[ListedTensor, ...]:
    """List tensors that a line named, wrote, or left as an unused result.

    A repeated line appears once for each of its names, with its last run. Lines are in order. A module part is named at
    an unknown time, so if it was written to, only its writes appear. Final tensors that no line shows come last.
    """
    listed: dict[tuple[ProgramLine | None, str], ListedTensor] = {}
    written = [write for write in writes(trace) if write.kind in ("written", "unseen") and write.place is not None]
    rewritten = {write.tensor for write in written}
    for binding in trace.bindings:
        if "." in binding.name and binding.span < 0 and binding.start < 0 and binding.tensor in rewritten:
            continue
        row = version_at(trace, binding.tensor, binding.start)
        _add(listed, trace, binding.name, True, place_of_binding(trace, binding), binding.tensor, row)
    for write in written:
        _add(listed, trace, write.name, True, write.place, write.tensor, write.version)
    for operation, tensor in _find_unnamed(trace):
        span = trace.operations.span[operation]
        row = version_at(trace, tensor, operation)
        _add(listed, trace, trace.text(span), False, place_of_span(trace, span), tensor, row)
    for name, tensor, row in _find_ends(trace, {one.version for one in listed.values()}):
        _add(listed, trace, name, True, None, tensor, row)
    return tuple(sorted(listed.values(), key=lambda one: one.place or NOWHERE))  # equal places keep their order


def _find_ends(trace: Trace, shown: set[int]) -> Iterator[tuple[str, int, int]]:
    """Yield (name, tensor, version) of last versions without a line."""
    for tensor, bindings in trace.index.bindings.items():
        last, names = trace.versions_of(tensor)[-1], [binding.name for binding in bindings if binding.until < 0]
        if not names or last in shown or last == trace.tensors.version_start[tensor]:
            continue
        if writer(trace, last).span < 0 or tensor == trace.index.in_storage[trace.tensors.storage[tensor]][0]:
            yield next((name for name in names if "." in name), names[0]), tensor, last


def _add(
    listed: dict, trace: Trace, name: str, named: bool, place: ProgramLine | None, tensor: int, version: int
) -> None:
    listed.pop((place, name), None)  # re-inserted below, so that a line's last result comes last
    listed[place, name] = ListedTensor(name, named, place, tensor, version, *shape_of(trace, version))


def _find_unnamed(trace: Trace) -> list[tuple[int, int]]:
    """Return unnamed results that no later operation uses, as (operation, tensor)."""
    operations = trace.operations
    used = {
        tensor
        for i in range(len(operations))
        if operations.outputs[i] or trace.strings[operations.name[i]] == "__setitem__"
        for tensor in operations.inputs[i]
    }
    layout = run_of(trace).layout
    named = set(map(layout, trace.index.bindings))
    return [
        (operation, tensor)
        for operation in range(len(operations))
        if operations.span[operation] >= 0 and operations.in_backward[operation] < 0
        for tensor in dict.fromkeys(operations.outputs[operation])
        if tensor not in trace.index.bindings
        and tensor not in used
        and tensor not in operations.inputs[operation]
        and _is_shown(trace, operation, layout(tensor) in named)
    ]


def _is_shown(trace: Trace, operation: int, twin: bool) -> bool:
    """Return whether a line displays a result rather than testing it (`if`, `while`).

    Args:
        twin: whether a named tensor views the same entries. A tensor created from nothing counts only without a
            twin and if the text names the call, otherwise a library created it (such as a Parameter's entries).
    """
    operations = trace.operations
    place = place_of_operation(trace, operation)
    line = "" if place is None else line_of(trace, place)
    asked = trace.strings[operations.name[operation]] in trace.text(operations.span[operation])
    on_the_way = not operations.inputs[operation] and (twin or not asked)
    return not on_the_way and not line.startswith(("if ", "elif ", "while ", "assert ", "return "))


@dataclass(frozen=True)
class Write:
    """One change.

    Attributes:
        kind: rebound (another object, `y = y + x`), named (a second name, `b = a`), written (into the storage, `y
            += x`, `out=`) or unseen (changed without a torch operation, for example by NumPy).
        operation: operation id, for a backward or unseen write the last before it, or -1.
        tensor, version: tensor of the name, and its new row of Trace.versions.
        same_object, same_storage: whether `id(name)` and the storage are unchanged.
        before, after: version counters of the name's tensor, or -1.
        also: other names whose tensors changed with it, in order.
        arrays: names of NumPy arrays that changed with it.
    """

    kind: Literal["rebound", "named", "written", "unseen"]
    name: str
    place: ProgramLine | None
    text: str
    operation: int
    tensor: int
    version: int
    same_object: bool
    same_storage: bool
    before: int
    after: int
    also: tuple[str, ...] = ()
    arrays: tuple[str, ...] = ()


@memoized
def writes(trace: Trace) -> tuple[Write, ...]:
    """List every rebinding and write by line, repeated lines once."""
    every = [*rebinding(trace), *_by_own_names(trace, _find_writes(trace))]
    last = {(write.place or write.operation, write.name, write.kind): write for write in every}
    begins = ProgramLine(0, 0)
    order = {id(write): write.place or place_of_operation(trace, write.operation) or begins for write in last.values()}
    return tuple(sorted(last.values(), key=lambda write: (order[id(write)], write.kind == "unseen")))


def _by_own_names(trace: Trace, writes: list[Write]) -> list[Write]:
    """Name each write's tensor by its final name."""
    tensors: dict[tuple[ProgramLine | None, str], set[int]] = {}
    for write in writes:
        tensors.setdefault((write.place, write.name), set()).add(write.tensor)
    bindings = trace.index.bindings
    own = {
        write.tensor: [of.name for of in bindings[write.tensor] if of.until < 0 and of.name != write.name]
        for write in writes
        if len(tensors[write.place, write.name]) > 1
    }
    return [replace(write, name=own[write.tensor][0]) if own.get(write.tensor) else write for write in writes]


def rebinding(trace: Trace) -> tuple[Write, ...]:
    """List names that moved between tensors, and second names of a tensor."""
    writes = []
    current: dict[str, int] = {}
    owner: dict[int, str] = {}
    for binding in sorted(trace.bindings, key=lambda binding: binding.start):
        before, tensor = current.get(binding.name), binding.tensor
        current[binding.name] = tensor
        first = owner.setdefault(tensor, binding.name)
        if before == tensor or (before is None and first == binding.name):
            continue
        place = place_of_binding(trace, binding)
        text = statement(trace, place, trace.text(binding.span))
        if binding.span < 0 and place is not None:  # the binding was seen later
            text = line_of(trace, place)
        about = binding.start, tensor, version_at(trace, tensor, binding.start)
        if before is not None:
            same = trace.tensors.storage[before] == trace.tensors.storage[tensor] >= 0
            old, new = _counter(trace, before, binding.start), _counter(trace, tensor, binding.start)
            writes.append(Write("rebound", binding.name, place, text, *about, False, same, old, new))
        else:
            count = _counter(trace, tensor, binding.start)
            writes.append(Write("named", binding.name, place, text, *about, True, True, count, count, (first,)))
    return tuple(writes)


@dataclass(frozen=True)
class _Unseen:
    """Time of a version without an operation: operations around it, and its rank since the previous version."""

    before: int
    after: int
    number: int


def _find_writes(trace: Trace) -> list[Write]:
    owner = {row: tensor for tensor in sorted(trace.index.bindings) for row in list(trace.versions_of(tensor))[1:]}
    by_writer: dict[tuple[Writer, int], list[int]] = {}  # an optimizer's operation writes to many storages
    unseen = _together(trace)
    for row, tensor in owner.items():
        if (by := writer(trace, row)).kind in ("operation", "backward"):
            by_writer.setdefault((by, _storage(trace, tensor)), []).append(row)
    writes = []
    for (by, _), rows in by_writer.items():
        operation, text, place = by.time, trace.text(by.span), place_of_span(trace, by.span)
        rows.sort(key=lambda row: _indirect(trace, operation, owner[row], text))
        arrays = _arrays(trace, trace.tensors.storage[owner[rows[0]]], operation, operation)
        writes.append(_write(trace, "written", owner, rows, operation, place, text, arrays))
    for when, rows in unseen:
        arrays = _arrays(trace, trace.tensors.storage[owner[rows[0]]], when.before, when.after)
        begins = max([when.before, *(array.start for array in arrays)])
        place = place_of_array_write(trace, tuple(array.name for array in arrays), begins, when.number)
        text = line_of(trace, place) if place else ""
        writes.append(_write(trace, "unseen", owner, rows, when.before, place, text, arrays))
    return writes


def _together(trace: Trace) -> list[tuple[_Unseen, list[int]]]:
    """Group the versions without an operation that one write created.

    All tensors of a storage with equally many such versions up to the same operation saw the same writes, later created
    ones too.
    """
    counted: dict[tuple[int, int, int], list[dict[int, _Unseen]]] = {}  # (storage, end, count) →
    for tensor in sorted(trace.index.bindings):
        by_end: dict[int, dict[int, _Unseen]] = {}
        for row, when in _find_unseen(trace, tensor).items():
            by_end.setdefault(when.after, {})[row] = when
        for end, rows in by_end.items():
            counted.setdefault((_storage(trace, tensor), end, len(rows)), []).append(rows)
    groups = []
    for many in counted.values():
        for same in zip(*(rows.items() for rows in many), strict=True):
            latest = max((when for _, when in same), key=lambda when: when.before)
            groups.append((latest, [row for row, _ in same]))
    return groups


def _storage(trace: Trace, tensor: int) -> int:
    """Return a tensor's storage, or a unique number if unknown."""
    return trace.tensors.storage[tensor] if trace.tensors.storage[tensor] >= 0 else -2 - tensor


def _indirect(trace: Trace, operation: int, tensor: int, text: str) -> tuple[bool, bool]:
    """Return a sort key that puts an operation's target before other changed tensors."""
    word = word_of(run_of(trace), tensor, operation, text)
    return not begins_with(text, word), not writes_to(trace, operation, tensor)


def _write(
    trace: Trace,
    kind: Literal["written", "unseen"],
    owner: dict[int, int],
    rows: list[int],
    operation: int,
    place: ProgramLine | None,
    text: str,
    arrays: Sequence[Array],
) -> Write:
    """Build a write of rows that changed together, the target first."""
    row, tensor = rows[0], owner[rows[0]]
    also = tuple(dict.fromkeys(word_of(run_of(trace), owner[row]) for row in rows if owner[row] != tensor))
    lies = tuple(dict.fromkeys(array.name for array in arrays))
    name, text = word_of(run_of(trace), tensor, operation, text), statement(trace, place, text)
    counters, about = trace.versions.version, (operation, tensor, row)
    return Write(kind, name, place, text, *about, True, True, counters[row - 1], counters[row], also, lies)


def _find_unseen(trace: Trace, tensor: int) -> dict[int, _Unseen]:
    """Return a tensor's unrecorded versions, except its first, with their times."""
    rows, operations = trace.versions_of(tensor), trace.versions.operation
    after, ends = len(trace.operations), {}
    for row in reversed(rows):
        ends[row] = after
        after = operations[row] if operations[row] >= 0 else after
    before, number, unseen = operations[rows[0]], 0, {}
    for row in rows[1:]:
        if operations[row] >= 0:
            before, number = operations[row], 0
        elif writer(trace, row).kind == "unseen":
            unseen[row] = _Unseen(before, ends[row], number)
            number += 1
    return unseen


def _arrays(trace: Trace, storage: int, first: int, last: int) -> tuple[Array, ...]:
    """Return the arrays in a storage between two operations."""
    return tuple(
        array
        for array in (trace.index.arrays.get(storage, ()) if storage >= 0 else ())
        if array.start <= last and (array.until < 0 or array.until >= first)
    )


def _counter(trace: Trace, tensor: int, operation: int) -> int:
    """Return a tensor's version counter after an operation."""
    return trace.versions.version[version_at(trace, tensor, operation)]


@dataclass(frozen=True)
class Writer:
    """The writer of a version.

    Attributes:
        kind: operation, backward (AccumulateGrad added to `.grad`), counted (operation not recorded in a long
            run) or unseen (no torch operation, possibly NumPy).
        span: place, or -1.
        time: last operation begun by then.
    """

    kind: WriterKind
    span: int
    time: int


def writer(trace: Trace, row: int) -> Writer:
    """Return the writer of a row of Trace.versions."""
    operation = trace.versions.operation[row]
    if operation >= 0:
        return Writer("operation", trace.operations.span[operation], operation)
    tensor, times, found = trace.index.tensor_of(row), trace.index.times, trace.versions.seen[row]
    begins = times[row - 1] if row > trace.tensors.version_start[tensor] else -1
    calls = _adding(trace).get(gradient_leaves(trace).get(tensor, -1), [])
    until = bisect_right(calls, found, key=lambda call: call.operations)
    if until and calls[until - 1].operations > begins:
        return Writer("backward", calls[until - 1].span, calls[until - 1].operations - 1)
    full = any(bound.kind == "operations" for bound in trace.limits)
    counted = full and trace.tensors.storage[tensor] not in trace.index.arrays
    return Writer("counted" if counted else "unseen", -1, begins)


@memoized
def _adding(trace: Trace) -> Mapping[int, list[Backward]]:
    """Map leaves to the calls that added to their `.grad`, in order."""
    calls: dict[int, list[Backward]] = {}
    for call in trace.backwards:
        for leaf in call.accumulated:
            calls.setdefault(leaf, []).append(call)
    return calls
