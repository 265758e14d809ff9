"""Gradients that an update reads wrongly, or that no update reads."""

from collections.abc import Iterator
from typing import Any

from explorer.analysis.faults.facts import GRAD_CALL, READ_ONLY, Facts, Phase, numbers
from explorer.analysis.faults.finding import Finding
from explorer.analysis.faults.misplaced_parameters import held_instead
from explorer.analysis.faults.training_lookups import tensors_of
from explorer.safe_regex import plain
from explorer.trace import Binding

_IN_A_LIST = plain(r"\.\w+\[")
_NUMBERED = plain(r"([.\[])\d+([.\]])")


def gradient_stale(facts: Facts) -> Iterator[Finding]:
    """A leaf was updated and its gradient kept: the next backward adds to it, and the next update reads the sum."""
    for leaf in facts.leaves:
        held, stepped, mixed = None, False, None
        for what, at in _life(facts, leaf):
            if what == "received":
                before, after = at
                there = facts.trace.value(before)
                known = there is not None and bool(there.entries) and not there.is_zero
                if held is not None and stepped and known and facts.trace.value(held) == there:
                    mixed = before, after
                held, stepped = after, False
            elif what == "cleared":
                held, mixed = None, None
            elif mixed is not None:
                before, after = mixed
                place = facts.place(at)
                sums = {
                    "name": facts.name(leaf),
                    "before": numbers(facts.entries(before)),
                    "after": numbers(facts.entries(after)),
                }
                if place is not None:
                    yield Finding("gradient_stale", place, sums, leaf)
                return
            else:
                stepped = True


def _life(facts: Facts, leaf: int) -> list[tuple[str, Any]]:
    """The history of a leaf and its gradient, in order: received (.grad before, after), cleared, updated."""
    events: list[tuple[float, str, Any]] = []
    for call in facts.trace.backwards:
        if leaf in call.accumulated:
            at = call.accumulated.index(leaf)
            events.append((call.operations - 0.5, "received", (call.before[at], call.after[at])))
    for operation in facts.users.get(leaf, ()):
        if facts.names[operation] == "grad=" and facts.operations.inputs[operation][0] == leaf:
            events.append((operation, "cleared", operation))
    grads = facts.grads_of(leaf)
    events += [(write, "cleared", write) for grad in grads for write in facts.writes(grad)]
    for write in facts.writes(leaf):
        if write in facts.inside or grads & facts.below(facts.operations.inputs[write]):
            events.append((write, "updated", write))
    return [event[1:] for event in sorted(events, key=lambda event: event[0])]


def step_without_gradient(facts: Facts) -> Iterator[Finding]:
    """Steps after a backward at which every `.grad` is None, in all rounds of their optimizer.

    Beside optimizers that train, one may hold parameters that took no part in this run, such as an expert that was not
    picked.
    """
    if any(facts.trace.tensors.is_leaf[tensor] for tensor in facts.roots):
        return
    by_leaves: dict[frozenset[int], list[tuple[Phase, bool]]] = {}
    for step in facts.steps:
        reads = [at for at in facts.own_of(step) if facts.names[at] == "grad"]
        leaves = frozenset(facts.operations.inputs[at][0] for at in reads if facts.operations.inputs[at])
        by_leaves.setdefault(leaves, []).append((step, any(facts.operations.outputs[at] for at in reads)))
    for leaves, steps in by_leaves.items():
        if any(found for _, found in steps):
            continue
        others_train = any(found for other in by_leaves.values() for _, found in other)
        if others_train and leaves and all(_is_idle(facts, leaf) for leaf in leaves):
            continue
        for step, _ in steps:
            brought = [call for _, call in facts.calls if call.operations <= step.begin and call.accumulated]
            if brought and step.place is not None:
                yield Finding("step_without_gradient", step.place, held_instead(facts, step))
                return


def _is_idle(facts: Facts, leaf: int) -> bool:
    """Whether a leaf that the program still has took no part in the run."""
    if leaf in facts.received or facts.reads_that_matter(leaf):
        return False
    return not _is_replaced(facts, leaf) and any(
        binding.until < 0 for binding in facts.trace.index.bindings.get(leaf, ())
    )


def _is_replaced(facts: Facts, leaf: int) -> bool:
    """Whether a name that a leaf had means another tensor in the end."""
    bound = facts.trace.index.bound
    return any(bound.get(binding.name, leaf) != leaf for binding in facts.trace.index.bindings.get(leaf, ()))


def never_used(facts: Facts) -> Iterator[Finding]:
    """A leaf in an optimizer that no operation read, while others were stepped."""
    if not facts.held & facts.received:
        return
    for leaf in sorted(facts.held - facts.received):
        read = [at for at in facts.users.get(leaf, ()) if facts.names[at] not in READ_ONLY and at not in facts.inside]
        if any(not facts.names[at].endswith("_") for at in read):
            continue
        place = facts.home(leaf) or next((step.place for step in facts.steps if step.place), None)
        if place is not None and not _is_unpicked(facts, leaf):
            successor = _successor(facts, leaf)
            values = {"name": facts.name(leaf), "now": "none" if successor is None else facts.name(successor)}
            certain = _is_replaced(facts, leaf) or successor is not None
            yield Finding("never_used", place, values, leaf, certain=certain)
            return


def _successor(facts: Facts, leaf: int) -> int | None:
    """For a parameter without a name now: one that gets gradients and that the optimizer does not hold."""
    tensors, names = facts.trace.tensors, facts.trace.index.bindings
    if not tensors.is_parameter[leaf] or leaf in names:
        return None
    others = sorted(facts.received - facts.held)
    return next((other for other in others if tensors.is_parameter[other] and other in names), None)


