"""One recorded call: operands before, results after, plain arguments, entry map.

A Reading maps each result entry to the operand entries it was computed from:

>>> reduced((2, 3), (1,), "sum").reads[0]  # each row's entries, by their place in row-major order
array([[0, 1, 2],
       [3, 4, 5]])
"""

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from explorer.analysis.run.model import run_of
from explorer.analysis.run.names import name_of, word_of
from explorer.text.numbers import number, shorten
from explorer.trace import Arguments, Trace, Value
from explorer.trace.entry_maps import How, entry_sources
from explorer.trace.name_patterns import writes_in_place

WORD = 22  # widest name of an operand
EMPTY = ("empty", "empty_like", "new_empty")  # calls that leave memory uninitialized
_MISSING = object()


class NoEntryMap(ValueError):
    """Raised if a call's map cannot be built: data not kept, or unsupported."""


@dataclass(frozen=True)
class CallPart:
    """A tensor, or number, in a call.

    Attributes:
        word: as in `Run.word`, or the number itself.
        tensor: id, -1 for a plain number.
        value: entries when the call read or wrote them, None if unreadable.
        version: row of Trace.versions, -1 for a number.
        uninitialised: whether its memory is uninitialized.
    """

    word: str
    tensor: int
    shape: tuple[int, ...]
    dtype: str
    value: Value | None
    version: int = -1
    uninitialised: bool = False

    @property
    def size(self) -> int:
        """Number of entries."""
        return math.prod(self.shape)

    @cached_property
    def numbers(self) -> np.ndarray | None:
        """All entries, flat and row-major, None unless all were recorded."""
        if self.value is None or self.value.data is None:
            return None
        return np.array(self.value.data)


@dataclass(frozen=True)
class OperationCall:
    """One recorded call.

    Attributes:
        operation: row in Trace.operations.
        name: torch's short name without the in-place underscore. in_place: whether it wrote in place.
        operands: input tensors in order, as before the call.
        results: returned or written tensors, after the call.
    """

    operation: int
    name: str
    in_place: bool
    operands: tuple[CallPart, ...]
    results: tuple[CallPart, ...]
    arguments: Arguments
    trace: Trace = field(compare=False, repr=False)

    def plain(self, position: int, *names: str, default: Any = _MISSING) -> Any:
        """Return an argument by name or position (0: the tensor). Raises NoEntryMap without a default."""
        value = self.arguments.get(position, *names, default=default)
        if value is _MISSING:
            raise NoEntryMap(names)
        return value

    def whole(self, position: int, *names: str, default: Any = _MISSING) -> int:
        """Return a plain integer argument. Raises NoEntryMap."""
        number = self.plain(position, *names, default=default)
        if type(number) is not int:
            raise NoEntryMap(names)
        return number

    def sizes(self, position: int, *names: str) -> tuple[int, ...]:
        """Return integers given singly or as a sequence: permute(1, 0), permute((1, 0)). Raises NoEntryMap."""
        named = self.arguments.get(-1, *names, default=None)
        numbers: Any = named if named is not None else self.arguments.positional[position:]
        if isinstance(numbers, list | tuple) and len(numbers) == 1 and isinstance(numbers[0], list | tuple):
            numbers = numbers[0]
        if type(numbers) is int:
            numbers = [numbers]
        if not isinstance(numbers, list | tuple) or not all(type(size) is int for size in numbers):
            raise NoEntryMap(names)
        return tuple(numbers)

    def axes(self, position: int, *names: str, default: Any = None) -> tuple[int, ...]:
        """Return the axes (from 0) in an argument, None meaning all. Raises NoEntryMap."""
        axes = self.plain(position, *names, default=default)
        rank = len(self.operands[0].shape)
        if axes is None or axes in ([], ()):
            return tuple(range(rank))
        axes = [axes] if type(axes) is int else axes
        if not isinstance(axes, list | tuple) or not all(
            type(a) is int and -max(rank, 1) <= a < max(rank, 1) for a in axes
        ):
            raise NoEntryMap(names)
        return tuple(sorted({axis % rank for axis in axes})) if rank else ()

    def axis(self, position: int, *names: str, default: Any = _MISSING) -> int:
        """Return one axis of the first operand, from 0. Raises NoEntryMap."""
        number = self.whole(position, *names, default=default)
        return (*self.axes(-1, default=number), 0)[0]


