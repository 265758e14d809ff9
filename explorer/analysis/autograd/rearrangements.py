"""Rows of operations that only give entries another shape or order: views, transposes and copies, as one card."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping

from explorer.analysis.autograd.graph_parts import Edge, GraphPart
from explorer.analysis.operations import operation_of_node
from explorer.trace import Trace

_ARROW = " → "
STEPS = 3  # names of operations in a title


def rearrangements(
    trace: Trace, parts: list[GraphPart], edges: list[Edge], classes: list[int], roots: Collection[int]
) -> list[tuple[int, ...]]:
    """The rows of at least two classes that only rearrange entries, each in forward order.

    Every operation of a row belongs to the same module and reads only the one before it; only the last may be read by
    others. What was differentiated is in no row, nor is what reads a leaf: both stay visible.
    """
    shaping = {name: _module(trace, parts[at]) for at, name in enumerate(classes) if _only_shapes(trace, parts[at])}
    for at in roots:
        shaping.pop(classes[at], None)
    sources: dict[int, set[int]] = defaultdict(set)
    readers: dict[int, set[tuple[int, tuple[int, int]]]] = defaultdict(set)
    for edge in edges:
        source, target = classes[edge.source], classes[edge.target]
        if parts[edge.source].leaf >= 0:
            shaping.pop(target, None)
        sources[target].add(source)
        readers[source].add((target, edge.slot))
    following = {}
    for name, module in shaping.items():
        if len(readers[name]) == 1:
            ((target, _),) = readers[name]
            if target != name and shaping.get(target) == module and sources[target] == {name}:
                following[name] = target
    rows = []
    for head in following.keys() - set(following.values()):
        row = [head]
        while row[-1] in following:
            row.append(following[row[-1]])
        rows.append(tuple(row))
    return sorted(rows)


def is_row(name: str) -> bool:
    """Whether this is the title of a row, and no module's name."""
    return _ARROW in name


def row_titles(trace: Trace, operations: Mapping[tuple[int, ...], list[int]]) -> dict[tuple[int, ...], str]:
    """A title for each row, from its operations: view → transpose; numbered where rows of one module share it."""
    said, modules = {}, trace.operations.module
    for row, ran in operations.items():
        names = [trace.strings[trace.operations.name[operation]].replace(".", "_") for operation in ran]
        if len(names) > STEPS:
            names = [names[0], "…", names[-1]]
        said[row] = modules[ran[0]], _ARROW.join(names)
    alike, seen = Counter(said.values()), Counter[tuple[int, str]]()
    titles = {}
    for row, key in said.items():
        seen[key] += 1
        titles[row] = f"{key[1]} ({seen[key]})" if alike[key] > 1 else key[1]
    return titles


def _module(trace: Trace, part: GraphPart) -> int:
    return trace.operations.module[part.operation]


def _only_shapes(trace: Trace, part: GraphPart) -> bool:
    """Whether an operation changes no entry; joining a tensor with an empty one does not either."""
    if part.operation < 0 or not part.nodes:
        return False
    names = {trace.strings[trace.nodes.name[node]] for node in part.nodes}
    if names == {"CatBackward0"}:
        shape = trace.tensors.shape
        inputs, made = trace.operations.inputs[part.operation], trace.operations.outputs[part.operation]
        return len(made) == 1 and any(shape[tensor] == shape[made[0]] for tensor in inputs)
    return all(operation_of_node(name).only_shapes for name in names)
