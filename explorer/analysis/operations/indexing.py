"""Reading and writing by index: slices, lists, masks, gather, where, scatter. Indices are values in the Trace."""

import math
from functools import partial
from types import EllipsisType
from typing import Any

import numpy as np

from explorer.analysis.operations import alike
from explorer.analysis.operations.call import MOST, CallPart, NoEntryMap, OperationCall, Reading, copied, paired, places
from explorer.analysis.operations.record import Derivative, EntryMap, Operation, Rule
from explorer.trace import InputTensor

Array = Any  # numpy's overloads have no None and no mixed index


def _getitem(call: OperationCall, operation: Operation) -> EntryMap:
    chosen, index = at_index(call, call.plain(1))
    return [_copy_chosen(call, chosen, index)]


def _copy_chosen(call: OperationCall, chosen: np.ndarray, index: dict[int, np.ndarray]) -> Reading:
    """The chosen entries, and the entries of the indices that chose them."""
    nothing = np.full_like(chosen, -1)
    reads = (chosen, *(index.get(k, nothing) for k in range(1, len(call.operands))))
    return Reading(tuple(entries.reshape(-1, 1) for entries in reads), "copy")


def at_index(call: OperationCall, index: object) -> tuple[np.ndarray, dict[int, np.ndarray]]:
    """The positions that an index of the first operand selects, in the shape of the result.

    Also, for each operand that is an index, its own entry for each position. Integers, slices, None and ellipses are
    applied first, as views; then lists and tensors together, as torch does.
    """
    here = places(call.operands[0].shape)
    steps = index if isinstance(index, tuple) else (index,)
    basic: list[slice | int | None] = []
    advanced = []
    used = sum(_width(call, step) for step in steps)
    axis = 0
    for step in steps:
        match step:
            case EllipsisType():
                free = here.ndim - used
                basic += [slice(None)] * free
                axis += free
            case None:
                basic.append(None)
                axis += 1
            case slice():
                basic.append(slice(*(_bound(call, bound) for bound in (step.start, step.stop, step.step))))
                axis += 1
            case int() if type(step) is int:
                basic.append(step)
            case InputTensor(number) if _is_whole_number(call.operands[number]):
                basic.append(int(numbers_of(call.operands[number])[0]))
            case list() | InputTensor():
                entries, tensor = _entries(call, step)
                basic += [slice(None)] * _width(call, step)
                advanced.append((axis, entries, tensor))
                axis += _width(call, step)
            case _:
                raise NoEntryMap("index")
    try:
        seen = here[tuple(basic)]
        if not advanced:
            return seen, {}
        parts: list = [slice(None)] * seen.ndim
        for at, entries, _ in reversed(advanced):  # a mask replaces several axes
            parts[at : at + (entries.ndim if entries.dtype == bool else 1)] = [entries]
        lists = _masks_as_places(parts)
        free = math.prod(n for n, part in zip(seen.shape, lists, strict=True) if not isinstance(part, np.ndarray))
        named = np.broadcast_shapes(*(part.shape for part in lists if isinstance(part, np.ndarray)))
        if math.prod(named) * free > MOST:
            raise NoEntryMap("size")
        return seen[tuple(lists)], _find_indices(advanced, lists, seen)
    except (IndexError, ValueError):
        raise NoEntryMap("index") from None


def _masks_as_places(parts: list) -> list:
    """A mask of rank r as r lists of positions."""
    out = []
    for part in parts:
        out += list(np.nonzero(part)) if isinstance(part, np.ndarray) and part.dtype == bool else [part]
    return out


def _find_indices(advanced: list, lists: list, seen: np.ndarray) -> dict[int, np.ndarray]:
    """Per operand that is an index: which of its entries selected each position of the result."""
    spots = [i for i, part in enumerate(lists) if isinstance(part, np.ndarray)]
    chosen = seen[tuple(lists)]
    # the lists' common shape takes the place of the first list, or comes first if the lists are separated
    start = spots[0] if spots == list(range(spots[0], spots[-1] + 1)) else 0
    common = np.broadcast_shapes(*(lists[i].shape for i in spots))
    picks = {}
    for _, entries, tensor in advanced:
        if tensor is None:
            continue
        own = np.arange(entries.size).reshape(entries.shape)
        own = np.broadcast_to(own[entries] if entries.dtype == bool else own, common)
        picks[tensor] = np.broadcast_to(own.reshape(own.shape + (1,) * (chosen.ndim - start - own.ndim)), chosen.shape)
    return picks


def _width(call: OperationCall, step: object) -> int:
    """How many axes of the tensor an index consumes."""
    if step is None or step is ...:
        return 0
    if isinstance(step, InputTensor):
        part = call.operands[step.number]
        return len(part.shape) if part.dtype in ("bool", "uint8") else 1
    return np.ndim(np.array(step)) if _all_flags(step) else 1


