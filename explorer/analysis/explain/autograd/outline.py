"""Outline of a large picture: modules as cards, opened as deep as remains readable.

A closed module is a contiguous run of operations, so closed modules form no cycle. Every pass is a look-up per
operation and level of the tree, at most DEPTH levels.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import groupby

from explorer.analysis.explain.autograd.graph_parts import Edge, GraphPart
from explorer.analysis.run.model import run_of
from explorer.analysis.run.names import name_of
from explorer.analysis.run.operations import operation_of_node
from explorer.safe_regex import plain
from explorer.trace import Trace

_ARROW = " → "
STEPS = 3  # names of operations in a title
DEPTH = 16  # levels of the module tree
SUGGESTED = 5  # suggested paths for an unknown one
_DIGITS = plain(r"\d+")

Path = tuple[str, ...]


class UnknownModule(LookupError):
    """Raised if a path matches no module, or several (`known`)."""

    def __init__(self, asked: str, names: list[str], several: bool = False):
        self.asked, self.known, self.several = asked, tuple(names[:SUGGESTED]), several
        paths = ", ".join(self.known)
        if several:
            super().__init__(f"{asked!r} is a module of several: {paths}")
        elif names:
            super().__init__(f"no module {asked!r} ran; there are {paths}")
        else:
            super().__init__(f"no module {asked!r}: no operation of this program ran inside of one")


def module_path(trace: Trace, asked: str) -> str:
    """Resolve a path that may begin within the model: blocks.0 for model.blocks.0.

    An open row of rearranging operations has a path too: blocks.0.attn.view → transpose. Raises UnknownModule unless
    exactly one module matches.
    """
    head, _, row = asked.rpartition(".")
    if _ARROW in row:
        return f"{module_path(trace, head)}.{row}" if head else row
    modules = {trace.strings[module] for module in set(trace.operations.module) if module >= 0}
    paths = {
        ".".join(parts[:end])
        for parts in (path.split(".", DEPTH - 1) for path in modules)
        for end in range(1, len(parts) + 1)
    }
    paths |= {f"{head}.{pattern_of((tail,))}" for head, _, tail in (path.rpartition(".") for path in paths) if head}
    if asked in paths:
        return asked
    matches = sorted(path for path in paths if path.endswith(f".{asked}"))
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise UnknownModule(asked, matches, several=True)
    parts = asked.count(".") + 1
    ends = {".".join(path.split(".")[-parts:]): path for path in sorted(paths, reverse=True)}
    near = [ends[end] for end in get_close_matches(asked, sorted(ends), 3)] or get_close_matches(
        asked, sorted(paths), 3
    )
    raise UnknownModule(asked, near or sorted(paths, key=lambda path: (path.count("."), path)))


def last_number(path: str) -> str:
    """Return the number that identifies a module in a stack.

    >>> last_number("encoder.layer_11")
    '11'
    """
    return _DIGITS.findall(path.rsplit(".", 1)[-1])[-1]


def pattern_of(path: Path) -> str:
    """Return the last part of a module's path with * for numbers.

    >>> pattern_of(("blocks", "11"))
    '*'
    """
    return _DIGITS.sub("*", path[-1])


def rearrangements(
    trace: Trace, parts: list[GraphPart], edges: list[Edge], classes: list[int], roots: Collection[int]
) -> list[tuple[int, ...]]:
    """Return the rows of at least two classes that only rearrange entries.

    All operations of a row belong to one module, and each reads only its predecessor. Only the last may be read by
    others. Differentiated results and readers of leaves stay visible outside rows.
    """
    shaping = {
        name: trace.operations.module[parts[at].operation]
        for at, name in enumerate(classes)
        if _only_shapes(trace, parts[at])
    }
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


def row_titles(trace: Trace, operations: Mapping[tuple[int, ...], list[int]]) -> dict[tuple[int, ...], str]:
    """Return a title for each row, such as view → transpose."""
    keys, modules = {}, trace.operations.module
    for row, ran in operations.items():
        names = [trace.strings[trace.operations.name[operation]].replace(".", "_") for operation in ran]
        if len(names) > STEPS:
            names = [names[0], "…", names[-1]]
        keys[row] = modules[ran[0]], _ARROW.join(names)
    alike, seen = Counter(keys.values()), Counter[tuple[int, str]]()
    titles = {}
    for row, key in keys.items():
        seen[key] += 1
        titles[row] = f"{key[1]} ({seen[key]})" if alike[key] > 1 else key[1]
    return titles


def _only_shapes(trace: Trace, part: GraphPart) -> bool:
    """Return whether an operation leaves all entries unchanged, as joining an empty tensor does."""
    if part.operation < 0 or not part.nodes:
        return False
    names = {trace.strings[trace.nodes.name[node]] for node in part.nodes}
    if names == {"CatBackward0"}:
        shape = trace.tensors.shape
        inputs, made = trace.operations.inputs[part.operation], trace.operations.outputs[part.operation]
        return len(made) == 1 and any(shape[tensor] == shape[made[0]] for tensor in inputs)
    return all(operation_of_node(name).only_shapes for name in names)


READABLE = 40  # up to this many cards, pictures show every operation and outlines open
SCREEN = 12  # cards that fit on a screen
TRAINED = 24  # up to this many cards, trained parts of a partly frozen model open
REPEATS = 3  # equal modules in a row that become one stack


@dataclass(frozen=True)
class ClosedModule:
    """Modules drawn as one card.

    Attributes:
        path: path of the module, with * for the number of a stack.
        repeats: path and classes of each module in the stack, in forward order. One item if not a stack.
        shaping: whether it is a row of rearranging operations, whose names end the path.
    """

    path: str
    repeats: tuple[tuple[str, tuple[int, ...]], ...]
    shaping: bool = False


@dataclass(frozen=True)
class Outline:
    """Parts sorted into classes: modules by class, and the path of the open row for classes within one."""

    classes: list[int]
    modules: dict[int, ClosedModule]
    within: dict[int, str]


def outlined(
    trace: Trace,
    parts: list[GraphPart],
    edges: list[Edge],
    classes: list[int],
    opened: frozenset[str],
    closed: frozenset[str],
    roots: Collection[int] = (),
) -> Outline | None:
    """Build the outline with as many open levels as fit, None without modules.

    The limit is SCREEN cards. If one module is the whole model, it opens one more level, up to READABLE cards. Opening
    or closing a module keeps the levels, so the rest of the picture stays. Frozen modules stay closed, and the first
    trained one opens as far as TRAINED cards allow.

    Args:
        classes: classes of the parts, folded by loops.
        opened: paths of opened modules. A path ending in * takes a stack apart.
        closed: paths of modules that stay one card.
    """
    first = {name: index for index, name in reversed(list(enumerate(classes)))}
    paths = {name: _path(trace, parts[index]) for name, index in sorted(first.items(), key=lambda item: item[1])}
    paths = {name: path for name, path in paths.items() if path is not None}
    if not any(paths.values()):
        return None
    users: dict[int, set[int]] = defaultdict(set)
    leaves: dict[int, dict[int, None]] = defaultdict(dict)
    for edge in edges:
        if paths.get(classes[edge.source]) is None:
            users[classes[edge.source]].add(classes[edge.target])
            leaves[classes[edge.target]][edge.source] = None
    signatures = _signatures(trace, parts, first, paths, leaves)
    frozen = _frozen(trace, parts, first, paths)
    learned = {name for name in paths if any(parts[leaf].leaf >= 0 for leaf in leaves.get(name, ()))}
    rows = rearrangements(trace, parts, edges, classes, roots)
    titles = row_titles(trace, {row: [parts[first[name]].operation for name in row] for row in rows})
    paths, shaping = _with_rows(paths, titles)
    alone = _ModuleTree(paths, frozenset(), frozenset(), signatures, learned, frozen, shaping)
    level = _level(alone, users)
    tree = _ModuleTree(paths, opened | _trained(alone, users, level), closed, signatures, learned, frozen, shaping)
    items = tree.items(list(paths), (), level)
    modules = [item for item in items if isinstance(item, ClosedModule) and not tree.is_plain(item, users)]
    within = {name: ".".join(paths[name]) for row in titles for name in row if paths[name] in tree.opened}
    own = {
        name: targets for name, targets in users.items() if name not in first or not _enters(trace, parts[first[name]])
    }
    return _joined(classes, modules, own, within) if modules else None


def _enters(trace: Trace, part: GraphPart) -> bool:
    """Return whether a leaf is a module's input, not a parameter."""
    named = part.leaf >= 0 and not trace.tensors.is_parameter[part.leaf]
    return named and name_of(run_of(trace), part.leaf).isidentifier()


