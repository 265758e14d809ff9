"""Fold executions of the same thing into one class.

Every pass is a table look-up per part and per edge, O(N + E), without recursion: 100 000 nodes take half a second.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from explorer.analysis.explain.autograd.graph_parts import Edge, GraphPart
from explorer.analysis.explain.autograd.outline import READABLE, ClosedModule, outlined
from explorer.safe_regex import plain
from explorer.trace import Trace

MAX_CARDS = 200
MAX_EDGES = 400
LONG = 16  # minimum number of cards for drawing modules as cards, if that removes a third of the picture
CROWD = 8  # leaves read by one operation, above which its module stays closed
PARALLEL = 8  # most edges or leaves between two cards
EdgeKey = tuple[int, int, tuple[int, int]]  # source class, target class, slot
_NUMBER = plain(r"(?<=\.)\d+(?=\.|$)")


@dataclass(frozen=True)
class Opened:
    """Modules opened or closed against the default.

    Attributes:
        modules: opened paths, with their enclosing modules. A path ending in * takes a stack of equal modules
            apart.
        closed: paths shown as one card although there is room.
    """

    modules: frozenset[str] = frozenset()
    closed: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.modules or self.closed)

    def moved(self, path: str, is_open: bool) -> "Opened":
        """Open or close a module. Without a path, restore the default."""
        if not path:
            return replace(self, modules=frozenset(), closed=frozenset())
        return self.open(path) if is_open else self.close(path)

    def open(self, path: str) -> "Opened":
        """Open a module."""
        return replace(self, modules=self.modules | {path}, closed=self.closed - {path})

    def close(self, path: str) -> "Opened":
        """Close a module. Modules around it stay open."""
        inside = f"{path}."
        still = frozenset(module for module in self.modules if module != path and not module.startswith(inside))
        around = path.rpartition(".")[0]
        if still != self.modules and around:
            still |= {around}
        return replace(self, modules=still, closed=self.closed | {path})


NOTHING_OPENED = Opened()


@dataclass(frozen=True)
class ModuleClasses:
    """A closed module. Attributes: module: its record. runs: each repeat's parts by class, in forward order."""

    module: ClosedModule
    runs: tuple[tuple[tuple[int, ...], ...], ...]


@dataclass(frozen=True)
class Folded:
    """Parts sorted into classes.

    Attributes:
        edges: for (source class, target class, slot): first edge, last edge and count.
        left_out: classes dropped to limit the picture.
        modules: for closed modules: the module, and the classes of its operations.
        bundled: class pairs with one edge for more than PARALLEL slots.
        within: path of the open row of rearranging operations, for its classes.
    """

    members: list[list[int]]
    edges: dict[EdgeKey, tuple[Edge, int]]
    left_out: int = 0
    modules: dict[int, ModuleClasses] = field(default_factory=dict)
    bundled: frozenset[tuple[int, int]] = frozenset()
    within: dict[int, str] = field(default_factory=dict)


def fold_parts(
    trace: Trace,
    parts: list[GraphPart],
    edges: list[Edge],
    roots: set[int],
    fold: bool = True,
    opened: Opened = NOTHING_OPENED,
) -> Folded:
    """Fold loops, repeated places and chains until a picture fits.

    The limits are MAX_CARDS and MAX_EDGES. More than READABLE cards with modules become an outline. So do fewer, if one
    reads more than CROWD leaves, as a recurrent layer does, or if they are LONG and modules would replace a third.

    `roots` are the differentiated parts. If nothing else helps, the parts nearest to them are kept.
    """
    classes = list(range(len(parts)))
    for in_loops in (True, False) if fold else ():
        classes = _leaves_together(trace, parts, edges, _executions(trace, parts, in_loops))
        folded = _gather(edges, classes)
        cards, crowded = len(folded.members), _is_crowded(parts, folded)
        modules = in_loops and (crowded or cards > LONG)
        outline = _by_module(trace, parts, edges, classes, opened, roots) if modules else None
        asked = cards > READABLE or crowded or opened.modules or opened.closed
        if outline and (asked or 3 * len(outline.members) <= 2 * cards):
            folded = outline
        if _fits(folded):
            return folded
    folded = _gather(edges, classes)
    if fold and not _fits(folded):
        folded = _gather(edges, _chains(parts, folded, classes))
    return folded if _fits(folded) else _nearest(folded, roots)


