"""Loss terms without history: they change the number, train nothing."""

from collections.abc import Iterable, Iterator

from explorer.analysis.diagnose.faults.finding import Finding, grouped, named, report
from explorer.analysis.explain.autograd.python_numbers import uses_of_number
from explorer.analysis.run.model import Run, reachable
from explorer.analysis.run.objects import Call, Tensor
from explorer.analysis.run.operations import FORMS, LOSSES, spellings
from explorer.text.numbers import number

_SUMS = spellings("add", "sub", "rsub") | {"__radd__", "__rsub__"}
_SCALES = spellings("mul", "div", "neg") | FORMS | {"__rmul__", "mean", "sum"}
_ROUNDS = 3  # fewest rounds for a changing number
_MOST = 50  # most terms of a loss


def term_without_history(run: Run) -> Iterator[Finding]:
    """Report a loss term without history that should be trained, or that changes each round.

    It is a note: a program may add a value to show or set it.
    """
    sums = [total for call in run.backwards for root in call.roots for total in _sums(root)]
    for same in grouped((one for one in sums if one.place is not None), lambda one: one.span).values():
        yield from _changing_number(same)
        yield from _lost_term(same[-1])
        yield from _cleared_term(same)


def _sums(root: Tensor) -> Iterator[Call]:
    """Yield the calls that add a root's scalar terms, even behind a factor."""
    todo, seen = [root], 0
    while todo and seen < _MOST:
        one, seen = todo.pop(), seen + 1
        maker = one.maker if one.size == 1 else None
        if maker is not None and maker.name in _SUMS and one.requires_grad:
            yield maker
            todo += maker.inputs
        elif maker is not None and maker.name in _SCALES and len(maker.inputs) == 1:
            todo += maker.inputs


def _changing_number(same: list[Call]) -> Iterator[Finding]:
    """Report a sum of one tensor and a fraction that differs in each round."""
    added = [call.numbers for call in same if len(call.inputs) == 1]
    changing = len(added) == len(same) >= _ROUNDS and all(added) and len({one[0] for one in added}) == len(added)
    if changing and not _shown(same[0]) and not _ignores_trained(same[-1]):
        values = {"term": same[0].text, "how": "varies", "first": number(added[0][0]), "last": number(added[-1][0])}
        yield from report("penalty_constant", same[0], same[0].outputs[0], **values, certain=False)


def _shown(call: Call) -> list[Tensor]:
    """Return the operand if its own value is subtracted, as in `loss - loss.item()`."""
    return [one for one in call.inputs if f"{one.name}.item()" in call.text or f"float({one.name})" in call.text]


def _ignores_trained(call: Call) -> bool:
    """Return whether a number ignores what the next step trains."""
    run, trained = call.run, call.run.trained_next(call.id)
    taken = [one for at, fed in uses_of_number(run.trace).items() if call.id in fed for one in run.call(at).inputs]
    return bool(taken) and not any(one.is_computed_from(trained) for one in taken)


def _lost_term(call: Call) -> Iterator[Finding]:
    """Report a sum's term without grad although the others require it and its source would."""
    trained = call.run.trained_next(call.id)
    for term in call.inputs if len(call.inputs) == 2 else ():
        other = next(one for one in call.inputs if one is not term) if call.inputs[0] is not call.inputs[1] else term
        if term.requires_grad or not other.requires_grad or term.size != 1 or keeps_history(term.run, [term], [other]):
            continue
        loss = term.behind(_SCALES, _MOST).maker
        values = {"term": call.text, "first": "", "last": "", "code": term.name if loss is None else loss.text}
        if term.is_computed_from(trained):
            yield from report("penalty_constant", loss or call, term, **values, how="lost", certain=False)
        elif loss is not None and loss.name in LOSSES and loss.place is not None:
            yield from report("penalty_constant", loss, term, **values, how="apart", certain=False)


def _cleared_term(same: list[Call]) -> Iterator[Finding]:
    """Report a sum's term whose gradients are all cleared before a step uses them, in every round."""
    for at in range(2 if len(same) >= _ROUNDS and all(len(call.inputs) == 2 for call in same) else 0):
        reached = [_leaves_of(call.inputs[at]) for call in same]
        if all(map(_are_cleared, same, reached)):
            call, term = same[-1], same[-1].inputs[at].behind(_SCALES, _MOST)
            values = {"code": term.maker.text if term.maker is not None else term.name, "names": named(reached[-1])}
            yield from report(
                "penalty_constant", term.maker or call, term, term=call.text, **values, how="cleared", certain=False
            )


def _leaves_of(term: Tensor) -> list[Tensor]:
    """Return the leaves that a term's history reaches."""
    recorded = reachable([term], lambda one: (each for each in _operands(one) if each.requires_grad))
    return [one for one in recorded if one.is_leaf and one.requires_grad]


def _operands(one: Tensor) -> list[Tensor]:
    return one.maker.inputs if one.maker is not None else []


def _are_cleared(call: Call, leaves: list[Tensor]) -> bool:
    """Return whether leaves have optimizers that step, but not next, and lose this backward's gradients before."""
    run, trained = call.run, call.run.trained_next(call.id)
    backward = next((one for one in run.backwards if one.time > call.id), None)
    if backward is None or not leaves or not all(leaf in run.trainers and leaf.id not in trained for leaf in leaves):
        return False
    return all(_is_cleared(leaf, backward.time) for leaf in leaves)


def _is_cleared(leaf: Tensor, time: int) -> bool:
    """Return whether a leaf's gradient is cleared before its optimizer's next step, or no step follows."""
    steps = leaf.run.trainers[leaf].steps
    end = next((step.operations for step in steps if step.operations > time), None)
    return bool(steps) and (end is None or any(time <= clear.id < end for clear in leaf.grad_sets))


def keeps_history(run: Run, terms: Iterable[Tensor], others: Iterable[Tensor]) -> bool:
    """Return whether a number with history is behind both. Then a term without history only sets the value."""
    both = run.below(terms, 2_000) & run.below(others, 2_000)
    return any(one.size == 1 and one.requires_grad and not one.is_leaf for one in run.tensors(both))


RULES = (term_without_history,)
