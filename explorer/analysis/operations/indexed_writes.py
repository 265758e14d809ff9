"""Writing by index: assignments, masked_fill, scatter, index_add: written and unchanged entries."""

from functools import partial

import numpy as np

from explorer.analysis.operations import alike
from explorer.analysis.operations.call import CallPart, NoEntryMap, OperationCall
from explorer.analysis.operations.indexing import at_index, numbers_of, position_of, shaped
from explorer.analysis.operations.reading import Reading, paired, places
from explorer.analysis.operations.record import Derivative, EntryMap, Operation, Rule
from explorer.trace import InputTensor


def _written(call: OperationCall, chosen: np.ndarray, source: CallPart | None) -> Reading:
    """A write: entries of the region come from the source (None: a plain number), the others stay."""
    old = places(call.operands[0].shape)
    flat = old.reshape(-1, 1).copy()
    flat[chosen.reshape(-1)] = -1
    reads = [flat, *(np.full_like(flat, -1) for _ in call.operands[1:])]
    if source is not None:
        given = places(source.shape)
        while given.ndim > chosen.ndim and given.shape[0] == 1:
            given = given[0]
        reads[position_of(call, source)][chosen.reshape(-1), 0] = np.broadcast_to(given, chosen.shape).reshape(-1)
    return Reading(tuple(reads), "copy", tuple(range(len(reads))))


def _filled(reading: Reading, number: float) -> Reading:
    return Reading(reading.reads, reading.rule, reading.sources, (("fill", float(number)),))


def _setitem(call: OperationCall, operation: Operation) -> EntryMap:
    chosen, _ = at_index(call, call.plain(1))
    return [_with(call, chosen, call.plain(2))]


def _index_put(call: OperationCall, operation: Operation) -> EntryMap:
    """`a.index_put((i, j), values)` is `a[i, j] = values`, or adds them."""
    chosen, _ = at_index(call, call.plain(1, "indices"))
    if not call.plain(3, "accumulate", default=False):
        return [_with(call, chosen, call.plain(2, "values"))]
    source = call.tensor(2, "values")
    return [_added(call, chosen.reshape(-1), source, np.broadcast_to(places(source.shape), chosen.shape).reshape(-1))]


def _with(call: OperationCall, chosen: np.ndarray, given: object) -> Reading:
    match given:
        case InputTensor(number):
            return _written(call, chosen, call.operands[number])
        case bool() | int() | float():
            return _filled(_written(call, chosen, None), given)
    raise NoEntryMap("value")


def _masked_fill(call: OperationCall, operation: Operation) -> EntryMap:
    mask = call.tensor(1, "mask")
    on = np.broadcast_to(shaped(mask).astype(bool), call.operands[0].shape)
    reading = _with(call, places(call.operands[0].shape)[on], call.plain(2, "value"))
    return [_mask_told(call, reading, mask)]


def _mask_told(call: OperationCall, reading: Reading, mask: CallPart) -> Reading:
    reads = list(reading.reads)
    where = position_of(call, mask)
    reads[where] = np.broadcast_to(places(mask.shape), call.operands[0].shape).reshape(-1, 1)
    sources = tuple(k for k in reading.sources if k != where)
    return Reading(tuple(reads), reading.rule, sources, reading.constants)


def _scatter(call: OperationCall, operation: Operation) -> EntryMap:
    """`out[i][index[i][j]] = src[i][j]` along the axis: written over, or added."""
    axis, index = call.axis(1, "dim"), call.tensor(2, "index")
    given = call.plain(3, "src", "value")
    here = places(call.operands[0].shape)
    grid = list(np.indices(index.shape))
    grid[axis] = shaped(index).astype(int)
    targets = here[tuple(grid)]
    if call.name != "scatter_add" and not call.plain(4, "reduce", default=None):
        if not isinstance(given, InputTensor):
            return [_with(call, targets, given)]
        source = call.tensor(3, "src")
        cut = places(source.shape)[tuple(slice(size) for size in index.shape)]
        reading = _written(call, targets, None)
        reading.reads[position_of(call, source)][targets.reshape(-1), 0] = cut.reshape(-1)
        return [reading]
    if call.name != "scatter_add":
        raise NoEntryMap("reduce")
    source = call.tensor(3, "src")
    cut = places(source.shape)[tuple(slice(size) for size in index.shape)]
    return [_added(call, targets.reshape(-1), source, cut.reshape(-1))]


def _index_add(call: OperationCall, operation: Operation) -> EntryMap:
    axis, index, source = call.axis(1, "dim"), call.tensor(2, "index"), call.tensor(3, "source")
    if call.plain(4, "alpha", default=1) != 1:
        raise NoEntryMap("alpha")
    targets = np.take(places(call.operands[0].shape), numbers_of(index).astype(int), axis)
    return [_added(call, targets.reshape(-1), source, places(source.shape).reshape(-1))]


def _added(call: OperationCall, targets: np.ndarray, source: CallPart, given: np.ndarray) -> Reading:
    """Every entry is its old value and everything added to it."""
    count = call.operands[0].size
    width = 1 + int(np.bincount(targets, minlength=count).max(initial=0))
    reads = [np.full((count, width), -1) for _ in call.operands]
    reads[0][:, 0] = np.arange(count)
    free = np.ones(count, int)
    where = position_of(call, source)
    for target, entry in zip(targets.tolist(), given.tolist(), strict=True):
        reads[where][target, free[target]] = entry
        free[target] += 1
    return Reading(tuple(reads), "sum", (0, where))


def _filled_whole(call: OperationCall, operation: Operation) -> EntryMap:
    given = call.plain(1, "value", default=0)
    return [_with(call, places(call.operands[0].shape), given)]


def _copy(call: OperationCall, operation: Operation) -> EntryMap:
    if len(call.operands) != 2:
        raise NoEntryMap("source")
    reading = paired([part.shape for part in call.operands[:2]], call.operands[0].shape, "copy")
    return [Reading((np.full_like(reading.reads[0], -1), *reading.reads[1:]), "copy", (1,))]


_write = partial(Operation, subject="pick", sentence="write", writes=True)
_MASKED: dict[str, Rule] = {"self": "where(mask, 0, 1)", "value": "where(mask, 1, 0)"}
OPERATIONS = (
    _write("__setitem__", entries=_setitem, nodes={"CopySlices": {"": Derivative(words="slices")}}),
    _write("index_put", entries=_index_put),
    _write("masked_fill", entries=_masked_fill, stretches=True, derivative=_MASKED, alike=alike.masked),
    _write("scatter", entries=_scatter),
    _write("scatter_add", entries=_scatter, sentence="scatter-add"),
    _write("index_add", entries=_index_add, sentence="scatter-add"),
    _write("fill", entries=_filled_whole, fills=True),
    _write("zero", entries=_filled_whole, fills=True),
    _write("copy", entries=_copy, fills=True, nodes={"Copys": {"self": "0", "src": "1"}}),
)
