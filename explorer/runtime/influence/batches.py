"""Runs up to the first backward that ask how the rows of a batch act on each other."""

from types import FrameType
from typing import Any

import torch
from torch.utils._pytree import tree_map

from explorer.runtime.gradcheck.prober import Reached
from explorer.runtime.gradcheck.runs import weighted
from explorer.runtime.influence.entries import Mover, is_whole
from explorer.runtime.recorder.calls import CALLS, BegunCall, TorchCall, tensors_in
from explorer.runtime.recorder.engine import EnginePatch, foreign
from explorer.runtime.recorder.source_map import SourceMap
from explorer.trace.effects import ROWS, ChangedResult, IdleBlock

_ENTRIES = 500_000  # of all results that are kept to be compared
_SAME = 1e-9  # relative: another order of a sum
_FEWEST = 4  # rows of a batch
_quiet = torch._C.DisableTorchFunction
_in_functorch = torch._C._functorch.peek_interpreter_stack


class RowMover(Mover):
    """Keeps the results of operations, or compares them with kept ones after a row of the batch was moved.

    Attributes:
        batch: the row, where data first meet a weight.
        row_count: how many there are.
        kept: results of each operation.
        changed: those that are no longer equal.
        drawn: state of the random numbers where the batch meets the weight.
    """

    def __init__(self, source_map: SourceMap, before: "RowMover | None" = None) -> None:
        super().__init__(source_map, before.batch if before is not None else None)
        self.batch: IdleBlock | None = before.batch if before is not None else None
        self.row_count: int = before.row_count if before is not None else 0
        self.kept: dict[int, list[torch.Tensor]] = {}
        self.changed: list[ChangedResult] = []
        self.drawn: torch.Tensor | None = None
        self._before, self._entries = before, 0

    def begin(self, call: TorchCall, args: Any, kwargs: dict | None, caller: FrameType) -> BegunCall:
        """Look for the batch, and move a row of it if this is a further run."""
        begun = super().begin(call, args, kwargs, caller)
        if self._before is None and self.batch is None and torch.is_grad_enabled() and _in_functorch() is None:
            given = tensors_in(kwargs or {}, tensors_in(args, []))
            with _quiet():
                is_layer = any(one.requires_grad and one.is_leaf for one in given)
                found = next((at for at, one in enumerate(given) if is_layer and _is_batch(one)), -1)
                if found >= 0:
                    self.batch = IdleBlock(begun.index, found, 0, 0, 1, 1)
                    self.row_count, self.drawn = given[found].shape[0], torch.get_rng_state()
        return begun

    def end(self, made: BegunCall, result: object) -> None:
        """Keep a result, or compare it."""
        if self.batch is None or made.index < self.batch.operation or _in_functorch() is not None:
            return
        with _quiet(), torch.no_grad():
            results = tensors_in(result, [])
            if self._before is None:
                self._entries += sum(one.numel() for one in results)
                if self._entries <= _ENTRIES:
                    self.kept[made.index] = [one.detach().clone() for one in results if _is_plain(one)]
                return
            results = [one for one in results if _is_plain(one)]
            for at, (was, now) in enumerate(zip(self._before.kept.get(made.index, ()), results, strict=False)):
                if len(self.changed) < ROWS and was.shape == now.shape and (moved := _moved(was, now)).any():
                    self.changed.append(ChangedResult(made.index, at, _axis_of_row(moved, self.row_count)))


def _is_plain(one: torch.Tensor) -> bool:
    return one.layout is torch.strided and not one.is_complex() and not one.is_quantized and not one.is_meta


def _is_batch(one: torch.Tensor) -> bool:
    """Return whether data may be rows: a matrix of numbers, or indices."""
    if type(one) is not torch.Tensor or one.requires_grad or not _is_plain(one) or one.dtype == torch.bool:
        return False
    is_number = one.is_floating_point()
    return one.dim() > is_number and one.shape[0] >= _FEWEST and (is_number or is_whole(one))


def _moved(was: torch.Tensor, now: torch.Tensor) -> torch.Tensor:
    """Return which entries differ by more than rounding."""
    if not was.is_floating_point():
        return was != now
    return ~torch.isclose(now.double(), was.double(), _SAME, 0.0, equal_nan=True)


def _axis_of_row(moved: torch.Tensor, rows: int) -> int:
    """Return the axis along which only the first row differs, -1 if others do. Rows may be merged with another axis."""
    for axis in (axis for axis in range(moved.dim()) if moved.shape[axis] == rows):
        if not moved.narrow(axis, 1, rows - 1).any():
            return axis
    if moved.dim() and moved.shape[0] > rows and moved.shape[0] % rows == 0:
        each = moved.shape[0] // rows
        if not moved[each:].any() or not moved.reshape(each, rows, -1)[:, 1:].any():
            return 0
    return -1


class Halver(RowMover):
    """Gives operations one half of the batch twice, in all data with as many rows. Args: half: 0 or 1."""

    def __init__(self, source_map: SourceMap, before: RowMover, half: int) -> None:
        super().__init__(source_map, before)
        self.block, self._half = None, half
        self._twice: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}

    def __torch_function__(self, function, types, args=(), kwargs=None):
        """Handle a call in torch's place."""
        call = CALLS[function]
        begins = self.batch is not None and self.operation_count >= self.batch.operation and not self.pauses
        reads = call.recorded and (call.pure or call.name == "embedding")
        if begins and reads and torch.is_grad_enabled() and _in_functorch() is None:
            args, kwargs = tree_map(self._halved, (args, kwargs))
        return super().__torch_function__(function, types, args, kwargs)

    def end(self, made: BegunCall, result: object) -> None:
        """Compare nothing: all results change."""

    def _halved(self, value: Any) -> Any:
        """Return data with one half of their rows in the place of both."""
        if type(value) is not torch.Tensor:
            return value
        with _quiet():
            if value.requires_grad or not _is_plain(value) or value.shape[:1] != (self.row_count,):
                return value
            if (held := self._twice.get(id(value))) is None:
                half = value.narrow(0, self._half * (self.row_count // 2), self.row_count // 2)
                held = self._twice[id(value)] = value, torch.cat([half, half])
            return held[1]


class FirstBackward(EnginePatch):
    """Ends a run where its first backward would begin.

    Attributes: root: its value, None if none began. has_drawn: whether random numbers were drawn after the batch.
    """

    def __init__(self, mover: RowMover) -> None:
        super().__init__(mover)
        self._mover = mover
        self.root: float | None = None
        self.has_drawn = False

    def run(self, engine, outputs, /, *args, **kwargs):
        """Replace `_engine_run_backward`."""
        mover = self._mover
        if mover.running or foreign([*outputs, *(args[3] if len(args) > 3 else ())]):
            with mover.in_backward():
                return engine(outputs, *args, **kwargs)
        with _quiet():
            self.root = weighted(outputs, list(args[0]) if args else [])
            self.has_drawn = mover.drawn is None or not torch.equal(mover.drawn, torch.get_rng_state())
        mover.pauses += 1
        raise Reached

    def refused(self, outputs, grads, problem: Exception, caller: FrameType) -> None:
        """Do nothing about a call that torch refuses."""
