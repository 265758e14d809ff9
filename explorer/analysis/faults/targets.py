"""Targets computed from the network's own values: broadcast to a square, or moved by the gradient themselves."""

from collections.abc import Iterator

import numpy as np

from explorer.analysis.faults.facts import Facts
from explorer.analysis.faults.finding import Finding
from explorer.analysis.faults.misused_losses import _axis_inserted_here as axis_inserted_here
from explorer.analysis.faults.misused_losses import _column_and_row as column_and_row

_SUMS = ("add", "__radd__", "sub", "rsub", "__rsub__", "mul", "__rmul__", "add_", "sub_", "where", "addcmul")
_DIFFERENCES = ("sub", "rsub", "__rsub__", "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss")
_PASSES = ("mul", "__rmul__", "squeeze", "unsqueeze", "view", "reshape", "__getitem__", "sub", "detach", "clone", "neg")
_PICKS = ("gather", "__getitem__", "take_along_dim")
_BEST = ("max", "amax")
_DISCOUNT = 0.8, 1.0  # discount factors of the value of a next state


def target_broadcast(facts: Facts) -> Iterator[Finding]:
    """A sum of (n, 1) and (n,) is (n, n), and is then compared with one value for each of the n examples."""
    for operation in range(facts.count):
        pair = facts.operations.inputs[operation][:2]
        made = facts.operations.outputs[operation]
        if facts.names[operation] not in _SUMS or len(pair) < 2 or not made or not facts.leads_to_root[operation]:
            continue
        place = facts.place(operation)
        first, second = (facts.shape(tensor) for tensor in pair)
        if place is None or not (column_and_row(first, second) or column_and_row(second, first)):
            continue
        if any(axis_inserted_here(facts, tensor, operation) for tensor in pair) or not _is_compared(
            facts, made[0], pair
        ):
            continue
        values = {"code": facts.text(operation), "first": str(first), "second": str(second)}
        values["made"] = str(np.broadcast_shapes(first, second))
        yield Finding("loss_broadcast", place, values)
        return


def _is_compared(facts: Facts, square: int, pair: list[int]) -> bool:
    """Whether a square is compared with a tensor of the shape of one of its two operands."""
    shapes = {facts.shape(tensor) for tensor in pair}
    todo, seen = [square], {square}
    while todo and len(seen) < 20:
        at = todo.pop()
        for user in facts.users.get(at, ()):
            if not facts.leads_to_root[user]:
                continue
            read = facts.operations.inputs[user]
            if facts.names[user] in _DIFFERENCES and any(
                operand not in pair and facts.shape(operand) in shapes for operand in read
            ):
                return True
            if facts.names[user] in _PASSES:
                fresh = [
                    output for output in facts.operations.outputs[user] if facts.shape(output) == facts.shape(square)
                ]
                todo += [output for output in fresh if output not in seen]
                seen.update(fresh)
    return False


def target_moves(facts: Facts) -> Iterator[Finding]:
    """A value is compared with reward + discount · value of a next state, and the gradient goes through both."""
    wants = facts.trace.tensors.requires_grad
    for operation in range(facts.count):
        pair = facts.operations.inputs[operation][:2]
        if facts.names[operation] not in _DIFFERENCES or len(pair) < 2 or not facts.leads_to_root[operation]:
            continue
        if not all(wants[tensor] for tensor in pair):
            continue
        for value, target in (pair, pair[::-1]):
            made = facts.makers.get(target)
            following = None if made is None else _following(facts, made)
            place = None if made is None else facts.place(made)
            if made is None or following is None or place is None:
                continue
            shared = _parameters(facts, value) & _parameters(facts, following)
            best = facts.names[facts.makers[following]] in _BEST if following in facts.makers else False
            picked = facts.names[facts.makers[value]] in _PICKS if value in facts.makers else False
            if shared and (best or not picked) and _picked_or_plain(facts, value, best):
                values: dict[str, str | int] = {"code": facts.text(made), "name": facts.name(min(shared))}
                yield Finding("target_moves", place, values, target)
                return


def _picked_or_plain(facts: Facts, value: int, best: bool) -> bool:
    """Whether a value is a layer's output, or one entry of each row, also the best one where the target's is."""
    maker = facts.makers.get(value)
    for _ in range(4):
        if maker is None:
            return False
        if facts.names[maker] in ("linear", *_PICKS) or (best and facts.names[maker] in _BEST):
            return True
        if facts.names[maker] not in ("squeeze", "unsqueeze", "view", "reshape", "flatten"):
            return False
        maker = facts.makers.get(facts.operations.inputs[maker][0])
    return False


def _following(facts: Facts, made: int) -> int | None:
    """The value of a next state in reward + discount · value, None if an operation is no such sum."""
    wants = facts.trace.tensors.requires_grad
    read = facts.operations.inputs[made][:2]
    if facts.names[made] not in ("add", "__radd__") or len(read) < 2 or wants[read[0]] == wants[read[1]]:
        return None
    at = read[0] if wants[read[0]] else read[1]
    discounted = False
    for _ in range(8):
        maker = facts.makers.get(at)
        if maker is None:
            return None
        name, inputs = facts.names[maker], facts.operations.inputs[maker]
        if name in (*_BEST, "linear") or (name == "__getitem__" and not discounted):
            return at if discounted and name != "__getitem__" else None
        if name not in _PASSES:
            return None
        discounted = discounted or (name in ("mul", "__rmul__") and _is_discount(facts, maker))
        at = next((input_ for input_ in inputs if wants[input_]), -1)
    return None


def _is_discount(facts: Facts, operation: int) -> bool:
    given = facts.trace.arguments(operation).positional
    return any(isinstance(number, float) and _DISCOUNT[0] <= number < _DISCOUNT[1] for number in given)


def _parameters(facts: Facts, tensor: int) -> set[int]:
    """The leaves that a tensor was computed from."""
    wants = facts.trace.tensors
    return {leaf for leaf in facts.below([tensor], 2_000) if wants.is_leaf[leaf] and wants.requires_grad[leaf]}


RULES = (target_broadcast, target_moves)
