"""NaN that reaches a root, or that a backward makes of finite numbers."""

from collections.abc import Iterator

import numpy as np

from explorer.autograd.gradients import contributions, node_gradients
from explorer.diagnose.facts import Facts, numbers
from explorer.diagnose.finding import Finding

_UNFILLED = ("empty", "empty_like", "new_empty", "empty_strided")


def has_nan(entries: np.ndarray | None) -> bool:
    """Whether NaN is among entries that are at hand."""
    return entries is not None and entries.dtype.kind in "fc" and bool(np.isnan(entries).any())


def is_finite(entries: np.ndarray | None) -> bool:
    """Whether nothing that is at hand is NaN or infinite."""
    return entries is None or entries.dtype.kind not in "fc" or bool(np.isfinite(entries).all())


def nonfinite(facts: Facts) -> Iterator[Finding]:
    """NaN in a root is told where it was made, with or without history; otherwise NaN in a leaf's gradient."""
    roots = [(tensor, call.operations) for _, call in facts.calls for tensor in call.root_tensors if tensor >= 0]
    if any(has_nan(facts.before(tensor, operation)) for tensor, operation in roots):
        yield from _made_forward(facts)
        return
    for number, call in facts.calls:
        for at, leaf in enumerate(call.accumulated):
            before = facts.entries(call.before[at]) if call.before[at] >= 0 else None
            if has_nan(facts.entries(call.after[at])) and not has_nan(before):
                yield from _made_backward(facts, number, leaf)
                return


def _made_forward(facts: Facts) -> Iterator[Finding]:
    for operation in range(facts.count):
        if not facts.leads_to_root[operation] or facts.names[operation] in _UNFILLED:
            continue
        outputs, read = facts.operations.outputs[operation], facts.operations.inputs[operation]
        if not has_nan(facts.made(operation)) or not facts.place(operation):
            continue
        if any(has_nan(facts.before(tensor, operation)) for tensor in read if tensor not in outputs):
            continue
        given = [facts.before(tensor, operation) for tensor in read]
        values = {"code": facts.text(operation), "given": "; ".join(numbers(one) for one in given if one is not None)}
        yield Finding("nan_forward", facts.place(operation), values, outputs[0])
        return


def _made_backward(facts: Facts, number: int, leaf: int) -> Iterator[Finding]:
    nodes = facts.trace.nodes
    gradients, passed = node_gradients(facts.trace, number), contributions(facts.trace, number)
    for node in facts.trace.backwards[number].order:
        if not all(is_finite(facts.entries(value)) for value in gradients[node] if value >= 0):
            continue
        edges = [edge for edge in range(len(nodes.edges[node])) if (node, edge) in passed]
        bad = [edge for edge in edges if not is_finite(facts.entries(passed[node, edge]))]
        operation = nodes.operation[node]
        if not bad or operation < 0 or not facts.place(operation):
            continue
        arrived = next((facts.entries(value) for value in gradients[node] if value >= 0), None)
        sent = facts.entries(passed[node, bad[0]])
        values = {
            "name": facts.name(leaf),
            "code": facts.text(operation),
            "node": facts.trace.strings[nodes.name[node]],
            "arrived": numbers(arrived),
            "passed": numbers(sent),
            "meets": "zero" if _zero_meets_nan(arrived, sent) else "other",
        }
        yield Finding("nan_backward", facts.place(operation), values, leaf, node)
        return


def _zero_meets_nan(arrived: np.ndarray | None, sent: np.ndarray | None) -> bool:
    """Whether at one entry 0 arrived and NaN was passed on."""
    if arrived is None or sent is None or arrived.shape != sent.shape:
        return False
    return bool(np.any((arrived == 0) & np.isnan(sent)))


RULES = (nonfinite,)
