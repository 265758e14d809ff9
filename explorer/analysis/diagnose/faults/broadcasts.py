"""Broadcasts that fit only by chance: one row for a whole batch, a factor per sample on the wrong axis."""

from collections.abc import Iterator

import numpy as np

from explorer.analysis.diagnose.faults.finding import Finding, finds, grouped, report
from explorer.analysis.run.model import Run
from explorer.analysis.run.objects import Call, Tensor
from explorer.analysis.run.operations import ENTRYWISE, FORMS, PICKS, PRODUCTS, names_where, spellings

_PAIRS = spellings("add", "sub", "mul", "div")
_EVEN = names_where(lambda operation: operation.draws == "result")
_FIRST = PRODUCTS | spellings("embedding")
_FEW = 3  # fewest rounds for a claim about all of them
_SIDE = 3  # smallest batch for which equal sizes are evidence


@finds("factor_on_other_axis", level="note")
def factor_on_other_axis(run: Run) -> Iterator[Finding]:
    """Report a number per sample that meets the last axis of a batch, because both are equally long.

    The numbers were drawn, or picked by an index with one entry per sample.
    """
    met = ((call, _factor(call)) for call in run.rooted(_PAIRS))
    found = [(call, factor) for call, factor in met if factor is not None]
    for same in grouped(found, lambda pair: pair[0].span).values():
        call, factor = same[0]
        if len(same) >= _FEW:
            other = next(one for one in call.inputs if one is not factor)
            values = {"name": factor.name, "other": other.name, "rows": factor.size, "rounds": len(same)}
            yield from report("factor_on_other_axis", call, factor, **values)


def _factor(call: Call) -> Tensor | None:
    """Return the operand with one number for each sample that meets a last axis."""
    pair = call.inputs[:2]
    if len(pair) != 2 or (pair[0].requires_grad and pair[1].requires_grad):
        return None
    factor, batch = sorted(pair, key=lambda one: len(one.shape))
    rows = factor.shape
    fits = len(rows) == 1 < len(batch.shape) and batch.shape[0] == batch.shape[-1] == rows[0] >= _SIDE
    if not fits or factor.requires_grad or _pairs_rows(batch):
        return None
    return factor if _is_per_sample(factor) else None


def _pairs_rows(table: Tensor) -> bool:
    """Return whether a broadcast made the last axis of a table, so that it is the batch again."""
    made = table.maker
    while made is not None and made.name in ENTRYWISE and made.inputs:
        source = next((one for one in made.inputs if one.shape[-2:] == table.shape[-2:]), None)
        if source is None:
            return True
        made = source.maker
    return False


def _is_per_sample(factor: Tensor) -> bool:
    """Return whether the numbers were picked by positions in varying order, or drawn."""
    source = factor
    for _ in range(6):
        made = source.maker
        if made is None or not made.inputs:
            return made is not None and made.name in _EVEN
        if made.name in PICKS and len(made.inputs) > 1:
            order = made.inputs[1].before(made)
            return made.inputs[1].shape == factor.shape and order is not None and bool((np.diff(order) < 0).any())
        if made.name not in ENTRYWISE | FORMS or made.inputs[0].shape != factor.shape:
            return False
        source = made.inputs[0]
    return False


@finds("one_row_for_all", level="note")
def one_row_for_all(run: Run) -> Iterator[Finding]:
    """Report a module that broadcasts an input with one row over another input's whole batch."""
    met = ((call, _lonely(call)) for call in run.rooted(_PAIRS) if call.module and run.steps)
    found = [(call, pair) for call, pair in met if pair is not None]
    for same in grouped(found, lambda one: one[0].span).values():
        call, (row, batch) = same[0]
        rows, batches = ({pair[at].id for _, pair in same} for at in (0, 1))
        if len(same) >= _FEW and min(len(rows), 2) == min(len(batches), 2):  # a table never changes
            values = {"row": row.name, "batch": batch.name, "rows": batch.shape[0]}
            yield from report("one_row_for_all", call, row, **values, rounds=len(same))


def _lonely(call: Call) -> tuple[Tensor, Tensor] | None:
    """Return the data with one row and the data with many behind the operands of a broadcast."""
    pair = sorted(call.inputs[:2], key=lambda one: one.shape[:1])
    if len(pair) != 2 or not all(one.requires_grad for one in pair):
        return None
    one, many = pair
    if len(one.shape) < 2 or one.shape[1:] != many.shape[1:] or not one.shape[0] == 1 < many.shape[0]:
        return None
    row, batch = _data(one), _data(many)
    if row is None or batch is None or row.shape[:1] != (1,) or batch.shape[:1] != many.shape[:1]:
        return None
    made = row.behind(FORMS | PICKS).maker
    is_position = made is not None and made.name == "arange"
    return None if is_position or len(row.shape) < 2 else (row, batch)


def _data(tensor: Tensor) -> Tensor | None:
    """Return the data that layers read to compute a tensor, if it is a single tensor."""
    run = tensor.run
    below = run.below([tensor], 2_000)
    makers = (run.call(run.makers[one]) for one in below if one in run.makers)
    read = {
        operand
        for made in makers
        if made.name in _FIRST
        for operand in made.inputs
        if not operand.requires_grad and not operand.is_parameter
    }
    return read.pop() if len(read) == 1 else None


RULES = (factor_on_other_axis, one_row_for_all)