def _names(facts: Facts, leaf: int) -> set[str]:
    return {binding.name for binding in facts.trace.index.bindings.get(leaf, ())}


def _names_of_others(facts: Facts, leaf: int) -> set[str]:
    return {name for other in facts.leaves if other != leaf for name in _names(facts, other)}


def _is_unpicked(facts: Facts, leaf: int) -> bool:
    """Whether a leaf belongs to one of several numbered modules, such as experts, of which others took part."""
    names = [binding.name for binding in facts.trace.index.bindings.get(leaf, ())]
    lists = {_NUMBERED.sub(r"\1*\2", name) for name in names if _NUMBERED.search(name)}
    return any(
        _NUMBERED.sub(r"\1*\2", binding.name) in lists
        for other in facts.received
        for binding in facts.trace.index.bindings.get(other, ())
    )


def not_in_optimizer(facts: Facts) -> Iterator[Finding]:
    """A leaf that gets gradients together with stepped ones, and that nothing ever changes."""
    if not facts.steps:
        return
    held = {tensor for row in facts.trace.log.optimizers for tensor in tensors_of(row)}  # also of those without a step
    for leaf in facts.leaves:
        named = leaf in facts.trace.index.bindings or facts.trace.tensors.is_parameter[leaf]
        if not facts.trace.tensors.is_parameter[leaf] and _names(facts, leaf) & _names_of_others(facts, leaf):
            continue  # an input that each round creates again
        if leaf not in facts.received or leaf in held or not named:
            continue
        brought = [call for _, call in facts.calls if leaf in call.accumulated]
        if not any(facts.held.intersection(call.accumulated) for call in brought):
            continue
        meant = [
            at
            for at in facts.users.get(leaf, ())
            if facts.names[at] == GRAD_CALL or (facts.names[at] == "grad" and at not in facts.inside)
        ]
        if meant or any(write > brought[0].operations for write in facts.writes(leaf)):
            continue
        if _one_part_is_trained(facts, leaf):
            return
        place = facts.home(leaf)
        if place is not None:
            values = {"name": facts.name(leaf), "hidden": "yes" if _is_hidden(facts, leaf) else "no"}
            yield Finding("not_in_optimizer", place, values, leaf)
            return


def _is_hidden(facts: Facts, leaf: int) -> bool:
    """Whether a parameter belongs to no module, or to one in a plain list or dictionary of a module."""
    names = _names(facts, leaf)
    outside = not any("." in name for name in names) or any(_IN_A_LIST.search(name) for name in names)
    return facts.trace.tensors.is_parameter[leaf] and outside


def _one_part_is_trained(facts: Facts, leaf: int) -> bool:
    """Whether the optimizer holds exactly one submodule: that is how a part is trained on purpose.

    A leaf outside every module, such as in a plain list of layers, is no other part: `net.parameters()` misses it.
    """
    index = facts.trace.index.bindings
    if not any("." in name for name in _names(facts, leaf)) or _is_hidden(facts, leaf):
        return False
    held = {binding.name for leaf in facts.held for binding in index.get(leaf, ()) if "." in binding.name}
    others = {
        binding.name
        for leaf in facts.leaves
        if leaf not in facts.held
        for binding in index.get(leaf, ())
        if "." in binding.name
    }
    owners = {name.rpartition(".")[0] for name in held}
    common = min(owners, key=len, default="")
    if "." not in common or not all(f"{owner}.".startswith(f"{common}.") for owner in owners):
        return False
    return not any(name.startswith(f"{common}.") for name in others)


def rebound(facts: Facts) -> Iterator[Finding]:
    """A name moves from a leaf to a result computed from the leaf and its gradient: used further, or lost."""
    by_start: dict[tuple[str, int], list[Binding]] = {}
    for binding in facts.trace.bindings:
        by_start.setdefault((binding.name, binding.start), []).append(binding)
    leaves = set(facts.leaves)
    for binding in facts.trace.bindings:
        leaf, operation = binding.tensor, binding.until
        if leaf not in leaves or not 0 <= operation < facts.count:
            continue
        grads = facts.grads_of(leaf)
        for following in by_start.get((binding.name, operation), ()):
            made = facts.makers.get(following.tensor)
            if following.tensor == leaf or made is None or _is_new_leaf(facts, following.tensor):
                continue
            sources = facts.below([following.tensor])
            if leaf not in sources or not grads & sources or not facts.place(made):
                continue
            values = {"name": binding.name, "code": facts.text(made)}
            used = [at for at in facts.users.get(following.tensor, ()) if at > made and facts.names[at] != "grad"]
            if used and facts.roots_behind(following.tensor, made, facts.count, made):
                yield Finding("leaf_rebound", facts.place(made), values, leaf)
                return
            if used:
                continue  # one step, to look where it leads
            calls = [call for _, call in facts.calls if leaf in call.accumulated]
            if len(calls) > 1 and not any(write > calls[0].operations for write in facts.writes(leaf)):
                yield Finding("update_lost", facts.place(made), values, leaf)
                return


def _is_new_leaf(facts: Facts, tensor: int) -> bool:
    """Whether a result becomes a leaf that requires a gradient, as `(w - rate * w.grad).detach().requires_grad_()`."""
    tensors = facts.trace.tensors
    if tensors.is_leaf[tensor] and tensors.requires_grad[tensor]:
        return True
    read = [at for at in facts.users.get(tensor, ()) if facts.names[at] not in READ_ONLY]
    made = [output for at in read for output in facts.operations.outputs[at]]
    return bool(made) and all(tensors.is_leaf[output] and tensors.requires_grad[output] for output in made)


RULES = (gradient_stale, step_without_gradient, rebound, never_used, not_in_optimizer)