def _with_rows(paths: dict[int, Path], titles: dict[tuple[int, ...], str]) -> tuple[dict[int, Path], set[Path]]:
    """Turn rows of rearranging operations into modules. Return all paths and the rows' paths.

    Operations of a row follow its first. Nothing between them reads or creates their data.
    """
    following = {row[0]: row for row in titles}
    later = {name for row in titles for name in row[1:]}
    homes: dict[int, Path] = {}
    for name in paths:
        if name in following:
            inside = (*paths[name], titles[following[name]])
            homes |= dict.fromkeys(following[name], inside)
        elif name not in later:
            homes[name] = paths[name]
    return homes, {homes[name] for name in following}


def _level(tree: "_ModuleTree", users: dict[int, set[int]]) -> int:
    """Return how many visible levels the outline opens."""
    best, shown = 0, list(tree.items(list(tree.paths), (), 0))
    for level in range(1, max(map(len, tree.paths.values())) + 1):
        items, before = list(tree.items(list(tree.paths), (), level)), _cards(shown, users)
        whole = sum(isinstance(item, ClosedModule) and not item.shaping for item in shown) == 1
        if _cards(items, users) > (READABLE if whole else max(SCREEN, before)):
            break
        if items != shown:
            best, shown = level, items
    return best


def _trained(tree: "_ModuleTree", users: dict[int, set[int]], level: int) -> frozenset[str]:
    """Return the first closed module with frozen and trained parameters, and the first inside it."""
    mixed: frozenset[str] = frozenset()
    path: str | None = ""
    while True:
        items = list(tree.items(list(tree.paths), (), level))
        paths = [item.repeats[0][0] for item in items if isinstance(item, ClosedModule)]
        inside = [name for name in paths if name.startswith(f"{path}." if path else "")]
        path = next((name for name in inside if tuple(name.split(".")) in tree.mixed), None)
        if path is None:
            return mixed
        tree.open(path)
        if _cards(list(tree.items(list(tree.paths), (), level)), users) > TRAINED:
            return mixed
        mixed |= {path}


