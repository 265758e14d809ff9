"""The hooks on the program's graph: what arrives at each node and what it passes on."""

from collections.abc import Callable

import torch
from msgspec import Struct

from explorer.runtime.recording.rows import (
    NODE,
    NODE_EDGE_INPUTS,
    NODE_EDGES,
    NODE_USES,
    NODE_VALUES,
    BackwardRow,
    Rows,
)
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
        self.rows: Rows | None = rows
        self.values: ValueStore | None = values
        self._handed: tuple | None = None  # the memory that arrives at a leaf without a gradient

    def close(self) -> None:
        """Let go of the record."""
        self.run = self.rows = self.values = self.name_gradients = None

    def accumulates(self, run: BackwardRow, node: int, variable: int, gradients: tuple) -> None:
        """What a leaf's `.grad` is before its node runs."""
        if node not in self.rows.nodes:
            return
        before = self._leaf_gradient(variable)
        run.accumulations[node] = (0 if before is None else self.values.add(before), 0)
        self._handed = _memory(gradients[0]) if before is None and len(gradients) == 1 else None

    def accumulated(self, run: BackwardRow, node: int, variable: int) -> None:
        """What it is after it has run."""
        if node not in self.rows.nodes:
            return
        run.left.add(node)
        after = self._leaf_gradient(variable)
        before = run.accumulations.get(node, (0, 0))[0]
        kept = 0 if after is None else self._handed_over(run, node, after) or self.values.add(after)
        run.accumulations[node] = (before, kept)

    def lost(self) -> None:
        """Something could not be written down."""
        if self.rows is not None:
            self.rows.counted["lost"] = self.rows.counted.get("lost", 0) + 1

    def _handed_over(self, run: BackwardRow, node: int, after: torch.Tensor) -> int:
        """The value of `.grad` where it is the very memory that arrived, otherwise 0."""
        handed, self._handed = self._handed, None
        if handed is None or self.hooked or run.order[-1] != node or _memory(after) != handed:
            return 0
        arrived = run.arrived[-1][0]
        summary = self.values.summaries.get(arrived)
        if summary is None:
            return 0
        self.values.remembered.keep(after, summary)
        return self.values.again(arrived)

    def _leaf_gradient(self, tensor: int) -> torch.Tensor | None:
        variable = self.rows.tensors.living(tensor)
        return None if variable is None else variable.grad


class ArrivalHook(Struct, gc=False):
    """A hook of ours on a node: what arrives there, after the program's own hooks on the tensor.

    No `partial`, as every node of a graph has one: it takes a quarter of its time to make, and Python's collector does
    not walk over it.
    """

    sink: Sink
    node: int

    def __call__(self, gradients: tuple) -> None:
        sink = self.sink
        run = sink.run
        if run is None:
            return
        try:
            node = self.node
            if sink.rows.nodes.gone and node not in sink.rows.nodes:
                return
            add = sink.values.add
            if len(gradients) == 1 and gradients[0] is not None:
                arrived = [add(gradients[0])]
            else:
                arrived = [0 if gradient is None else add(gradient) for gradient in gradients]
            run.order.append(node)
            run.arrived.append(arrived)
            if run.create_graph:
                sink.name_gradients(gradients)
        except Exception:  # of the recorder: the program's backward must not hear of it
            sink.lost()


class LeavingHook(Struct, gc=False):
    """A hook of ours on a node: what it passes on, written down where its target has other consumers, or a hook."""

    of: ArrivalHook

    def __call__(self, leaving: tuple, _arriving: tuple) -> None:
        sink, node = self.of.sink, self.of.node
        run = sink.run
        if run is None:
            return
        try:
            nodes = sink.rows.nodes
            cells, at = nodes.cells, nodes.at(node) if nodes.gone else (node - 1) * NODE
            if at < 0:
                return
            run.left.add(node)
            for edge, target in enumerate(cells[at + NODE_EDGES]):
                if target <= 0 or edge >= len(leaving) or leaving[edge] is None:
                    continue
                below = nodes.at(target) if nodes.gone else (target - 1) * NODE
                if below >= 0 and (cells[below + NODE_USES] > 1 or sink.hooked):
                    gradient, output = leaving[edge], cells[at + NODE_EDGE_INPUTS][edge]
                    values = cells[below + NODE_VALUES]
                    shape = sink.values.shape(values[output]) if output < len(values) else None
                    if shape is not None and gradient.shape != shape:
                        gradient = _reduced(gradient, shape)
                    run.contributions.append((node, edge, sink.values.add(gradient)))
        except Exception:
            sink.lost()


class LeafArrivalHook(Struct, gc=False):
    """A hook of ours on a leaf's node, which lives as long as the leaf: it goes when the record ends."""

    arrival: ArrivalHook
    variable: int

    def __call__(self, gradients: tuple) -> None:
        sink = self.arrival.sink
        self.arrival(gradients)
        if sink.run is not None:
            try:
                sink.accumulates(sink.run, self.arrival.node, self.variable, gradients)
            except Exception:
                sink.lost()


class LeafLeavingHook(Struct, gc=False):
    """A hook of ours on a leaf's node, as LeafArrivalHook: what `.grad` is after it."""

    arrival: ArrivalHook
    variable: int

    def __call__(self, _leaving: tuple, _arriving: tuple) -> None:
        sink = self.arrival.sink
        if sink.run is not None:
            try:
                sink.accumulated(sink.run, self.arrival.node, self.variable)
            except Exception:
                sink.lost()


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
