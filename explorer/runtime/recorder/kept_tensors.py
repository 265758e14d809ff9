"""Tensors that a run keeps whole within a bound: those of `record(full=…)`, with gradients, and of Options.full at the
end.
"""

from collections.abc import Callable, Sequence

import torch
from torch._C import TensorBase

from explorer.runtime.recorder.end_states import present_names
from explorer.runtime.recorder.entries import flat
from explorer.runtime.recorder.faults import reraise_recorder_error
from explorer.runtime.recorder.memory import plain_tensor, require
from explorer.runtime.recorder.recorder import Recorder
from explorer.runtime.recorder.rows import (
    NODE_VARIABLE,
    STATE_NODE,
    STATE_OUTPUT,
    STATE_VALUE,
    TENSOR_IS_LEAF,
    TENSOR_REQUIRES_GRAD,
)
from explorer.runtime.recorder.values import plain
from explorer.trace import (
    AT_END,
    AXES,
    FULL,
    FULL_BYTES,
    GRAD_AT_END,
    STRIDED,
    WHOLE,
    Entries,
    FullTensors,
    at_begin,
    fits,
)

EVERY = "*"  # requests every tensor that has a name at the end
_BUDGET = 3_000_000  # bytes of fully kept entries per run


def keep_whole(recorder: Recorder, namespace: dict, wanted: Sequence[str]) -> None:
    """Keep all entries of the named tensors and their `.grad`.

    A tensor with more than WHOLE entries keeps at most STRIDED in addition to its sample. Tensors without room are
    counted (Rows.counted["full"]).
    """
    room, tensors = _BUDGET, recorder.rows.tensors
    names = [name for name in namespace if not name.startswith("_")] if EVERY in wanted else wanted
    named = {id(value): value for value in map(namespace.get, names) if isinstance(value, torch.Tensor)}
    for tensor in named.values():
        try:
            index, held = recorder.tensors.find(tensor), plain_tensor(tensor)
            if not index or held.layout is not torch.strided or TensorBase.numel(held) <= FULL:
                continue
            require(held)
            room -= min(TensorBase.numel(held), WHOLE) * TensorBase.element_size(held)
            if room < 0:
                recorder.rows.counted["full"] += 1
                continue
            if TensorBase.numel(held) > WHOLE:
                step = -(-TensorBase.numel(held) // STRIDED)
                picked = plain(TensorBase.__getitem__(flat(held), slice(None, None, step)))
                recorder.rows.strided.append((index, step, recorder.values.add_whole(picked)))
                continue
            tensors.write_last(index, STATE_VALUE, recorder.values.add_whole(tensor))
            if (
                index in tensors.grads
                and tensor.grad is not None
                and TensorBase.numel(tensor.grad) == TensorBase.numel(tensor)
            ):
                tensors.grads[index] = recorder.values.add_whole(tensor.grad)
        except Exception as problem:  # nested and opaque tensors, a parameter without a shape
            reraise_recorder_error(problem)


GRAD = ".grad"


class KeptTensors:
    """The full tensors of a recording.

    The newest stay: they push out gradients of older backwards.

    Args: patterns: of names, "w", "w.grad", "h.3.*". The part of a path before a dot may be omitted. namespaces:
    returns the program's variables, the most local first.
    """

    def __init__(self, recorder: Recorder, patterns: tuple[str, ...], namespaces: Callable[[], list[dict]]) -> None:
        self._recorder, self._patterns, self._namespaces = recorder, patterns, namespaces
        self._entries: dict[tuple[int, int], Entries] = {}  # (tensor, backward) → entries, oldest first
        self._bytes = 0
        self._bound: dict[tuple[str, str], int] = {}  # (scope, name) → tensor
        self._leaves: set[int] = set()  # tensors whose gradients are wanted now
        self._results: dict[int, list[tuple[int, int]]] = {}  # node → wanted outputs and tensors
        self._begun: dict[int, tuple[int, int]] = {}  # leaf → key of its entries when the last backward began

    def wants(self, name: str) -> bool:
        """Return whether a name, or its end after a dot, fits a pattern."""
        return fits(name, self._patterns)

    def wants_gradient(self, name: str) -> bool:
        """Return whether the gradient of a name is to be kept."""
        return self.wants(name) or self.wants(name + GRAD)

    def named(self, name: str, scope: str, tensor: int) -> None:
        """Keep a newly named tensor now, since it may be gone at the end."""
        if not self.wants_gradient(name):
            return
        before, self._bound[scope, name] = self._bound.get((scope, name)), tensor
        if before is not None and before not in self._bound.values():
            self._drop((before, AT_END))
        living = self._recorder.rows.tensors.living(tensor)
        if living is not None and self.wants(name):
            with self._recorder.paused():
                self._keep((tensor, AT_END), living)

    def backward_begins(self, backward: int) -> None:
        """Find the nodes with wanted gradients, and keep leaves, which an optimizer is about to change."""
        names, rows = present_names(self._recorder, self._namespaces()), self._recorder.rows.tensors
        wanted = {row.tensor for row in names if self.wants_gradient(row.name)}
        tensors = [index for index in {*wanted, *self._bound.values()} if index in rows]
        self._leaves = {index for index in tensors if rows.field(index, TENSOR_IS_LEAF)}
        kept = {row.tensor for row in names if self.wants(row.name)}
        for index in self._leaves & kept:
            self._keep_begin(index, backward)
        self._results = {}
        for index in tensors:
            if index not in self._leaves and rows.field(index, TENSOR_REQUIRES_GRAD):
                node, output = rows.last(index, STATE_NODE), rows.last(index, STATE_OUTPUT)
                self._results.setdefault(node, []).append((output, index))

    def _keep_begin(self, index: int, backward: int) -> None:
        """Keep a leaf's entries when a backward begins, unless unchanged; a fused step keeps the version number."""
        leaf, key = self._recorder.rows.tensors.living(index), (index, at_begin(backward))
        if leaf is not None:
            with self._recorder.paused():
                self._keep(key, leaf)
            before, self._begun[index] = self._entries.get(self._begun.get(index, key)), key
            if before is not None and self._entries.get(key) == before:
                self._entries[key] = before

    def arrived(self, node: int, gradients: tuple) -> None:
        """Handle a node's arriving gradients."""
        for output, gradient in enumerate(gradients):
            if gradient is not None:
                self.taken(self._recorder.running[-1][0], node, output, gradient)

    def taken(self, backward: int, node: int, output: int, gradient: torch.Tensor) -> None:
        """Keep the gradient of a node's output in a backward."""
        variable = self._recorder.rows.nodes.field(node, NODE_VARIABLE)
        wanted = [(output, variable)] if variable in self._leaves else self._results.get(node, ())
        for number, tensor in wanted:
            if number == output:
                with self._recorder.paused():
                    self._keep((tensor, backward), gradient, fresh=True)

    def finish(self) -> None:
        """Keep the final tensors of the wanted names, and drop the others."""
        values, grads = set(), set()
        for row in self._recorder.rows.bindings:
            values.update([row.tensor] if self.wants(row.name) else [])
            grads.update([row.tensor] if self.wants(row.name + GRAD) else [])
        for key in [key for key in self._entries if key[1] == AT_END and key[0] not in values]:
            self._drop(key)
        for index, tensor in self._recorder.tensors.living():
            with self._recorder.paused():
                if index in values:
                    self._keep((index, AT_END), tensor)
                if index in values | grads and tensor.is_leaf and tensor.grad is not None:
                    self._keep((index, GRAD_AT_END), tensor.grad)

    def columns(self, tensor: Callable[[int], int], backward: Callable[[int], int]) -> FullTensors:
        """Return the kept tensors by their position in the Trace."""
        made, places = FullTensors([], [], [], []), {}
        for (index, when), entries in self._entries.items():
            begins = when < GRAD_AT_END
            call = at_begin(when) if begins else when
            of, number = tensor(index), call if call < 0 else backward(call)
            if of < 0 or (call > 0 and number < 0):  # dropped in the meantime
                continue
            if id(entries.data) not in places:
                places[id(entries.data)] = len(made.entries)
                made.entries.append(entries)
            made.tensor.append(of)
            made.backward.append(at_begin(number) if begins else number)
            made.entry.append(places[id(entries.data)])
        return made

    def _keep(self, key: tuple[int, int], tensor: torch.Tensor, fresh: bool = False) -> None:
        try:
            held = plain_tensor(tensor)
            if TensorBase.numel(held) <= FULL or TensorBase.dim(held) > AXES:  # few entries are recorded anyway
                return
            if held.layout is torch.sparse_coo:
                held, fresh = TensorBase.to_dense(TensorBase.detach(held)), True
            if not fresh:
                require(held)
            dense = plain(held)
            self._drop(key)
            if not self._room(TensorBase.numel(dense) * TensorBase.element_size(dense), key[1]):
                self._recorder.rows.counted["full"] += 1
                return
            entries = Entries(
                str(held.dtype).removeprefix("torch."), tuple(held.shape), TensorBase.numpy(dense).tobytes()
            )
        except Exception as problem:  # sparse and opaque tensors have no plain entries
            reraise_recorder_error(problem)
            return
        self._entries[key] = entries = self._shared(key, entries)
        self._bytes += len(entries.data)

    def _shared(self, key: tuple[int, int], entries: Entries) -> Entries:
        """Return equal entries that are kept: a leaf's at a backward for the last, the last gradient for `.grad`."""
        if key[1] == AT_END:
            before = self._entries.get(self._begun.get(key[0], key))
            return before if before is not None and before == entries else entries
        if key[1] != GRAD_AT_END:
            return entries
        arrived = [arrival for (tensor, when), arrival in self._entries.items() if tensor == key[0] and when > 0]
        return arrived[-1] if arrived and arrived[-1] == entries else entries

    def _room(self, size: int, when: int) -> bool:
        """Return whether bytes fit after dropping what belongs to older backwards."""
        now = {when, at_begin(when)}
        older = (key for key in list(self._entries) if key[1] not in (AT_END, GRAD_AT_END) and key[1] not in now)
        while self._bytes + size > FULL_BYTES and (oldest := next(older, None)) is not None:
            self._drop(oldest)
        return self._bytes + size <= FULL_BYTES

    def _drop(self, key: tuple[int, int]) -> None:
        if (entries := self._entries.pop(key, None)) is not None:
            self._bytes -= len(entries.data)
