"""NaN that reaches a root, or that a backward computes from finite numbers."""

from collections.abc import Iterator

import numpy as np

from explorer.analysis.autograd.gradients import contributions, node_gradients
from explorer.analysis.autograd.nonfinite_entries import backward_origin, forward_origin, roots_read
from explorer.analysis.autograd.nonfinite_entries import nonfinite as flags
from explorer.analysis.faults.facts import Facts, numbers
from explorer.analysis.faults.finding import Finding
from explorer.trace import Backward

_GROWN = 1_000  # times its first size, which a parameter never reaches in a sound training
_POLES = ("log", "log2", "log10", "reciprocal", "rsqrt", "div", "__truediv__", "true_divide", "__rtruediv__", "rdiv")


def has_nan(entries: np.ndarray | None) -> bool:
    """Whether NaN is among the recorded entries."""
    return entries is not None and entries.dtype.kind in "fc" and bool(np.isnan(entries).any())


def is_finite(entries: np.ndarray | None) -> bool:
    """Whether no recorded entry is NaN or infinite."""
    return entries is None or entries.dtype.kind not in "fc" or bool(np.isfinite(entries).all())


def nonfinite(facts: Facts) -> Iterator[Finding]:
    """NaN in a root or in a leaf's gradient: report the first event that was not finite."""
    if not any(_has(facts, tensor, call.operations, "nan") for _, call in facts.calls for tensor in call.root_tensors):
        for number, call in facts.calls:
            if (leaf := _first_bad(facts, call, nan_only=True)) is not None:
                yield from _made_backward(facts, number, leaf)
                return
        return
    for number, call in facts.calls:
        if any(_has(facts, tensor, call.operations, "any") for tensor in call.root_tensors):
            yield from _made_forward(facts, call)
            return
        if (leaf := _first_bad(facts, call, nan_only=False)) is not None:
            yield from _made_backward(facts, number, leaf)
            return


def _has(facts: Facts, tensor: int, operation: int, what: str) -> bool:
    """Whether a tensor held NaN, or any non-finite entry, when an operation began."""
    row = facts.trace.index.before(tensor, operation) if tensor >= 0 else None
    value = -1 if row is None else facts.trace.versions.value[row]
    nan, infinite = flags(facts.trace)
    return value >= 0 and bool(nan[value] or (what == "any" and infinite[value]))


def _first_bad(facts: Facts, call: Backward, nan_only: bool) -> int | None:
    """The first leaf to whose finite gradient a backward added NaN (or an infinity)."""
    nan, infinite = flags(facts.trace)
    bad = nan if nan_only else nan | infinite
    for at, leaf in enumerate(call.accumulated):
        before, after = call.before[at], call.after[at]
        if after >= 0 and bad[after] and not (before >= 0 and bad[before]):
            return leaf
    return None


def _made_forward(facts: Facts, call: Backward) -> Iterator[Finding]:
    """The first operation outside an optimizer that made NaN, or an infinity that led to NaN."""
    start = forward_origin(facts.trace, roots_read(facts.trace, call))
    if start is None or start.by != "operation" or not facts.operations.inputs[start.operation]:
        return
    operation = start.operation
    if operation in facts.inside or not facts.place(operation):
        return
    outputs, read = facts.operations.outputs[operation], facts.operations.inputs[operation]
    given = [facts.before(tensor, operation) for tensor in read]
    infinite = not any(_has(facts, tensor, operation + 1, "nan") for tensor in outputs)
    divisor = given[-1] if given and facts.names[operation] in _POLES else None
    pole = infinite and divisor is not None and bool((divisor == 0).any())
    values: dict[str, str | int] = {
        "code": facts.text(operation),
        "given": "; ".join(numbers(entries) for entries in given if entries is not None),
        "how": "pole" if pole else "infinite" if infinite else "nan",
        "grown": "yes" if infinite and _grown(facts, operation) else "no",
    }
    tensor = outputs[0] if outputs else -1
    yield Finding("nan_forward", facts.place(operation), values, tensor, certain=not recovers(facts))


def _grown(facts: Facts, operation: int) -> bool:
    """Whether optimizers have made a parameter a thousand times as large before an operation."""
    if not facts.steps:
        return False
    for leaf in facts.held:  # its first entries may be those of memory that a class had not filled yet
        first, last = facts.before(leaf, facts.steps[0].begin), facts.before(leaf, operation)
        if first is None or last is None or not first.size or not last.size:
            continue
        with np.errstate(over="ignore"):
            if np.abs(last).max() > _GROWN * max(np.abs(first).max(), 1e-3):
                return True
    return False


def _made_backward(facts: Facts, number: int, leaf: int) -> Iterator[Finding]:
    node, edge = backward_origin(facts.trace, number)
    operation = facts.trace.nodes.operation[node] if node >= 0 else -1
    if operation < 0 or not facts.place(operation):
        return
    arrived = next((facts.entries(value) for value in node_gradients(facts.trace, number)[node] if value >= 0), None)
    sent = facts.entries(contributions(facts.trace, number)[node, edge])
    values = {
        "name": facts.name(leaf),
        "code": facts.text(operation),
        "node": facts.trace.strings[facts.trace.nodes.name[node]],
        "arrived": numbers(arrived),
        "passed": numbers(sent),
        "what": "NaN" if has_nan(sent) else "∞",
        "meets": _what_meets(facts, operation, arrived, sent),
    }
    yield Finding("nan_backward", facts.place(operation), values, leaf, node, certain=not recovers(facts))


def recovers(facts: Facts) -> bool:
    """Whether the last of several backwards is finite again, root and gradients: the bad step was skipped."""
    if len(facts.calls) < 2:
        return False
    _, last = facts.calls[-1]
    roots = [facts.value_before(tensor, last.operations) for tensor in last.root_tensors if tensor >= 0]
    return all(map(facts.is_finite, (*roots, *last.after)))


def _what_meets(facts: Facts, operation: int, arrived: np.ndarray | None, sent: np.ndarray | None) -> str:
    """Why the passed gradient is not finite: zero (times an infinite slope), grown (parameters), or other."""
    if _zero_meets_nan(arrived, sent):
        return "zero"
    return "grown" if _grown(facts, operation) else "other"


def _zero_meets_nan(arrived: np.ndarray | None, sent: np.ndarray | None) -> bool:
    """Whether at one entry 0 arrived and NaN was passed on."""
    if arrived is None or sent is None or arrived.shape != sent.shape:
        return False
    return bool(np.any((arrived == 0) & np.isnan(sent)))


RULES = (nonfinite,)
