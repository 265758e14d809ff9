"""Whether a change repairs: the bug is gone, and everything that was right still is. Running alone is not enough."""

from explorer.analysis.faults.finding import Finding
from explorer.analysis.faults.nonfinite_entries import is_finite
from explorer.analysis.run import Run, Tensor, run_of
from explorer.trace import Trace

_ARRIVES = frozenset("gradient_cut asked_too_late grad_of_result gradient_stopped step_function softmax_of_one".split())
_MOVES = frozenset("step_without_gradient leaf_rebound update_lost gradient_stale never_stepped".split())
_FINITE = frozenset(("nan_forward", "nan_backward"))


def is_right(before: Trace, after: Trace, found: Finding) -> bool:
    """Whether the run of a change shows that the diagnosed bug is gone.

    Every tensor with a gradient still has one of its shape, and backward runs as often. Also: a missing gradient
    arrives and is not 0, an ineffective update takes effect, NaN becomes finite.
    """
    old, new = run_of(before), run_of(after)
    if len(new.backwards) < len(old.backwards) or not _arrived(old) <= _arrived(new):
        return False
    if found.kind in _ARRIVES:
        return _arrives(old, new, found)
    if found.kind == "root_is_leaf":
        return bool(_arrived(new) - _arrived(old)) or _arrives(old, new, found)
    if found.kind in _MOVES:
        return _moves(old, new, found)
    if found.kind == "dropout_always":
        return _follows_the_mode(new, found.place.line)
    return found.kind not in _FINITE or _are_all_finite(new)


def _follows_the_mode(run: Run, line: int) -> bool:
    """Whether dropout on a line is active in training and not in evaluation."""
    drops = run.calls(name for name in run.by_name if "dropout" in name)
    here = (call for call in drops if call.place is not None and call.place.line == line)
    return {call.arguments.named.get("training") for call in here} == {True, False}


def _arrived(run: Run) -> set[tuple[str, tuple[int, ...]]]:
    """The leaves that got a gradient, by name and shape, without the root of backward."""
    return {(name, leaf.shape) for leaf in run.tensors(run.received - run.roots) for name in leaf.names}


def _alike(old: Run, new: Run, found: Finding) -> set[Tensor]:
    """The tensors of a changed run that have a name of the diagnosed one."""
    names = old.tensor(found.tensor).names if found.tensor >= 0 else ()
    return {new.tensor(binding.tensor) for binding in new.trace.bindings if binding.name in names}


def _arrives(old: Run, new: Run, found: Finding) -> bool:
    """Whether the tensor without gradient now has one that is not 0; without a name, whether any more tensors have."""
    return any(map(_has_gradient, _alike(old, new, found) or new.tensors(new.received)))


def _has_gradient(tensor: Tensor) -> bool:
    """Whether some backward brought a tensor a gradient other than 0, or `.grad` holds one."""
    run = tensor.run
    for call in run.trace.backwards:
        if tensor.id in call.accumulated and not run.is_zero(call.after[call.accumulated.index(tensor.id)]):
            return True
        if call.kind == "grad" and tensor.id in call.inputs:
            return True
    held = run.trace.tensors.grad[tensor.id]
    return held >= 0 and not run.is_zero(held)


def _moves(old: Run, new: Run, found: Finding) -> bool:
    """Whether a leaf with gradients is written to after a backward; the one in the diagnosis, if it names one."""
    alike, is_named = _alike(old, new, found), found.tensor >= 0 and bool(old.tensor(found.tensor).names)
    leaves = [leaf for leaf in new.tensors(new.received) if leaf in alike or not is_named]
    first = new.backwards[0].time if new.backwards else 0
    return any(write.id >= first for leaf in leaves for write in leaf.writes) or len(alike) > 1


def _are_all_finite(run: Run) -> bool:
    """Whether all roots and all gradients of leaves are finite."""
    return all(
        is_finite(entries)
        for call in run.backwards
        for entries in (*(root.before(call) for root in call.roots), *map(run.entries, call.row.after))
    )
