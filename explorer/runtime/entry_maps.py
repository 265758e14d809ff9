"""Trace a call's entries by repeating it on identifying numbers.

Entries that agree under two numberings, the second negative and reordered, were moved and not computed. A sum of
entries with one target each, as of scatter_add, is asked backwards: the gradient of an entry is then the number of its
target.
"""

import math
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from itertools import accumulate
from typing import Any, NamedTuple

import msgspec
import numpy as np
import torch

# Bound here, since the program may replace them.
from torch import bfloat16, enable_grad, float64, from_numpy, no_grad
from torch.autograd import grad

from explorer.runtime.recorder.faults import reraise_recorder_error
from explorer.runtime.replay import CannotReplay, apart, call_again, entries_of, recorded
from explorer.trace import Trace, read
from explorer.trace.entry_maps import MOST_READS, CallSizes, EntrySources, How

_BASE = 1 << 40  # numbers of entries begin here: sums, indices and arguments are far smaller
_LONGEST = 0.7  # seconds for the entries that one call depends on
_FEW_NUMBERS = 4  # entries of an operand that others may be compared with

PICKS = frozenset("__getitem__ index_select gather take take_along_dim embedding".split())
_trace = lru_cache(1)(read)  # the process's own run


def answered(asked: bytes, recording: bytes) -> bytes:
    """Answer about a recording's call, from bytes to bytes."""
    operation, how = msgspec.msgpack.decode(asked, type=tuple[int, How])
    return msgspec.msgpack.encode(sources_of(_trace(recording), operation, how))


def sources_of(trace: Trace, operation: int, how: How) -> list[EntrySources]:
    """Return where the entries of a call's results came from, [] if unknown.

    Args:
        how: as in `entry_sources`. Calls not known to move entries are tried if their few entries look like copies.
    """
    if trace.operations.error[operation] >= 0:
        return []
    try:
        with apart(), no_grad():
            call = _Call(trace, operation, how == "moves")
            found = call.sources() if how == "moves" or _looks_moved(trace, operation) else []
            if how != "moves" and not any(one.has_places for one in found):
                found = call.depends() if how == "depends" else []
            return found if call.sizes.fit(found) else []
    except CannotReplay:
        return []
    except Exception as problem:  # the program has replaced a function of torch
        reraise_recorder_error(problem)
        return []


