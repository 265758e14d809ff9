"""Hook the graph for arriving and leaving gradients."""

from collections.abc import Callable
from typing import Any

import torch
from msgspec import Struct
from torch._C import TensorBase

from explorer.runtime.recorder.hidden_calls import function_modes, watched, without_modes
from explorer.runtime.recorder.memory import plain_tensor
from explorer.runtime.recorder.node_kinds import shapes_of
from explorer.runtime.recorder.rows import NODE, NODE_EDGE_INPUTS, NODE_EDGES, NODE_VALUES, BackwardRow, RunRows
from explorer.runtime.recorder.table import as_tuple
from explorer.runtime.recorder.values import ValueStore


class Sink:
    """Receives every gradient. The hooks outlive the recording and refer only to this. Once closed it does nothing.

    Attributes:
        run: the innermost backward in progress, or None.
        complete: whether gradients leaving a node are recorded too.
        hooked: whether the graph contains code of the program: it may change gradients, so every contribution is
            recorded.
        early: whether code of the program may run in the backward: a `.grad` may change between its sum and the end.
        add: copies a gradient and returns its id.
        more: whether more than a copy of incoming gradients is made.
        kept: where gradients are kept in full, or None.
        asked: where requested entries are explained, or None.
        made_gradients: with create_graph, called with incoming gradients, which have a history.
    """

    def __init__(self, rows: RunRows, values: ValueStore, complete: bool) -> None:
        self.run: BackwardRow | None = None
        self.complete = complete
        self.hooked = self.more = self.early = False
        self.kept: Any = None  # a KeptTensors, which imports this file
        self.asked: Any = None  # an EntryExplorer
        self.made_gradients: Callable[[tuple], None] | None = None
        self.rows: RunRows | None = rows
        self.values: ValueStore | None = values
        # Added as fresh: the engine has just made a gradient, or is about to read it, so its memory exists. Asking for
        # its storage would keep the engine from adding to it in place.
        self.add: Callable[[torch.Tensor, bool], int] | None = values.add

    def enter(self, run: BackwardRow | None) -> None:
        """Record gradients of that backward from now on, hidden from modes and profilers."""
        if self.values is None:  # the recording has ended
            return
        self.run = run
        self.more = run is not None and (run.create_graph or self.kept is not None or self.asked is not None)
        self.add = self._add_unseen if watched() or function_modes() else self.values.add

    def _add_unseen(self, gradient: torch.Tensor, fresh: bool) -> int:
        with without_modes():
            return self.values.add(gradient, fresh)

    def close(self) -> None:
        """Release the recording."""
        self.run = self.rows = self.values = self.made_gradients = self.add = None
        self.kept = self.asked = None

    def examine(self, run: BackwardRow, node: int, gradients: tuple) -> None:
        """Keep more than a copy of a node's incoming gradients."""
        if self.kept is not None:
            self.kept.arrived(node, gradients)
        if run.create_graph:
            self.made_gradients(gradients)
        if self.asked is not None:
            with without_modes():
                self.asked.arrived(node, gradients)

    def accumulates(self, run: BackwardRow, node: int, variable: int, gradients: tuple) -> None:
        """Record a leaf's `.grad` before its node runs."""
        if node not in self.rows.nodes:
            return
        before = self.leaf_gradient(variable)
        run.accumulations[node] = (0 if before is None else self.values.add(before, True), 0)
        arrived = as_tuple(run.arrived[-1])[0] if len(gradients) == 1 and run.arrived else 0  # a list for None
        kept = before is None and arrived in self.values.summaries
        run.handed[node] = variable, arrived, _memory(gradients[0]) if kept else None

    def accumulated(self, run: BackwardRow, node: int, after: torch.Tensor | None) -> None:
        """Record a leaf's `.grad` after its node has run."""
        value = 0
        if after is not None:
            value = self._handed_over(run, node, after) or self.values.again_or_add(run.handed[node][1], after, True)
        run.accumulations[node] = (run.accumulations[node][0], value)

    def count_unrecorded(self, problem: Exception) -> None:
        """Count something that could not be recorded."""
        if self.rows is not None:
            self.rows.count_unrecorded(problem)

    def leaf_gradient(self, tensor: int) -> torch.Tensor | None:
        """Return a leaf's `.grad` by id."""
        variable = self.rows.tensors.living(tensor)
        return None if variable is None else variable.grad

    def _handed_over(self, run: BackwardRow, node: int, after: torch.Tensor) -> int:
        """Return `.grad`'s value if it took over the arrived memory, otherwise 0."""
        _, arrived, memory = run.handed[node]
        summary = None if memory is None or self.hooked else self.values.summaries.get(arrived)
        if summary is None or _memory(after) != memory:
            return 0
        self.values.summary_cache.keep(after, summary)
        return self.values.again(arrived)  # in a second run it is held, so torch passes a copy


_running_node: Callable[[], Any] = torch._C._current_autograd_node


