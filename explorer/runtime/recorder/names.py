"""Record which names are bound to which tensors, and when."""

from collections.abc import Callable, Mapping, Sequence
from types import FrameType, ModuleType
from typing import Any

import torch

from explorer.runtime.recorder.calls import BegunCall
from explorer.runtime.recorder.object_contents import read_path
from explorer.runtime.recorder.rows import STATE_OPERATION, BindingRow, RunRows
from explorer.runtime.recorder.source_map import Activation, CallSite, SourceMap, release_variables

_NO_TENSOR = (ModuleType, torch.nn.Module, torch.optim.Optimizer)  # a place that reads one won't read a tensor later
MOST_READ = 10_000  # most tensors whose paths are kept


class NameBook:
    """The names of a run.

    Attributes: current: the present binding of every name, by scope. hidden: names that IPython binds, such as `_` and
    `Out`, with their values. on_bind: called with name, scope and tensor of each new binding.
    """

    def __init__(self, rows: RunRows, source_map: SourceMap) -> None:
        self.rows, self.source_map = rows, source_map
        self.current: dict[str, dict[str, BindingRow]] = {"": {}}
        self.hidden: dict[str, object] = {}
        self._read: dict[int, tuple[str, str, int]] = {}  # tensor → its first path, scope and operation
        self.on_bind: Callable[[str, str, int], None] | None = None
        self._last: dict[tuple[int, str], int] = {}  # (place, path) → tensor last read there

    def bind(self, name: str, scope: str, tensor: int, span: int, operation: int, call: int = 0) -> None:
        """Bind a name to a tensor, from an operation on."""
        names = self.current.get(scope)
        if names is None:
            names = self.current[scope] = {}
        current = names.get(name)
        if current is not None:
            if current.tensor == tensor:
                current.call = call
                return
            current.until = operation
        names[name] = row = BindingRow(name, scope, tensor, span, operation, call=call)
        self.rows.bindings.append(row)
        if self.on_bind is not None:
            self.on_bind(name, scope, tensor)

    def bind_targets(self, call: BegunCall, outputs: Sequence[int]) -> None:
        """Bind the names to which this whole expression is assigned."""
        site: Any = call.site
        if call.callee is not None and call.callee.f_code is not call.of.code:
            return
        if len(site.targets) == len(outputs):
            number = self.source_map.call_of(call.frame) if site.scope else 0
            for name, tensor in zip(site.targets, outputs, strict=True):
                if name is not None:
                    self.bind(name, site.scope, tensor, site.span, call.index, number)

    def rebound(self, left: Activation) -> list[tuple[str, str, torch.Tensor, int]]:
        """Return the tensors that names of a call hold since its last operation, with scope and the tensor before.

        An assignment such as `s = new` is no operation. Names that a later call has bound are left to that call.
        """
        code = left.frame.f_code
        scope = "" if code.co_name == "<module>" else code.co_name
        held = self.current.get(scope)
        if not held:
            return []
        variables = left.frame.f_locals
        found = [
            (name, scope, value, row.tensor)
            for name, row in held.items()
            if row.call == left.number and issubclass(type(value := variables.get(name)), torch.Tensor)
        ]
        release_variables(left.frame, variables)
        return found

    def bound(self) -> set[int]:
        """Return the tensors that have a name now."""
        return {binding.tensor for names in self.current.values() for binding in names.values()}

    def name_inputs(
        self, index: int, identities: Sequence[int], inputs: Sequence, site: CallSite, frame: FrameType
    ) -> None:
        """Name the inputs of a call by the text of its expression."""
        running = self.source_map.stack[-1]  # its inputs don't change while a library's call runs
        if (known := running.read) and known[0].isdisjoint(map(id, inputs)) and known[1].isdisjoint(identities):
            return
        call, bound = running.number if site.scope else 0, 0
        globally = self.current[""]
        locally = self.current.get(site.scope, globally)
        for name in site.operands:
            binding = locally.get(name) or globally.get(name)
            if binding is not None and binding.tensor in identities:
                bound += 1
                if binding.scope:
                    binding.call = call
        whole = bound != min(len(site.operands), len(inputs))  # reading any variable of a function copies all of them
        read: tuple[set[int], set[int]] = set(), set()
        if whole:
            self._bind_operands(index, identities, inputs, site, frame, call, *read)
        elif site.operands and not site.paths:
            running.read = None
            return
        whole = whole or not site.operands
        if site.paths and not self._note_paths(index, identities, inputs, site, frame, read[0]):
            whole = False
        running.read = read if whole and running.callee is not None else None

    def _note_paths(
        self, index: int, identities: Sequence[int], inputs: Any, site: CallSite, frame: FrameType, objects: set[int]
    ) -> bool:
        """Remember the paths by which an expression reads tensors."""
        for path in site.paths:
            if self._last.get((site.span, path.text)) not in identities:
                break
        else:
            return False  # also false, as below
        variables, outer = frame.f_locals, frame.f_globals
        for path in site.paths:
            hidden = self.hidden.get(path.head)
            if hidden is not None and hidden is variables.get(path.head, outer.get(path.head)):
                continue
            value = read_path(path, variables, outer)
            if not issubclass(type(value), torch.Tensor):
                if issubclass(type(value), _NO_TENSOR):
                    site.paths = tuple([other for other in site.paths if other is not path])
                continue
            objects.add(id(value))
            for identity, tensor in zip(identities, inputs, strict=True):
                if tensor is value:
                    self._last[site.span, path.text] = identity
                    if identity not in self._read and len(self._read) < MOST_READ:
                        self._read[identity] = path.text, site.scope, index
                    break
        release_variables(frame, variables)
        return True

    def bind_read(self) -> None:
        """Name tensors without a name by the path that an expression read.

        Names of an unsharded parameter are names of the sharded one.
        """
        sharded = self.rows.sharded
        for binding in self.rows.bindings:
            binding.tensor = sharded.get(binding.tensor, binding.tensor)
        named = {binding.tensor for binding in self.rows.bindings}
        following = {(name, scope): row for scope, names in self.current.items() for name, row in names.items()}
        for read, (text, scope, operation) in reversed(self._read.items()):
            tensor, tensors = sharded.get(read, read), self.rows.tensors
            if tensor in tensors and tensor not in named:
                start, after = tensors.first(tensor, STATE_OPERATION) or operation, following.get((text, scope))
                until = after.start if after is not None and after.start > start else 0
                row = BindingRow(text, scope, tensor, -1, start, until)
                self.rows.bindings.insert(0, row)
                following[text, scope] = row

    def bind_within(self, within: Mapping[int, int]) -> None:
        """Name unnamed leaves of transforms as the tensors inside."""
        names = {row.tensor: row for row in self.rows.bindings}
        for leaf, held in within.items():
            if leaf not in names and held in names and leaf in self.rows.tensors:
                start = self.rows.tensors.first(leaf, STATE_OPERATION)
                self.rows.bindings.insert(0, BindingRow(names[held].name, "", leaf, -1, start))

    def uniquely_named(self) -> set[int]:
        """Return the tensors with a unique name."""
        standing: dict[str, set[int]] = {}
        for binding in self.rows.bindings:
            standing.setdefault(binding.name, set()).add(binding.tensor)
        return {tensor for tensors in standing.values() if len(tensors) == 1 for tensor in tensors}

    def forget(self) -> None:
        """Release the present bindings."""
        self.current.clear()
        self._read.clear()
        self._last.clear()
        self.on_bind = None

    def _bind_operands(
        self,
        index: int,
        identities: Sequence[int],
        inputs: Sequence,
        site: CallSite,
        frame: FrameType,
        call: int,
        objects: set[int],
        tensors: set[int],
    ) -> None:
        """Bind the expression's names to the inputs."""
        scope, globally = site.scope, self.current[""]
        locally = self.current.get(scope, globally)
        outer = frame.f_globals
        variables = frame.f_locals if scope else outer
        for name in site.operands:
            value = variables.get(name)
            if value is None:
                value = outer.get(name)
            if (binding := locally.get(name) or globally.get(name)) is not None:
                tensors.add(binding.tensor)
            if not issubclass(type(value), torch.Tensor) or self.hidden.get(name) is value:
                if issubclass(type(value), _NO_TENSOR):
                    site.operands = tuple([other for other in site.operands if other != name])
                continue
            objects.add(id(value))
            for identity, tensor in zip(identities, inputs, strict=True):
                if tensor is value:
                    owner = scope if name in variables else ""
                    binding = self.current.get(owner, {}).get(name)
                    if binding is None or binding.tensor != identity:
                        produced = self.rows.tensors.last(identity, STATE_OPERATION)
                        started = index if binding or owner else produced or index  # an argument did not exist before
                        self.bind(name, owner, identity, -1, started, call if owner else 0)
                    break
        release_variables(frame, variables)