def _looks_moved(trace: Trace, operation: int) -> bool:
    """Return whether a small call may only have moved entries."""
    rows, versions = trace.operations, trace.versions
    made = [trace.index.written(tensor, operation) for tensor in rows.outputs[operation]]
    values = [versions.value[row] for row in made if row is not None and versions.operation[row] == operation]
    given = [versions.value[row] for row in trace.index.rows_read(operation)] if len(values) == 1 == len(made) else []
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
    """A recorded call."""

    def __init__(self, trace: Trace, operation: int, moves: bool) -> None:
        rows, strings = trace.operations, trace.strings
        self._trace, self._name, self._moves = trace, strings[rows.name[operation]], moves
        self._run, self._writes = call_again(trace, operation)
        if not rows.inputs[operation]:
            raise CannotReplay
        self._parts, start = list[_Part](), 0
        for row in trace.index.rows_read(operation):
            value, tensor = trace.versions.value[row], trace.index.tensor_of(row)
            shape = trace.shapes[trace.values.shape[value] if value >= 0 else trace.tensors.shape[tensor]]
            dtype, end = strings[trace.tensors.dtype[tensor]], start + math.prod(shape)
            self._parts.append(_Part(row, tuple(shape), dtype, start, end, not dtype.startswith(_FRACTIONS)))
            start = end
        self.sizes = CallSizes.of(trace.index, operation)
        if start + sum(self.sizes.results) > MOST_READS:
            raise CannotReplay
        self._choosers: dict[int, torch.Tensor] = {}

    def sources(self) -> list[EntrySources]:
        """Return sources by result, [] if it computes. Raises CannotReplay."""
        for moved in self._candidates():
            try:
                found = self._copies(moved) or (self._sums(moved) if self._name.rstrip("_") in _SUMS else [])
            except CannotReplay:
                continue
            except Exception as problem:  # torch refuses it
                reraise_recorder_error(problem)
                continue
            if found:
                return found
        return []

    def _candidates(self) -> list[list[int]]:
        """Yield the operands whose entries the call may move, likeliest first.

        Other operands choose. Integers of a call that is not known to move may be sizes of its result, and stay
        unchanged.
        """
        every = [*range(len(self._parts))]
        numbers = [k for k in every if self._parts[k].dtype != "bool"]
        floats = [k for k in every if not self._parts[k].is_whole]
        if not self._moves:
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

    def _copies(self, moved: list[int]) -> list[EntrySources]:
        """Return the sources of moved entries, [] if they are computed."""
        total = self._parts[-1].end
        order, other, back = _orders(total) if total <= _FEW else _orders.__wrapped__(total)
        first = _flat(self._run(self._numbered(moved, order, 1)))
        second = _flat(self._run(self._numbered(moved, other, -1)))
        if not first.shape == second.shape == (sum(self.sizes.results),) or first.dtype.kind not in "fiu":
            return []
        places = _places(first, total)
        there = places >= 0
        if (back[_places(-second, total)][there] != places[there]).any():
            return []
        rest = () if there.all() else (*first[~there].tolist(), *second[~there].tolist())
        if np.unique(rest).size > 1:
            return []
        own: dict[int, np.ndarray | None] = {}
        for k in (k for k in range(len(self._parts)) if k not in moved):
            try:
                own[k] = self._choices(k, moved, order, first)
            except CannotReplay:  # it cannot choose other entries
                own[k] = None
        fill, ends = float(rest[0]) if rest else 0.0, accumulate(self.sizes.results)
        parts = [slice(end - size, end) for end, size in zip(ends, self.sizes.results, strict=True)]
        return [
            EntrySources.of(
                places[part, None], "copy", fill, {k: one if one is None else one[part] for k, one in own.items()}
            )
            for part in parts
        ]

    def _choices(self, chooser: int, moved: list[int], order: np.ndarray, first: np.ndarray) -> np.ndarray | None:
        """Find the index or mask entry that chose each result entry.

        For each bit of their own number in turn, the entries with that bit choose differently.
        """
        if not first.size:  # other entries of the mask might choose some
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
            into = np.where(entries == other[0], other[-1] if len(other) > 1 else abs(other[0] - 1), other[0])
        found = np.zeros(first.size, int)
        for bit in range(int(entries.size).bit_length()):
            made = chosen(numbers >> bit & 1 == 1, into)
            found |= (~np.isin(first, made) if picks else made != first).astype(int) << bit
        return found - 1 if (found <= entries.size).all() else None

    def _sums(self, moved: list[int]) -> list[EntrySources]:
        """Return the sources of a call that sums, otherwise []."""
        total, found, count = self._parts[-1].end, [], sum(self.sizes.results)
        with enable_grad():
            given = [
                one.to(float64).requires_grad_() if k in moved else one
                for k, one in enumerate(self._numbered(moved, np.zeros(total, int), 1))
            ]
            (result,) = self._run([one.clone() for one in given])
        order, other, back = _orders.__wrapped__(count)
        for numbers in (order + 0.5 + _BASE, -0.5 - _BASE - other):
            gradients = grad(
                result, [given[k] for k in moved], from_numpy(numbers).reshape(result.shape), retain_graph=True
            )
            found.append([_flat([one]) for one in gradients])
        places = np.full(total, -1)
        for k, first, second in zip(moved, *found, strict=True):
            goes = _places(first, count)
            if (back[_places(-second, count)] != goes).any() or (goes < 0).any() != (first == 0).any():
                return []
            places[self._parts[k].start :][: goes.size] = goes
        entries = np.flatnonzero(places >= 0)
        entries = entries[np.argsort(places[entries], kind="stable")]
        targets = places[entries]
        width = int(np.bincount(targets, minlength=count).max(initial=0))
        if count * width > MOST_READS:
            return []
        whole = np.full((count, width), -1)
        whole[targets, np.arange(len(targets)) - np.searchsorted(targets, targets)] = entries
        return [EntrySources.of(whole, "sum", 0.0, {k: None for k in range(len(self._parts)) if k not in moved})]

    def depends(self) -> list[EntrySources]:
        """Return each entry's dependencies, by changing entries. Raises CannotReplay.

        NaN passes through all arithmetic, even times 0. Other numbers show what compares and chooses.
        """
        given, until = [self._some_entries(part) for part in self._parts], time.process_time() + _LONGEST
        before = _flat(self._run([one.clone() for one in given]))
        changes = np.zeros((sum(self.sizes.results), self._parts[-1].end), bool)
        if len(before) != len(changes) or changes.size > MOST_READS:
            raise CannotReplay
        for k, part in enumerate(self._parts):
            for place in range(given[k].numel()):
                change = changes[:, part.start + place]
                for changed in _changed(given, k, place):
                    if time.process_time() > until:
                        raise CannotReplay
                    operands = [one.clone() if self._writes else one for one in given]
                    operands[k] = changed
                    with suppress(CannotReplay):  # an index beyond its axis
                        after = _flat(self._run(operands))
                        if after.shape == before.shape:
                            here = (after != before) & ((after == after) | (before == before))
                            change |= here
                            if here.any() and (after[here] != after[here]).all():
                                break
        order = np.sort(np.where(changes, np.arange(changes.shape[1]), changes.shape[1]), 1)
        places, ends = np.where(order < changes.shape[1], order, -1), accumulate(self.sizes.results)
        each = [places[end - size : end] for end, size in zip(ends, self.sizes.results, strict=True)]
        return (
            [EntrySources.of(one[:, : (one >= 0).sum(1).max(initial=0)], "depends", 0.0, {}) for one in each]
            if changes.any()
            else []
        )

    def _some_entries(self, part: _Part) -> torch.Tensor:
        """Return an operand as recorded, or any of its shape and dtype."""
        try:
            return recorded(self._trace, part.row).detach()
        except CannotReplay:
            return recorded(self._trace, part.row, 1).detach().to(getattr(torch, part.dtype))


