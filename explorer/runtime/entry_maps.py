"""Ask torch for the source of a call's entries by repeating it on numbers that identify entries.

Entries that agree under two numberings, the second negative and reordered, were moved and not computed. A sum of
entries with one target each, as of scatter_add, is asked backwards: the gradient of an entry is then the number of its
target.
"""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import torch
from msgspec.structs import replace

# Bound here, since the program may replace them.
from torch import enable_grad, float64, from_numpy, no_grad
from torch.autograd import grad

from explorer.runtime.recorder.faults import raise_if_own_fault
from explorer.runtime.replay import CannotReplay, answer, asked_slopes, call_again, entries_of, recorded, rows_read
from explorer.trace import Trace
from explorer.trace.entry_maps import MOST_MAPS, MOST_PLACES, MOVES, PICKS, EntryMap, EntryMaps
from explorer.trace.slopes import Slopes
from explorer.trace.views_of_storage import returns_views

_MOST = 250_000  # entries of the operands and results of one call
_BASE = 1 << 40  # numbers of entries begin here: sums, indices and arguments are far smaller


def with_answers(trace: Trace) -> Trace:
    """Add torch's answers about its calls to a recording."""
    slopes, maps = answer(asked_slopes, trace, Slopes()), answer(asked_maps, trace, EntryMaps())
    return replace(trace, slopes=slopes, maps=maps)


def asked_maps(trace: Trace) -> EntryMaps:
    """Return the maps of the calls that moved entries, last calls first."""
    rows, strings = trace.operations, trace.strings
    names = {name for name in {*rows.name} if strings[name].rstrip("_") in MOVES or strings[name] in MOVES}
    asked, moves = list[int](), dict[tuple[int, int], bool]()
    for k in range(len(rows) - 1, -1, -1):
        kind = rows.function[k], rows.arguments[k]
        if rows.name[k] not in names and rows.span[k] >= 0 and len(moves) < _KINDS and kind not in moves:
            moves[kind] = _looks_moved(trace, k)
        if (rows.name[k] in names or moves.get(kind)) and rows.error[k] < 0 and not returns_views(trace, k):
            asked.append(k)
        if len(asked) >= _CALLS:
            break
    if not asked:
        return EntryMaps()
    last = {(rows.span[k], rows.name[k]): k for k in reversed(asked)}  # per place, as pictures show them
    with no_grad():
        return _asked_of(trace, [*dict.fromkeys((*last.values(), *asked))])


def _asked_of(trace: Trace, asked: list[int]) -> EntryMaps:
    known: dict[tuple, int] = {}
    calls: dict[int, int] = {}
    maps: list[EntryMap] = []
    left = MOST_PLACES
    for operation in asked:
        try:
            call = _Call(trace, operation)
        except CannotReplay:
            continue
        if call.key not in known and left > call.size and len(known) < MOST_MAPS:
            found = call.entry_map()
            known[call.key] = -1 if found is None else len(maps)
            left -= call.size  # also charged if nothing is found
            if found is not None:
                maps.append(found)
                left -= sum(map(len, (found.places, *(one for one in found.selectors.values() if one is not None))))
        if (number := known.get(call.key, -1)) >= 0:
            calls[operation] = number
    return EntryMaps.of_maps(calls, maps)


def _looks_moved(trace: Trace, operation: int) -> bool:
    """Return whether a small call may only have moved entries."""
    rows, versions = trace.operations, trace.versions
    made = [trace.index.written(tensor, operation) for tensor in rows.outputs[operation]]
    values = [versions.value[row] for row in made if row is not None and versions.operation[row] == operation]
    given = [versions.value[row] for row in rows_read(trace, operation)] if len(values) == 1 == len(made) else []
    if not given or min(*values, *given) < 0:
        return False
    result, *operands = (entries_of(trace, value) for value in (*values, *given))
    if result is None or not result.size or any(one is None for one in operands):
        return False
    there = {one for part in operands for one in part.tolist()}
    made_of = {*result.tolist()}
    return not made_of.isdisjoint(there) and len(made_of - there) < 2


class _Part(NamedTuple):
    """An operand.

    Attributes: row: its version. shape, dtype: in torch's names. start, end: its first position, and that of the next
    operand. is_whole: whether its entries are integers or booleans.
    """

    row: int
    shape: tuple[int, ...]
    dtype: str
    start: int
    end: int
    is_whole: bool


