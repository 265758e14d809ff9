"""Calls that only move entries: reshape, transpose, expand, cat, flip, the triangles and diagonals."""

import math
from itertools import pairwise

import numpy as np

from explorer.analysis.tensors.operations.call import OperationCall, Unknown
from explorer.analysis.tensors.operations.reads import Reading, copied, places

# Entries keep their row-major order, whatever the shape becomes.
SAME_ORDER = frozenset(
    """reshape view flatten ravel unflatten squeeze unsqueeze view_as reshape_as contiguous clone detach
    to float double half int long positive type_as""".split()
)
KINDS = {
    **dict.fromkeys(SAME_ORDER, "reshape"),
    **dict.fromkeys("transpose permute t T mT swapaxes swapdims movedim moveaxis adjoint H mH".split(), "transpose"),
    **dict.fromkeys("expand expand_as broadcast_to".split(), "expand"),
    **dict.fromkeys("repeat tile repeat_interleave".split(), "repeat"),
    **dict.fromkeys("cat concat concatenate stack hstack vstack row_stack column_stack dstack".split(), "cat"),
    **dict.fromkeys("split chunk unbind tensor_split".split(), "split"),
    **dict.fromkeys("flip fliplr flipud roll rot90".split(), "flip"),
    **dict.fromkeys("triu tril diag diagonal diag_embed".split(), "triangle"),
}


def moved(call: OperationCall) -> list[Reading]:
    """One reading per result. Raises Unknown."""
    kind = KINDS[call.name]
    if kind == "cat":
        return [_joined(call)]
    here = places(call.operands[0].shape)
    match kind:
        case "reshape":
            if call.results[0].size != call.operands[0].size:
                raise Unknown("size")
            return [copied(here)]
        case "transpose":
            return [copied(_transposed(call, here))]
        case "expand":
            return [copied(np.broadcast_to(here, call.results[0].shape))]
        case "repeat":
            return [copied(_repeated(call, here))]
        case "split":
            return _parts(call, here)
        case "flip":
            return [copied(_flipped(call, here))]
    return [copied(_triangle(call, here))]


def _transposed(call: OperationCall, here: np.ndarray) -> np.ndarray:
    if call.name in ("t", "T", "H"):
        return here.T
    if call.name in ("mT", "mH", "adjoint"):
        return here.swapaxes(-1, -2)
    if call.name == "permute":
        return here.transpose(call.sizes(1, "dims"))
    if call.name in ("movedim", "moveaxis"):
        return np.moveaxis(here, call.plain(1, "source"), call.plain(2, "destination"))
    return here.swapaxes(call.whole(1, "dim0", "axis0"), call.whole(2, "dim1", "axis1")) if here.ndim else here


def _repeated(call: OperationCall, here: np.ndarray) -> np.ndarray:
    if call.name == "repeat_interleave":
        count = call.whole(1, "repeats")
        if here.size * count != call.results[0].size:
            raise Unknown("size")
        return np.repeat(here, count, call.plain(2, "dim", default=None))
    times = call.sizes(1, "repeats", "dims")
    if here.size * math.prod(times) != call.results[0].size:
        raise Unknown("size")
    return np.tile(here, times)


def _joined(call: OperationCall) -> Reading:
    """Every entry is a copy from one of the operands, and none from the others."""
    starts = np.cumsum([0, *(part.size for part in call.operands)])
    pieces = [places(part.shape) + start for part, start in zip(call.operands, starts, strict=False)]
    match call.name:
        case "stack":
            whole = np.stack(pieces, call.whole(1, "dim", default=0))
        case "hstack":
            whole = np.hstack(pieces)
        case "vstack" | "row_stack":
            whole = np.vstack(pieces)
        case "dstack":
            whole = np.dstack(pieces)
        case "column_stack":
            whole = np.column_stack(pieces)
        case _:
            axis = call.whole(1, "dim", "axis", default=0)
            whole = np.concatenate([piece for piece in pieces if piece.shape != (0,)], axis)
    flat = whole.reshape(-1, 1)
    reads = tuple(np.where((flat >= a) & (flat < b), flat - a, -1) for a, b in pairwise(starts))
    return Reading(reads, "copy", tuple(range(len(reads))))


def _parts(call: OperationCall, here: np.ndarray) -> list[Reading]:
    """The parts lie one after the other along the axis, each with the size of its result."""
    axis = call.axis(1 if call.name == "unbind" else 2, "dim", "axis", default=0)
    if call.name == "unbind":
        return [copied(np.take(here, i, axis)) for i in range(len(call.results))]
    ends = np.cumsum([part.shape[axis] for part in call.results])
    return [copied(part) for part in np.split(here, ends[:-1], axis)]


def _flipped(call: OperationCall, here: np.ndarray) -> np.ndarray:
    match call.name:
        case "fliplr":
            return np.fliplr(here)
        case "flipud":
            return np.flipud(here)
        case "rot90":
            return np.rot90(here, call.whole(1, "k", default=1), tuple(call.plain(2, "dims", default=[0, 1])))
        case "roll":
            shifts, dims = call.plain(1, "shifts"), call.plain(2, "dims", default=None)
            as_tuple = tuple(shifts) if isinstance(shifts, list) else shifts
            return np.roll(here, as_tuple, tuple(dims) if isinstance(dims, list) else dims)
    return np.flip(here, call.sizes(1, "dims"))


def _triangle(call: OperationCall, here: np.ndarray) -> np.ndarray:
    offset = call.whole(1, "diagonal", "offset", default=0)
    if call.name in ("triu", "tril"):
        inside = (np.triu if call.name == "triu" else np.tril)(np.ones(here.shape, bool), offset)
        return np.where(inside, here, -1)
    if call.name == "diagonal":
        return np.diagonal(here, offset, call.whole(2, "dim1", default=0), call.whole(3, "dim2", default=1))
    if here.ndim == 2:
        return np.diagonal(here, offset)
    if here.ndim != 1 or (here.size + abs(offset)) ** 2 != call.results[0].size:
        raise Unknown("rank")
    return np.diag(here + 1, offset) - 1
