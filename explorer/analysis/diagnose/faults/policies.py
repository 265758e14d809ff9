"""Policies and values of reinforcement learning: weights of log_prob, and targets of values."""

from collections.abc import Iterator
from operator import attrgetter

import numpy as np

from explorer.analysis.diagnose.faults.comparisons import DIFFERENCES, comparisons
from explorer.analysis.diagnose.faults.distributions import gradients_that_arrived, minimizes
from explorer.analysis.diagnose.faults.finding import Finding, finds, grouped, report
from explorer.analysis.diagnose.faults.later import depends, may_come
from explorer.analysis.run.model import GRAD_CALL, Run, reachable
from explorer.analysis.run.objects import BackwardCall, Call, Tensor
from explorer.analysis.run.operations import DRAWS, FORMS, LOSSES, MOVES, names_where, spellings

_MULTIPLIES, _DIVIDES, _SUBTRACTS, _NEGATES = spellings("mul"), spellings("div"), spellings("sub"), spellings("neg")
_JOINS = names_where(lambda one: one.joins) | _NEGATES | {"sum"}
_SUMS = spellings("add") | _SUBTRACTS
_SQUARES = spellings("pow", "square")
_PASSES = _MULTIPLIES | _DIVIDES | _NEGATES | FORMS | {"mean", "sum"}  # between a comparison and a sum of losses
_COMPARES = names_where(lambda operation: operation.compares) | {"cosine_similarity"}
_PROBABILITY = ".log_prob("
_NORMALIZES = {"sub", "__sub__", "__getitem__", "unbind", "stack"}
_BEST = names_where(lambda operation: operation.kind == "max" and operation.sentence == "reduced")
_FOLLOWS = (
    r"state_dict|copy_|copy\(|lerp|soft_?update|sync|polyak|update_parameters|\.data\b|mul_|set_\(|\[(?:\.\.\.|:)\] ?="
)
_MANY = 8  # fewest uses of a copy that counts as kept
_DISCOUNT = 0.8, 1.0  # range of a discount factor for the next state's value
_FAR, _LONGEST_SUM = 6, 20  # most operations followed, and longest sum
_BELOW = 2_000  # most tensors examined behind an operand
_ROUNDS = 3  # fewest rounds for a statement about all of them
_MOST_TERMS = 50  # most terms of a loss that are followed


def _weighted(run: Run) -> Iterator[tuple[Call, Call, Tensor]]:
    """Yield the products of a log_prob and a weight, each with the call that made the log_prob."""
    for product in run.rooted(_MULTIPLIES):
        for one, weight in (product.inputs[:2], product.inputs[1::-1]) if len(product.inputs) == 2 else ():
            maker = one.behind(FORMS | _JOINS, _FAR).maker
            if maker is not None and maker.inputs and _PROBABILITY in maker.text and maker.name not in FORMS | _JOINS:
                yield product, maker, weight


def weighs_log_prob(run: Run, tensors: set[int]) -> bool:
    """Return whether one of these tensors enters the weight of a log_prob."""
    return any(not tensors.isdisjoint(run.below([weight], _BELOW)) for _, _, weight in _weighted(run))


def _read(chance: Call) -> Iterator[tuple[Call, Tensor]]:
    """Yield tensors that a log_prob's line read from other lines, with the reading calls."""
    calls = [chance]
    for at in range(chance.id - 1, max(chance.id - 40, -1), -1):
        call = chance.run.call(at)
        if call.span != chance.span:
            break
        calls.append(call)
    # A tensor that a call returns unchanged, as long() may, was made by another call.
    made = {one for call in calls for one in call.outputs if one not in call.inputs}
    return ((call, one) for call in calls for one in call.inputs if one not in made)