def _all_flags(step: object) -> bool:
    return isinstance(step, list) and np.array(step).dtype == bool


def _bound(call: OperationCall, bound: object) -> int | None:
    match bound:
        case InputTensor(number):
            return int(numbers_of(call.operands[number])[0])
        case None:
            return None
        case int():
            return bound
    raise NoEntryMap("slice")


def _is_whole_number(part: CallPart) -> bool:
    return part.shape == () and part.dtype != "bool" and not part.dtype.startswith(("float", "complex"))


def _entries(call: OperationCall, step: list | InputTensor) -> tuple[np.ndarray, int | None]:
    if isinstance(step, InputTensor):
        part = call.operands[step.number]
        entries = numbers_of(part).reshape(part.shape)
        return (entries.astype(bool) if part.dtype in ("bool", "uint8") else entries.astype(int)), step.number
    entries = np.array(step)
    if entries.dtype.kind not in "ib":
        raise NoEntryMap("index")
    return entries, None


def numbers_of(part: CallPart) -> np.ndarray:
    """All entries, flat. Raises NoEntryMap if they were not recorded."""
    if part.numbers is None:
        raise NoEntryMap("values")
    return part.numbers


def shaped(part: CallPart) -> np.ndarray:
    """All entries in their shape. Raises NoEntryMap."""
    return numbers_of(part).reshape(part.shape)


def position_of(call: OperationCall, part: CallPart) -> int:
    """The number of an operand."""
    return next(k for k, operand in enumerate(call.operands) if operand is part)


def _index_select(call: OperationCall, operation: Operation) -> EntryMap:
    axis, index = call.axis(1, "dim"), call.tensor(2, "index")
    chosen = np.take(places(call.operands[0].shape), numbers_of(index).astype(int), axis)
    own = np.moveaxis(np.broadcast_to(np.arange(index.size), (*np.delete(chosen.shape, axis), index.size)), -1, axis)
    return [_copy_chosen(call, chosen, {position_of(call, index): own})]


def _gather(call: OperationCall, operation: Operation) -> EntryMap:
    axis, index = call.axis(1, "dim"), call.tensor(2, "index")
    if not call.operands[0].shape:
        return [copied(np.zeros((1, 1), int))]
    here = places(call.operands[0].shape)
    grid = list(np.indices(index.shape))
    grid[axis] = shaped(index).astype(int)
    return [_copy_chosen(call, here[tuple(grid)], {position_of(call, index): places(index.shape)})]


def _take_along(call: OperationCall, operation: Operation) -> EntryMap:
    """gather with an index broadcast on the other axes; without an axis both are flat."""
    index, axis = call.tensor(1, "indices"), call.plain(2, "dim", default=None)
    here, entries, own = places(call.operands[0].shape), shaped(index).astype(int), places(index.shape)
    if axis is None:
        here, entries, own, axis = here.reshape(-1), entries.reshape(-1), own.reshape(-1), 0
    axis = call.axis(2, "dim", default=0)
    try:
        shape = np.broadcast_shapes(*(np.delete(array.shape, axis) for array in (here, entries)))
        wide = [(*shape[:axis], array.shape[axis], *shape[axis:]) for array in (here, entries)]
        chosen = np.take_along_axis(np.broadcast_to(here, wide[0]), np.broadcast_to(entries, wide[1]), axis)
    except (ValueError, IndexError):
        raise NoEntryMap("index") from None
    return [_copy_chosen(call, chosen, {position_of(call, index): np.broadcast_to(own, wide[1])})]


def _narrow(call: OperationCall, operation: Operation) -> EntryMap:
    axis, start, length = call.axis(1, "dim"), call.plain(2, "start"), call.whole(3, "length")
    size = call.operands[0].shape[axis]
    if isinstance(start, InputTensor):
        start = int(numbers_of(call.tensor(2, "start"))[0])
    first = start + size if start < 0 else start
    if not 0 <= first <= first + length <= size:
        raise NoEntryMap("index")
    return [_copy_chosen(call, np.take(places(call.operands[0].shape), range(first, first + length), axis), {})]


def _select(call: OperationCall, operation: Operation) -> EntryMap:
    return [copied(np.take(places(call.operands[0].shape), call.plain(2, "index"), call.axis(1, "dim")))]


def windowed(here: Array, dimension: Array, size: Array, step: Array) -> np.ndarray:
    """Windows along an axis, which may overlap; the entries of each along a new last axis."""
    axis = int(dimension) % here.ndim
    seen = np.lib.stride_tricks.sliding_window_view(here, int(size), axis)
    return seen[(slice(None),) * axis + (slice(None, None, int(step)),)]


