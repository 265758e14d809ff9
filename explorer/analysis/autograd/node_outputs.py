"""Values and gradients at the outputs of nodes."""

from explorer.analysis.autograd.gradients import node_gradients
from explorer.analysis.autograd.graph_parts import GraphPart
from explorer.trace import Trace, Value


class NodeOutputs:
    """Looks up values of nodes, and the gradients of one backward.

    Attributes: gradients: of the outputs of each node, as value ids (-1: none); () if the backward did not reach it.
    """

    def __init__(self, trace: Trace, shown: int | None) -> None:
        self.trace, self.gradients = trace, node_gradients(trace, shown)

    def main(self, part: GraphPart) -> tuple[int, int]:
        """The node and output that a card shows: the first output of the call with a gradient, otherwise the first."""
        versions, found = self.trace.versions, []
        if part.operation >= 0:
            for tensor in self.trace.operations.outputs[part.operation][:64]:
                for row in self.trace.versions_of(tensor):
                    if versions.operation[row] == part.operation and versions.node[row] in part.nodes:
                        found.append((versions.node[row], max(versions.output[row], 0)))
        if not found:
            inner = {e for node in part.nodes for e in self.trace.nodes.edges[node]}
            found = [(node, 0) for node in reversed(part.nodes) if node not in inner] or [(part.nodes[-1], 0)]
        return next(((n, k) for n, k in found if k < len(self.gradients[n]) and self.gradients[n][k] >= 0), found[0])

    def value(self, node: int, output: int) -> Value | None:
        """An output of a node right after the operation, None if its entries are unknown."""
        values = self.trace.nodes.values[node]
        if output < len(values) and values[output] >= 0:
            return self.trace.value(values[output])
        operation = self.trace.nodes.operation[node]
        tensors = self.trace.operations.outputs[operation] if operation >= 0 else []
        if output >= len(tensors):
            return None
        return self.trace.latest(tensors[output])

    def gradient(self, node: int, output: int) -> Value | None:
        """The gradient that arrived at an output of a node, or None."""
        arrived = self.gradients[node]
        return self.trace.value(arrived[output]) if output < len(arrived) else None