@finds("advantage_attached", "one optimizer moves the value and the policy that drew the action")
def advantage_attached(run: Run) -> Iterator[Finding]:
    """Report an advantage that is not detached: the policy loss then also trains the value.

    The log_prob's weight is a difference with the output of a layer that the same optimizer trains.
    """
    for product, chance, weight in _weighted(run):
        value = _value_in(weight) if weight.requires_grad and _is_of_draw(chance) else None
        layer = value.behind(FORMS).made_by(("linear",)) if value is not None else None
        if layer is None or len(layer.inputs) < 2:
            continue
        weights, trained = layer.inputs[1], run.trained_next(product.id)
        behind = run.below(one for one in product.inputs if one is not weight)
        if weights.id in trained and not trained.isdisjoint(behind) and weights.id not in behind:
            yield from report("advantage_attached", product, weight, weight=weight.name, name=weights.path)


def _value_in(weight: Tensor) -> Tensor | None:
    """Return the layer output subtracted to make a weight, even before scaling."""
    for _ in range(_FAR):
        maker = weight.maker
        if maker is None or not maker.inputs:
            return None
        if maker.name in _SUBTRACTS:
            values = [one for one in maker.inputs if one.requires_grad and one.behind(FORMS).made_by(("linear",))]
            if values:
                return values[-1]
        elif maker.name not in FORMS | _DIVIDES | _JOINS:
            return None
        weight = maker.inputs[0]
    return None


@finds("policy_upside_down", level="info")
def policy_upside_down(run: Run) -> Iterator[Finding]:
    """Report a step that makes drawn actions with positive weights less likely.

    That is right for a cost and wrong for a return, which nothing measured tells apart. If another loss raises one, the
    two are opponents.
    """
    upside_down: list[Finding] = []
    for product, made, weight in _weighted(run):
        if weight.requires_grad or not minimizes(product) or _is_turned(weight) or not _is_of_draw(made):
            continue
        chance = next(one for one in product.inputs[:2] if one is not weight)
        entries = weight.before(product)
        pulled = [] if chance.maker is None else list(gradients_that_arrived(chance.maker))
        if entries is None or not pulled or chance.size != weight.size:
            continue
        entries = -entries if _is_negated(chance) else entries
        known = [one for one in pulled if one is not None and one.shape == entries.shape]
        falls = all((one * entries >= 0).all() and np.any(one * entries) for one in known)
        if len(known) < len(pulled) or not falls:
            return
        upside_down += report("policy_upside_down", product, weight, weight=weight.name)
    yield from upside_down


def _is_negated(chance: Tensor) -> bool:
    """Return whether a tensor is the negative of a log_prob in another form."""
    negated = False
    while (maker := chance.made_by(FORMS | _JOINS)) is not None:
        negated ^= maker.name in _NEGATES
        chance = maker.inputs[0]
    return negated


def _is_turned(weight: Tensor) -> bool:
    """Return whether a weight, before it was normalized, was given another sign."""
    maker = weight.behind(FORMS | _DIVIDES | _NORMALIZES, 2 * _FAR).maker
    return maker is not None and maker.name in _NEGATES | _MULTIPLIES | spellings("rsub")


def _is_of_draw(chance: Call) -> bool:
    """Return whether a log_prob belongs to actions that were drawn with computed probabilities."""
    return any(one.behind(FORMS | MOVES, _FAR).made_by(DRAWS) for _, one in _read(chance))


@finds("target_moves", level="note")
def target_moves(run: Run) -> Iterator[Finding]:
    """Report a loss that moves its target too: its gradient reaches the same weights through both sides.

    If the loss has other terms, only a TD target is reported, because two results may be meant to come together.
    """
    roots = sorted((call for call in run.backwards if call.roots), key=_line)
    for of_line in grouped(roots, _line).values():
        rounds = [_compared(call) for call in of_line]
        is_all = None not in rounds[0] and len(rounds) >= _ROUNDS
        for made, *others in zip(*rounds, strict=True) if len({*map(len, rounds)}) == 1 else ():
            sides = None if made is None else _sides(made)
            if made is None or sides is None or any(one is None or one.span != made.span for one in others):
                continue
            sums = (one.behind(FORMS).made_by(spellings("add")) for one in sides)
            total = next(filter(_is_discounted, sums), None)
            if (total is not None or is_all) and (leaves := _behind_both(sides, made)):
                values = {"name": run.tensor(min(leaves)).name, "how": "next" if total is not None else "both"}
                yield from report("target_moves", total or made, sides[1], **values, rounds=len(rounds))


