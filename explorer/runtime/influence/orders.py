"""Runs that reverse the order of data where they meet the weights."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.utils._pytree import tree_map

from explorer.runtime.gradcheck.prober import Prober
from explorer.runtime.recorder.calls import CALLS, tensors_in
from explorer.runtime.recorder.source_map import SourceMap
from explorer.trace.effects import IdleOrder

_AXIS = 1  # the first axis after the batch
_SHORTEST = 3  # entries whose order can matter
_PARTS = {True: 3, False: 2}  # axes of numbers and of indices: a matrix has features, not times
_quiet = torch._C.DisableTorchFunction
_in_functorch = torch._C._functorch.peek_interpreter_stack

Role = tuple[str, int, int]  # an operation, its operand, and the weight that it meets, by the order of first use


class Turner(Prober):
    """Counts operations, and reverses the data that play a role: a place at which data meet a weight.

    Attributes: met: the operation and the operand at which each role first occurs, by role.
    """

    def __init__(self, source_map: SourceMap, role: Role | None = None) -> None:
        super().__init__(source_map, (), (-1, -1), 0.0)
        self.met: dict[Role, tuple[int, int]] = {}
        self._role = role
        self._weights: dict[int, int] = {}
        self._turned: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}

    def __torch_function__(self, function, types, args=(), kwargs=None):
        """Handle a call in torch's place."""
        call = CALLS[function]
        reads = call.pure or call.name == "embedding"  # which may write to its weight, but not to the indices
        if call.recorded and reads and not self.pauses and torch.is_grad_enabled() and _in_functorch() is None:
            given = tensors_in(kwargs or {}, tensors_in(args, []))
            with _quiet():
                self._meet(call.name, given)
            if self._turned:
                args, kwargs = tree_map(self._reversed, (args, kwargs))
        return super().__torch_function__(function, types, args, kwargs)

    def _meet(self, name: str, given: list[torch.Tensor]) -> None:
        """Note the data of a call that also reads a weight."""
        weight = next((one for one in given if one.requires_grad and one.is_leaf), None)
        if weight is None:
            return
        number = self._weights.setdefault(id(weight), len(self._weights))
        for operand, data in enumerate(given):
            role = name, operand, number
            if (role in self.met and role != self._role) or not _may_have_order(data):
                continue
            turned = data.flip(_AXIS)
            if role not in self.met and not torch.equal(data, turned):  # sequences that are not their own mirror image
                self.met[role] = self.operation_count, operand
            if role == self._role:
                self._turned[id(data)] = data, turned

    def _reversed(self, value: Any) -> Any:
        found = self._turned.get(id(value)) if isinstance(value, torch.Tensor) else None
        return value if found is None else found[1]

    @contextmanager
    def in_backward(self) -> Iterator[None]:
        """Release the data of a round, and count no operation while the engine runs."""
        self._turned.clear()
        with super().in_backward():
            yield

    def orders(self, rounds: int) -> Iterator[tuple[Role, IdleOrder]]:
        """Yield each role with its result."""
        for role, (operation, operand) in self.met.items():
            yield role, IdleOrder(operation, operand, _AXIS, rounds)


def _may_have_order(data: torch.Tensor) -> bool:
    if type(data) is not torch.Tensor or data.requires_grad or data.layout is not torch.strided:
        return False
    is_sequence = data.dim() >= _PARTS[data.is_floating_point()] and data.shape[_AXIS] >= _SHORTEST
    return is_sequence and data.dtype is not torch.bool
