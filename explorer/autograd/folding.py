"""Folding: parts that are executions of one thing become one class, so that a picture stays readable.

Every pass is a table look-up per part and per edge, O(N + E), without recursion: 100 000 nodes take half a second.
"""

from collections import Counter, defaultdict
from dataclasses import dataclass

from explorer.autograd.parts import Edge, GraphPart
from explorer.patterns import plain
from explorer.trace import Trace

MAX_CARDS = 200
MAX_WIRES = 400
_NUMBER = plain(r"(?<=\.)\d+(?=\.|$)")


@dataclass(frozen=True)
class Opened:
    """What stays unfolded in a folded picture.

    Attributes:
        spans: expressions (Trace.spans) whose executions are a card each.
        rounds: rounds of loops, as counts of the enclosing loops from 0, whose expressions are a card each.
    """

    spans: frozenset[int] = frozenset()
    rounds: frozenset[tuple[int, ...]] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.spans or self.rounds)


NOTHING_OPENED = Opened()


@dataclass(frozen=True)
class Folded:
    """Parts sorted into classes.

    Attributes:
        members: the parts of each class, in forward order.
        wires: for (source class, target class, slot) the edges it stands for: first and last of them, and how many.
        left_out: classes dropped because the picture would be too large.
    """

    members: list[list[int]]
    wires: dict[tuple[int, int, tuple[int, int]], tuple[Edge, int]]
    left_out: int = 0


def fold_parts(
    trace: Trace,
    parts: list[GraphPart],
    edges: list[Edge],
    roots: set[int],
    fold: bool = True,
    opened: Opened = NOTHING_OPENED,
) -> Folded:
    """Fold until at most MAX_CARDS cards and MAX_WIRES wires are left: loops, then repeated places, then chains.

    roots are the parts that were differentiated: if nothing else helps, what is nearest to them is kept.
    """
    classes = list(range(len(parts)))
    stages = (_by_loop, _by_place) if fold else ()
    for stage in stages:
        classes = _leaves_together(trace, parts, edges, stage(trace, parts, opened))
        folded = _gather(parts, edges, classes)
        if _fits(folded):
            return folded
    folded = _gather(parts, edges, classes)
    if fold and not _fits(folded):
        folded = _gather(parts, edges, _chains(parts, folded, classes))
    return folded if _fits(folded) else _nearest(folded, parts, roots)


def _fits(folded: Folded) -> bool:
    return len(folded.members) <= MAX_CARDS and len(folded.wires) <= MAX_WIRES


def _is_open(trace: Trace, operation: int, opened: Opened) -> bool:
    operations = trace.operations
    return operations.span[operation] in opened.spans or (
        bool(opened.rounds) and tuple(operations.iteration[operation]) in opened.rounds
    )


def _by_loop(trace: Trace, parts: list[GraphPart], opened: Opened) -> list[int]:
    """Equal where a loop ran the same place again: same span, module, names of nodes and rank in a round."""
    operations = trace.operations
    ids: dict[tuple, int] = {}
    rank: Counter = Counter()
    classes = []
    for index, part in enumerate(parts):
        key: tuple = ("part", index)
        if part.operation >= 0 and not _is_open(trace, part.operation, opened):
            rounds = tuple(operations.iteration[part.operation])
            if rounds:
                place = (operations.span[part.operation], operations.module[part.operation], _signature(trace, part))
                key = (*place, rank[place, rounds])
                rank[place, rounds] += 1
        classes.append(ids.setdefault(key, len(ids)))
    return classes


def _by_place(trace: Trace, parts: list[GraphPart], opened: Opened) -> list[int]:
    """Equal where the same place of the program ran again, in whatever function call or numbered layer."""
    operations = trace.operations
    ids: dict[tuple, int] = {}
    patterns: dict[int, str] = {}
    classes = []
    for index, part in enumerate(parts):
        key: tuple = ("part", index)
        if part.operation >= 0 and not _is_open(trace, part.operation, opened):
            module = operations.module[part.operation]
            if module not in patterns:
                patterns[module] = module_pattern(trace.string(module) or "")
            key = (operations.span[part.operation], patterns[module], _signature(trace, part))
        classes.append(ids.setdefault(key, len(ids)))
    return classes


