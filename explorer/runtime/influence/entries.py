"""Runs that ask how much the losses change with entries of data, and runs that move entries that seem idle."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

import torch
from torch.utils._pytree import tree_map

from explorer.runtime.gradcheck.prober import Prober
from explorer.runtime.gradcheck.runs import weighted
from explorer.runtime.recorder.calls import CALLS, BegunCall, TorchCall, tensors_in
from explorer.runtime.recorder.engine import EnginePatch, foreign
from explorer.runtime.recorder.source_map import SourceMap
from explorer.trace.effects import DATA, ENTRIES, DataSlopes, IdleBlock

MOST_ENTRIES = 200_000  # maximum entries of a tensor whose slopes are requested
_KEEP = frozenset(("detach", "data", "grad", "item", "tolist", "to", "float", "double"))  # never get a leaf instead
_COMPARES = frozenset(("eq", "ne", "__eq__", "__ne__", "equal", "isin"))
_LEAVES = frozenset(("tolist", "numpy", "__array__", "__iter__"))
_quiet = torch._C.DisableTorchFunction
_in_functorch = torch._C._functorch.peek_interpreter_stack


class Mover(Prober):
    """Counts operations, and moves one block of a tensor just before it is first read."""

    def __init__(self, source_map: SourceMap, block: IdleBlock | None = None) -> None:
        super().__init__(source_map, (), (-1, -1), 0.0)
        self.block, self.is_moved = block, False

    def begin(self, call: TorchCall, args: Any, kwargs: dict | None, caller: FrameType) -> BegunCall:
        """Count an operation, and move the block if this operation reads it."""
        begun, block = super().begin(call, args, kwargs, caller), self.block
        if block is not None and begun.index == block.operation:
            given = tensors_in(kwargs or {}, tensors_in(args, []))
            if block.operand < len(given) and given[block.operand].dim() > block.axis:
                with _quiet(), torch.no_grad():
                    entries = given[block.operand].data
                    (_shift if entries.is_floating_point() else _exchange)(entries, block)
                    self.is_moved = True
        return begun


def _shift(entries: torch.Tensor, block: IdleBlock) -> None:
    """Move a block far, each entry by another distance."""
    part = entries.narrow(block.axis, block.start, block.stop - block.start)
    size = float(entries.abs().max()) + 1.0
    part.add_(torch.linspace(1.0, 3.0, part.numel(), dtype=part.dtype).reshape(part.shape), alpha=size)


def _exchange(entries: torch.Tensor, block: IdleBlock) -> None:
    """Replace each entry of a block with another value from the tensor, and negate booleans."""
    part = entries.narrow(block.axis, block.start, block.stop - block.start)
    if entries.dtype == torch.bool:
        part.logical_not_()
    elif len(values := entries.unique()) > 1:
        by = torch.arange(part.numel()).reshape(part.shape) % (len(values) - 1) + 1
        part.copy_(values[(torch.searchsorted(values, part.contiguous()) + by) % len(values)])


@dataclass
class _Whole:
    """Integers or truth values that operations read while gradients are recorded.

    Attributes:
        operation, operand: the input by which they were first read.
        rounds: numbers of the backward calls before which they were read.
        is_picked: whether rows are picked, as by a sampler, so that some are left out by chance.
    """

    value: torch.Tensor
    operation: int
    operand: int
    rounds: set[int] = field(default_factory=set)
    is_picked: bool = False


class SlopeProber(Prober):
    """Replaces data in operations by a leaf with the same memory, so that gradients reach it.

    Data are tensors without a history that an operation reads while gradients are recorded.

    Attributes: leaves: the leaf of each tensor, with the tensor and the input by which it was first read.
    """

    def __init__(self, source_map: SourceMap) -> None:
        super().__init__(source_map, (), (-1, -1), 0.0)
        self.data: dict[int, tuple[torch.Tensor, torch.Tensor, int, int]] = {}
        self.totals: dict[int, torch.Tensor] = {}
        self.calls: dict[int, int] = {}
        self.whole: dict[int, _Whole] = {}
        self.backwards, self._compares = 0, False

    def __torch_function__(self, function, types, args=(), kwargs=None):
        """Handle a call in torch's place."""
        call = CALLS[function]
        self._read_whole(call, args, kwargs or {})
        if call.exposes:
            args = tree_map(_without_history, args)
        elif self._is_read(call) and call.name not in _KEEP and not self.pauses and _in_functorch() is None:
            number = iter(range(1 << 20))
            args, kwargs = tree_map(lambda one: self._leaf(one, number), (args, kwargs))
        return super().__torch_function__(function, types, args, kwargs)

    def _is_read(self, call: TorchCall) -> bool:
        return call.recorded and call.pure and torch.is_grad_enabled()

    def _read_whole(self, call: TorchCall, args: tuple, kwargs: dict) -> None:
        """Note which integers and truth values an operation reads, and whether integers are compared."""
        if self.pauses or _in_functorch() is not None:
            return
        is_read = self._is_read(call)
        with _quiet():
            found = [(at, one) for at, one in enumerate(tensors_in(kwargs, tensors_in(args, []))) if is_whole(one)]
            numbers = [one for _, one in found if one.dtype != torch.bool]
            self._compares |= len(numbers) > (call.name in _COMPARES) and call.name in _COMPARES | _LEAVES
            for at, one in found if is_read else ():
                if id(one) in self.whole or len(self.whole) < DATA:
                    held = self.whole.setdefault(id(one), _Whole(one, self.operation_count, at))
                    held.rounds.add(self.backwards)
                    held.is_picked = held.is_picked or (at == 0 and _picks(call.name, args))

    def _leaf(self, value: object, number: Iterator[int]) -> object:
        """Return the leaf of a tensor of data, or the value itself."""
        if not isinstance(value, torch.Tensor):
            return value
        operand = next(number)
        with _quiet():
            is_data = type(value) is torch.Tensor and value.is_floating_point() and not value.requires_grad
            if not is_data or value.layout is not torch.strided or not 1 < value.numel() <= MOST_ENTRIES:
                return value
            held = self.data.get(id(value))
            if held is None:
                if len(self.data) >= DATA:
                    return value
                held = self.data[id(value)] = value, value.data.requires_grad_(), self.operation_count, operand
            return held[1]

    def collect(self) -> None:
        """Add the gradients that a backward computed for the data's leaves."""
        self.backwards += 1
        with _quiet(), torch.no_grad():
            for key, (_, leaf, _, _) in self.data.items():
                if (gradient := leaf.grad) is not None:
                    self.totals[key] = self.totals.get(key, 0.0) + gradient.to_dense().abs()
                    self.calls[key] = self.calls.get(key, 0) + 1
                    leaf.grad = None

    def slopes(self) -> tuple[DataSlopes, ...]:
        """Return the sums of all calls, those of tensors with many entries without them."""
        found = []
        for key, total in self.totals.items():
            _, _, operation, operand = self.data[key]
            entries = tuple(total.flatten().tolist()) if total.numel() <= ENTRIES else ()
            found.append(DataSlopes(operation, operand, tuple(total.shape), entries))
        return tuple(found)

    def candidates(self, backwards: int) -> Iterator[IdleBlock]:
        """Yield blocks at an end of an axis that no gradient of any backward reached.

        A single backward may read only a part of the data, such as the first batch.
        """
        for key, total in self.totals.items() if backwards > 1 else ():
            value, _, operation, operand = self.data[key]
            if self.calls[key] < backwards or not bool(total.isfinite().all()):
                continue
            for axis in range(total.dim()):
                for start, stop in _ends(total, axis):
                    if not _is_constant(value.narrow(axis, start, stop - start)):
                        yield IdleBlock(operation, operand, axis, start, stop, backwards)

    def whole_candidates(self, backwards: int) -> Iterator[IdleBlock]:
        """Yield ends of the integers and truth values that every round reads, and that have other valid values.

        Where integers are compared, also outside of torch, a prediction that is wrong in any case would hide what
        depends on them. Integers that all differ are positions, and those that another tensor repeats are targets.
        """
        held = [one for one in self.whole.values() if len(one.rounds) >= backwards > 1]
        for one in held:
            value, is_mask = one.value, one.value.dtype == torch.bool
            with _quiet():
                same = (each for each in held if each is not one and torch.equal(each.value, value))
                if not is_mask and (self._compares or len(value.unique()) == value.numel() or any(same)):
                    continue
            for axis in range(int(one.is_picked), value.dim()):
                for at in {value.shape[axis] - 1, 0} if value.shape[axis] > 1 else ():
                    if is_mask or not _is_constant(value.narrow(axis, at, 1)):
                        yield IdleBlock(one.operation, one.operand, axis, at, at + 1, backwards)


