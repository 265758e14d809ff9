"""A layer between trained ones that no optimizer holds: its gradients add up, since nothing clears them."""

from collections.abc import Iterator

from explorer.analysis.faults.facts import READ_ONLY, Facts
from explorer.analysis.faults.finding import Finding
from explorer.analysis.faults.training_lookups import named, optimizer_name, optimizers, share, tensors_of

_FEW = 3  # backwards before adding up is reported
_LOOKED_AT = 60  # leaves whose neighbours are examined


def layer_forgotten(facts: Facts) -> Iterator[Finding]:
    """Parameters between trained layers that get gradients in every round, and that nothing holds, clears or writes.

    It is certain where fewer parameters are left out than are trained: adapters leave out most of a network.
    """
    held = {tensor for row in facts.trace.log.optimizers for tensor in tensors_of(row)}
    trained = [leaf for leaf in facts.leaves if leaf in held and leaf in facts.received]
    left_out = [
        leaf
        for leaf in facts.leaves
        if leaf not in held and facts.trace.tensors.is_parameter[leaf] and _adds_up(facts, leaf, set(trained))
    ]
    if not trained or not left_out or not facts.steps:
        return
    between = [leaf for leaf in left_out[:_LOOKED_AT] if _is_between(facts, leaf, trained)]
    place = next((home for leaf in between if (home := facts.home(leaf))), None)
    if place is None:
        return
    leaf = between[0]
    last = [call for _, call in facts.calls if leaf in call.accumulated]
    norms = [facts.trace.value(call.after[call.accumulated.index(leaf)]) for call in (last[0], last[-1])]
    numbers = [share(norm.norm) if norm is not None and norm.norm is not None else "?" for norm in norms]
    names = [optimizer_name(facts, at) for at, _, _ in optimizers(facts)]
    values: dict[str, str | int] = {
        "names": named(facts, between),
        "name": named(facts, [leaf]),
        "optimizer": names[0] if len(names) == 1 else "none",
        "first": numbers[0],
        "last": numbers[1],
        "rounds": len(last),
    }
    if len(left_out) < len(trained):  # otherwise not_in_optimizer reports it, as a note
        yield Finding("layer_forgotten", place, values, leaf)


def _adds_up(facts: Facts, leaf: int, trained: set[int]) -> bool:
    """Whether each backward adds to the gradients of all earlier rounds, beside trained leaves."""
    brought = [call for _, call in facts.calls if leaf in call.accumulated]
    if len(brought) < _FEW or not all(trained.intersection(call.accumulated) for call in brought):
        return False
    if any(write > brought[0].operations for write in facts.writes(leaf)):
        return False
    before = [call.before[call.accumulated.index(leaf)] for call in brought]
    there = [facts.entries(value) is not None for value in before]
    return not there[0] and all(there[1:]) and not facts.is_zero(before[-1])


def _is_between(facts: Facts, leaf: int, trained: list[int]) -> bool:
    """Whether the layer's input depends on a trained one, and its output goes to another."""
    uses = _uses(facts, leaf)
    if not uses:
        return False
    given = facts.below([operand for operand in facts.operations.inputs[uses[0]] if operand != leaf], 2_000)
    if not given.intersection(trained):
        return False
    for other in trained[:_LOOKED_AT]:
        for at in _uses(facts, other):
            if uses[0] < at and leaf in facts.below(
                [operand for operand in facts.operations.inputs[at] if operand != other], 2_000
            ):
                return True
    return False


def _uses(facts: Facts, leaf: int) -> list[int]:
    """The first operation on a path to a root that read a leaf. Initialisation does not count."""
    reads = facts.reads_that_matter(leaf)
    return [at for at in reads if facts.names[at] not in READ_ONLY and leaf not in facts.operations.outputs[at]][:1]


RULES = (layer_forgotten,)