def _unfold(call: OperationCall, operation: Operation) -> EntryMap:
    size, step = call.whole(2, "size"), call.whole(3, "step")
    return [copied(windowed(places(call.operands[0].shape), call.axis(1, "dimension"), size, step))]


def _take(call: OperationCall, operation: Operation) -> EntryMap:
    index = call.tensor(1, "index")
    return [
        _copy_chosen(
            call,
            places(call.operands[0].shape).reshape(-1)[numbers_of(index).astype(int)],
            {position_of(call, index): places(index.shape)},
        )
    ]


def _masked_select(call: OperationCall, operation: Operation) -> EntryMap:
    mask = call.tensor(1, "mask")
    shape = np.broadcast_shapes(call.operands[0].shape, mask.shape)
    on = np.broadcast_to(shaped(mask).astype(bool), shape)
    chosen = np.broadcast_to(places(call.operands[0].shape), shape)[on]
    return [_copy_chosen(call, chosen, {position_of(call, mask): np.broadcast_to(places(mask.shape), shape)[on]})]


def _nonzero(call: OperationCall, operation: Operation) -> EntryMap:
    """Every number of the result is a coordinate of a nonzero entry, which it read."""
    places = np.nonzero(shaped(call.operands[0]) != 0)
    flat = np.ravel_multi_index(places, call.operands[0].shape)
    coordinates = np.stack(places, -1) if places else np.zeros((0, 0), int)
    rank = len(call.operands[0].shape)
    if len(call.results) == 1 and len(call.results[0].shape) == 2:
        read = np.repeat(flat, rank).reshape(-1, 1)
        return [Reading((read,), "position", (), (("of", 1.0),))] if coordinates.size == read.size else []
    return [Reading((flat.reshape(-1, 1),), "position", ()) for _ in call.results]


def _where(call: OperationCall, operation: Operation) -> EntryMap:
    """`torch.where(c, a, b)` and `a.where(c, b)`; a plain number has no entry."""
    if len(call.arguments.positional) < 3 and not call.arguments.named:
        return _nonzero(call, operation)
    positions = [call.plain(k, default=None) for k in range(3)]
    mask = next((k for k, part in enumerate(call.operands) if part.dtype == "bool"), None)
    if mask is None:
        raise NoEntryMap("condition")
    order = positions if positions[0] == InputTensor(mask) else [positions[1], positions[0], positions[2]]
    result = call.results[0].shape
    on = np.broadcast_to(shaped(call.operands[mask]).astype(bool), result).reshape(-1, 1)
    reads = [np.full(on.shape, -1) for _ in call.operands]
    reads[mask] = np.broadcast_to(places(call.operands[mask].shape), result).reshape(-1, 1)
    sources, constants = [], []
    for chosen, given in ((on, order[1]), (~on, order[2])):
        match given:
            case InputTensor(number):
                here = np.broadcast_to(places(call.operands[number].shape), result).reshape(-1, 1)
                reads[number] = np.where(chosen, here, reads[number])
                sources.append(number)
            case bool() | int() | float():
                constants.append(("fill", float(given)))
    if len(constants) > 1:
        raise NoEntryMap("value")
    return [Reading(tuple(reads), "copy", tuple(sources), tuple(constants))]


def _rows(rows: np.ndarray, width: int) -> np.ndarray:
    """The positions of whole rows of a table."""
    return (rows[:, None] * width + np.arange(width)).reshape(-1, 1)


def _embedding(call: OperationCall, operation: Operation) -> EntryMap:
    """Rows of a table that are looked up."""
    index, table = call.operands[0], call.operands[1]
    if len(call.operands) != 2 or call.plain(-1, "max_norm", default=None) is not None:
        raise NoEntryMap("operands")
    taken = _rows(numbers_of(index).astype(int).reshape(-1), table.shape[1])
    return [Reading((np.repeat(np.arange(index.size), table.shape[1]).reshape(-1, 1), taken), "copy", (1,))]


