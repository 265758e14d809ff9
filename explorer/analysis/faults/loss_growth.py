"""A loss that grows from round to round although only the parameters change."""

import itertools
from collections.abc import Iterator

import numpy as np

from explorer.analysis.faults.facts import Facts, numbers
from explorer.analysis.faults.finding import Finding
from explorer.safe_regex import plain
from explorer.trace import Backward

_LOSS = plain(r"loss|cost|err|mse|nll")
_ROUNDS = 4  # rounds before growth is reported
_LONGEST = 400  # operations of a round that are compared


def loss_grows(facts: Facts) -> Iterator[Finding]:
    """Four or more equal rounds, each loss larger than the one before, and at least doubled in all.

    A rising weight, a learning-rate search, harder data and an optimizer that maximizes make a loss grow on purpose.
    """
    rounds: dict[int, list[tuple[float, Backward]]] = {}
    for _, call in facts.calls if facts.has_arguments else ():
        if len(call.root_tensors) == 1 and call.root_tensors[0] >= 0:
            entries = facts.before(call.root_tensors[0], call.operations)
            if entries is not None and entries.size == 1 and entries.dtype.kind in "fiu":
                rounds.setdefault(call.span, []).append((float(entries[0]), call))
    for told in rounds.values():
        losses = [loss for loss, _ in told]
        grows = all(later > earlier for earlier, later in itertools.pairwise(losses))
        if len(losses) < _ROUNDS or losses[0] <= 0 or not grows or losses[-1] < 2 * losses[0]:
            continue
        calls = [call for _, call in told]
        first, second = calls[:2]
        if not _are_alike(facts, calls) or _rate_rises(facts, calls):
            return
        for leaf in first.accumulated:
            writes = [at for at in facts.writes(leaf) if first.operations <= at < second.operations]
            if not writes or not facts.place(writes[-1]):
                continue
            uphill = _climbs(facts, writes[-1])
            if uphill and not _LOSS.search(facts.name(first.root_tensors[0])):
                return  # a maximised quantity with another name
            if not uphill and _went_along(facts, leaf, first, second):
                return  # an optimizer that maximizes
            values = {"code": facts.text(writes[-1]), "losses": numbers(np.array(losses)), "uphill": str(uphill)}
            yield Finding("loss_grows", facts.place(writes[-1]), values, leaf)
            return


def _rate_rises(facts: Facts, calls: list[Backward]) -> bool:
    """Whether the learning rate is raised on the way, as in a learning-rate search."""
    begin, end = calls[0].operations, calls[-1].operations
    steps = [call.value for call in facts.trace.log.calls if call.kind == "step" and begin <= call.operations <= end]
    rates = [step for step in steps if step is not None]
    return bool(rates) and rates[-1] > rates[0]


def _are_alike(facts: Facts, calls: list[Backward]) -> bool:
    """Whether all rounds after the first ran the same operations with the same numbers and data."""
    found = {_round(facts, before, after) for before, after in itertools.pairwise(calls)}
    return len(found) == 1


def _round(facts: Facts, before: Backward, after: Backward) -> tuple:
    """The operations between two backward calls: names and numbers, and the data that they read."""
    made: set[int] = set()
    done: list[tuple] = []
    for operation in range(before.operations, after.operations)[:_LONGEST]:
        read, name = facts.operations.inputs[operation], facts.names[operation]
        done.append((name, facts.operations.arguments[operation] if not name.startswith("_record") else -1))
        if not name.startswith("_record"):
            old = [tensor for tensor in read if tensor not in made and not facts.trace.tensors.requires_grad[tensor]]
            done[-1] = (*done[-1], tuple(_entries_of(facts, tensor, operation) for tensor in old))
        made.update(facts.operations.outputs[operation])
        if not read and facts.operations.outputs[operation]:  # random, or created again in each round
            done[-1] = (*done[-1], _entries_of(facts, facts.operations.outputs[operation][0], operation + 1))
    return tuple(done)


def _entries_of(facts: Facts, tensor: int, operation: int) -> str:
    return repr(facts.trace.value(facts.value_before(tensor, operation)))  # NaN equals itself here


def _climbs(facts: Facts, write: int) -> bool:
    name, scale = facts.names[write], facts.trace.arguments(write).named.get("alpha")
    negative = isinstance(scale, int | float) and scale < 0
    if name in ("add_", "__iadd__", "iadd"):
        return not negative
    return name in ("sub_", "__isub__", "isub") and negative


def _went_along(facts: Facts, leaf: int, first: Backward, second: Backward) -> bool:
    """Whether a leaf moved along its gradient between two backward calls."""
    gradient = facts.entries(first.after[first.accumulated.index(leaf)])
    was, now = facts.before(leaf, first.operations), facts.before(leaf, second.operations)
    if gradient is None or was is None or now is None or not gradient.size == was.size == now.size:
        return False
    with np.errstate(all="ignore"):
        return bool(np.vdot(now - was, gradient) > 0)


RULES = (loss_grows,)