def _changed(operands: list[torch.Tensor], k: int, place: int) -> Iterator[torch.Tensor]:
    """Yield an operand with one entry changed in several ways."""
    part, flat = operands[k], operands[k].reshape(-1)
    now, others = flat[place].item(), (one for one in operands if one is not part and 0 < one.numel() <= _FEW_NUMBERS)
    numbers = [entry for one in others for entry in one.reshape(-1).tolist()]
    amounts: list[Any] = [0, now + 1, now - 1, *(int(one) for one in numbers if one == one and abs(one) < 1 << 31)]
    if part.dtype == torch.bool:
        amounts = [not now]
    elif part.is_floating_point() or part.is_complex():
        amounts = [math.nan, 1e3, -1e3, 0.25, 0.75, *numbers]
    for amount in dict.fromkeys(amounts):
        other = flat.clone()
        other[place] = amount
        yield other.reshape(part.shape)


_SUMS = frozenset("scatter_add index_add index_put".split())
_CHOOSES = frozenset("masked_select where masked_fill masked_fill_".split())
_FRACTIONS = ("float", "bfloat", "complex")
_FEW = 4_096


@lru_cache(32)
def _orders(total: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the numbers below a total in order, shuffled, and the inverse."""
    other = np.random.default_rng(total).permutation(total)
    return np.arange(total), other, np.append(np.argsort(other), -1)


def _places(numbers: np.ndarray, total: int) -> np.ndarray:
    """Return the positions that entries represent, -1 if there is none."""
    found = np.trunc(numbers.astype(float)) - _BASE  # torch's result may have few bits
    there = (found >= 0) & (found < total)
    return np.where(there, np.where(there, found, 0).astype(int), -1)


def _flat(results: list[torch.Tensor]) -> np.ndarray:
    """Return the entries of all results in sequence.

    Raises CannotReplay if NumPy has no such entries.
    """
    try:
        dense = (one.detach().resolve_conj().resolve_neg() for one in results)
        return np.concatenate([(one.float() if one.dtype is bfloat16 else one).numpy().reshape(-1) for one in dense])
    except (TypeError, RuntimeError, ValueError):
        raise CannotReplay from None
