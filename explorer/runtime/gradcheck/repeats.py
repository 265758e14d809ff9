"""Draw a curve by repeating calls from leaf to root.

Nothing of the program runs. The calls are repeated unchanged, then in float64. If torch's results differ from the
recording, as with random numbers, there is no answer.
"""

import math
from collections.abc import Sequence
from functools import partial

import msgspec
import torch
from torch import vmap  # bound here, since the program may replace it

from explorer.runtime.gradcheck.prober import WIDE, wide_call
from explorer.runtime.replay import CannotReplay, answer, call_again, check_result, recorded
from explorer.trace import ProbeReading, Repeat, Trace, read

_MOST = 100_000  # entries that the calls read for one value
_TOGETHER = 1_000_000  # entries that are read at once, for several values
_TRIED = 6  # values at which the vectorized call is compared with single calls


def repeated(asked: bytes, recording: bytes) -> bytes:
    """Repeat a recording's calls, from bytes to bytes."""
    question = partial(_repeated, msgspec.msgpack.decode(asked, type=Repeat))
    return msgspec.msgpack.encode(answer(question, read(recording), []))


def _repeated(asked: Repeat, trace: Trace) -> list[ProbeReading]:
    """Return the root for each value and torch's gradient, [] if unknown.

    NaN marks values that torch refuses.
    """
    state = torch.get_rng_state()
    try:
        gradient = _Tape(trace, asked, False).gradient()
        reading = ProbeReading(_Tape(trace, asked, True).roots(asked.values), (gradient,))
    except CannotReplay:
        return []
    return [reading] if state.equal(torch.get_rng_state()) else []  # numbers were drawn


class _Tape:
    """The calls with their constant operands. Raises CannotReplay.

    Args: wide: whether they run in float64.
    """

    def __init__(self, trace: Trace, asked: Repeat, wide: bool) -> None:
        rows, tensors = trace.operations, trace.tensors
        self._trace, self._asked, self._wide = trace, asked, wide
        self._leaf, self._name = self._read(asked.row), trace.index.tensor_of(asked.row)
        self._calls, self._entries = list[tuple](), 0
        moved, kept = {self._name}, dict[int, torch.Tensor]()
        for operation in asked.operations:
            make, writes = call_again(trace, operation, wide_call if wide else None)
            inputs, outputs = rows.inputs[operation], rows.outputs[operation]
            self._entries += sum(math.prod(trace.shapes[tensors.shape[tensor]]) for tensor in inputs)
            if writes or rows.error[operation] >= 0 or self._entries > _MOST:
                raise CannotReplay
            read = list(zip(inputs, trace.index.rows_read(operation), strict=True))
            for tensor, row in read:
                if tensor not in moved and row not in kept:
                    kept[row] = self._read(row)
            operands = [(tensor, None if tensor in moved else kept[row]) for tensor, row in read]
            made = [self._result(operation, tensor) for tensor in outputs]
            self._calls.append((operation, make, operands, made))
            moved.update(outputs)

    def _read(self, row: int) -> torch.Tensor:
        tensor = recorded(self._trace, row).detach()
        return tensor.to(WIDE[tensor.dtype]) if self._wide and tensor.dtype in WIDE else tensor

    def gradient(self) -> float:
        """Return the entry's gradient if all results match. Raises CannotReplay."""
        leaf = self._leaf.clone().requires_grad_()
        root = self._play(leaf, True)
        if root is None or not root.requires_grad:
            raise CannotReplay
        (slope,) = torch.autograd.grad(root, leaf, allow_unused=True)
        return 0.0 if slope is None else slope.reshape(-1)[self._asked.entry].item()

    def roots(self, values: Sequence[float]) -> tuple[float, ...]:
        """Return the root for each value of the entry.

        NaN marks a call that torch refuses. Raises CannotReplay.
        """
        together = self._together(values)
        tried = range(0, len(values), max(1, len(values) // _TRIED))
        if together is not None and all(_alike(together[at], self._root(values[at])) for at in tried):
            return together
        return tuple(map(self._root, values))

    def _together(self, values: Sequence[float]) -> tuple[float, ...] | None:
        """Compute all roots at once, None if torch cannot."""
        leaves = self._leaf.expand(len(values), *self._leaf.shape).clone()
        leaves.view(len(values), -1)[:, self._asked.entry] = torch.tensor(values, dtype=leaves.dtype)
        size = max(1, _TOGETHER // max(1, self._entries))
        try:
            return tuple(vmap(partial(self._play, is_recorded=False), chunk_size=size)(leaves).tolist())
        except Exception:  # calls without a vmap rule, calls that read entries, or calls that torch refuses
            return None

    def _root(self, value: float) -> float:
        leaf = self._leaf.clone()
        leaf.view(-1)[self._asked.entry] = value
        root = self._play(leaf, False)
        return math.nan if root is None else root.item()

    def _play(self, leaf: torch.Tensor, is_recorded: bool) -> torch.Tensor | None:
        """Return the root, None if torch refuses a call.

        Raises CannotReplay if a result or its shape differs from the recording: the program may have read that.
        """
        trace, moved = self._trace, {self._name: leaf}
        for operation, make, operands, outputs in self._calls:
            try:
                results = make([moved[tensor] if kept is None else kept for tensor, kept in operands])
            except CannotReplay:
                return None
            if len(results) != len(outputs):
                raise CannotReplay
            for (tensor, shape, has_node), result in zip(outputs, results, strict=True):
                if is_recorded:
                    check_result(trace, operation, tensor, result)
                elif result.shape != shape:
                    raise CannotReplay
                moved[tensor] = result if has_node else result.detach()
        return moved[self._asked.root].reshape(())

    def _result(self, operation: int, tensor: int) -> tuple[int, torch.Size, bool]:
        """Return a result, its shape, and whether a node made it.

        Under `no_grad`, none did.
        """
        trace, row = self._trace, self._trace.index.written(tensor, operation)
        shape = torch.Size(trace.shapes[trace.tensors.shape[tensor]])
        return tensor, shape, row is not None and trace.versions.node[row] >= 0


def _alike(one: float, other: float) -> bool:
    return one == other or (one != one and other != other) or math.isclose(one, other, rel_tol=1e-12, abs_tol=1e-15)