def is_whole(value: torch.Tensor) -> bool:
    """Return whether a tensor holds integers or truth values."""
    is_number = value.is_floating_point() or value.is_complex() or value.is_quantized
    plain = type(value) is torch.Tensor and value.layout is torch.strided
    return plain and not is_number and 1 < value.numel() <= MOST_ENTRIES


def _picks(name: str, args: tuple) -> bool:
    """Return whether an operation picks rows by their numbers."""
    index = args[1] if name == "__getitem__" and len(args) > 1 else slice(None)
    first = index[0] if isinstance(index, tuple) and index else index
    return name in ("index_select", "gather", "take", "unbind") or not (first is Ellipsis or isinstance(first, slice))


def _without_history(value: object) -> object:
    return value.detach() if isinstance(value, torch.Tensor) and value.requires_grad else value


def _is_constant(block: torch.Tensor) -> bool:
    """Return whether a block may be padding: all its entries are equal, or 0."""
    with _quiet():
        first = block.flatten()[0]
        return bool((block == first).all()) and (block.numel() > 1 or not first)


def _ends(total: torch.Tensor, axis: int) -> Iterator[tuple[int, int]]:
    """Yield the zero slices at the start and at the end of an axis that has others."""
    others = [one for one in range(total.dim()) if one != axis]
    reached = (total.sum(others) if others else total).ne(0).tolist()
    if True in reached and False in reached:
        first, last = reached.index(True), len(reached) - reached[::-1].index(True)
        if first:
            yield 0, first
        if last < len(reached):
            yield last, len(reached)


class WatchedEngine(EnginePatch):
    """Keeps the value of each backward's root, and optionally the gradients of data.

    Attributes: values: a number for each call.
    """

    def __init__(self, prober: Prober) -> None:
        super().__init__(prober)
        self._prober, self.values = prober, list[float]()

    def run(self, engine, outputs, /, *args, **kwargs):
        """Replace `_engine_run_backward`."""
        prober = self._prober
        if not (prober.running or foreign([*outputs, *(args[3] if len(args) > 3 else ())])):
            with _quiet():
                seeds = list(args[0]) if args else []
                self.values.append(weighted(outputs, seeds) if len(seeds) == len(outputs) else math.nan)
        if isinstance(prober, SlopeProber) and len(args) > 1:  # results of data alone are used by several calls
            args = (args[0], True, *args[2:])
        try:
            with prober.in_backward():
                return engine(outputs, *args, **kwargs)
        finally:
            if isinstance(prober, SlopeProber):
                prober.collect()

    def refused(self, outputs, grads, problem: Exception, caller: FrameType) -> None:
        """Do nothing about a call that torch refuses."""
