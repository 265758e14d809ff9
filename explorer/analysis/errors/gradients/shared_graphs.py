"""Parts of a graph that two backward calls share by mistake: constants, a generator's images."""

import re

from explorer.analysis.errors.expressions import called
from explorer.analysis.errors.failure_facts import Stopped
from explorer.analysis.errors.gradients.source_lines import makers, nodes_below, sources
from explorer.analysis.errors.rule import Explanation
from explorer.analysis.errors.text_edits import replaced
from explorer.trace import Backward, Trace


def constant_part(stopped: Stopped, first: Backward, now: Backward, values: dict[str, str | int]) -> Explanation | None:
    """A part computed before a loop from leaves that no round changes, while others change: these leaves are data."""
    trace = stopped.trace
    leaves = _leaves(trace, now.failed_node)
    if not leaves or not all(stopped.name(leaf) for leaf in leaves):
        return None
    others = {trace.nodes.variable[node] for node in nodes_below(trace, now.roots)} - leaves - {-1}
    if any(_written(trace, leaf, first.operations) for leaf in leaves) or not any(
        _written(trace, other, first.operations) for other in others
    ):
        return None
    mended, cell, made = "", 0, makers(trace)
    if len(leaves) == 1 and (at := made.get(next(iter(leaves)))) is not None:
        place = trace.operations.span[at]
        text = trace.text(place)
        if place >= 0 and (option := re.search(r",\s*requires_grad=True(?=\s*[,)])", text)):
            cell = trace.spans[place].cell
            new = text[: option.start()] + text[option.end() :]
            mended = replaced(trace.cells[cell].source, trace.spans[place], new)
    names = ", ".join(sorted(stopped.name(leaf) for leaf in leaves))
    return Explanation("graph-part-of-constants", values | {"names": names}, mended, cell)


def adversary(
    stopped: Stopped, first: Backward, now: Backward, shared: int, values: dict[str, str | int]
) -> Explanation | None:
    """The first loss reads one module's result through another module, as a discriminator reads a generator's images.

    Reported only if each of the two modules has its own optimizer, or its own parameters are listed in one.
    """
    trace, operations = stopped.trace, stopped.trace.operations
    fake = _handed_on(stopped, first, shared)
    if fake is None:
        return None
    tensor, generator = fake
    readers = [
        i
        for i in range(len(operations))
        if tensor in operations.inputs[i] and operations.module[i] >= 0 and operations.span[i] >= 0
    ]
    before = [i for i in readers if i < first.operations]
    judges = {_outermost(trace, i) for i in readers} - {generator}
    if not before or len(judges) != 1 or not all(_optimized(trace, module) for module in (generator, *judges)):
        return None
    judge, name = judges.pop(), stopped.name(tensor)
    span = trace.spans[operations.span[before[0]]]
    call = called(trace.text(operations.span[before[0]]))
    mended = ""
    if call is not None and call.arguments == (name,) and span.line == span.end_line:
        mended = replaced(trace.cells[span.cell].source, span, call.with_arguments(f"{name}.detach()"))
    facts = values | {"fake": name, "generator": generator, "judge": judge, "read": span.line}
    return Explanation("graph-of-a-generator", facts, mended, span.cell)


def _handed_on(stopped: Stopped, first: Backward, shared: int) -> tuple[int, str] | None:
    """The named tensor that the shared operation leads to, the last result of its module, and that module."""
    trace, operations = stopped.trace, stopped.trace.operations
    generator = _outermost(trace, shared)
    if not generator:
        return None
    made = makers(trace)
    for tensor in sorted({binding.tensor for binding in trace.bindings}, reverse=True):
        at = made.get(tensor)
        if at is None or at >= first.operations or _outermost(trace, at) != generator:
            continue
        if stopped.name(tensor).isidentifier() and (
            at == shared or set(operations.outputs[shared]) & set(sources(trace, tensor))
        ):
            return tensor, generator
    return None


def _outermost(trace: Trace, operation: int) -> str:
    """The name of the program's module in which an operation ran, "" for none."""
    return (trace.string(trace.operations.module[operation]) or "").split(".")[0]


def _optimized(trace: Trace, module: str) -> bool:
    """Whether an optimizer holds the parameters of a module and of no other."""
    alone = re.compile(rf"\w\(\s*(?:params=)?(?:\w+\.)?{re.escape(module)}\.parameters\(\)")
    return any(alone.search(cell.source) for cell in trace.cells)


def _leaves(trace: Trace, node: int) -> set[int]:
    """The leaves below a node."""
    return {trace.nodes.variable[node] for node in nodes_below(trace, [node])} - {-1}


def _written(trace: Trace, tensor: int, since: int) -> bool:
    """Whether a tensor was written since an operation."""
    return any(trace.versions.operation[row] >= since for row in list(trace.versions_of(tensor))[1:])
