"""Find the operation that detached: an input requires a gradient, its result does not."""

from dataclasses import dataclass
from typing import Literal

from explorer.analysis.autograd.titles import one_line, titles_of
from explorer.text.numbers import shorten
from explorer.trace import Trace

CELLS = 40
_CUTS = {"detach", "detach_", "data"}
_WHOLE = ("int", "uint", "bool")  # dtypes that have no derivative
_READS = {"grad", "grad=", "requires_grad_", "requires_grad="}


@dataclass(frozen=True)
class GraphBreak:
    """Where it happened.

    Attributes:
        kind: off (gradients were off), cut, or no-derivative.
        line: where the program says it.
        values: the variables of its sentence.
    """

    kind: Literal["off", "cut", "no-derivative"]
    line: int
    values: dict[str, str | int]


def find_graph_break(trace: Trace, source: int | None, results: list[int], until: int) -> GraphBreak | None:
    """The first operation on the way from a tensor to results that gave no history though it was given some.

    Args:
        source: None: any tensor that requires a gradient.
        until: only operations before this one count.
    """
    operations, asks = trace.operations, _asks(trace)
    until = min(until, len(operations))
    towards, leads = set(results), [False] * until
    for operation in range(until - 1, -1, -1):
        if not towards.isdisjoint(operations.outputs[operation]):
            leads[operation] = True
            towards.update(operations.inputs[operation])
    reached = {source} if source is not None else {tensor for tensor, asked in enumerate(asks) if asked}
    for operation in range(until):
        inputs, outputs = operations.inputs[operation], operations.outputs[operation]
        name = trace.strings[operations.name[operation]]
        if name in _READS or reached.isdisjoint(inputs):
            continue
        gives = not outputs or not leads[operation] or any(asks[tensor] for tensor in outputs)
        if not gives and any(asks[tensor] for tensor in inputs if tensor in reached):
            return _found(trace, operation, name)
        reached.update(outputs)
    return None


def _asks(trace: Trace) -> list[bool]:
    """Per tensor whether it requires a gradient, or one of its versions came from a node."""
    asks, starts = list(trace.tensors.requires_grad), trace.tensors.version_start
    for tensor in range(len(asks)):
        rows = trace.versions.node[starts[tensor] : starts[tensor + 1]]
        asks[tensor] = asks[tensor] or any(node >= 0 for node in rows)
    return asks


def _found(trace: Trace, operation: int, name: str) -> GraphBreak | None:
    operations, tensors = trace.operations, trace.tensors
    line = trace.line(operations.span[operation])
    outputs = operations.outputs[operation]
    dtypes = [(trace.string(tensors.dtype[tensor]) or "") for tensor in outputs]
    text = shorten(one_line(titles_of(trace).text(operation)), CELLS)
    values: dict[str, str | int] = {"line": line, "text": text, "name": name}
    if not line:
        return None
    if name in _CUTS:
        return GraphBreak("cut", line, values)
    if not operations.grad_enabled[operation]:
        return GraphBreak("off", line, values)
    if all(dtype.startswith(_WHOLE) for dtype in dtypes):
        return GraphBreak("no-derivative", line, values | {"dtype": dtypes[0]})
    return None