_CHOICE: dict[str, Rule] = {"self": "where(condition, 1, 0)", "other": "where(condition, 0, 1)"}
_TAKEN: dict[str, Rule] = {"self": Derivative(words="taken")}
_LOOKED_UP: dict[str, Rule] = {"self": Derivative(words="looked-up")}
_pick = partial(Operation, subject="pick", sentence="index")
_READS = (
    _pick("__getitem__", entries=_getitem, step="entries", nodes={"Index": {"self": Derivative(words="looked-up")}}),
    _pick("index_select", entries=_index_select, step="entries", derivative=_LOOKED_UP),
    _pick("gather", entries=_gather, sentence="gather", step="entries", derivative={
        "self": Derivative(words="looked-up")}),
    _pick("take", entries=_take, step="entries"),
    _pick("take_along_dim", entries=_take_along),
    _pick("narrow", entries=_narrow),
    _pick("select", entries=_select, step="entries", derivative=_TAKEN),
    _pick("unfold", entries=_unfold, derivative={
        "self": Derivative(words="taken")}),
    Operation("slice", step="entries", derivative={
        "self": Derivative(words="taken")}),
    _pick("masked_select", entries=_masked_select, sentence="mask", step="entries", derivative={
        "self": Derivative(words="taken")}),
    _pick("nonzero", "argwhere", entries=_nonzero, sentence="nonzero", gives="positions"),
    Operation("searchsorted", "bucketize", gives="positions"),
    Operation("isin", gives="truth"),
    _pick("where", entries=_where, sentence="where", stretches=True, derivative=_CHOICE),
    _pick("embedding", entries=_embedding, sentence="embedding", derivative={"weight": Derivative(
        words="embedding", cases=(("padding_idx", -1, Derivative(words="embedding-all")),))}),
)  # fmt: skip


def _write_chosen(call: OperationCall, chosen: np.ndarray, source: CallPart | None) -> Reading:
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


def _fill(reading: Reading, number: float) -> Reading:
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
    return [_add_to(call, chosen.reshape(-1), source, np.broadcast_to(places(source.shape), chosen.shape).reshape(-1))]


def _with(call: OperationCall, chosen: np.ndarray, given: object) -> Reading:
    match given:
        case InputTensor(number):
            return _write_chosen(call, chosen, call.operands[number])
        case bool() | int() | float():
            return _fill(_write_chosen(call, chosen, None), given)
    raise NoEntryMap("value")


def _masked_fill(call: OperationCall, operation: Operation) -> EntryMap:
    mask = call.tensor(1, "mask")
    on = np.broadcast_to(shaped(mask).astype(bool), call.operands[0].shape)
    reading = _with(call, places(call.operands[0].shape)[on], call.plain(2, "value"))
    return [_with_mask(call, reading, mask)]


def _with_mask(call: OperationCall, reading: Reading, mask: CallPart) -> Reading:
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
        reading = _write_chosen(call, targets, None)
        reading.reads[position_of(call, source)][targets.reshape(-1), 0] = cut.reshape(-1)
        return [reading]
    if call.name != "scatter_add":
        raise NoEntryMap("reduce")
    source = call.tensor(3, "src")
    cut = places(source.shape)[tuple(slice(size) for size in index.shape)]
    return [_add_to(call, targets.reshape(-1), source, cut.reshape(-1))]


def _index_add(call: OperationCall, operation: Operation) -> EntryMap:
    axis, index, source = call.axis(1, "dim"), call.tensor(2, "index"), call.tensor(3, "source")
    if call.plain(4, "alpha", default=1) != 1:
        raise NoEntryMap("alpha")
    targets = np.take(places(call.operands[0].shape), numbers_of(index).astype(int), axis)
    return [_add_to(call, targets.reshape(-1), source, places(source.shape).reshape(-1))]


def _add_to(call: OperationCall, targets: np.ndarray, source: CallPart, given: np.ndarray) -> Reading:
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


def _fill_whole(call: OperationCall, operation: Operation) -> EntryMap:
    given = call.plain(1, "value", default=0)
    return [_with(call, places(call.operands[0].shape), given)]


def _copied_over(call: OperationCall, operation: Operation) -> EntryMap:
    if len(call.operands) != 2:
        raise NoEntryMap("source")
    reading = paired([part.shape for part in call.operands[:2]], call.operands[0].shape, "copy")
    return [Reading((np.full_like(reading.reads[0], -1), *reading.reads[1:]), "copy", (1,))]


_write = partial(Operation, subject="pick", sentence="write", writes=True)
_MASKED: dict[str, Rule] = {"self": "where(mask, 0, 1)", "value": "where(mask, 1, 0)"}
OPERATIONS = (
    *_READS,
    _write("__setitem__", entries=_setitem, nodes={"CopySlices": {"": Derivative(words="slices")}}),
    _write("index_put", entries=_index_put),
    _write("masked_fill", entries=_masked_fill, stretches=True, derivative=_MASKED, alike=alike.masked),
    _write("scatter", entries=_scatter),
    _write("scatter_add", entries=_scatter, sentence="scatter-add"),
    _write("index_add", entries=_index_add, sentence="scatter-add"),
    _write("fill", entries=_fill_whole, fills=True),
    _write("zero", entries=_fill_whole, fills=True),
    _write("copy", entries=_copied_over, fills=True, nodes={"Copys": {"self": "0", "src": "1"}}),
)
