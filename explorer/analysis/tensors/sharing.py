"""View, copy or new: what a result shares with its sources, in memory, autograd and version counter."""

from dataclasses import dataclass, replace
from typing import Literal

from explorer.analysis.names import word_of
from explorer.analysis.operations import names_where, reads_only_shape
from explorer.analysis.run import run_of
from explorer.analysis.tensors.program_lines import (
    LONGEST,
    ProgramLine,
    line_of,
    place_of_binding,
    place_of_operation,
    statement,
)
from explorer.analysis.tensors.tensor_list import tensor_list
from explorer.safe_regex import plain
from explorer.trace import Trace

# Calls whose purpose is to read the same entries in another way, or to copy them.
_READ_AGAIN = ("reshape", "contiguous", "clone", "detach", "transpose", "expand", "split", "index", "mask")
_SAME_ENTRIES = names_where(lambda operation: operation.sentence in _READ_AGAIN) | frozenset(
    """detach_ data numpy bool type cpu cuda tensor as_tensor asarray alias as_strided diag diagonal real imag
    requires_grad_""".split()
)
Outcome = Literal["same", "view", "copy", "new"]
_FROM_NUMPY = plain(r"\b(?:torch\.)?from_numpy\(\s*([\w.]+)")
_GIVEN = plain(r"\(\s*([A-Za-z_]\w*)\s*[,)]")
_OWN_COUNTER = ("data", "tensor", "from_numpy")  # of what shares a storage, only these count versions by themselves


@dataclass(frozen=True)
class Sharing:
    """What a line's result shares with its sources.

    Attributes:
        operation: torch's word: clone, detach, data, numpy, reshape …
        place, text: the line and the expression.
        source, result: names, or the expressions, or "". What is new may have several sources, with
            commas between them.
        outcome: same: the very same object; view: the same storage; copy: the same entries in a storage of its own;
            new: entries that were computed, in a storage of their own.
        tracked: whether autograd records the result's history or requires its gradient; None for a NumPy array.
        counter: whether a write into one raises the version counter of the other; None for a NumPy array, whose writes
            raise none.
    """

    operation: str
    place: ProgramLine
    text: str
    source: str
    result: str
    outcome: Outcome
    tracked: bool | None
    counter: bool | None


def sharing(trace: Trace) -> tuple[Sharing, ...]:
    """Every line that makes a tensor or an array from another; a repeated line is listed once."""
    by_line: dict[tuple[ProgramLine, str], Sharing] = {}
    operations = trace.operations
    listed = {tensor.tensor for tensor in tensor_list(trace)}
    for operation in range(len(operations)):
        name = trace.strings[operations.name[operation]]
        place = place_of_operation(trace, operation)
        if place is None or operations.in_backward[operation] >= 0:
            continue
        if name == "numpy":
            sharing = _numpy(trace, operation, place)
        elif name in _SAME_ENTRIES:
            sharing = _tensor(trace, operation, place)
        else:
            sharing = _computed(trace, operation, place) if listed & {*operations.outputs[operation]} else None
        if sharing is not None:
            by_line[place, sharing.text] = replace(sharing, text=statement(trace, place, sharing.text))
    for binding in trace.bindings:  # torch tells no mode of from_numpy: the name and its memory do
        place = place_of_binding(trace, binding)
        storage = trace.tensors.storage[binding.tensor]
        if binding.span < 0 and place is not None:
            line = line_of(trace, place)
            called = _FROM_NUMPY.search(line)
            lies = storage in trace.index.arrays
            if called:
                outcome: Outcome = "view" if lies else "copy"
                by_line[place, line] = Sharing(
                    "from_numpy", place, line, called[1], binding.name, outcome, False, False if lies else None
                )
    return tuple(sorted(by_line.values(), key=lambda shared: shared.place))


def _tensor(trace: Trace, operation: int, place: ProgramLine) -> Sharing | None:
    name = trace.strings[trace.operations.name[operation]]
    operations, tensors = trace.operations, trace.tensors
    inputs, outputs = operations.inputs[operation], operations.outputs[operation]
    if not outputs or (not inputs and name not in ("tensor", "as_tensor", "asarray")):
        return None
    result, text = outputs[0], trace.text(operations.span[operation])
    source, called = (inputs[0] if inputs else -1), word_of(run_of(trace), result, operation, line_of(trace, place))
    made = trace.versions.node[trace.versions_of(result)[0]] >= 0 or tensors.requires_grad[result]
    if source < 0:
        given = _GIVEN.search(text[:LONGEST])  # of a NumPy array or a list that has a name
        if given is None:
            return None
        own = tensors.storage[result] not in trace.index.arrays
        return Sharing(name, place, text, given[1], called, "copy" if own else "view", made, False)
    shares = tensors.storage[result] == tensors.storage[source] >= 0
    outcome: Outcome = "same" if source == result else "view" if shares else "copy"
    counter = outcome == "same" or (shares and name not in _OWN_COUNTER)
    return Sharing(name, place, text, word_of(run_of(trace), source, operation, text), called, outcome, made, counter)


def _computed(trace: Trace, operation: int, place: ProgramLine) -> Sharing | None:
    """What any other operation made of its inputs; None where it only wrote, or took no more than a shape."""
    name, operations, tensors = trace.strings[trace.operations.name[operation]], trace.operations, trace.tensors
    inputs, result = operations.inputs[operation], operations.outputs[operation][0]
    begins = trace.versions_of(result)[0]
    if not inputs or trace.versions.operation[begins] != operation or reads_only_shape(name):
        return None
    text = trace.text(operations.span[operation])
    shares = [input_ for input_ in inputs if tensors.storage[input_] == tensors.storage[result] >= 0]
    run = run_of(trace)
    sources = ", ".join(filter(None, dict.fromkeys(word_of(run, share, operation, text) for share in shares or inputs)))
    made = trace.versions.node[begins] >= 0 or tensors.requires_grad[result]
    outcome: Outcome = "view" if shares else "new"
    called = word_of(run, result, operation, line_of(trace, place))
    return Sharing(name, place, text, sources, called, outcome, made, bool(shares))


def _numpy(trace: Trace, operation: int, place: ProgramLine) -> Sharing | None:
    inputs = trace.operations.inputs[operation]
    if not inputs or trace.operations.error[operation] >= 0:
        return None
    storage, text = trace.tensors.storage[inputs[0]], trace.text(trace.operations.span[operation])
    line = line_of(trace, place)
    arrays = [array.name for array in trace.index.arrays.get(storage, ())]
    result = next((name for name in arrays if line.removeprefix(name).lstrip().startswith("=")), "")
    return Sharing("numpy", place, text, word_of(run_of(trace), inputs[0], operation, text), result, "view", None, None)
