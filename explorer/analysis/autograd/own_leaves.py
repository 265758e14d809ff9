"""Leaves that torch made and the program did not ask for."""

from explorer.trace import Trace


def is_torchs_own(trace: Trace, tensor: int) -> bool:
    """Whether a leaf requires a gradient although the program did not ask for it.

    A view that is made with gradients off takes `requires_grad` over from the parameter it is a view of. torch.func
    turns the arguments of its functions into leaves.
    """
    maker, operations, columns = trace.maker(tensor), trace.operations, trace.tensors
    if maker >= 0:
        bases = [base for base in operations.inputs[maker] if base != tensor and columns.requires_grad[base]]
        same = any(columns.storage[base] == columns.storage[tensor] >= 0 for base in bases)
        return same and columns.is_leaf[tensor] and not operations.grad_enabled[maker]
    return tensor in trace.index.memoize(("asked by torch",), lambda: _asked_by_torch(trace))


def _asked_by_torch(trace: Trace) -> set[int]:
    """The tensors of which a line that does not say `requires_grad` made leaves."""
    operations = trace.operations
    return {
        operations.inputs[at][0]
        for at, name in enumerate(operations.name)
        if trace.strings[name] == "requires_grad_" and operations.inputs[at] and operations.span[at] >= 0
        if "requires_grad" not in trace.text(operations.span[at])
    }
