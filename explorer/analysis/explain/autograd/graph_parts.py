"""Parts of a picture before folding: nodes by operation, leaves, edges and saved tensors."""

import math

from msgspec import Struct

from explorer.analysis.explain.autograd.gradients import below_roots, node_gradients, output_gradient
from explorer.analysis.explain.autograd.view_records import SavedTag
from explorer.analysis.run.model import one_line, run_of
from explorer.analysis.run.names import name_of, result_of
from explorer.safe_regex import plain
from explorer.trace import Trace, Value, memoized

MOST_RESULTS = 64  # results looked up for each call

# Many of both exist and they hold only numbers, so the garbage collector can skip them.
LOOKED_AT = 40  # saved tensors considered for each node
TAGS = 4  # saved tags on a card
_NUMBERS = {"other", "self", "exponent", "index", "min", "max", "negative_slope", "p"}  # saved numbers worth a tag
ORDER = {"self": 0, "result": 2}  # order of saved tags: torch lists them alphabetically
_CONSTANT = plain(r"-?\d[\d.e+-]*")


class GraphPart(Struct, frozen=True, gc=False):
    """One execution of an operation with its nodes, or a leaf.

    Attributes:
        operation: its id, -1 for leaves and nodes without a recorded operation.
        leaf: the tensor, or -1.
        nodes: its nodes, in forward order if the engine visited them.
    """

    operation: int
    leaf: int
    nodes: tuple[int, ...]


class Edge(Struct, frozen=True, gc=False):
    """A value from one part into another.

    Attributes:
        source, target: parts.
        slot: which input of the target: (rank of its node, position in its edges) or (0, input of the operation).
        node: the autograd node whose edge it is (-1: none), `slot[1]` being the edge's position.
    """

    source: int
    target: int
    slot: tuple[int, int]
    node: int


def gradient_parts(trace: Trace, backward: int | None) -> tuple[list[GraphPart], list[Edge]]:
    """Return the parts below a backward's roots, or all nodes of the program itself."""
    nodes = trace.nodes
    if backward is None:
        shown = [node for node in range(len(nodes)) if nodes.made_by[node] < 0]
    else:
        shown = sorted(below_roots(trace, backward))
    step = {node: i for i, node in enumerate(trace.backwards[backward].order)} if backward is not None else {}
    keys: dict[tuple[str, int], list[int]] = {}
    for node in shown:
        operation, variable = nodes.operation[node], nodes.variable[node]
        key = ("leaf", variable) if variable >= 0 else ("op", operation) if operation >= 0 else ("node", node)
        keys.setdefault(key, []).append(node)
    parts: list[GraphPart] = []
    part_of, rank_of = {}, {}
    ordered = sorted(keys.items(), key=lambda item: (nodes.operation[item[1][0]], item[0][0] != "leaf", item[0][1]))
    for key, members in ordered:
        if len(members) > 1:
            members.sort(key=lambda node: (-step.get(node, -1), node))
        for rank, node in enumerate(members):
            part_of[node], rank_of[node] = len(parts), rank
        leaf = key[1] if key[0] == "leaf" else -1
        parts.append(GraphPart(key[1] if key[0] == "op" else -1, leaf, tuple(members)))
    return parts, _edges(trace, shown, part_of, rank_of)


def operation_parts(trace: Trace) -> tuple[list[GraphPart], list[Edge]]:
    """Return the operations that created tensors, for a program without gradients."""
    operations = trace.operations
    parts: list[GraphPart] = []
    edges: list[Edge] = []
    maker: dict[int, int] = {}
    for operation in range(len(operations)):
        outputs = operations.outputs[operation]
        if not outputs or operations.error[operation] >= 0 or operations.in_backward[operation] >= 0:
            continue
        part = len(parts)
        parts.append(GraphPart(operation, -1, ()))
        for position, tensor in enumerate(operations.inputs[operation]):
            if maker.get(tensor, -1) >= 0:
                edges.append(Edge(maker[tensor], part, (0, position), -1))
        maker.update(dict.fromkeys(outputs, part))
    return parts, edges


def _edges(trace: Trace, shown: list[int], part_of: dict[int, int], rank_of: dict[int, int]) -> list[Edge]:
    starts, items = trace.nodes.edges.starts, trace.nodes.edges.items
    edges = []
    for node in shown:
        target, rank = part_of[node], rank_of[node]
        for position, below in enumerate(items[starts[node] : starts[node + 1]]):
            source = part_of.get(below, -1)
            if source >= 0 and source != target:
                edges.append(Edge(source, target, (rank, position), node))
    return edges