def module_pattern(path: str) -> str:
    """A module's path without the numbers of its layers.

    >>> module_pattern("net.layers.3.linear")
    'net.layers.*.linear'
    """
    return _NUMBER.sub("*", path)


def _signature(trace: Trace, part: GraphPart) -> tuple[int, ...]:
    names = trace.nodes.name
    return tuple(names[node] for node in part.nodes) or (-1, trace.operations.function[part.operation])


def _leaves_together(trace: Trace, parts: list[GraphPart], edges: list[Edge], classes: list[int]) -> list[int]:
    """Leaves that the rounds of a folded card use in the same slot become one class, if their shapes are equal."""
    size = Counter(classes)
    uses: dict[int, set] = defaultdict(set)
    for edge in edges:
        if parts[edge.source].leaf >= 0:
            uses[edge.source].add((classes[edge.target], edge.slot))
    ids: dict[tuple, int] = {}
    joined = list(classes)
    for leaf, places in uses.items():
        if all(size[target] > 1 for target, _ in places):
            key = (frozenset(places), trace.tensors.shape[parts[leaf].leaf])
            joined[leaf] = ids.setdefault(key, classes[leaf])
    return joined


def _gather(parts: list[GraphPart], edges: list[Edge], classes: list[int]) -> Folded:
    number: dict[int, int] = {}
    members: list[list[int]] = []
    for index, name in enumerate(classes):
        if name not in number:
            number[name] = len(members)
            members.append([])
        members[number[name]].append(index)
    wires: dict[tuple[int, int, tuple[int, int]], tuple[Edge, int]] = {}
    for edge in edges:
        source, target = number[classes[edge.source]], number[classes[edge.target]]
        if source != target:
            key = (source, target, edge.slot)
            wires[key] = (edge, wires[key][1] + 1 if key in wires else 1)
    return Folded(members, wires)


def _chains(parts: list[GraphPart], folded: Folded, classes: list[int]) -> list[int]:
    """Runs of cards with one way in and one way out become one class. Leaves are no link."""
    into, out_of = defaultdict(set), defaultdict(set)
    leaf = [parts[members[0]].leaf >= 0 for members in folded.members]
    for source, target, _ in folded.wires:
        if not leaf[source]:
            into[target].add(source)
            out_of[source].add(target)
    follows = {
        target: source
        for target in into
        for source in into[target]
        if len(into[target]) == 1 and len(out_of[source]) == 1 and source < target
    }
    head = list(range(len(folded.members)))
    for target in range(len(head)):  # sources come before their targets, so their heads are settled
        if target in follows:
            head[target] = head[follows[target]]
    joined = list(classes)
    for number, members in enumerate(folded.members):
        for part in members:
            joined[part] = head[number]
    return joined


def _nearest(folded: Folded, parts: list[GraphPart], roots: set[int]) -> Folded:
    """The classes nearest to the roots, as many as fit."""
    sources = defaultdict(list)
    for source, target, _ in folded.wires:
        sources[target].append(source)
    start = [i for i, members in enumerate(folded.members) if roots.intersection(members)]
    kept: dict[int, None] = dict.fromkeys(start or range(len(folded.members) - 1, -1, -1))
    queue = list(kept)
    for target in queue:
        for source in sources[target]:
            if source not in kept and len(kept) < MAX_CARDS:
                kept[source] = None
                queue.append(source)
    shown = sorted(list(kept)[:MAX_CARDS])
    number = {old: new for new, old in enumerate(shown)}
    wires = {
        (number[source], number[target], slot): edge
        for (source, target, slot), edge in folded.wires.items()
        if source in number and target in number
    }
    wires = dict(list(wires.items())[-MAX_WIRES:])
    return Folded([folded.members[old] for old in shown], wires, len(folded.members) - len(shown))
