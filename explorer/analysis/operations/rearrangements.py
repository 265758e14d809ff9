"""Calls that only move entries: reshape, transpose, expand, cat, flip, the triangles and diagonals."""

import math
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from explorer.analysis.operations import alike
from explorer.analysis.operations.alike import Followed, Step
from explorer.analysis.operations.call import NoEntryMap, OperationCall, Reading, copied, places
from explorer.analysis.operations.record import Derivative, EntryMap, Operation, Rule

Array = Any  # numpy's overloads have no None and no mixed index


def _map_reshape(call: OperationCall, operation: Operation) -> EntryMap:
    """Entries keep their row-major order, whatever the shape becomes."""
    if call.results[0].size != call.operands[0].size:
        raise NoEntryMap("size")
    return [copied(places(call.operands[0].shape))]


def _map_move(call: OperationCall, operation: Operation) -> EntryMap:
    """One result, whose entries stand elsewhere."""
    return [copied(_MOVES[operation.sentence](call, places(call.operands[0].shape)))]


def _transpose(call: OperationCall, here: np.ndarray) -> np.ndarray:
    if call.name in ("t", "T", "H"):
        return here.T
    if call.name in ("mT", "mH", "adjoint"):
        return here.swapaxes(-1, -2)
    if call.name == "permute":
        return here.transpose(call.sizes(1, "dims"))
    if call.name in ("movedim", "moveaxis"):
        return np.moveaxis(here, call.plain(1, "source"), call.plain(2, "destination"))
    return here.swapaxes(call.whole(1, "dim0", "axis0"), call.whole(2, "dim1", "axis1")) if here.ndim else here


def _follow_axes(step: Step) -> Followed:
    """Along which axes a change is the same after axes have changed places: each is known by its size."""
    call = OperationCall(-1, step.name, False, (), (), step.arguments)
    try:
        sizes = _transpose(call, np.empty(range(len(step.shapes[0])))).shape
    except (ValueError, TypeError):
        return None
    return frozenset(sizes.index(axis) for axis in step.moved.get(0, ()))


def _repeat(call: OperationCall, here: np.ndarray) -> np.ndarray:
    if call.name == "repeat_interleave":
        count = call.whole(1, "repeats")
        if here.size * count != call.results[0].size:
            raise NoEntryMap("size")
        return np.repeat(here, count, call.plain(2, "dim", default=None))
    times = call.sizes(1, "repeats", "dims")
    if here.size * math.prod(times) != call.results[0].size:
        raise NoEntryMap("size")
    return np.tile(here, times)


def _map_join(call: OperationCall, operation: Operation) -> EntryMap:
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
    return [Reading(reads, "copy", tuple(range(len(reads))))]


def _map_split(call: OperationCall, operation: Operation) -> EntryMap:
    """The parts lie one after the other along the axis, each with the size of its result."""
    here = places(call.operands[0].shape)
    axis = call.axis(1 if call.name == "unbind" else 2, "dim", "axis", default=0)
    if call.name == "unbind":
        return [copied(np.take(here, i, axis)) for i in range(len(call.results))]
    ends = np.cumsum([part.shape[axis] for part in call.results])
    return [copied(part) for part in np.split(here, ends[:-1], axis)]


def _flip(call: OperationCall, here: np.ndarray) -> np.ndarray:
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
        raise NoEntryMap("rank")
    return np.diag(here + 1, offset) - 1


_MOVES = {
    "transpose": _transpose,
    "expand": lambda call, here: np.broadcast_to(here, call.results[0].shape),
    "repeat": _repeat,
    "flip": _flip,
    "triangle": _triangle,
}


# ---- backward: the gradient of an entry goes to the position that it was read from ---------------------------------


def _whole(number: Array) -> int:
    return int(np.ravel(number)[0])


# ---- the table -----------------------------------------------------------------------------------------------------


def _words(words: str, to: str = "self") -> dict[str, Rule]:
    return {to: Derivative(words=words)}


_same_order = partial(Operation, subject="shape", entries=_map_reshape, sentence="reshape", keeps_examples=True)
_move = partial(Operation, subject="shape", entries=_map_move)
_join = partial(Operation, subject="shape", entries=_map_join, sentence="cat")
_split = partial(Operation, subject="shape", entries=_map_split, sentence="split")
_SHAPE, _JOINED = _words("shape"), _words("joined")
_STRETCHED: dict[str, Rule] = {"self": Derivative("1", "stretched")}
OPERATIONS = (
    _same_order("reshape", "flatten ravel unflatten view_as reshape_as", alike=alike.reshaped),
    _same_order("view", derivative=_SHAPE, step="shape", alike=alike.reshaped),
    Operation("_unsafe_view", sentence="reshape", derivative=_SHAPE, step="shape"),
    Operation("_reshape_alias", sentence="reshape", derivative=_SHAPE, step="shape"),
    _same_order("squeeze", derivative=_SHAPE, step="shape", alike=alike.reshaped),
    _same_order("unsqueeze", derivative=_SHAPE, step="shape", alike=alike.reshaped),
    _same_order("contiguous", sentence="contiguous", alike=alike.same),
    _same_order("clone", sentence="clone", derivative={"self": "1"}, step="same", alike=alike.same),
    _same_order("detach", sentence="detach"),
    _same_order("to", "float double half bfloat16 int long short char byte bool type type_as positive",
                nodes={"ToCopy": {"self": "1"}}, alike=alike.same),
    Operation("alias", derivative={"self": "1"}, step="same"),
    _move("transpose", "swapaxes swapdims", sentence="transpose", derivative=_words("axes"), step="axes",
          alike=_follow_axes),
    _move("t", "T H", sentence="transpose", derivative={"self": "T(G)"}, step="axes",
          alike=_follow_axes),
    _move("mT", "mH adjoint", sentence="transpose", alike=_follow_axes),
    _move("permute", sentence="transpose", derivative=_words("axes"), step="axes", alike=_follow_axes),
    _move("movedim", "moveaxis", sentence="transpose", alike=_follow_axes),
    _move("expand", "expand_as broadcast_to", sentence="expand", derivative=_STRETCHED, step="stretched",
          stretches=True),
    _move("repeat", "tile", sentence="repeat", derivative=_words("stretched")),
    _move("repeat_interleave", sentence="repeat"),
    _join("cat", "concat concatenate", derivative=_words("part", "tensors")),
    _join("stack", sentence="stack", derivative=_words("part", "tensors")),
    _join("hstack"),
    _join("vstack", "row_stack"),
    _join("column_stack"),
    _join("dstack"),
    _split("split", derivative=_JOINED, nodes={"SplitWithSizes": _JOINED, "UnsafeSplit": _JOINED}),
    _split("chunk"),
    _split("unbind", derivative=_JOINED, step="entries"),
    _split("tensor_split"),
    _move("flip", sentence="flip", derivative=_words("axes")),
    _move("fliplr", sentence="flip"),
    _move("flipud", sentence="flip"),
    _move("roll", sentence="flip", derivative=_words("axes")),
    _move("rot90", sentence="flip"),
    Operation("as_strided", derivative=_words("axes")),
    _move("triu", sentence="triangle", derivative=_words("taken")),
    _move("tril", sentence="triangle", derivative=_words("taken")),
    _move("diag", "diag_embed", sentence="triangle"),
    _move("diagonal", sentence="triangle", derivative=_words("taken")),
)  # fmt: skip
