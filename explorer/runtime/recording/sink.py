"""Where the hooks on the program's graph lead: what arrives at each node and what it passes on."""

from collections.abc import Callable

import torch

from explorer.runtime.recording.rows import BackwardRow, NodeRow, Rows
from explorer.runtime.recording.values import ValueStore


class Sink:
    """Receives every gradient. The hooks outlive the record, and hold nothing but this; once closed it does nothing.

    Attributes:
        run: the innermost backward in progress, None when there is none.
        hooked: whether code of the program hangs in the graph: what arrives may then be another thing than what was
            passed on, so that every contribution is written down.
        name_gradients: with create_graph, called with what arrives, which has a history of its own.
    """

    def __init__(self, rows: Rows, values: ValueStore) -> None:
        self.run: BackwardRow | None = None
        self.hooked = False
        self.name_gradients: Callable[[tuple], None] | None = None
        self._handed: tuple | None = None  # the memory that arrives at a leaf without a gradient
        self._rows: Rows | None = rows
        self._values: ValueStore | None = values

    def close(self) -> None:
        """Let go of the record."""
        self.run = self._rows = self._values = self.name_gradients = None

    def arrive(self, node: int, gradients: tuple) -> None:
        """Prehook: what arrives at a node, after the program's own hooks on the tensor."""
        if self.run is not None:
            try:
                self._arrive(self.run, node, gradients)
            except Exception:  # of the recorder: the program's backward must not hear of it
                self._lost()

    def leave(self, node: int, leaving: tuple, _arriving: tuple) -> None:
        """Posthook: what a node passes on; written down where its target has other consumers, or a hook."""
        if self.run is not None:
            try:
                self._leave(self.run, node, leaving)
            except Exception:
                self._lost()

    def _lost(self) -> None:
        if self._rows is not None:
            self._rows.counted["lost"] = self._rows.counted.get("lost", 0) + 1

    def _arrive(self, run: BackwardRow, node: int, gradients: tuple) -> None:
        row = self._rows.nodes.get(node)
        if row is None:
            return
        add = self._values.add
        if len(gradients) == 1 and gradients[0] is not None:
            arrived = [add(gradients[0])]
        else:
            arrived = [0 if gradient is None else add(gradient) for gradient in gradients]
        run.order.append(node)
        run.arrived.append(arrived)
        if row.variable:
            before = self._leaf_gradient(row.variable)
            run.accumulations[node] = (0 if before is None else add(before), 0)
            self._handed = _memory(gradients[0]) if before is None and len(gradients) == 1 else None
        elif run.create_graph:
            self.name_gradients(gradients)

    def _leave(self, run: BackwardRow, node: int, leaving: tuple) -> None:
        nodes = self._rows.nodes
        row = nodes.get(node)
        if row is None:
            return
        run.left.add(node)
        if row.variable:
            after = self._leaf_gradient(row.variable)
            before = run.accumulations.get(node, (0, 0))[0]
            kept = 0 if after is None else self._handed_over(run, node, after) or self._values.add(after)
            run.accumulations[node] = (before, kept)
            return
        for edge, target in enumerate(row.edges):
            below = nodes.get(target)
            if below is None or (below.uses < 2 and not self.hooked) or edge >= len(leaving) or leaving[edge] is None:
                continue
            gradient = leaving[edge]
            shape = self._shape(below, row.edge_inputs[edge])
            if shape is not None and gradient.shape != shape:
                gradient = _reduced(gradient, shape)
            run.contributions.append((node, edge, self._values.add(gradient)))

    def _handed_over(self, run: BackwardRow, node: int, after: torch.Tensor) -> int:
        """The value of `.grad` where it is the very memory that arrived, otherwise 0."""
        handed, self._handed = self._handed, None
        if handed is None or self.hooked or run.order[-1] != node or _memory(after) != handed:
            return 0
        arrived = run.arrived[-1][0]
        summary = self._values.rows[arrived].summary
        if summary is None:
            return 0
        self._values.remembered.keep(after, summary)
        return self._values.again(arrived)

    def _shape(self, node: NodeRow, output: int) -> torch.Size | None:
        """The shape of a node's output, None where its value was never seen."""
        value = self._values.rows.get(node.values[output]) if output < len(node.values) else None
        return None if value is None else value.shape

    def _leaf_gradient(self, tensor: int) -> torch.Tensor | None:
        row = self._rows.tensors.get(tensor)
        variable = None if row is None else row.ref()
        return None if variable is None else variable.grad


def _reduced(gradient: torch.Tensor, shape: torch.Size) -> torch.Tensor:
    """A contribution as the engine adds it: summed over the axes that the forward operation stretched."""
    try:
        return gradient.detach().sum_to_size(shape)
    except RuntimeError:
        return gradient


def _memory(tensor: torch.Tensor | None) -> tuple | None:
    """Where a gradient lies and how; None where that is not plain memory without gaps."""
    if tensor is None or tensor.layout is not torch.strided or not tensor.is_cpu or not tensor.is_contiguous():
        return None
    try:
        return tensor.data_ptr(), tensor.dtype, tensor.shape, tensor.stride()
    except Exception:  # a wrapper of torch.func
        return None
