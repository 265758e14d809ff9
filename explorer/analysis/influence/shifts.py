"""Measure how far a loss's classes are ahead of an embedding's input, by recorded entries."""

import numpy as np

from explorer.analysis.operations import FORMS, PICKS
from explorer.analysis.run_objects import Call, Tensor
from explorer.trace import sample_shape, sample_steps

_FARTHEST = 4  # farthest position ahead
_FEW = 4  # fewest different classes


def ahead_of(loss: Call) -> int | None:
    """Return how far the class at each position is ahead in the embedding's input, None if it is not from there."""
    target, below = loss.inputs[1], loss.run.below(loss.inputs[:1], 2_000)
    read = [call for call in loss.run.calls(("embedding",)) if call.id < loss.id and call.outputs[0].id in below]
    ids = read[0].inputs[0] if len(read) == 1 else target
    start = _start(loss.inputs[0], ids.shape) if len(ids.shape) == 2 and ids is not target else None
    if start is None or target.size % ids.shape[0]:
        return None
    given, wanted = _known(ids, read[0]), _known(target, loss)
    width, length = ids.shape[1], target.size // ids.shape[0]
    for ahead in range(_FARTHEST + 1):
        at = {i: i // length * width + start + i % length + ahead for i in wanted if i % length + start + ahead < width}
        pairs = [(wanted[i], given[j]) for i, j in at.items() if j in given]
        if len({one for one, _ in pairs}) >= _FEW and all(one == other for one, other in pairs):
            return ahead
    return None


def _known(indices: Tensor, call: Call) -> dict[int, int]:
    """Return the recorded entries of indices by their positions in row-major order."""
    entries, shape = indices.before(call), indices.shape
    if entries is None or entries.dtype.kind != "i" or not 0 < len(shape) < 3:
        return {}
    if entries.size == indices.size:
        return dict(enumerate(entries.tolist()))
    picks = np.indices(sample_shape(shape)).reshape(len(shape), -1) * np.array(sample_steps(shape))[:, None]
    return dict(zip(np.ravel_multi_index(tuple(picks), shape).tolist(), entries.tolist(), strict=True))


def _start(scores: Tensor, shape: tuple[int, ...]) -> int | None:
    """Return the position of the first scores in results of all positions, None if unknown."""
    columns, part = scores.run.trace.tensors, scores.behind(FORMS)
    whole = part.behind(FORMS | PICKS, 8)
    if whole.shape[:2] != shape or part.shape[0] != shape[0] or columns.storage[part.id] != columns.storage[whole.id]:
        return None
    stride = scores.run.trace.shapes[columns.stride[whole.id]][1]
    return (columns.offset[part.id] - columns.offset[whole.id]) // stride if columns.storage[part.id] >= 0 else None
