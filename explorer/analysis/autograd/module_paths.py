"""The paths of modules: the one that a user means, and what the paths of a stack share."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from difflib import get_close_matches

from explorer.analysis.autograd.graph_parts import Edge, GraphPart
from explorer.analysis.operations import operation_of_node
from explorer.safe_regex import plain
from explorer.trace import Trace

_ARROW = " → "
STEPS = 3  # names of operations in a title
DEPTH = 16  # levels of the module tree
SUGGESTED = 5  # suggested paths for an unknown one
_DIGITS = plain(r"\d+")

Path = tuple[str, ...]


class UnknownModule(LookupError):
    """Raised if a path names no module of a program, or several.

    Attributes:
        asked: the path.
        known: paths that may have been meant; for an ambiguous path all of them.
        several: whether the path is ambiguous.
    """

    def __init__(self, asked: str, known: list[str], several: bool = False):
        self.asked, self.known, self.several = asked, tuple(known[:SUGGESTED]), several
        paths = ", ".join(self.known)
        if several:
            super().__init__(f"{asked!r} is a module of several: {paths}")
        elif known:
            super().__init__(f"no module {asked!r} ran; there are {paths}")
        else:
            super().__init__(f"no module {asked!r}: no operation of this program ran inside of one")


def module_path(trace: Trace, asked: str) -> str:
    """The full path of a module in a Trace; the given one may begin within the model: blocks.0 for model.blocks.0.

    An open row of rearranging operations is in a module too: blocks.0.attn.view → transpose.

    Raises UnknownModule if no module has it, or several have.
    """
    head, _, row = asked.rpartition(".")
    if is_row(row):
        return f"{module_path(trace, head)}.{row}" if head else row
    known = {trace.strings[module] for module in set(trace.operations.module) if module >= 0}
    paths = {
        ".".join(parts[:end])
        for parts in (path.split(".", DEPTH - 1) for path in known)
        for end in range(1, len(parts) + 1)
    }
    paths |= {f"{head}.{pattern_of((tail,))}" for head, _, tail in (path.rpartition(".") for path in paths) if head}
    if asked in paths:
        return asked
    found = sorted(path for path in paths if path.endswith(f".{asked}"))
    if len(found) == 1:
        return found[0]
    if found:
        raise UnknownModule(asked, found, several=True)
    parts = asked.count(".") + 1
    ends = {".".join(path.split(".")[-parts:]): path for path in sorted(paths, reverse=True)}
    near = [ends[end] for end in get_close_matches(asked, sorted(ends), 3)] or get_close_matches(
        asked, sorted(paths), 3
    )
    raise UnknownModule(asked, near or sorted(paths, key=lambda path: (path.count("."), path)))


def last_number(path: str) -> str:
    """The number that distinguishes a module of a stack.

    >>> last_number("encoder.layer_11")
    '11'
    """
    return _DIGITS.findall(path.rsplit(".", 1)[-1])[-1]


def pattern_of(path: Path) -> str:
    """The last part of a module's path with * in place of its numbers.

    >>> pattern_of(("blocks", "11"))
    '*'
    """
    return _DIGITS.sub("*", path[-1])


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
