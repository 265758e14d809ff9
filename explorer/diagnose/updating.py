"""Gradients that an update reads wrongly, or that no update reads."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from explorer.diagnose.facts import READ_ONLY, Facts, is_zero, numbers
from explorer.diagnose.finding import Finding
from explorer.trace import Binding


def gradient_stale(facts: Facts) -> Iterator[Finding]:
    """A leaf was updated and its gradient kept: the next backward adds to it, and the next update reads the sum."""
    for leaf in facts.leaves:
        held, stepped, mixed = None, False, None
        for what, at in _life(facts, leaf):
            if what == "received":
                before, after = at
                there = facts.entries(before)
                if held is not None and stepped and there is not None and not is_zero(there):
                    kept = facts.entries(held)
                    if kept is not None and np.array_equal(kept, there):
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
    """What befell a leaf and its gradient, in order: received (.grad before, after), cleared, updated."""
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
    """A step after a backward that wrote to nothing."""
    if any(facts.trace.tensors.is_leaf[tensor] for tensor in facts.roots):
        return
    for step in facts.steps:
        if not any(call.operations <= step.begin and call.accumulated for _, call in facts.calls):
            continue
        within = range(step.begin, min(step.end + 1, facts.count))
        if step.place is None:
            continue
        if not any(facts.operations.outputs[operation] and facts.names[operation] != "grad" for operation in within):
            yield Finding("step_without_gradient", step.place)
            return


def never_used(facts: Facts) -> Iterator[Finding]:
    """A leaf that is stepped with others and that no operation read."""
    if not facts.held & facts.received:
        return
    for leaf in sorted(facts.held - facts.received):
        read = [at for at in facts.users.get(leaf, ()) if facts.names[at] not in READ_ONLY and at not in facts.inside]
        if any(not facts.names[at].endswith("_") for at in read):
            continue
        if leaf in facts.places:
            yield Finding("never_used", facts.places[leaf], {"name": facts.name(leaf)}, leaf)
            return


def not_in_optimizer(facts: Facts) -> Iterator[Finding]:
    """A leaf that gets gradients together with stepped ones, and that nothing ever changes."""
    if not facts.steps:
        return
    for leaf in facts.leaves:
        named = leaf in facts.trace.index.bindings or facts.trace.tensors.is_parameter[leaf]
        if leaf not in facts.received or leaf in facts.held or not named:
            continue
        brought = [call for _, call in facts.calls if leaf in call.accumulated]
        if not any(facts.held.intersection(call.accumulated) for call in brought):
            continue
        reads = [at for at in facts.users.get(leaf, ()) if facts.names[at] == "grad" and at not in facts.inside]
        if reads or any(write > brought[0].operations for write in facts.writes(leaf)):
            continue
        if _one_part_is_trained(facts, leaf):
            return
        if leaf in facts.places:
            yield Finding("not_in_optimizer", facts.places[leaf], {"name": facts.name(leaf)}, leaf)
            return


def _one_part_is_trained(facts: Facts, leaf: int) -> bool:
    """Whether the optimizer holds all of one submodule and nothing else: that is how a part is trained on purpose.

    A leaf that no module knows, as of a layer in a plain list, is no other part: `net.parameters()` leaves it out.
    """
    index = facts.trace.index.bindings
    if not any("." in binding.name for binding in index.get(leaf, ())):
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
    """A name moves from a leaf to a result made of the leaf and its gradient: used further, or lost."""
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
            if following.tensor == leaf or made is None:
                continue
            sources = facts.below([following.tensor])
            if leaf not in sources or not grads & sources or not facts.place(made):
                continue
            values = {"name": binding.name, "code": facts.text(made)}
            used = [at for at in facts.users.get(following.tensor, ()) if at > made and facts.names[at] != "grad"]
            if used:
                yield Finding("leaf_rebound", facts.place(made), values, leaf)
                return
            calls = [call for _, call in facts.calls if leaf in call.accumulated]
            if len(calls) > 1 and not any(write > calls[0].operations for write in facts.writes(leaf)):
                yield Finding("update_lost", facts.place(made), values, leaf)
                return


RULES = (gradient_stale, step_without_gradient, rebound, never_used, not_in_optimizer)