def calls_of(trace: Trace, operation: int) -> tuple[OperationCall, ...]:
    """Return the possible calls in a row of Trace.operations, likelier first.

    An unseen write (by NumPy, for example) may have happened before or after the call.
    """
    inputs, times = trace.operations.inputs[operation], trace.versions.operation
    doubtful = [t for t in inputs if any(times[row] < 0 for row in list(trace.versions_of(t))[1:])]
    if not doubtful:
        return (call_of(trace, operation),)
    arrays = [trace.index.arrays.get(trace.tensors.storage[tensor], ()) for tensor in doubtful]
    late = all(among and all(array.start >= operation for array in among) for among in arrays)
    return tuple(call_of(trace, operation, unseen) for unseen in ((False, True) if late else (True, False)))


def call_of(trace: Trace, operation: int, unseen: bool = True) -> OperationCall:
    """Return the call in a row of Trace.operations. `unseen`: after unseen writes of unknown time."""
    columns = trace.operations
    name = trace.strings[columns.name[operation]]
    inputs, outputs = columns.inputs[operation], columns.outputs[operation]
    versions = columns.input_versions[operation]
    writes = writes_in_place(name)
    operands = tuple(_before(trace, t, v, operation, unseen) for t, v in zip(inputs, versions, strict=True))
    after = () if columns.error[operation] >= 0 else inputs[:1] if writes else outputs
    results = tuple(_after(trace, tensor, operation) for tensor in after)
    if writes and results and not results[0].word:
        results = (replace(results[0], word=operands[0].word), *results[1:])
    short = name.rstrip("_") if writes and name != "__setitem__" else name
    return OperationCall(operation, short, writes, operands, results, trace.arguments(operation), trace)


def constant(value: bool | int | float) -> CallPart:
    """Return a plain number as an operand."""
    flat = np.array([value])
    dtype = {"b": "bool", "i": "int64", "f": "float32"}[flat.dtype.kind]
    entries = (value,)
    return CallPart(number(value), -1, (), dtype, Value((), dtype, entries, (), None, None, None, None, 0))


def _before(trace: Trace, tensor: int, version: int, operation: int, unseen: bool) -> CallPart:
    """Return a tensor before an operation."""
    index = trace.index
    equal = index.before(tensor, operation, version) if unseen and version >= 0 else None
    last = index.before(tensor, operation) if unseen else index.written(tensor, operation - 1)
    row = last if equal is None else equal
    row = trace.tensors.version_start[tensor] if row is None else row
    return _part(trace, tensor, row, word_of(run_of(trace), tensor, operation))


def _after(trace: Trace, tensor: int, operation: int) -> CallPart:
    """Return a tensor after an operation."""
    row = trace.index.written(tensor, operation)
    if row is None or trace.versions.operation[row] != operation:
        row = trace.versions_of(tensor)[-1]
    word = next(
        (b.name for b in trace.index.near(tensor, operation) if b.start in (operation, operation + 1)),
        name_of(run_of(trace), tensor, operation),
    )
    return _part(trace, tensor, row, word)


def _part(trace: Trace, tensor: int, row: int, word: str) -> CallPart:
    value = trace.value_at(row)
    dtype = trace.strings[trace.tensors.dtype[tensor]]
    shape = tuple(trace.shapes[trace.tensors.shape[tensor]]) if value is None else value.shape
    readable = value is not None and (value.data is not None or value.sample)
    entries, blank = value if readable else None, is_uninitialised(trace, row)
    return CallPart(shorten(word, WORD), tensor, shape, dtype, entries, row, blank)


def is_uninitialised(trace: Trace, row: int) -> bool:
    """Return whether a version's memory is uninitialized: from `torch.empty`, unwritten."""
    tensor = trace.index.tensor_of(row)
    if row > trace.tensors.version_start[tensor]:
        return False
    storage, written = trace.tensors.storage[tensor], trace.versions.operation
    until = next((written[later] for later in trace.versions_of(tensor)[1:]), len(trace.operations))
    first = trace.index.in_storage[storage][0] if written[row] < 0 <= storage else tensor
    maker, *writers = (written[other] for other in trace.versions_of(first))
    made_empty = maker >= 0 and trace.strings[trace.operations.name[maker]] in EMPTY
    return made_empty and all(writer >= until for writer in writers)


