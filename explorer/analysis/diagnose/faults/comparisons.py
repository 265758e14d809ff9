"""Comparisons in losses: predictions, which require a gradient, with targets, which do not."""

from collections.abc import Collection, Iterator

from explorer.analysis.run.model import Run
from explorer.analysis.run.objects import Call, Tensor
from explorer.analysis.run.operations import LOSSES, names_where, spellings

AMOUNTS = names_where(lambda operation: operation.compares)  # losses that compare amounts, not classes
DIFFERENCES = spellings("sub") | AMOUNTS
COMPARED = LOSSES | DIFFERENCES


def comparisons(run: Run, names: Collection[str] = COMPARED) -> Iterator[tuple[Call, Tensor, Tensor]]:
    """Find root calls with these names, each with prediction and target."""
    for loss in run.rooted(names):
        pair = loss.inputs[:2]
        if len(pair) == 2 and pair[0].requires_grad != pair[1].requires_grad:
            prediction, target = sorted(pair, key=lambda one: not one.requires_grad)
            yield loss, prediction, target


def has_targets(call: Call, made: Tensor, rows: int) -> bool:
    """Return whether a later loss compares the result, row by row, with data."""
    later = ((prediction, target) for loss, prediction, target in comparisons(call.run) if loss.id > call.id)
    alike = (prediction for prediction, target in later if {prediction.shape[:1], target.shape[:1]} == {(rows,)})
    return any(made.id in call.run.below([prediction]) for prediction in alike)
