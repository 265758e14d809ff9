"""Where a program's tensors come from, for several rules about gradients."""

import re

from explorer.analysis.errors.rule import FailureContext
from explorer.analysis.operations import reads_only_shape
from explorer.analysis.run import run_of
from explorer.analysis.source.code import Code, code_at
from explorer.trace import Trace

FACTORIES = r"torch\.(tensor|ones|zeros|rand|randn|full|arange|linspace|eye|empty|as_tensor|randint|normal|logspace)\("


def sources(trace: Trace, tensor: int, shapes: bool = True) -> list[int]:
    """The tensors that one was computed from, itself first, nearest first; `shapes`: or of which it has the shape."""
    run, seen, visited = run_of(trace), [tensor], {tensor}
    for reached in seen:
        made = run.makers.get(reached)
        reads = made is not None and (shapes or not reads_only_shape(run.names[made]))
        for before in trace.operations.inputs[made] if reads else ():
            if before not in visited:
                visited.add(before)
                seen.append(before)
    return seen


def tensor_of(context: FailureContext, code: str) -> int | None:
    """The tensor that an expression means: a name, or the text of an operation."""
    code = code.strip()
    named, operations = context.trace.bound(code), context.trace.operations
    if named is not None:
        return named
    texts = {code, code[1:-1]} if code.startswith("(") and code.endswith(")") else {code}
    for i in range(len(operations) - 1, -1, -1):
        if operations.outputs[i] and context.written(i) in texts:
            return operations.outputs[i][0]
    return None


def short_name(trace: Trace, operation: int) -> str:
    """The name of the function that an operation called, without its module."""
    return (trace.string(trace.operations.function[operation]) or "").rpartition(".")[2]


def factory_call(trace: Trace, tensor: int) -> Code | None:
    """The torch.ones(...) or the like that makes a tensor without requires_grad, None for one made otherwise."""
    made = run_of(trace).makers.get(tensor)
    code = None if made is None else code_at(trace, trace.operations.span[made])
    whole = code and re.match(FACTORIES, code.text) and code.text.endswith(")") and "requires_grad" not in code.text
    return code if whole else None