class ArrivalHook(Struct, gc=False):
    """Our hook on a node: records arriving gradients, after the program's hooks.

    A class instead of a `partial`, since every node has one: it takes a quarter of the time to create, and the
    collector skips it.
    """

    sink: Sink
    node: int
    followed: bool = False  # whether a LeavingHook follows

    def __call__(self, gradients: tuple) -> None:
        sink = self.sink
        run = sink.run
        if run is None:
            return
        try:
            node = self.node
            if sink.rows.nodes.gone and node not in sink.rows.nodes:
                return
            if len(gradients) == 1 and (gradient := gradients[0]) is not None:
                arrived: int | list[int] = sink.add(gradient, True)
            else:
                arrived = [0 if gradient is None else sink.add(gradient, True) for gradient in gradients]
            run.order.append(node)
            run.arrived.append(arrived)
            if sink.more:
                sink.examine(run, node, gradients)
            if sink.complete and not self.followed:
                nodes = sink.rows.nodes
                if nodes.counted != nodes.count:
                    nodes.count_uses()
                grows = run.create_graph or sink.early  # a target may get another consumer in the meantime
                if grows or sink.hooked or sink.asked is not None or node in nodes.senders:
                    self.followed = True
                    _running_node().register_hook(LeavingHook(self))
        except Exception as problem:  # an error in the recorder must not reach the program's backward
            sink.count_unrecorded(problem)


class LeavingHook(Struct, gc=False):
    """Our hook on a node: records outgoing gradients if their target has other consumers or hooks."""

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
            if nodes.counted != nodes.count:
                nodes.count_uses()
            run.left.add(node)
            if sink.asked is not None:
                with without_modes():
                    sink.asked.left(node, leaving)
            shared, hooked = nodes.shared, sink.hooked
            for edge, (target, gradient) in enumerate(zip(cells[at + NODE_EDGES], leaving, strict=False)):
                if gradient is None or not (target in shared or (hooked and target > 0)):
                    continue
                below = nodes.at(target) if nodes.gone else (target - 1) * NODE
                if below >= 0:
                    output, values = cells[at + NODE_EDGE_INPUTS][edge], as_tuple(cells[below + NODE_VALUES])
                    shape = sink.values.shape(values[output]) if output < len(values) else None
                    if shape is None:  # a result inside a composite
                        shape = dict(enumerate(shapes_of(_running_node().next_functions[edge][0]))).get(output)
                    if shape is not None and gradient.shape != shape:
                        gradient = _reduced(gradient, shape)
                    run.contributions.append((node, edge, sink.add(gradient, True)))
        except Exception as problem:
            sink.count_unrecorded(problem)


class LeafArrivalHook(ArrivalHook, gc=False, kw_only=True):
    """Our hook on a leaf's node, removed when the recording ends.

    Attributes:
        variable: the leaf. handles: of the hooks on leaves. early: whether a LeafLeavingHook follows it.
    """

    variable: int
    handles: list
    early: bool = False

    def __call__(self, gradients: tuple) -> None:
        sink = self.sink
        ArrivalHook.__call__(self, gradients)
        if sink.run is not None:
            try:
                with without_modes():
                    sink.accumulates(sink.run, self.node, self.variable, gradients)
                    if (sink.early or sink.hooked) and not self.early:
                        self.early = True
                        self.handles.append(_running_node().register_hook(LeafLeavingHook(self)))
            except Exception as problem:
                sink.count_unrecorded(problem)


class LeafLeavingHook(Struct, gc=False):
    """Our hook on a leaf's node, like LeafArrivalHook: records `.grad` after it, where that may change until the
    backward ends.
    """

    arrival: LeafArrivalHook

    def __call__(self, _leaving: tuple, _arriving: tuple) -> None:
        sink, node = self.arrival.sink, self.arrival.node
        if sink.run is not None:
            try:
                with without_modes():
                    if node in sink.run.accumulations:  # unless its row was dropped
                        sink.run.left.add(node)
                        sink.accumulated(sink.run, node, sink.leaf_gradient(self.arrival.variable))
            except Exception as problem:
                sink.count_unrecorded(problem)


def _reduced(gradient: torch.Tensor, shape: torch.Size) -> torch.Tensor:
    """Sum a contribution over the broadcast axes, like the engine."""
    try:
        with without_modes():
            gradient = plain_tensor(gradient)
            return TensorBase.sum_to_size(TensorBase.detach(gradient) if gradient.requires_grad else gradient, shape)
    except RuntimeError:  # entries that are not in memory
        return gradient


def _memory(tensor: torch.Tensor | None) -> tuple | None:
    """Return a gradient's address and layout, None unless plain."""
    if (
        tensor is None
        or tensor.layout is not torch.strided
        or not tensor.is_cpu
        or not TensorBase.is_contiguous(tensor)
    ):
        return None
    try:
        tensor = plain_tensor(tensor)
        return TensorBase.data_ptr(tensor), tensor.dtype, tensor.shape, TensorBase.stride(tensor)
    except RuntimeError:  # a wrapper of torch.func
        return None