MOST = 250_000  # most positions of all reads together, and most entries of a moved operand


@dataclass(frozen=True)
class Reading:
    """Origin of each entry of a result.

    Attributes:
        reads: an array (result entries, terms) of positions for each operand, −1 for none. A column holds the
            factors of one product.
        rule: combination of the terms, a name in `rules.RULES`.
        sources: operands whose numbers are combined. Others (an index, a mask) only select.
        constants: further numbers of the rule by name.
    """

    reads: tuple[np.ndarray, ...]
    rule: str
    sources: tuple[int, ...] = (0,)
    constants: tuple[tuple[str, float], ...] = ()

    def picked(self, entries: np.ndarray) -> "Reading":
        """Return the reading of only some result entries."""
        return replace(self, reads=tuple(places[entries] for places in self.reads))


def sent(reads: np.ndarray, factor: np.ndarray | float, gradient: np.ndarray, size: int) -> np.ndarray:
    """Return an operand's gradient, flat: each read adds factor times reader's gradient.

    >>> sent(np.array([[0, 1], [1, -1]]), 1.0, np.array([5.0, 7.0]), 3)
    array([ 5., 12.,  0.])
    """
    there = reads >= 0
    shares = np.broadcast_to(factor * gradient.reshape(-1, 1), reads.shape)[there]
    reached = np.zeros(size, shares.dtype)
    np.add.at(reached, reads[there], shares)
    return reached


def places(shape: tuple[int, ...]) -> np.ndarray:
    """Return entries' positions. Raises NoEntryMap for more than MOST."""
    if math.prod(shape) > MOST:
        raise NoEntryMap("size")
    return np.arange(math.prod(shape)).reshape(shape)


def copied(moved: np.ndarray) -> Reading:
    """Read every entry as a copy from that position. −1 means 0."""
    return Reading((moved.reshape(-1, 1),), "copy")


def lines(shape: tuple[int, ...], axes: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Return the places in each line along the axes, and each entry's line number."""
    others = [axis for axis in range(len(shape)) if axis not in axes]
    count, width = (math.prod(shape[axis] for axis in some) for some in (others, axes))
    if count > MOST:
        raise NoEntryMap("size")
    found, line_of = places(shape).transpose(*others, *axes).reshape(count, width), np.zeros(math.prod(shape), int)
    line_of[found] = np.arange(count)[:, None]
    return found, line_of


def reduced(shape: tuple[int, ...], axes: tuple[int, ...], rule: str, **constants: float) -> Reading:
    """Read every entry from all entries along the axes."""
    return Reading((lines(shape, axes)[0],), rule, constants=tuple(constants.items()))


def own_lines(shape: tuple[int, ...], axes: tuple[int, ...]) -> np.ndarray:
    """Return each entry's place, then its line's. Raises NoEntryMap."""
    found, line_of = lines(shape, axes)
    if line_of.size * (found.shape[1] + 1) > MOST:
        raise NoEntryMap("size")
    return np.hstack([np.arange(line_of.size)[:, None], found[line_of]])


def paired(shapes: list[tuple[int, ...]], result: tuple[int, ...], rule: str, **constants: float) -> Reading:
    """Read every entry from one entry of each operand, broadcast to the result's shape."""
    if math.prod(result) > MOST:
        raise NoEntryMap("size")
    try:
        reads = tuple(np.broadcast_to(places(shape), result).reshape(-1, 1) for shape in shapes)
    except ValueError:
        raise NoEntryMap("shape") from None
    return Reading(reads, rule, tuple(range(len(shapes))), tuple(constants.items()))


def moved(call: OperationCall, operation: object, how: How = "moves") -> list[Reading]:
    """Return for each result the source entries of its entries, as torch reports them. Raises NoEntryMap."""
    found = entry_sources(call.trace.index, call.operation, how)
    if not found:
        unread = any(part.numbers is None for part in call.operands[1:])
        raise NoEntryMap("asked" if found is None else "values" if unread else "kind")
    sizes = [part.size for part in call.operands]
    readings = []
    for one in found:
        sources = tuple(k for k in range(len(sizes)) if k not in one.selectors)
        readings.append(Reading(one.reads(sizes), one.rule, sources, (("fill", one.fill),) if one.fill else ()))
    return readings