def _line(call: BackwardCall) -> int:
    return call.row.span


def _compared(backward: BackwardCall) -> list[Call | None]:
    """Return the comparisons that a backward's root adds up, None for each other term."""
    todo, found = list(backward.roots), list[Call | None]()
    while todo and len(found) < _MOST_TERMS:
        made = todo.pop()
        pair = made.maker if made.maker is not None and _sides(made.maker) else None
        passes = _PASSES | (_SUMS if made.size == 1 else frozenset())
        maker = made.made_by(passes) if pair is None else None
        todo += [one for one in maker.inputs if one.requires_grad] if maker is not None else []
        found += [pair] if maker is None else []
    return found


def _sides(made: Call) -> tuple[Tensor, Tensor] | None:
    """Return the two results of a comparison or a squared difference."""
    difference = made.inputs[0].made_by(_SUBTRACTS) if made.name in _SQUARES and made.inputs else None
    sides = difference.inputs if difference is not None else made.inputs if made.name in _COMPARES else []
    plain = len(sides) >= 2 and sides[0].size > 1 and all(one.requires_grad for one in sides[:2])
    return (sides[0], sides[1]) if plain else None


def _behind_both(sides: tuple[Tensor, Tensor], made: Call) -> set[int]:
    """Return the weights in training behind both sides.

    Empty if both come from one result, such as two of its columns, or contain a derivative, as in an equation.
    """
    run, below = made.run, [made.run.below([one], _BELOW) for one in sides]
    shared = any(one.requires_grad and not one.is_leaf for one in run.tensors(below[0] & below[1]))
    makers = {run.makers.get(one, -1) for one in below[0] | below[1]}
    is_equation = any(at >= 0 and run.names[at] == GRAD_CALL for at in makers)
    return set() if shared or is_equation else _leaves(sides[0], made) & _leaves(sides[1], made)


def _leaves(tensor: Tensor, user: Call) -> set[int]:
    """Return the trained leaves that the gradient reaches through an operand."""
    run, nodes = tensor.run, tensor.run.trace.nodes
    row = run.trace.index.before(tensor.id, user.id)
    start = run.trace.versions.node[row] if row is not None else -1
    found = reachable([start], lambda node: [one for one in nodes.edges[node] if one >= 0]) if start >= 0 else ()
    return {nodes.variable[node] for node in found} & run.held & run.received


def teacher_trained(run: Run) -> Iterator[Finding]:
    """Report a trained copy, such as a teacher, whose result is compared with its network's."""
    if not run.steps or not run.backwards:
        return
    for call in run.rooted({*DIFFERENCES, *LOSSES}):
        pair = call.inputs[:2]
        if len(pair) < 2 or not all(one.requires_grad for one in pair):
            continue
        own, other = (run.tensors(sorted(run.below([one], _BELOW) & run.held & run.received)) for one in pair)
        if len(own) != len(other) or not own or not set(own).isdisjoint(other):
            continue
        first = run.backwards[0]
        entries = [(one.before(first), of.before(first)) for one, of in zip(own, other, strict=True)]
        equal = all(one is not None and of is not None and np.array_equal(one, of) for one, of in entries)
        if equal and any(np.unique(one).size > 1 for one, _ in entries if one is not None):
            source, copy = sorted((own[0], other[0]), key=attrgetter("id"))
            values = {"name": copy.path, "other": source.path, "how": "copy"}
            yield from report("target_moves", call, copy, **values, certain=False)