def _by_module(
    trace: Trace, parts: list[GraphPart], edges: list[Edge], classes: list[int], opened: Opened, roots: set[int]
) -> Folded | None:
    """Show modules as cards, with loops folded where possible.

    A loop over different modules, as down and up a U-Net, must not be folded: its card would have edges back to each
    module.
    """
    folded = _closed(trace, parts, edges, classes, opened, roots)
    if folded is None or not _has_back_edge(folded):
        return folded
    alone = _leaves_together(trace, parts, edges, [*range(len(parts))])
    unfolded = _closed(trace, parts, edges, alone, opened, roots)
    if unfolded is None or not len(folded.members) <= len(unfolded.members) <= READABLE:
        return folded  # the alternatives show less, or too much to read
    return unfolded


def _has_back_edge(folded: Folded) -> bool:
    """Return whether a module that ran once leads back to itself."""
    ends: tuple[dict[int, set[int]], dict[int, set[int]]] = defaultdict(set), defaultdict(set)
    for source, target, _ in folded.edges:
        if source != target:
            ends[0][source].add(target)
            ends[1][target].add(source)
    left = set(range(len(folded.members)))
    for onwards, back in (ends, ends[::-1]):
        free = [card for card in left if not back[card] & left]
        while free:
            card = free.pop()
            left.discard(card)
            free += [following for following in onwards[card] & left if not back[following] & left]
    return any(
        all(len(members) == 1 for run in folded.modules[card].runs for members in run)
        for card in left & folded.modules.keys()
    )


def _closed(
    trace: Trace, parts: list[GraphPart], edges: list[Edge], classes: list[int], opened: Opened, roots: set[int]
) -> Folded | None:
    """Fold closed modules into one class each, None without modules."""
    outline = outlined(trace, parts, edges, classes, opened.modules, opened.closed, roots)
    if outline is None:
        return None
    begins: dict[int, int] = {}  # a class begins with its first operation, not with an inner leaf
    for index in sorted(range(len(parts)), key=lambda index: parts[index].operation < 0):
        begins.setdefault(outline.classes[index], index)
    folded = _gather(edges, outline.classes, sorted(begins, key=begins.__getitem__))
    inside: dict[int, list[int]] = defaultdict(list)
    for index, name in enumerate(classes):
        inside[name].append(index)
    number = {outline.classes[members[0]]: at for at, members in enumerate(folded.members)}
    modules = {
        number[name]: ModuleClasses(
            module, tuple(tuple(tuple(inside[node]) for node in own) for _, own in module.repeats)
        )
        for name, module in outline.modules.items()
    }
    within = {number[name]: path for name, path in outline.within.items()}
    return replace(folded, modules=modules, within=within)


def _is_crowded(parts: list[GraphPart], folded: Folded) -> bool:
    leaves = {(source, target) for source, target, _ in folded.edges if parts[folded.members[source][0]].leaf >= 0}
    return max(Counter(target for _, target in leaves).values(), default=0) > CROWD


def _fits(folded: Folded) -> bool:
    return len(folded.members) <= MAX_CARDS and len(folded.edges) <= MAX_EDGES


def _executions(trace: Trace, parts: list[GraphPart], in_loops: bool) -> list[int]:
    """Group executions of the same program place and node names.

    Args:
        in_loops: whether to group only rounds of a loop, by module and rank in the round. Otherwise all function
            calls and numbered layers.
    """
    operations, strings = trace.operations, [module_pattern(text) for text in trace.strings] if not in_loops else []
    ids: dict[tuple, int] = {}
    rank: Counter = Counter()
    classes = []
    for index, part in enumerate(parts):
        key: tuple = ("part", index)
        operation = part.operation
        rounds = tuple(operations.iteration[operation]) if operation >= 0 else ()
        if operation >= 0 and (rounds or not in_loops):
            module = operations.module[operation]
            names = tuple(trace.nodes.name[node] for node in part.nodes) or (-1, operations.function[operation])
            key = operations.span[operation], names, module if in_loops or module < 0 else strings[module]
            if in_loops:
                rank[key, rounds] += 1
                key = (*key, rank[key, rounds])
        classes.append(ids.setdefault(key, len(ids)))
    return classes


def module_pattern(path: str) -> str:
    """Return a module's path without layer numbers.

    >>> module_pattern("net.layers.3.linear")
    'net.layers.*.linear'
    """
    return _NUMBER.sub("*", path)