class _Call:
    """A recorded call.

    Attributes: size: entries of its operands and results. key: everything that its map depends on.
    """

    def __init__(self, trace: Trace, operation: int) -> None:
        rows, strings = trace.operations, trace.strings
        self._trace, self._name = trace, strings[rows.name[operation]]
        self._run, self._writes = call_again(trace, operation)
        if not rows.inputs[operation]:
            raise CannotReplay
        self._parts, start = list[_Part](), 0
        for row in rows_read(trace, operation):
            value, tensor = trace.versions.value[row], trace.index.tensor_of(row)
            shape = trace.shapes[trace.values.shape[value] if value >= 0 else trace.tensors.shape[tensor]]
            dtype, end = strings[trace.tensors.dtype[tensor]], start + math.prod(shape)
            self._parts.append(_Part(row, tuple(shape), dtype, start, end, not dtype.startswith(_FRACTIONS)))
            start = end
        made = rows.inputs[operation][:1] if self._writes else rows.outputs[operation]
        self.size = start + sum(math.prod(trace.shapes[trace.tensors.shape[one]]) for one in made)
        if self.size > _MOST:
            raise CannotReplay
        self._choosers: dict[int, torch.Tensor] = {}
        kinds = tuple((part.shape, part.dtype, self._chosen(part)) for part in self._parts)
        self.key = rows.function[operation], rows.arguments[operation], kinds

    def _chosen(self, part: _Part) -> bytes | None:
        """Return the entries of an operand that may choose, or None."""
        value = self._trace.versions.value[part.row] if part.is_whole else -1
        entries = entries_of(self._trace, value) if value >= 0 else None
        return None if entries is None else entries.tobytes()

    def entry_map(self) -> EntryMap | None:
        """Return the call's map, None if it computes or cannot be repeated."""
        for moved in self._candidates():
            try:
                found = self._copies(moved) or (self._sums(moved) if self._name.rstrip("_") in _SUMS else None)
            except CannotReplay:
                continue
            except Exception as problem:
                raise_if_own_fault(problem)
                continue
            if found is not None:
                return found
        return None

    def _candidates(self) -> list[list[int]]:
        """Yield the operands whose entries the call may move, likeliest first.

        Other operands choose. Integers of a call that is not known to move may be sizes of its result, and stay
        unchanged.
        """
        every = [*range(len(self._parts))]
        numbers = [k for k in every if self._parts[k].dtype != "bool"]
        floats = [k for k in every if not self._parts[k].is_whole]
        if self._name not in MOVES and self._name.rstrip("_") not in MOVES:
            return [floats] if floats else []
        if self._name in PICKS or self._name == "repeat_interleave":
            return [one for one in (floats, [0]) if one]
        found = [numbers, floats] if self._name in _CHOOSES else [every, numbers, floats]
        return [*filter(None, {tuple(one): one for one in (*found, [0, every[-1]], [0], [every[-1]])}.values())]

    def _numbered(self, moved: list[int], order: np.ndarray, sign: int) -> list[torch.Tensor]:
        """Number the moved operands' entries in some order."""
        made = []
        for k, part in enumerate(self._parts):
            if k not in moved:
                made.append(self._chooser(k))
                continue
            numbers = sign * (_BASE + order[part.start : part.end])
            made.append(from_numpy(numbers if part.is_whole else numbers + sign * 0.5).reshape(part.shape))
        return made

    def _chooser(self, k: int) -> torch.Tensor:
        """Return an operand as recorded."""
        if k not in self._choosers:
            self._choosers[k] = recorded(self._trace, self._parts[k].row).detach()
        return self._choosers[k].clone() if self._writes else self._choosers[k]

    def _copies(self, moved: list[int]) -> EntryMap | None:
        """Return the map of a call that moves operands' entries, None if it computes."""
        total = self._parts[-1].end
        order, other, back = _orders(total) if total <= _FEW else _orders.__wrapped__(total)
        first = _flat(self._run(self._numbered(moved, order, 1)))
        second = _flat(self._run(self._numbered(moved, other, -1)))
        if first.shape != second.shape or first.dtype.kind not in "fiu":
            return None
        places = _places(first, total)
        there = places >= 0
        if (back[_places(-second, total)][there] != places[there]).any():
            return None
        rest = () if there.all() else (*first[~there].tolist(), *second[~there].tolist())
        if np.unique(rest).size > 1:
            return None
        own: dict[int, np.ndarray | None] = {}
        for k in (k for k in range(len(self._parts)) if k not in moved):
            try:
                own[k] = self._choices(k, moved, order, first)
            except CannotReplay:  # it cannot choose otherwise
                own[k] = None
        return EntryMap(places, False, float(rest[0]) if rest else 0.0, own)

    def _choices(self, chooser: int, moved: list[int], order: np.ndarray, first: np.ndarray) -> np.ndarray | None:
        """Find the index or mask entry that chose each result entry.

        For each bit of their own number in turn, the entries with that bit choose differently.
        """
        if not first.size:  # other entries of a mask would choose some
            return None
        truth = self._parts[chooser].dtype in ("bool", "uint8")
        if not truth and (self._name not in PICKS or math.prod(self._parts[chooser].shape) < 2):
            known = self._name in PICKS and math.prod(self._parts[chooser].shape) == 1
            return np.zeros(first.size, int) if known else None

        def chosen(changed: np.ndarray, into: np.ndarray) -> np.ndarray:
            operands = self._numbered(moved, order, 1)
            operands[chooser] = from_numpy(
                np.where(changed, into, entries).reshape(self._parts[chooser].shape).astype(entries.dtype)
            )
            return _flat(self._run(operands))

        entries = recorded(self._trace, self._parts[chooser].row).numpy().reshape(-1)
        numbers = np.arange(1, entries.size + 1)
        if truth:
            picks = chosen(entries != 0, np.zeros_like(entries)).shape != first.shape
            into = np.zeros_like(entries) if picks else 1 - entries if entries.dtype == np.uint8 else ~entries
        else:
            picks, other = False, np.unique(entries)
            into = np.where(entries == other[0], other[-1] if len(other) > 1 else _beside(other[0]), other[0])
        found = np.zeros(first.size, int)
        for bit in range(int(entries.size).bit_length()):
            made = chosen(numbers >> bit & 1 == 1, into)
            found |= (~np.isin(first, made) if picks else made != first).astype(int) << bit
        return found - 1 if (found <= entries.size).all() else None

    def _sums(self, moved: list[int]) -> EntryMap | None:
        """Return the map of a call that adds each entry to one result entry."""
        total, found = self._parts[-1].end, []
        with enable_grad():
            given = [
                one.to(float64).requires_grad_() if k in moved else one
                for k, one in enumerate(self._numbered(moved, np.zeros(total, int), 1))
            ]
            (result,) = self._run([one.clone() for one in given])
        order, other, back = _orders.__wrapped__(result.numel())
        for numbers in (order + 0.5 + _BASE, -0.5 - _BASE - other):
            gradients = grad(
                result, [given[k] for k in moved], from_numpy(numbers).reshape(result.shape), retain_graph=True
            )
            found.append([_flat([one]) for one in gradients])
        places = np.full(total, -1)
        for k, first, second in zip(moved, *found, strict=True):
            goes = _places(first, result.numel())
            if (back[_places(-second, result.numel())] != goes).any() or (goes < 0).any() != (first == 0).any():
                return None
            places[self._parts[k].start :][: goes.size] = goes
        return EntryMap(places, True, 0.0, {k: None for k in range(len(self._parts)) if k not in moved})


