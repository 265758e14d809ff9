"""Whether a change repairs: the bug is gone, and everything that was right still is. Running alone is not enough."""

from explorer.analysis.faults.facts import Facts
from explorer.analysis.faults.finding import Finding
from explorer.analysis.faults.nonfinite_entries import is_finite
from explorer.trace import Trace

_ARRIVES = frozenset("gradient_cut asked_too_late grad_of_result gradient_stopped step_function softmax_of_one".split())
_MOVES = frozenset("step_without_gradient leaf_rebound update_lost gradient_stale".split())
_FINITE = frozenset(("nan_forward", "nan_backward"))


def is_right(before: Trace, after: Trace, found: Finding) -> bool:
    """Whether the run of a change shows that the diagnosed bug is gone.

    Every tensor with a gradient still has one of its shape, and backward runs as often. Also: a missing gradient
    arrives and is not 0, an ineffective update takes effect, NaN becomes finite.
    """
    old, new = Facts(before), Facts(after)
    if len(new.calls) < len(old.calls) or not _arrived(old) <= _arrived(new):
        return False
    if found.kind in _ARRIVES:
        return _arrives(old, new, found)
    if found.kind == "root_is_leaf":
        return bool(_arrived(new) - _arrived(old)) or _arrives(old, new, found)
    if found.kind in _MOVES:
        return _moves(old, new, found)
    if found.kind == "dropout_always":
        return _follows_the_mode(new, found.place.line)
    if found.kind in _FINITE:
        return _all_finite(new)
    return True


def _follows_the_mode(facts: Facts, line: int) -> bool:
    """Whether dropout on a line is active in training and not in evaluation."""
    drops = [at for at in range(facts.count) if "dropout" in facts.names[at]]
    here = [at for at in drops if (place := facts.place(at)) is not None and place.line == line]
    return {facts.trace.arguments(at).named.get("training") for at in here} == {True, False}


def _names(facts: Facts, tensor: int) -> set[str]:
    return {binding.name for binding in facts.trace.index.bindings.get(tensor, ())}


def _arrived(facts: Facts) -> set[tuple[str, tuple[int, ...]]]:
    """The leaves that got a gradient, by name and shape, without the root of backward."""
    return {(name, facts.shape(leaf)) for leaf in facts.received - facts.roots for name in _names(facts, leaf)}


def _arrives(old: Facts, new: Facts, found: Finding) -> bool:
    """Whether the tensor without gradient now has one that is not 0; without a name, whether any more tensors have."""
    names = _names(old, found.tensor) if found.tensor >= 0 else set()
    alike = [binding.tensor for binding in new.trace.bindings if binding.name in names]
    if alike:
        return any(_has_gradient(new, tensor) for tensor in alike)
    return any(_has_gradient(new, leaf) for leaf in new.received)


def _has_gradient(facts: Facts, tensor: int) -> bool:
    """Whether some backward brought a tensor a gradient other than 0, or `.grad` holds one."""
    for call in facts.trace.backwards:
        if tensor in call.accumulated and not facts.is_zero(call.after[call.accumulated.index(tensor)]):
            return True
        if call.kind == "grad" and tensor in call.inputs:
            return True
    held = facts.trace.tensors.grad[tensor]
    return held >= 0 and not facts.is_zero(held)


def _moves(old: Facts, new: Facts, found: Finding) -> bool:
    """Whether a leaf with gradients is written to after a backward; the one in the diagnosis, if it names one."""
    names = _names(old, found.tensor) if found.tensor >= 0 else set()
    named = {binding.tensor for binding in new.trace.bindings if binding.name in names}
    leaves = [leaf for leaf in new.received if not names or leaf in named]
    first = new.calls[0][1].operations if new.calls else 0
    return any(write >= first for leaf in leaves for write in new.writes(leaf)) or len(named) > 1


def _all_finite(facts: Facts) -> bool:
    """Whether all roots and all gradients of leaves are finite."""
    for _, call in facts.calls:
        roots = (facts.before(root, call.operations) for root in call.root_tensors if root >= 0)
        if not all(is_finite(entries) for entries in (*roots, *(facts.entries(value) for value in call.after))):
            return False
    return True