def _frozen(trace: Trace, parts: list[GraphPart], first: dict[int, int], paths: dict[int, Path]) -> set[int]:
    """Return the operations that read a frozen parameter."""
    inputs, tensors = trace.operations.inputs, trace.tensors
    return {
        name
        for name in paths
        if any(
            tensors.is_parameter[of] and not tensors.requires_grad[of] for of in inputs[parts[first[name]].operation]
        )
    }


def _joined(
    classes: list[int], modules: list[ClosedModule], users: dict[int, set[int]], within: dict[int, str]
) -> Outline:
    """Merge each module's classes into one, with the leaves that only it uses."""
    joined: dict[int, int] = {}
    named = {}
    for module in modules:
        inside = [class_ for _, own in module.repeats for class_ in own]
        joined.update(dict.fromkeys(inside, inside[0]))
        named[inside[0]] = module
    for leaf, targets in users.items():
        homes = {joined.get(target, -1) for target in targets}
        if len(homes) == 1 and -1 not in homes:
            joined[leaf] = homes.pop()
    return Outline([joined.get(name, name) for name in classes], named, within)


def _cards(items: list[ClosedModule | int], users: dict[int, set[int]]) -> int:
    """Count the cards of a picture, shared leaves included."""
    home = {
        class_: number
        for number, item in enumerate(items)
        for class_ in ([c for _, own in item.repeats for c in own] if isinstance(item, ClosedModule) else [item])
    }
    alone = {number for number, item in enumerate(items) if not isinstance(item, ClosedModule)}
    outside = 0
    for targets in users.values():
        homes = {home.get(target, -1) for target in targets}
        outside += len(homes) > 1 or not homes.isdisjoint(alone)
    return len(items) + outside


def _path(trace: Trace, part: GraphPart) -> Path | None:
    """Return the path of an operation's module, () outside modules, None for other parts."""
    if part.operation < 0:
        return None
    module = trace.string(trace.operations.module[part.operation])
    return tuple(module.split(".", DEPTH - 1)) if module else ()


def _signatures(
    trace: Trace,
    parts: list[GraphPart],
    first: dict[int, int],
    paths: dict[int, Path],
    leaves: dict[int, dict[int, None]],
) -> dict[int, tuple]:
    """Return signatures shared by equal operations: function, result shape, leaf shapes."""
    operations, tensors = trace.operations, trace.tensors
    signatures = {}
    for name in paths:
        operation = parts[first[name]].operation
        made = tuple(tensors.shape[tensor] for tensor in operations.outputs[operation][:8])
        used = tuple(tensors.shape[parts[leaf].leaf] for leaf in leaves.get(name, ()) if parts[leaf].leaf >= 0)
        signatures[name] = (operations.function[operation], made, used)
    return signatures


