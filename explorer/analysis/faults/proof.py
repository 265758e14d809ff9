"""The effect of a change on a program's numbers, in a few characters: x.grad 40 → 4."""

from collections.abc import Iterator

import numpy as np

from explorer.analysis.faults.finding import numbers
from explorer.text.numbers import shape_text
from explorer.trace import Printed, Trace

LONGEST = 32  # characters of either side
MOST = 200  # names that are compared


def proof(before: Trace, after: Trace, tensor: int) -> str:
    """The first telling difference: of a tensor's gradient, another's, the result, the output."""
    for name, was, now in _differences(before, after, tensor):
        if was != now and now != "None" and len(was) <= LONGEST and len(now) <= LONGEST:
            return f"{name} {was} → {now}".strip()
    return ""


def outcome(after: Trace, assigned: str = "") -> str:
    """The first thing that a program shows now that it runs: a gradient, the value of a name, the last printed line.

    Args:
        assigned: the name that the changed line assigns.
    """
    for fact in _facts(after, assigned):
        if len(fact) <= LONGEST:
            return fact
    return ""


def _facts(after: Trace, assigned: str) -> Iterator[str]:
    names = {binding.name: binding.tensor for binding in after.bindings[:MOST] if binding.until < 0}
    tensors = after.tensors
    for name, tensor in names.items():
        gradient = _gradient(after, tensor) if tensors.requires_grad[tensor] and tensors.is_leaf[tensor] else "None"
        if gradient != "None" and gradient.strip("[]0, …"):  # zeros only say that it was cleared
            yield f"{name}.grad = {gradient}"
    for name, tensor in ((_name(after), _last_root(after)), (assigned, names.get(assigned, -1))):
        rows = after.versions_of(tensor) if name and tensor >= 0 else ()
        if value := _entries(after, after.versions.value[rows[-1]]) if rows else "":
            yield f"{name} = {value}"
        if rows and tensors.shape[tensor] >= 0:
            yield f"{name}.shape = {shape_text(tuple(after.shapes[tensors.shape[tensor]]))}"
    if printed := _printed(after).strip():
        yield printed


def _differences(before: Trace, after: Trace, tensor: int) -> Iterator[tuple[str, str, str]]:
    names = {binding.name: binding.tensor for binding in before.bindings[:MOST]}
    first = [name for name, of in names.items() if of == tensor]
    for name in [*first, *(name for name in names if name not in first)]:
        other = after.bound(name)
        if other is None or not after.tensors.is_leaf[other] or before.tensors.shape[names[name]] < 0:
            continue
        own = tensor if name in first else names[name]
        if before.tensors.requires_grad[own] and after.tensors.requires_grad[other]:
            yield f"{name}.grad", _gradient(before, own), _gradient(after, other)
    yield _name(before), _root(before), _root(after)
    yield "", _printed(before), _printed(after)


def _gradient(trace: Trace, tensor: int) -> str:
    return _entries(trace, trace.tensors.grad[tensor]) or "None"


def _entries(trace: Trace, value: int) -> str:
    found = trace.value(value)
    return numbers(np.array(found.entries)) if found is not None and found.entries else ""


def _last_root(trace: Trace) -> int:
    roots = [tensor for call in trace.backwards if call.status == "ok" for tensor in call.root_tensors]
    return roots[-1] if roots else -1


def _name(trace: Trace) -> str:
    root = _last_root(trace)
    return next((binding.name for binding in trace.bindings if binding.tensor == root), "")


def _root(trace: Trace) -> str:
    """The value of the last root."""
    rows = trace.versions_of(_last_root(trace)) if _last_root(trace) >= 0 else ()
    return _entries(trace, trace.versions.value[rows[-1]]) if rows else ""


def _printed(trace: Trace) -> str:
    """The last line that the program printed."""
    outputs = [output for cell in trace.cells for output in cell.outputs]
    text = "".join(output.text for output in outputs if isinstance(output, Printed) and output.stream == "stdout")
    return text.rstrip().rpartition("\n")[2]
