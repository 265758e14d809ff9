"""Results that meet themselves: losses whose gradient flows into both sides, and terms of a sum that cancel."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from explorer.analysis.operations import FORMS, names_where, spellings
from explorer.analysis.run import GRAD_CALL, Run, reachable
from explorer.analysis.run_objects import BackwardCall, Call, Tensor

_ADDS, _SUBTRACTS = spellings("add"), spellings("sub")
_SQUARES = spellings("pow", "square")
_SCALES = spellings("mul", "div", "neg") | FORMS | {"mean", "sum"}
_COMPARES = names_where(lambda operation: operation.compares) | {"cosine_similarity"}
_MOST = 50  # most terms of a loss that are followed


@dataclass(frozen=True)
class Pair:
    """Two results that a loss compares, both computed from weights in training.

    Attributes:
        leaves: weights that the gradient reaches through both.
        is_all: whether the loss has no other term.
        rounds: losses that compare them.
    """

    call: Call
    sides: tuple[Tensor, Tensor]
    leaves: tuple[Tensor, ...]
    is_all: bool
    rounds: int


def trained_by_both(run: Run) -> Iterator[Pair]:
    """Yield what every loss of a line compares with a gradient for the same weights through both sides."""
    roots = sorted((call for call in run.backwards if call.roots), key=_line)
    for _, of_line in groupby(roots, key=_line):
        rounds = [_compared(call) for call in of_line]
        first = rounds[0]
        if all(len(found) == len(first) for found in rounds):
            for made, *others in zip(*rounds, strict=True):
                sides = None if made is None else _sides(made)
                if made is None or sides is None or any(one is None or one.span != made.span for one in others):
                    continue
                if leaves := _behind_both(sides, made):
                    yield Pair(made, sides, tuple(run.tensors(sorted(leaves))), None not in first, len(rounds))


def _line(call: BackwardCall) -> int:
    return call.row.span


def _compared(backward: BackwardCall) -> list[Call | None]:
    """Return the comparisons that a backward's root adds up, None for each other term."""
    todo, found = list(backward.roots), list[Call | None]()
    while todo and len(found) < _MOST:
        made = todo.pop()
        pair = made.maker if made.maker is not None and _sides(made.maker) else None
        passes = _SCALES | (_ADDS | _SUBTRACTS if made.size == 1 else frozenset())
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
    run, below = made.run, [made.run.below([one], 2_000) for one in sides]
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


@dataclass(frozen=True)
class CancelledTerm:
    """A sum that adds and subtracts the same result. Attributes: left: its only other term, None if there are more."""

    call: Call
    term: Tensor
    left: Tensor | None


def cancelled_terms(run: Run) -> Iterator[CancelledTerm]:
    """Yield the written sums, as x + y - x, in which a term with a gradient cancels."""
    for call in run.rooted(_ADDS | _SUBTRACTS):
        terms = list(_signed(call, 1))
        for term in dict.fromkeys(one for one, _ in terms if one.requires_grad and len(terms) > 2):
            if sum(sign for one, sign in terms if one is term) == 0:
                left = [one for one, _ in terms if one is not term]
                yield CancelledTerm(call, term, left[0] if len(left) == 1 else None)


def _signed(call: Call, sign: int) -> Iterator[tuple[Tensor, int]]:
    """Yield the terms of a sum that one expression writes, with their signs.

    Sums inside a library's function have the place of its call.
    """
    signs = (sign, -sign if call.name in _SUBTRACTS else sign)
    is_plain = len(call.inputs) == 2 and "alpha" not in call.arguments.named
    for one, own in zip(call.inputs, signs, strict=True) if is_plain else ():
        inner = one.made_by(_ADDS | _SUBTRACTS)
        if inner is not None and _is_within(call, inner) and len(inner.inputs) == 2:
            yield from _signed(inner, own)
        else:
            yield one, own


def _is_within(call: Call, inner: Call) -> bool:
    return call.place is not None and call.span != inner.span and call.place.holds(inner.place)
