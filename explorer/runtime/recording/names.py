"""Which names of the program stand for which tensors, and from when to when."""

from types import FrameType

import torch

from explorer.runtime.recording.places import Spot, release_variables
from explorer.runtime.recording.rows import BindingRow, OperationRow, Rows


class NameBook:
    """The names of a run. `current`: what every name stands for now, by scope."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self.current: dict[str, dict[str, BindingRow]] = {"": {}}

    def bind(self, name: str, scope: str, tensor: int, span: int, operation: int) -> None:
        """A name stands for a tensor from an operation on, until it is bound to another."""
        names = self.current.get(scope)
        if names is None:
            names = self.current[scope] = {}
        current = names.get(name)
        if current is not None:
            if current.tensor == tensor:
                return
            current.until = operation
        names[name] = row = BindingRow(name, scope, tensor, span, operation)
        self.rows.bindings.append(row)

    def bound(self) -> set[int]:
        """The tensors that have a name now."""
        return {binding.tensor for names in self.current.values() for binding in names.values()}

    def bind_operands(self, index: int, row: OperationRow, inputs: list, spot: Spot, frame: FrameType) -> None:
        """Names that stand in the expression and whose object is one of the inputs."""
        scope, known = spot.scope, 0
        globally = self.current[""]
        locally = self.current.get(scope, globally)
        for name in spot.operands:
            binding = locally.get(name) or globally.get(name)
            if binding is not None and binding.tensor in row.inputs:
                known += 1
        if known == min(len(spot.operands), len(inputs)):
            return  # looking into a function's variables costs a copy of them all
        outer = frame.f_globals
        variables = frame.f_locals if scope else outer
        for name in spot.operands:
            value = variables.get(name)
            if value is None:
                value = outer.get(name)
            if not isinstance(value, torch.Tensor):
                continue
            for identity, tensor in zip(row.inputs, inputs, strict=True):
                if tensor is value:
                    owner = scope if name in variables else ""
                    binding = self.current.get(owner, {}).get(name)
                    if binding is None or binding.tensor != identity:
                        produced = self.rows.tensors[identity].versions[-1].operation
                        self.bind(name, owner, identity, -1, index if binding else produced or index)
                    break
        release_variables(frame, variables)
