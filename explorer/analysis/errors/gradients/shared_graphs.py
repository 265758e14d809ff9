"""Parts of a graph that two backward calls share by mistake: constants, a generator's images."""

import re

from explorer.analysis.autograd.gradients import nodes_below
from explorer.analysis.errors.explanation import Explanation
from explorer.analysis.errors.failure_context import FailureContext
from explorer.analysis.errors.gradients.tensor_origins import makers, sources
from explorer.trace import Backward, Trace


def constant_part(
    at: FailureContext, first: Backward, now: Backward, values: dict[str, str | int]
) -> Explanation | None:
    """A part computed before a loop from leaves that no round changes, while others change: these leaves are data."""
    trace = at.trace
    leaves, others = _leaves(trace, [now.failed_node]), _leaves(trace, now.roots)
    if not leaves or not all(map(at.name, leaves)) or any(_written(trace, leaf, first.operations) for leaf in leaves):
        return None
    if not any(_written(trace, other, first.operations) for other in others - leaves):
        return None
    made = makers(trace).get(next(iter(leaves))) if len(leaves) == 1 else None
    code, repair = None if made is None else at.code_of(made), None
    if code and (option := re.search(r",\s*requires_grad=True(?=\s*[,)])", code.text)):
        repair = code.replace(code.text[: option.start()] + code.text[option.end() :])
    return at.explain("graph-part-of-constants", repair, **values, names=", ".join(sorted(map(at.name, leaves))))


def adversary(at: FailureContext, first: Backward, shared: int, values: dict[str, str | int]) -> Explanation | None:
    """The first loss reads one module's result through another module, as a discriminator reads a generator's images.

    Reported only if each of the two modules has its own optimizer, or its own parameters are listed in one.
    """
    operations, fake = at.trace.operations, _handed_on(at, first, shared)
    if fake is None:
        return None
    tensor, generator = fake
    readers = [
        i
        for i in range(len(operations))
        if tensor in operations.inputs[i] and operations.module[i] >= 0 and operations.span[i] >= 0
    ]
    judges = {_outermost(at.trace, i) for i in readers} - {generator}
    if not readers or readers[0] >= first.operations or len(judges) != 1:
        return None
    judge, name = judges.pop(), at.name(tensor)
    if not _is_optimized_alone(at.trace, generator) or not _is_optimized_alone(at.trace, judge):
        return None
    code = at.code_of(readers[0])
    alone = code.call is not None and code.call.arguments == (name,) and code.line == code.span.end_line
    repair = code.replace(code.call.with_arguments(f"{name}.detach()")) if alone else None
    facts = values | {"fake": name, "generator": generator, "judge": judge, "read": code.line}
    return at.explain("graph-of-a-generator", repair, **facts)


def _handed_on(at: FailureContext, first: Backward, shared: int) -> tuple[int, str] | None:
    """The named tensor that the shared operation leads to, the last result of its module, and that module."""
    trace, generator = at.trace, _outermost(at.trace, shared)
    made = makers(trace)
    for tensor in sorted({binding.tensor for binding in trace.bindings}, reverse=True) if generator else ():
        maker = made.get(tensor)
        if maker is None or maker >= first.operations or _outermost(trace, maker) != generator:
            continue
        leads = maker == shared or set(trace.operations.outputs[shared]) & set(sources(trace, tensor))
        if at.name(tensor).isidentifier() and leads:
            return tensor, generator
    return None


def _outermost(trace: Trace, operation: int) -> str:
    """The name of the program's module in which an operation ran, "" for none."""
    return (trace.string(trace.operations.module[operation]) or "").split(".")[0]


def _is_optimized_alone(trace: Trace, module: str) -> bool:
    """Whether an optimizer holds the parameters of a module and of no other."""
    alone = re.compile(rf"\w\(\s*(?:params=)?(?:\w+\.)?{re.escape(module)}\.parameters\(\)")
    return any(alone.search(cell.source) for cell in trace.cells)


def _leaves(trace: Trace, roots: list[int]) -> set[int]:
    """The leaves below some nodes."""
    return {trace.nodes.variable[node] for node in nodes_below(trace, roots)} - {-1}


def _written(trace: Trace, tensor: int, since: int) -> bool:
    """Whether a tensor was written since an operation."""
    return any(trace.versions.operation[row] >= since for row in list(trace.versions_of(tensor))[1:])