def _leaves_together(trace: Trace, parts: list[GraphPart], edges: list[Edge], classes: list[int]) -> list[int]:
    """Group equal-shaped leaves that rounds use in the same slot.

    Also group more than PARALLEL leaves that only one operation reads, for example torch.stack of a list.
    """
    size = Counter(classes)
    uses: dict[int, set] = defaultdict(set)
    for edge in edges:
        if parts[edge.source].leaf >= 0:
            uses[edge.source].add((classes[edge.target], edge.slot))
    shapes = trace.tensors.shape
    alone = {leaf: next(iter(places))[0] for leaf, places in uses.items() if len(places) == 1}
    beside = Counter((target, shapes[parts[leaf].leaf]) for leaf, target in alone.items())
    ids: dict[tuple, int] = {}
    joined = list(classes)
    for leaf, places in uses.items():
        shape = shapes[parts[leaf].leaf]
        many = leaf in alone and beside[alone[leaf], shape] > PARALLEL and size[alone[leaf]] == 1
        if many or all(size[target] > 1 for target, _ in places):
            key = (alone[leaf] if many else frozenset(places), shape)
            joined[leaf] = ids.setdefault(key, classes[leaf])
    return joined


def _gather(edges: list[Edge], classes: list[int], order: Sequence[int] = ()) -> Folded:
    """Collect the parts by class, in the order of their first parts."""
    number = {name: at for at, name in enumerate(order)}
    members: list[list[int]] = [[] for _ in order]
    for index, name in enumerate(classes):
        if name not in number:
            number[name] = len(members)
            members.append([])
        members[number[name]].append(index)
    drawn_edges: dict[EdgeKey, tuple[Edge, int]] = {}
    for edge in edges:
        source, target = number[classes[edge.source]], number[classes[edge.target]]
        if source != target:
            key = (source, target, edge.slot)
            drawn_edges[key] = (edge, drawn_edges[key][1] + 1 if key in drawn_edges else 1)
    between = Counter((source, target) for source, target, _ in drawn_edges)
    bundled = frozenset(pair for pair, count in between.items() if count > PARALLEL)
    return Folded(members, _as_bundles(drawn_edges, bundled) if bundled else drawn_edges, bundled=bundled)


def _as_bundles(
    drawn_edges: dict[EdgeKey, tuple[Edge, int]], bundled: frozenset[tuple[int, int]]
) -> dict[EdgeKey, tuple[Edge, int]]:
    """Replace all edges between bundled pairs, for example of a stacked list, with one each."""
    bundles: dict[EdgeKey, tuple[Edge, int]] = {}
    first: dict[tuple[int, int], EdgeKey] = {}
    for key, (edge, count) in drawn_edges.items():
        source, target, _ = key
        if (source, target) in bundled:
            key = first.setdefault((source, target), key)
        bundles[key] = (edge, bundles[key][1] + count if key in bundles else count)
    return bundles


def _chains(parts: list[GraphPart], folded: Folded, classes: list[int]) -> list[int]:
    """Merge chains of cards, except leaves, into one class."""
    into, out_of = defaultdict(set), defaultdict(set)
    leaf = [parts[members[0]].leaf >= 0 for members in folded.members]
    for source, target, _ in folded.edges:
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
    for target in range(len(head)):  # sources precede targets, so their heads are final
        if target in follows:
            head[target] = head[follows[target]]
    joined = list(classes)
    for number, members in enumerate(folded.members):
        for part in members:
            joined[part] = head[number]
    return joined


def _nearest(folded: Folded, roots: set[int]) -> Folded:
    """Return the classes nearest to the roots, as many as fit."""
    sources = defaultdict(list)
    for source, target, _ in folded.edges:
        sources[target].append(source)
    start = [i for i, members in enumerate(folded.members) if roots.intersection(members)]
    nearest: dict[int, None] = dict.fromkeys(start or range(len(folded.members) - 1, -1, -1))
    queue = list(nearest)
    for target in queue:
        for source in sources[target]:
            if source not in nearest and len(nearest) < MAX_CARDS:
                nearest[source] = None
                queue.append(source)
    shown = sorted(list(nearest)[:MAX_CARDS])
    number = {old: new for new, old in enumerate(shown)}
    drawn_edges = {
        (number[source], number[target], slot): edge
        for (source, target, slot), edge in folded.edges.items()
        if source in number and target in number
    }
    drawn_edges = dict(list(drawn_edges.items())[-MAX_EDGES:])
    bundled = frozenset((number[s], number[t]) for s, t in folded.bundled if s in number and t in number)
    left_out = len(folded.members) - len(shown)
    return Folded([folded.members[old] for old in shown], drawn_edges, left_out, bundled=bundled)