@finds("target_never_follows", level="note")
def target_never_follows(run: Run) -> Iterator[Finding]:
    """Report a second network for targets that keeps its first weights while the network compared with it is trained.

    It takes the value of a next state, or began as a copy and reads other data: a reference reads the same data.
    """
    for _, prediction, target in comparisons(run) if run.steps and not may_come(run, _FOLLOWS) else ():
        own, other = map(_weights, (prediction, target))
        if not own or [one.shape for one in own] != [one.shape for one in other] or not all(map(_is_still, other)):
            continue
        used = [[use for use in one.uses_for_roots if one not in use.outputs] for one in (own[0], other[0])]
        read = [{use.inputs[0] for use in uses} for uses in used]
        total = target.behind(FORMS).made_by(spellings("add"))
        copied = np.array_equal(own[0].before(used[1][0]), other[0].before(used[1][0]))
        known = len(used[1]) >= _MANY if copied else _is_discounted(total)
        if known and read[0].isdisjoint(read[1]) and all(one.id in run.held for one in own):
            target_name, online = _owners(other[0].path, own[0].path)
            values = {"name": other[0].path, "other": own[0].path, "target": target_name, "online": online}
            yield from report("target_never_follows", used[1][0], other[0], uses=len(used[1]), **values)


def _is_still(weight: Tensor) -> bool:
    """Return whether a weight is not trained, and nothing wrote to it after its first use, nor under a condition."""
    run, begin = weight.run, min((use.id for use in weight.uses_for_roots), default=-1)
    still = begin >= 0 and weight.id not in run.held | run.received and weight.changed_unseen is False
    return still and not any(write.id > begin or depends(write.place) for write in weight.writes)


def _owners(*paths: str) -> list[str]:
    """Strip the end that paths of parameters share.

    >>> _owners("target.0.weight", "online.0.weight")
    ['target', 'online']
    """
    parts = [path.split(".") for path in paths]
    while all(len(part) > 1 for part in parts) and len({part[-1] for part in parts}) == 1:
        parts = [part[:-1] for part in parts]
    return [".".join(part) for part in parts]


@finds("best_learned", level="note")
def best_learned(run: Run) -> Iterator[Finding]:
    """Report a TD target that is compared with the best action's value instead of the taken action's.

    If the best action is always taken, both are equal. A program without integers, one per row, has no other actions.
    """
    for _, prediction, target in comparisons(run, DIFFERENCES):
        best, total = prediction.behind(FORMS).made_by(_BEST), target.behind(FORMS).made_by(spellings("add"))
        scores = best.inputs[0] if best is not None else None
        if scores is None or not scores.made_by(("linear",)) or len(scores.shape) != 2 or prediction.size < 2:
            continue
        taken = any(user.name == "argmax" for user in scores.users) or any(one.users for one in best.outputs[1:])
        every = run.tensors(range(len(run.trace.tensors.shape)))
        actions = (one for one in every if one.dtype == "int64" and one.size == prediction.size)
        if not taken and not all(one.made_by(_BEST) for one in actions) and _is_discounted(total):
            yield from report("best_learned", best, prediction, scores=scores.name)


def _is_discounted(total: Call | None) -> bool:
    """Return whether a sum has a term with a discount factor."""
    todo, seen = list(total.inputs) if total is not None else [], 0
    while todo and seen < _LONGEST_SUM:
        maker, seen = todo.pop().maker, seen + 1
        if maker is not None and maker.name in spellings("mul"):
            if any(_DISCOUNT[0] <= factor < _DISCOUNT[1] for factor in maker.numbers):
                return True
            todo += maker.inputs
    return False


def _weights(tensor: Tensor) -> list[Tensor]:
    """Return the matrices of the layers that a tensor was computed with, in order."""
    run = tensor.run
    made = sorted({at for one in run.below([tensor], _BELOW) if (at := run.makers.get(one)) is not None})
    layers = [run.call(at) for at in made if run.names[at] == "linear"]
    return list(dict.fromkeys(one.inputs[1] for one in layers if len(one.inputs) > 1 and one.inputs[1].is_parameter))


RULES = (target_moves, teacher_trained, best_learned, target_never_follows, policy_upside_down, advantage_attached)
