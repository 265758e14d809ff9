"""Find calls that combine the rows of a batch, and losses that are not the mean over its halves."""

import math

from explorer.analysis.run.model import Run
from explorer.analysis.run.objects import Call, Tensor
from explorer.analysis.run.operations import FORMS, PRODUCTS, RECURRENT, operation_of
from explorer.trace.effects import Batch

_SAME = 1e-7  # relative: rounding of two sums in float64
BY_DESIGN = RECURRENT | {"multi_head_attention_forward", "batch_norm", "native_batch_norm"}  # axis 0 may be time


def batch_of(run: Run, batch: Batch) -> Tensor | None:
    """Return the batch in the recorded run. None if the further run was another one, or if it comes from weights."""
    inputs = run.operations.inputs[batch.operation] if batch.operation < run.count else []
    data = run.tensor(inputs[batch.operand]) if batch.operand < len(inputs) else None
    if data is None or data.shape[:1] != (batch.rows,):
        return None
    return None if any(one.gets_grad for one in run.tensors(run.below([data]))) else data


def mixing(data: Tensor, batch: Batch) -> Call | None:
    """Return the first call after which a row of a result depends on other rows.

    A sum over the rows does not yet, but the difference between the rows and their sum does.
    """
    run, axes, crossed = data.run, {data.id: 0}, dict[int, Call]()
    for one in batch.changed:
        made = run.operations.outputs[one.operation] if one.operation < run.count else []
        if one.output >= len(made):
            return None
        call, out = run.call(one.operation), run.tensor(made[one.output])
        if not any(given.id in axes or given.id in crossed for given in call.inputs):
            continue  # memory that was never filled
        if one.axis >= 0:
            axes[out.id] = one.axis
            crossed.pop(out.id, None)
            continue
        origin = next((crossed[given.id] for given in call.inputs if given.id in crossed), call)
        given = [(axes[tensor.id], tensor.shape) for tensor in call.inputs if tensor.id in axes]
        if any(_is_mixed(call, origin, axis, shape, out.shape, batch.rows) for axis, shape in given):
            return origin
        axes.pop(out.id, None)
        crossed[out.id] = origin
    return None


def _is_mixed(call: Call, origin: Call, axis: int, before: tuple[int, ...], after: tuple[int, ...], rows: int) -> bool:
    """Return whether a result still has the rows of an operand, in which the first one changes others."""
    if call.name in FORMS:  # a reshape across rows
        return rows in after
    keeps = before[: axis + 1] == after[: axis + 1]
    reduces = operation_of(call.name).subject == "reduce" and before != after
    return keeps and (origin is not call or not (call.name in PRODUCTS - RECURRENT or reduces))


def mean_of_halves(data: Tensor, batch: Batch) -> float | None:
    """Return the mean loss of a batch's halves if it differs from the batch's loss.

    None if it is equal, or unknown because other tensors have as many rows by chance.
    """
    if len(batch.halves) != 2:
        return None
    run = data.run
    parameters = (one for one in run.tensors(range(len(run.trace.tensors))) if one.is_leaf and one.requires_grad)
    if data.shape.count(batch.rows) > 1 or any(batch.rows in one.shape for one in parameters):
        return None
    mean = sum(batch.halves) / 2
    is_equal = math.isclose(mean, batch.root, rel_tol=_SAME)
    return mean if math.isfinite(mean) and math.isfinite(batch.root) and not is_equal else None
