"""Where NaN and infinity start in a picture: the note on a card, or the start that no card shows."""

from collections.abc import Mapping
from typing import Literal

import numpy as np

from explorer.analysis.autograd.edge_gradients import EdgeGradients
from explorer.analysis.autograd.graph_parts import NodeOutputs
from explorer.analysis.autograd.nonfinite_entries import (
    backward_origin,
    first_nonfinite,
    forward_origin,
    forward_starts,
    nonfinite,
)
from explorer.analysis.autograd.view import NonfiniteNote, NonfiniteStart
from explorer.analysis.titles import Titles
from explorer.trace import Trace


class NonfiniteNotes:
    """The notes about NaN and infinity of one picture.

    Args:
        nodes: the nodes that the picture shows.
        passed: the gradients that left nodes over their edges.
    """

    def __init__(
        self,
        trace: Trace,
        shown: int | None,
        nodes: list[int],
        titles: Titles,
        outputs: NodeOutputs,
        passed: Mapping[tuple[int, int], int],
    ) -> None:
        self._trace, self._shown, self._titles, self._outputs, self._passed = trace, shown, titles, outputs, passed
        self._origin = forward_origin(trace, self._rows(nodes)) if forward_starts(trace) else None
        self._forward = self._node_of_origin(nodes)
        self._backward = backward_origin(trace, shown)

    def _rows(self, nodes: list[int]) -> list[int]:
        """The versions that the roots made; without a backward those of the shown nodes that no other node uses."""
        if self._shown is not None:
            ends = {root for root in self._trace.backwards[self._shown].roots if root >= 0}
        else:
            ends = set(nodes).difference(below for node in nodes for below in self._trace.nodes.edges[node])
        return [row for row, node in enumerate(self._trace.versions.node) if node in ends]

    def _node_of_origin(self, shown: list[int]) -> int:
        """The shown node of the operation where NaN or infinity starts, -1 if none is shown."""
        if self._origin is None or self._origin.operation < 0 or not self._origin.sure:
            return -1
        nodes, (nan, infinite) = self._trace.nodes, nonfinite(self._trace)
        bad = nan | infinite
        made = (node for node in shown if nodes.operation[node] == self._origin.operation and nodes.variable[node] < 0)
        return min((node for node in made if any(v >= 0 and bad[v] for v in nodes.values[node])), default=-1)

    @property
    def start(self) -> NonfiniteStart | None:
        """Where NaN or infinity starts, if no card shows it."""
        origin, operations = self._origin, self._trace.operations
        if origin is None or not origin.sure or self._forward >= 0:
            return None
        span = operations.span[origin.operation] if origin.operation >= 0 else -1
        value = self._trace.value_at(origin.row)
        name = self._titles.name(origin.tensor)
        text = self._titles.text(origin.operation) if span >= 0 else ""
        given = origin.operation < 0 or not operations.inputs[origin.operation]
        by: Literal["operation", "given", "gradient"] = (
            "gradient" if origin.by == "gradient" else "given" if given else "operation"
        )
        word = name or text if by == "given" else text or name
        if span < 0:
            span = next(
                (binding.span for binding in self._trace.index.bindings.get(origin.tensor, ()) if binding.span >= 0), -1
            )
        return (
            NonfiniteStart("nan" if value and value.nans else "inf", by, word, self._trace.line(span)) if word else None
        )

    def of_nodes(self, nodes: set[int]) -> tuple[NonfiniteNote, ...]:
        """The note about NaN or infinity that starts at one of these nodes."""
        if self._forward in nodes:
            value = self._outputs.value(self._forward, 0)
            found = first_nonfinite(value.shape, value.entries) if value else None
            return (NonfiniteNote("nan" if value and value.nans else "inf", False, _index(found)),)
        node, edge = self._backward
        if node not in nodes or self._origin is not None:
            return ()
        columns = self._trace.nodes
        at = columns.edges.starts[node] + edge
        below = columns.edges.items[at]
        passed = self._trace.value(self._passed.get((node, edge), -1))
        found = first_nonfinite(passed.shape, passed.entries) if passed else None
        arrived = self._outputs.gradient(node, 0)
        product = undefined = False
        local = EdgeGradients(self._trace, self._shown, "").local(node, edge)
        if found and arrived and local is not None and arrived.shape == passed.shape == local.shape and arrived.data:
            undefined = bool(np.isnan(local[found[0]]))
            product = arrived.data[_flat(found[0], passed.shape)] == 0 and bool(np.isinf(local[found[0]]))
        name = self._titles.name(columns.variable[below]) if columns.variable[below] >= 0 else ""
        where = name + _index(found) if name else ""
        return (NonfiniteNote("nan" if passed and passed.nans else "inf", True, where, product, undefined),)


def _index(found: tuple | None) -> str:
    return f"[{', '.join(map(str, found[0]))}]" if found and found[0] else ""


def _flat(index: tuple[int, ...], shape: tuple[int, ...]) -> int:
    position = 0
    for i, size in zip(index, shape, strict=True):
        position = position * size + i
    return position
