"""Record tensors' states at uses, returns and writes."""

from collections.abc import Iterable, Sequence

import torch
from torch._C import TensorBase

from explorer.runtime.recorder import properties
from explorer.runtime.recorder.calls import BegunCall, TorchCall
from explorer.runtime.recorder.faults import reraise_recorder_error
from explorer.runtime.recorder.memory import with_history
from explorer.runtime.recorder.nodes import NodeBook
from explorer.runtime.recorder.rows import (
    OP_OUTPUTS,
    STATE,
    STATE_NODE,
    STATE_OPERATION,
    STATE_OUTPUT,
    TENSOR,
    TENSOR_IS_LEAF,
    TENSOR_LAST,
    TENSOR_REQUIRES_GRAD,
    TENSOR_VERSION,
    ZEROS,
)
from explorer.runtime.recorder.tensors import TensorBook


class TensorStates:
    """The states of a run's tensors, each with the node that made it.

    `opaque`, in its methods: inside torch.func, where every tensor is a wrapper.
    """

    def __init__(self, tensors: TensorBook, nodes: NodeBook) -> None:
        self.rows, self.tensors, self.nodes = tensors.rows, tensors, nodes

    def seen(self, tensor: torch.Tensor, begun: int) -> int:
        """Return the id of a tensor that is used outside an operation.

        `begun` is the next operation.
        """
        return self.read((tensor,), begun, False)[0][0]

    def read(self, inputs: Iterable[torch.Tensor], begun: int, opaque: bool) -> tuple[tuple[int, ...], Sequence[int]]:
        """Return the ids and versions of an operation's tensors."""
        identities, versions = [], []
        tensors, entries = self.rows.tensors, self.tensors.known
        cells, gone = tensors.cells, tensors.gone
        for tensor in inputs:
            held = entries.get(id(tensor))
            if held is None or held[0]() is not tensor:
                index = self.tensors.add(tensor, 0)
                self._attach(index, with_history(tensor) if opaque else tensor)
                at = tensors.at(index)
            else:
                index = held[1]
                at = tensors.at(index) if gone else index * TENSOR - TENSOR
                if at < 0:  # dropped because the run was too long
                    index = self.tensors.add(tensor, 0)
                    at = tensors.at(index)
                else:
                    if tensors.stale or tensors.exposed:
                        self._changed_aside(index, tensor, begun)
                    try:
                        version = tensor._version
                    except RuntimeError:  # inference tensors have no version
                        version = -1
                    if version == cells[at + TENSOR_VERSION] and (
                        tensor.requires_grad is cells[at + TENSOR_REQUIRES_GRAD]
                    ):
                        identities.append(index)
                        versions.append(version)
                        continue
                    self._changed(index, at, tensor, begun, opaque)
            identities.append(index)
            versions.append(cells[at + TENSOR_VERSION])
        return tuple(identities), versions if any(versions) else ZEROS[len(versions)]

    def _changed_aside(self, index: int, tensor: torch.Tensor, begun: int) -> None:
        """Record a change by an alias's or another library's write."""
        tensors = self.rows.tensors
        if index in tensors.stale:
            tensors.stale.discard(index)
            self._attach(index, tensor)
        unchanged = properties.version(tensor) == tensors.field(index, TENSOR_VERSION)
        if (
            index in tensors.exposed
            and unchanged
            and (tensors.field(index, TENSOR_REQUIRES_GRAD) is tensor.requires_grad)
        ):
            self.tensors.compare(index, tensor, begun)

    def _changed(self, index: int, at: int, tensor: torch.Tensor, begun: int, opaque: bool) -> None:
        """Record a change without an operation: version or `requires_grad`."""
        tensors = self.rows.tensors
        tensors.cells[at + TENSOR_REQUIRES_GRAD] = tensor.requires_grad
        tensors.cells[at + TENSOR_IS_LEAF] = properties.is_leaf(tensor)
        written = self.tensors.unseen_write(index)
        node, output = tensors.last(index, STATE_NODE), tensors.last(index, STATE_OUTPUT)
        self.tensors.changed(index, tensor, written, node, output, begun)
        if written and not opaque:
            self._attach(index, tensor)

    def made(self, tensor: torch.Tensor, operation: int, opaque: bool, shares: bool, known: int = 0) -> int:
        """Return the id of a returned tensor.

        `shares`: it may share an argument's memory without being a view. `known`: a value that may have its entries.
        """
        entry = self.tensors.known.get(id(tensor))
        if entry is not None and entry[0]() is tensor and entry[1] in self.rows.tensors:
            index, tensors = entry[1], self.rows.tensors
            historic = tensor.requires_grad and not properties.is_leaf(tensor)
            if historic and not tensors.last(index, STATE_NODE):  # a custom Function added a history
                at = tensors.at(index)
                tensors.cells[at + TENSOR_REQUIRES_GRAD], tensors.cells[at + TENSOR_IS_LEAF] = True, False
                tensors.write_last(index, STATE_OPERATION, operation)
                self._attach(index, tensor)
            return index  # an input returned unchanged; its writes are already recorded
        try:
            node = None if opaque else tensor.grad_fn
            fresh = not shares and not tensor._is_view() and (node is not None or not TensorBase.is_inference(tensor))
        except Exception as problem:  # torch refuses the history of a view written to without gradients
            reraise_recorder_error(problem)
            node, fresh = None, False
        index = self.tensors.add(tensor, operation, fresh, node is not None, known)
        if node is not None:
            if fresh and self.nodes.at_hand is not None:
                self.nodes.result = tensor, index
            self.nodes.register(node, len(self.rows.tensors.states.cells) - STATE, tensor.output_nr)
        elif opaque:
            self._attach(index, with_history(tensor))
        return index

    def _attach(self, index: int, tensor: torch.Tensor) -> None:
        """Connect the last state of a tensor with its node."""
        if (node := properties.grad_fn(tensor)) is not None:
            tensors = self.rows.tensors
            self.nodes.register(node, tensors.states.at(tensors.field(index, TENSOR_LAST)), tensor.output_nr)

    def written(self, operation: int, identities: Sequence[int], inputs: Sequence[torch.Tensor], opaque: bool) -> None:
        """Record an operation's writes to its inputs and their views."""
        written = set()
        for index, tensor in zip(identities, inputs, strict=True):
            tensors = self.rows.tensors
            if index not in tensors or index in written:
                continue
            if properties.version(tensor) == tensors.field(index, TENSOR_VERSION) != -1:
                continue
            written |= {index, self._write(operation, index, tensor, opaque)}
        for index in list(written):
            for alias, tensor in self.tensors.aliases(index, operation):
                if alias not in written:
                    written.add(alias)
                    tensors = self.rows.tensors
                    node, output = tensors.last(alias, STATE_NODE), tensors.last(alias, STATE_OUTPUT)
                    self.tensors.changed(alias, tensor, operation, node, output)
                    tensors.stale.add(alias)

    def _write(self, operation: int, index: int, tensor: torch.Tensor, opaque: bool) -> int:
        """Record a write to a tensor.

        Return the id of the base whose history it rewrote, or 0.
        """
        self.tensors.renewed(index, tensor)
        self.tensors.changed(index, tensor, operation, 0, 0)
        if opaque:
            return 0
        self._attach(index, tensor)
        root = 0
        if tensor.requires_grad and tensor._is_view():  # the write rewrote the base's history
            base = tensor._base
            root = self.tensors.find(base) if base is not None else 0
            if root:
                self.tensors.changed(root, base, operation, 0, 0)
                self.tensors.renewed(root, base)
                self._attach(root, base)
        return root

    def renewed(self, operation: int, index: int, tensor: torch.Tensor, call: TorchCall) -> None:
        """Record an operation's replacements in a tensor without a write."""
        self.tensors.renewed(index, tensor)
        if call.name == "data=" or (call.name.endswith("_") and call.name != "requires_grad_"):
            self.tensors.compare(index, tensor, operation, operation)

    def stepped(self, begun: BegunCall, unversioned: bool) -> None:
        """Record the writes of an optimizer's step.

        `unversioned`: without a new version, as fused kernels do.
        """
        index, identities, inputs = begun.index, begun.identities, begun.inputs
        self.written(index, identities, inputs, False)
        if unversioned:
            self.tensors.values.summary_cache.moment += 1
            for identity, tensor in zip(identities, inputs, strict=True):
                self.tensors.compare(identity, tensor, index, index)
        rows, operations = self.rows.tensors, self.rows.operations
        if index in operations:
            written = [identity for identity in identities if rows.last(identity, STATE_OPERATION) == index]
            operations.set(index, OP_OUTPUTS, written)
