"""Notes of a picture about where NaN and infinity start."""

from collections.abc import Collection
from typing import Literal

from explorer.analysis.explain.autograd.entry_texts import index_text
from explorer.analysis.explain.autograd.gradients import contributions
from explorer.analysis.explain.autograd.graph_parts import NodeOutputs
from explorer.analysis.explain.autograd.nonfinite_starts import (
    backward_origin,
    first_nonfinite,
    forward_origin,
    is_nonfinite,
)
from explorer.analysis.explain.autograd.reasons import nonfinite_reason
from explorer.analysis.explain.autograd.view_records import NonfiniteStart
from explorer.analysis.run.model import one_line, run_of
from explorer.analysis.run.names import name_of
from explorer.trace import Trace, Value


class NonfiniteNotes:
    """Notes about NaN and infinity in one picture. Args: nodes: the shown nodes."""

    def __init__(self, trace: Trace, shown: int | None, nodes: list[int]) -> None:
        self._trace, self._shown, self._run = trace, shown, run_of(trace)
        self._origin = forward_origin(trace, self._rows(nodes)) if is_nonfinite(trace).any() else None
        self._forward = self._node_of_origin(nodes)
        self._backward = backward_origin(trace, shown)

    def _rows(self, nodes: list[int]) -> list[int]:
        """Return the versions of the roots, or of unused shown nodes."""
        if self._shown is not None:
            ends = {root for root in self._trace.backwards[self._shown].roots if root >= 0}
        else:
            ends = set(nodes).difference(below for node in nodes for below in self._trace.nodes.edges[node])
        return [row for row, node in enumerate(self._trace.versions.node) if node in ends]

    def _node_of_origin(self, shown: list[int]) -> int:
        """Return the shown node where NaN or infinity starts, or -1."""
        if self._origin is None or self._origin.operation < 0 or not self._origin.sure:
            return -1
        nodes, bad = self._trace.nodes, is_nonfinite(self._trace)
        made = (node for node in shown if nodes.operation[node] == self._origin.operation and nodes.variable[node] < 0)
        return min((node for node in made if any(v >= 0 and bad[v] for v in nodes.values[node])), default=-1)

    @property
    def start(self) -> NonfiniteStart | None:
        """Start of NaN or infinity, if no card shows it."""
        trace, origin = self._trace, self._origin
        if origin is None or not origin.sure or self._forward >= 0:
            return None
        span = trace.operations.span[origin.operation] if origin.operation >= 0 else -1
        name, text = name_of(self._run, origin.tensor), one_line(self._run.text(origin.operation)) if span >= 0 else ""
        phase: Literal["forward", "given", "gradient"] = "gradient" if origin.by == "gradient" else "forward"
        if phase == "forward" and (origin.operation < 0 or not trace.operations.inputs[origin.operation]):
            phase = "given"
        bound = (binding.span for binding in trace.index.bindings.get(origin.tensor, ()) if binding.span >= 0)
        line = trace.line(span if span >= 0 else next(bound, -1))
        word = name or text if phase == "given" else text or name
        why: Literal["forward", "gradient", ""] = "" if phase == "given" else phase
        return NonfiniteStart(_kind(trace.value_at(origin.row)), phase, why, "", word, line) if word else None

    def of_nodes(self, nodes: Collection[int]) -> tuple[NonfiniteStart, ...]:
        """Return the note about NaN or infinity that starts at one of these nodes."""
        if self._forward in nodes:
            value = NodeOutputs(self._trace, self._shown).value(self._forward, 0)
            first = first_nonfinite(value.shape, value.entries) if value else None
            return (NonfiniteStart(_kind(value), "forward", "forward", index_text(first[0] if first else ())),)
        node, edge = self._backward
        if node not in nodes or self._origin is not None:
            return ()
        leaf = self._trace.nodes.variable[self._trace.nodes.edges[node][edge]]
        passed = self._trace.value(contributions(self._trace, self._shown).get((node, edge), -1))
        first = first_nonfinite(passed.shape, passed.entries) if passed else None
        why = nonfinite_reason(self._trace, self._shown, node, edge)
        name = name_of(self._run, leaf) if leaf >= 0 else ""
        where = name + index_text(first[0] if first else ()) if name else ""
        return (NonfiniteStart(_kind(passed), "backward", why, where),)


def _kind(value: Value | None) -> Literal["nan", "inf"]:
    return "nan" if value is not None and value.nans else "inf"
