"""What changed a weight: each recorded change, with the gradient at that time."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from explorer.analysis.run_objects import Call, Tensor


@dataclass(frozen=True)
class Update:
    """A change of a weight.

    Attributes:
        was, now: its recorded entries before and after.
        write: the call that changed it, None if nothing that was recorded did, as code inside a backward.
        gradient: its `.grad` as the write read it, None if unknown or of another size.
    """

    was: np.ndarray
    now: np.ndarray
    write: Call | None
    gradient: np.ndarray | None


def updates_by_optimizers(leaf: Tensor, most: int) -> Iterator[Update | None]:
    """Yield the first changes by optimizers, None for those of which a number is unknown or not finite."""
    for write in [one for one in leaf.writes if one.is_of_optimizer][:most]:
        grad = next((one for one in write.inputs if one in leaf.grads), None)
        was, now, gradient = leaf.before(write), leaf.before(write.id + 1), None if grad is None else grad.before(write)
        if was is None or now is None or gradient is None or not np.isfinite(now).all():
            yield None
        else:
            yield Update(was, now, write, gradient) if was.size == now.size == gradient.size else None


def updates_in_backward(leaf: Tensor) -> Iterator[Update]:
    """Yield the changes around a backward that only code inside it can have made."""
    run, versions, times = leaf.run, leaf.run.trace.versions, [user.id for user in leaf.users]
    for row in list(run.trace.versions_of(leaf.id))[1:]:
        seen = versions.seen[row]
        if versions.operation[row] >= 0 or not 0 <= seen < run.count or not run.names[seen].startswith(("grad", "_")):
            continue
        before = max((time for time in times if time < seen), default=-1)
        was, now = (run.entries(versions.value[at]) for at in (row - 1, row))
        if was is None or now is None or np.array_equal(was, now, equal_nan=True):
            continue
        if any(before < call.time <= seen for call in leaf.backwards):
            yield Update(was, now, None, None)
