"""The modules that lines of a program bind: `net = nn.Linear(3, 2)`, `self.fc = nn.Linear(4, 2)`."""

import math
from collections import defaultdict
from collections.abc import Mapping
from itertools import groupby

from msgspec import Struct

from explorer.analysis.source.assignments import Assignment, all_assignments
from explorer.safe_regex import plain
from explorer.trace import Trace

Place = tuple[int, int]  # a cell, and a line of it from 1

_PATH = plain(r"[A-Za-z_]\w*(?:\.\w+)+$")
_ATTRIBUTE = plain(r"\s*self\.(\w+)\s*(?::[^=]*)?=[^=]")
_TOLD_LINES = 20_000  # lines of a program that are searched for attributes


class ModuleLine(Struct, frozen=True):
    """A module bound by a line.

    Attributes:
        shape: that of its weight, None if it has none of its own.
        parameters: how many numbers its parameters have; one that it has twice counts once.
    """

    shape: tuple[int, ...] | None
    parameters: int


def module_lines(trace: Trace) -> Mapping[Place, ModuleLine]:
    """The modules that lines bound to a name or to an attribute of `self`, as they were at the end."""
    return trace.index.memoize(("module lines",), lambda: dict(_read(trace)))


def _read(trace: Trace) -> dict[Place, ModuleLine]:
    parts: dict[str, dict[str, int]] = defaultdict(dict)  # of each path the parameters below it
    ends: dict[str, set[str]] = defaultdict(set)  # of each attribute the paths that end with it
    for binding in trace.bindings:
        if trace.tensors.is_parameter[binding.tensor] and _PATH.match(binding.name):
            steps = binding.name.split(".")
            for end in range(1, len(steps)):
                path = ".".join(steps[:end])
                parts[path][binding.name] = binding.tensor
                ends[steps[end - 1]].add(path)
    found: dict[Place, ModuleLine] = {}
    if not parts:
        return found
    ordered = sorted(all_assignments(trace), key=lambda one: one.name)
    for name, group in groupby(ordered, key=lambda one: one.name):
        last = _last(list(group)) if name in parts else None
        if last is not None:
            found[last.cell, last.line] = _module(trace, name, parts[name])
    built = _storages_by_line(trace)
    for place, attribute in _attributes(trace):
        # The same line builds each layer of a stack: told is what all of them have in common.
        modules = {
            _module(trace, path, parts[path])
            for path in ends.get(attribute, ())
            if any(trace.tensors.storage[tensor] in built[place] for tensor in parts[path].values())
        }
        if len(modules) == 1:
            found[place] = modules.pop()
    return found


def _last(assignments: list[Assignment]) -> Assignment | None:
    """The assignment that gave a name what it holds at the end; None if another may have."""
    last = assignments[-1]
    return last if last.value and (len(assignments) == 1 or not last.indent) else None


def _module(trace: Trace, path: str, parameters: Mapping[str, int]) -> ModuleLine:
    shapes = {tensor: trace.shapes[trace.tensors.shape[tensor]] for tensor in parameters.values()}
    weight = parameters.get(f"{path}.weight")
    return ModuleLine(
        None if weight is None else tuple(shapes[weight]), sum(math.prod(shape) for shape in shapes.values())
    )


def _storages_by_line(trace: Trace) -> Mapping[Place, set[int]]:
    """The storages that the operations of each line made or filled."""
    found: dict[Place, set[int]] = defaultdict(set)
    operations, storage = trace.operations, trace.tensors.storage
    for operation, span in enumerate(operations.span):
        if span >= 0:
            at = trace.spans[span]
            found[at.cell, at.line] |= {storage[tensor] for tensor in operations.outputs[operation]}
    return found


def _attributes(trace: Trace) -> list[tuple[Place, str]]:
    """The lines that assign an attribute of `self`."""
    lines = [
        ((number, line), text)
        for number, cell in enumerate(trace.cells)
        for line, text in enumerate(cell.source.split("\n")[:_TOLD_LINES], 1)
    ]
    return [(place, found[1]) for place, text in lines if (found := _ATTRIBUTE.match(text))]