@memoized
def results_of(trace: Trace, operation: int) -> dict[tuple[int, int], int]:
    """Map (node, output) to the output positions of an operation's first results."""
    versions, positions = trace.versions, dict[tuple[int, int], int]()
    for position, tensor in enumerate(trace.operations.outputs[operation][:MOST_RESULTS] if operation >= 0 else ()):
        for row in trace.versions_of(tensor):
            if versions.operation[row] == operation and versions.node[row] >= 0:
                positions.setdefault((versions.node[row], max(versions.output[row], 0)), position)
    return positions


class NodeOutputs:
    """Looks up values of nodes, and the gradients of one backward.

    Attributes: gradients: value ids of each node's output gradients (-1: none), () if not reached.
    """

    def __init__(self, trace: Trace, shown: int | None) -> None:
        self.trace, self.shown, self.gradients = trace, shown, node_gradients(trace, shown)

    def main(self, part: GraphPart) -> tuple[int, int]:
        """Return the node and output that a card shows, preferably one with a gradient."""
        places = list(self._results(part))
        if not places:
            inner = {e for node in part.nodes for e in self.trace.nodes.edges[node]}
            places = [(node, 0) for node in reversed(part.nodes) if node not in inner] or [(part.nodes[-1], 0)]
        return next((place for place in places if self._arrived(*place)), places[0])

    def arrived(self, part: GraphPart) -> dict[tuple[int, int], int]:
        """Return a call's results that got a gradient."""
        return {place: position for place, position in self._results(part).items() if self._arrived(*place)}

    def _results(self, part: GraphPart) -> dict[tuple[int, int], int]:
        results = results_of(self.trace, part.operation).items()
        return {place: position for place, position in results if place[0] in part.nodes}

    def is_inside(self, part: GraphPart) -> bool:
        """Return whether a part has only steps inside a call."""
        return bool(results_of(self.trace, part.operation)) and not self._results(part)

    def _arrived(self, node: int, output: int) -> bool:
        return output < len(self.gradients[node]) and self.gradients[node][output] >= 0

    def value(self, node: int, output: int) -> Value | None:
        """Return a node's output right after the operation, None if its entries are unknown."""
        values = self.trace.nodes.values[node]
        if output < len(values) and values[output] >= 0:
            return self.trace.value(values[output])
        operation, versions = self.trace.nodes.operation[node], self.trace.versions
        position = results_of(self.trace, operation).get((node, output))
        if position is None:  # a step inside a call
            return None
        made = self.trace.versions_of(self.trace.operations.outputs[operation][position])
        return next((self.trace.value_at(row) for row in made if versions.node[row] == node), None)

    def gradient(self, node: int, output: int) -> Value | None:
        """Return the gradient that arrived at an output of a node, or None."""
        return output_gradient(self.trace, self.shown, node, output)


def saved_tags(trace: Trace, part: GraphPart) -> tuple[SavedTag, ...]:
    """Return named tensors and constants that a part's nodes save for backward."""
    rows: dict[tuple[int, int] | int, int] = {}  # x * x saves both factors, which are one tensor
    for row in (row for node in part.nodes for row in trace.index.saved.get(node, ())[:LOOKED_AT]):
        tensor, version = trace.saved.tensor[row], trace.saved.version[row]
        rows.setdefault((tensor, version) if tensor >= 0 else row, row)
    tags = dict.fromkeys(_tag(trace, row, part) for row in rows.values())
    shown = sorted((tag for tag in tags if tag), key=lambda tag: ORDER.get(tag.name, 1))
    return tuple(shown[: TAGS if len(shown) <= TAGS else TAGS - 1])


def _tag(trace: Trace, row: int, part: GraphPart) -> SavedTag | None:
    saved, run, spans = trace.saved, run_of(trace), trace.operations.span
    name, tensor = trace.strings[saved.name[row]], saved.tensor[row]
    if tensor >= 0:
        maker, text = trace.maker(tensor), name_of(run, tensor, part.operation)
        if part.operation >= 0 and tensor in trace.operations.outputs[part.operation]:
            text = result_of(run, part.operation) or name
        elif not text and maker >= 0 and (part.operation < 0 or spans[maker] != spans[part.operation]):
            text = one_line(run.text(maker))
        return SavedTag(name, text, trace.saved_value(row)) if text else None
    if saved.value[row] >= 0:
        value = trace.value(saved.value[row])
        if name == "result" and len(part.nodes) == 1:
            return SavedTag(name, name, value)
        return SavedTag(name, "", value) if math.prod(value.shape) == 1 and name in _NUMBERS else None
    constant = trace.string(saved.constant[row]) or ""
    return SavedTag(name, constant) if name in _NUMBERS and _CONSTANT.fullmatch(constant) else None
