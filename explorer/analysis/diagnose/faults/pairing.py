"""Mismatched examples and targets: shuffled, drawn or loaded separately."""

import itertools
from collections.abc import Iterator

import numpy as np

from explorer.analysis.diagnose.faults.comparisons import COMPARED, comparisons
from explorer.analysis.diagnose.faults.finding import Finding, finds, grouped, report
from explorer.analysis.run.model import Run
from explorer.analysis.run.objects import Call, Tensor
from explorer.analysis.run.operations import DRAWS, ENTRYWISE, FORMS, MATRICES, RESHAPES, spellings

_SPLITS = spellings("chunk", "split", "tensor_split", "unbind")
_DRAWS = "randint", "multinomial", "randperm"
_FEW = 3  # fewest rounds for a claim about all of them
_SHUFFLES = 200  # shuffles compared with the targets


@finds("shuffled_apart", "the target of a loss and its predictions have different orders")
def shuffled_apart(run: Run) -> Iterator[Finding]:
    """Report examples and targets that are shuffled by different permutations."""
    every = (call for call in run.calls(("__getitem__", "index_select")) if call.leads_to_root and len(call.inputs) > 1)
    picks = [one for one in every if (order := one.inputs[1].maker) is not None and order.name == "randperm"]
    for first, second in itertools.pairwise(picks):
        if first.inputs[1] is second.inputs[1] or first.iteration != second.iteration:
            continue
        sources = [pick.inputs[0] for pick in (first, second)]
        reused = any(user.id > second.id for source in sources for user in source.users)
        if sources[0].shape[:1] == sources[1].shape[:1] and not reused:
            values = {"first": first.text, "second": second.text, "rows": sources[0].shape[0]}
            certain = _is_compared_with(first, second) or _is_compared_with(second, first)
            yield from report("shuffled_apart", second, **values, how="apart", certain=certain)


def _is_compared_with(target: Call, other: Call) -> bool:
    """Return whether an operation's picked rows are compared directly with another's."""
    views = set(target.outputs)
    todo = list(views)
    while todo:
        for user in todo.pop().users:
            if user.name in RESHAPES | _SPLITS:
                fresh = set(user.outputs) - views
                views |= fresh
                todo += fresh
            elif user.name in COMPARED:
                below = target.run.below(operand for operand in user.inputs if operand not in views)
                if any(output.id in below for output in other.outputs) and below.intersection(target.run.leaves):
                    return True
    return False


def loaded_apart(run: Run) -> Iterator[Finding]:
    """Report predictions and targets from different loaders or draws."""
    for loss, prediction, target in comparisons(run) if run.steps else ():
        drawn = _drawn_rows(target) or _drawn_rows(target.behind(RESHAPES))
        below = run.tensors(run.below([prediction], 2_000)) if drawn is not None else []
        if (
            drawn is None
            or prediction.shape[:1] != target.shape[:1]
            or not {target, target.behind(RESHAPES)}.isdisjoint(below)
        ):
            continue
        data, rows = drawn
        batches = [one for one in map(_drawn_rows, below) if one is not None and len(one[1]) == len(rows)]
        others = [one for one in batches if one[0] is not data and one[0].shape[:1] == data.shape[:1]]
        if others and not any(set(rows) == set(batch[1]) for batch in batches):
            values = {"first": others[0][0].name, "second": data.name, "rows": data.shape[0]}
            yield from report("shuffled_apart", loss, target, **values, how="apart")


def drawn_apart(run: Run) -> Iterator[Finding]:
    """Report a target drawn in each round that nothing else reads, while another draw was added to the input."""
    found = [pair for pair in comparisons(run) if _is_drawn(pair[2]) and pair[2].users == [pair[0]]]
    for same in grouped(found, lambda pair: pair[0].span).values():
        rounds = list(itertools.pairwise(same))  # data that is drawn before all rounds is no noise
        added = [_added_draw(prediction, target, before[0].id) for before, (_, prediction, target) in rounds]
        if len(same) >= _FEW and all(added):
            values = {"first": added[0].text, "second": same[0][2].name, "rows": len(same)}
            yield from report("shuffled_apart", same[0][0], same[0][2], **values, how="drawn", certain=False)


def _is_drawn(tensor: Tensor) -> bool:
    return tensor.maker is not None and tensor.maker.name in DRAWS


def _added_draw(prediction: Tensor, target: Tensor, since: int) -> Call | None:
    """Return the sum below a prediction that adds a later draw of the target's shape to data without one."""
    run = target.run
    below = [one for one in run.tensors(run.below([prediction], 2_000)) if one.shape == target.shape]
    draws = {one.id for one in below if _is_drawn(one) and one.maker.id > since}
    sums = (one.made_by(spellings("add")) for one in below if not one.requires_grad)
    pairs = (made for made in sums if made is not None and len(made.inputs) == 2)
    return next((made for made in pairs if len([1 for one in made.inputs if run.below([one]) & draws]) == 1), None)


