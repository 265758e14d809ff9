"""The tensors of a program in the order of its lines: those with a name, and results that nobody named."""

from dataclasses import dataclass

from explorer.analysis.tensors.program_lines import (
    ProgramLine,
    TensorNames,
    line_of,
    place_of_binding,
    place_of_operation,
    place_of_span,
    shape_of,
    version_at,
)
from explorer.analysis.tensors.writes import writes
from explorer.trace import Trace


@dataclass(frozen=True)
class ListedTensor:
    """A tensor as a line left it.

    Attributes:
        name: the program's word for it, or the expression that made it.
        named: whether that is a name.
        place: its line, None when the text does not show one.
        tensor: its id.
        version: the row of Trace.versions as the line left it.
        shape, dtype: of that version.
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
        """Its address within a program: name, cell and line."""
        return f"{self.name}@{self.place.cell}.{self.place.line}" if self.place else f"{self.name}@"


def tensor_list(trace: Trace) -> tuple[ListedTensor, ...]:
    """Every tensor that a line named, wrote to, or left as a result that nothing else uses.

    A line that ran several times stands once for each of its names, as it ran last. In order of the lines. Where a part
    of a module got its name is known only from the text, not when: if it was written to, its writes stand alone.
    """
    found: dict[tuple[ProgramLine | None, str], ListedTensor] = {}
    written = [write for write in writes(trace) if write.kind in ("written", "unseen") and write.place is not None]
    rewritten = {write.tensor for write in written}
    for binding in trace.bindings:
        if "." in binding.name and binding.span < 0 and binding.start < 0 and binding.tensor in rewritten:
            continue
        row = version_at(trace, binding.tensor, binding.start)
        _add(found, trace, binding.name, True, place_of_binding(trace, binding), binding.tensor, row)
    for write in written:
        _add(found, trace, write.name, True, write.place, write.tensor, write.version)
    names = TensorNames(trace)
    for operation, tensor in _unnamed(trace, names):
        span = trace.operations.span[operation]
        row = version_at(trace, tensor, operation)
        _add(found, trace, trace.text(span), False, place_of_span(trace, span), tensor, row)
    order = {key: number for number, key in enumerate(found)}
    return tuple(found[key] for key in sorted(found, key=lambda key: (*_line(key[0]), order[key])))


def _line(place: ProgramLine | None) -> tuple[int, int]:
    """What lines are sorted by; where none is known it comes last."""
    return (place.cell, place.line) if place else (1 << 20, 0)


def _add(
    found: dict, trace: Trace, name: str, named: bool, place: ProgramLine | None, tensor: int, version: int
) -> None:
    found.pop((place, name), None)  # a line's last result comes last
    found[place, name] = ListedTensor(name, named, place, tensor, version, *shape_of(trace, version))


def _unnamed(trace: Trace, names: TensorNames) -> list[tuple[int, int]]:
    """Results without a name that no later operation makes a tensor of, as (operation, tensor)."""
    operations = trace.operations
    used = {
        tensor
        for i in range(len(operations))
        if operations.outputs[i] or trace.strings[operations.name[i]] == "__setitem__"
        for tensor in operations.inputs[i]
    }
    named = {_geometry(trace, tensor) for tensor in names}
    return [
        (operation, tensor)
        for operation in range(len(operations))
        if operations.span[operation] >= 0 and operations.in_backward[operation] < 0
        for tensor in dict.fromkeys(operations.outputs[operation])
        if tensor not in names
        and tensor not in used
        and tensor not in operations.inputs[operation]
        and _is_shown(trace, operation, _geometry(trace, tensor) in named)
    ]


def _geometry(trace: Trace, tensor: int) -> tuple[int, ...]:
    tensors = trace.tensors
    return tensors.storage[tensor], tensors.offset[tensor], tensors.shape[tensor], tensors.stride[tensor]


def _is_shown(trace: Trace, operation: int, twin: bool) -> bool:
    """Whether a line makes a result in order to show it: it does not only ask a question of it (`if`, `while`).

    Args:
        twin: whether a tensor with a name reads the very same entries. What was made of nothing counts only without
            one and where the text names the call: else a library made it on the way (the entries of a Parameter).
    """
    operations = trace.operations
    place = place_of_operation(trace, operation)
    line = "" if place is None else line_of(trace, place)
    asked = trace.strings[operations.name[operation]] in trace.text(operations.span[operation])
    on_the_way = not operations.inputs[operation] and (twin or not asked)
    return not on_the_way and not line.startswith(("if ", "elif ", "while ", "assert ", "return "))