_SUMS = frozenset("scatter_add index_add index_put".split())
_CHOOSES = frozenset("masked_select where masked_fill masked_fill_".split())
_FRACTIONS = ("float", "bfloat", "complex")
_FEW = 4_096
_KINDS = 500  # calls of other names that are looked at
_CALLS = 3_000  # that are asked, the last of a recording


@lru_cache(32)
def _orders(total: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the numbers below a total in order, shuffled, and the inverse."""
    other = np.random.default_rng(total).permutation(total)
    return np.arange(total), other, np.append(np.argsort(other), -1)


def _places(numbers: np.ndarray, total: int) -> np.ndarray:
    """Return the positions that entries represent, -1 for none."""
    found = np.trunc(numbers.astype(float)) - _BASE  # torch's result may have few bits
    there = (found >= 0) & (found < total)
    return np.where(there, np.where(there, found, 0).astype(int), -1)


def _flat(results: list[torch.Tensor]) -> np.ndarray:
    """Return the entries of all results in sequence.

    Raises CannotReplay if NumPy has no such entries.
    """
    try:
        return np.concatenate([one.detach().resolve_conj().resolve_neg().numpy().reshape(-1) for one in results])
    except (TypeError, RuntimeError, ValueError):
        raise CannotReplay from None


def _beside(index: int) -> int:
    return index - 1 if index > 0 else index + 1