def pairs_apart(run: Run) -> Iterator[Finding]:
    """Report a contrastive loss whose pairs on the diagonal come from different rows of two loaders or draws."""
    for loss in run.rooted(("cross_entropy",)):
        made = [one.behind(ENTRYWISE | FORMS, 8).maker for one in loss.inputs[:2]]
        if len(made) < 2 or None in made or made[0].name not in MATRICES or made[1].name != "arange":
            continue
        sides = [[*filter(None, map(_drawn_rows, run.tensors(run.below([one], 2_000))))] for one in made[0].inputs]
        first, second = (side[0] if len(side) == 1 else None for side in sides)
        if first and second and first[0] is not second[0] and first[0].shape[:1] == second[0].shape[:1]:
            meet = sum(one == other for one, other in zip(first[1], second[1], strict=False))
            if len(first[1]) == len(second[1]) > 2 * meet:
                values = {"first": first[0].name, "second": second[0].name, "rows": first[0].shape[0]}
                yield from report("shuffled_apart", loss, made[0].outputs[0], **values, how="pairs")


def _drawn_rows(batch: Tensor) -> tuple[Tensor, list[int]] | None:
    """Return a drawn batch's data and row numbers, or None."""
    pick = batch.behind(FORMS).made_by(("__getitem__", "index_select"))
    if pick is not None and len(pick.inputs) == 2 and (order := _order(pick)).maker is not None:
        entries = pick.inputs[1].before(pick) if order.maker.name in _DRAWS and len(order.shape) == 1 else None
        whole = entries is not None and entries.size == pick.inputs[1].size
        return (pick.inputs[0], [int(at) for at in entries]) if whole else None
    made = batch.made_by(("stack",))
    rows = [one.made_by(("__getitem__",)) for one in made.inputs] if made is not None else []
    picks = [row for row in rows if row is not None and isinstance(row.argument(1), int)]
    sources = {pick.inputs[0] for pick in picks}
    if len(picks) < max(len(rows), 2) or len(sources) != 1:
        return None
    return sources.pop(), [int(str(pick.argument(1))) for pick in picks]


def shuffled_alone(run: Run) -> Iterator[Finding]:
    """Report shuffled examples with targets in the data's order."""
    picks = [call for call in run.rooted(("__getitem__", "index_select")) if _shuffles_rows(call)][:_SHUFFLES]
    orders = {_order(pick).id for pick in picks}
    for _, prediction, goal in comparisons(run) if picks else ():
        examples, target = run.below([prediction]), run.below([goal])
        behind = [pick for pick in picks if pick.outputs[0].id in examples]
        if not behind or target & orders or not run.makers.keys() & target:
            continue
        pick = behind[-1]
        source, rows = pick.inputs[0], pick.inputs[0].shape[0]
        targets = run.tensors(sorted(target))
        if part := _part(pick):
            batches = (one.made_by(("__getitem__",)) for one in targets)
            targets = [batch.inputs[0] for batch in batches if batch is not None and _part(batch) == part]
        whole = [one for one in targets if one.id not in run.leaves and one.shape[:1] == (rows,)]
        mixed = any(made.id in examples for user in source.users if user is not pick for made in user.outputs)
        arrays = [entries for tensor in whole if (entries := tensor.before(pick)) is not None]
        varied = bool(arrays) and all(np.unique(entries).size > 1 for entries in arrays)
        if varied and (part or source.id not in target) and not mixed:
            values = {"target": whole[-1].name, "rows": rows, "how": "alone"}
            yield from report("shuffled_apart", pick, source, **values, certain=False)


def _order(pick: Call) -> Tensor:
    """Return the row order a call picks by (the full order for x[order[i:j]])."""
    return pick.inputs[1].behind(("__getitem__",), 1)


def _part(pick: Call) -> slice | None:
    """Return the slice i to j of rows or order, None for all."""
    made = pick.inputs[1].maker if len(pick.inputs) == 2 else pick
    given = made.argument(1) if made is not None and made.name == "__getitem__" else None
    return given if isinstance(given, slice) else None


def _shuffles_rows(pick: Call) -> bool:
    """Return whether an operation permutes all rows of data, or a batch of them."""
    if len(pick.inputs) != 2 or pick.inputs[0].requires_grad:
        return False
    order, part, shape = _order(pick), _part(pick), pick.inputs[0].shape
    drawn = order.maker is not None and order.maker.name == "randperm"
    whole = order is pick.inputs[1] and ":" not in pick.text
    return drawn and (whole or part is not None) and shape[:1] == order.shape and shape[1:2] != shape[:1]


RULES = (shuffled_apart, loaded_apart, shuffled_alone, drawn_apart, pairs_apart)