class _ModuleTree:
    """The operations of one picture, by module."""

    def __init__(
        self,
        paths: dict[int, Path],
        opened: frozenset[str],
        closed: frozenset[str],
        signatures: dict[int, tuple],
        learned: set[int],
        frozen: set[int],
        shaping: set[Path],
    ):
        self.paths, self.signatures, self.frozen, self.shaping = paths, signatures, frozen, shaping
        self.around: set[Path] = set()  # modules with other modules inside
        self.children: dict[Path, set[Path]] = defaultdict(set)
        for path in {path[:-1] if path in shaping else path for path in paths.values()}:
            self.around.update(path[:end] for end in range(len(path)))
            for end in range(len(path)):
                self.children[path[:end]].add(path[: end + 1])
        self.opened: set[Path] = set()
        for name in opened:
            self.open(name)
        self.closed = {tuple(name.split(".", DEPTH - 1)) for name in closed}
        trained, still = _around(paths[name] for name in learned), _around(paths[name] for name in frozen)
        self.mixed = trained & still & self.around
        self.closed |= still - trained

    def open(self, name: str) -> None:
        """Draw the inside of a module, and of all around it."""
        path = tuple(name.split(".", DEPTH - 1))
        self.opened.update(path[:end] for end in range(1, len(path) + 1))

    def items(self, classes: list[int], inside: Path, level: int) -> Iterator[ClosedModule | int]:
        """Yield closed modules and single operations `inside` a module."""
        end = len(inside) + 1
        for stack, same in groupby(self._stacked(classes, inside), lambda step: step[0]):
            members = [run for _, run in same]
            if stack >= 0:
                yield _stack(inside, members)
                continue
            for path, run in members:
                if len(path) < end:
                    yield from run
                elif self._is_open(path, level):
                    yield from self.items(run, path, level)
                else:
                    yield self._closed(path, run)

    def _closed(self, path: Path, run: list[int]) -> ClosedModule:
        """Close a module into one card, or its stack."""
        path = self._deepest(path, run)
        inside = self._stacked(run, path)
        if len({stack for stack, _ in inside}) == 1 and inside[0][0] >= 0:
            return _stack(path, [class_ for _, class_ in inside])
        return ClosedModule(".".join(path), ((".".join(path), tuple(run)),), path in self.shaping)

    def _deepest(self, path: Path, run: list[int]) -> Path:
        """Return a run's deepest common path."""
        while len(self.children[path]) > 1:
            children = {self.paths[class_][: len(path) + 1] for class_ in run}
            if len(children) > 1 or path in children:
                break
            (path,) = children
        return path

    def is_plain(self, item: ClosedModule, users: dict[int, set[int]]) -> bool:
        """Return whether a module is one operation without parameters, better shown directly."""
        inside = [class_ for _, own in item.repeats for class_ in own]
        return (
            len(inside) == 1
            and inside[0] not in self.frozen
            and not any(inside[0] in targets for targets in users.values())
        )

    def _is_open(self, path: Path, level: int) -> bool:
        if path in self.opened:
            return True
        return len(path) <= level and path in self.around and path not in self.closed

    def _stacked(self, classes: list[int], inside: Path) -> list[tuple[int, tuple[Path, list[int]]]]:
        """Return the module runs one level down with their stack numbers."""
        end = len(inside) + 1
        runs = [(path, list(run)) for path, run in groupby(classes, lambda class_: self.paths[class_][:end])]
        keys = [self._alike(path, run, inside) for path, run in runs]
        stacks: list[tuple[int, tuple[Path, list[int]]]] = []
        for number, (key, same) in enumerate(groupby(range(len(runs)), lambda at: keys[at])):
            members = list(same)
            stacked = key is not None and len({runs[at][0] for at in members}) == len(members) >= REPEATS
            stacks += [(number if stacked else -1 - number, runs[at]) for at in members]
        return stacks

    def _alike(self, path: Path, run: list[int], inside: Path) -> tuple | None:
        """Return a key shared by neighbouring modules that do the same, None for others."""
        if len(path) <= len(inside) or path in self.opened | self.shaping or (*inside, pattern_of(path)) in self.opened:
            return None
        pattern = pattern_of(path)
        if pattern == path[-1]:
            return None  # without a number it is not a repeat
        does = [(self.paths[class_][len(path) :], *self.signatures[class_]) for class_ in run]
        learned = tuple((below, used) for below, _, _, used in does if used)
        return pattern, does[-1][2], learned or tuple(does)  # a first layer's input may not require grad


def _around(paths: Iterable[Path]) -> set[Path]:
    """Return these modules and all that enclose them."""
    return {path[:end] for path in set(paths) for end in range(1, len(path) + 1)}


def _stack(inside: Path, members: list[tuple[Path, list[int]]]) -> ClosedModule:
    repeats = tuple((".".join(path), tuple(run)) for path, run in members)
    return ClosedModule(f"{'.'.join(inside)}.{pattern_of(members[0][0])}".lstrip("."), repeats)
