"""Graph view: a Trace as cards and edges, folded to be readable."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import cached_property, partial

from msgspec.structs import replace

from explorer.analysis.explain.autograd.altered_gradients import altered_by
from explorer.analysis.explain.autograd.cards import CardMaker, placed, shared_spans
from explorer.analysis.explain.autograd.folds import (
    CROWD,
    MAX_CARDS,
    MAX_EDGES,
    NOTHING_OPENED,
    Folded,
    Opened,
    fold_parts,
)
from explorer.analysis.explain.autograd.gradient_cuts import DataInput, data_inputs, has_history, numbers_used
from explorer.analysis.explain.autograd.gradients import last_recorded_call, selected_backward
from explorer.analysis.explain.autograd.graph_parts import Edge, GraphPart, gradient_parts, operation_parts
from explorer.analysis.explain.autograd.module_cards import ModuleCards
from explorer.analysis.explain.autograd.view_records import Altered, BackwardKind, Card, DrawnEdge, EdgeKind, GraphView
from explorer.analysis.run.model import one_line
from explorer.analysis.run.names import name_of
from explorer.trace import Trace

LEAF_CARDS = 60  # up to this many cards, a leaf with at most LEAF_USES uses is drawn once
LEAF_USES = 6
PLAIN_CARDS = 60  # cards of a program without gradients
STOPPED_INPUTS = 12  # inputs drawn for an operation that raised
ABOVE_CUT = 4  # cards between the picture and a cut-off tensor


def graph_view(
    trace: Trace,
    backward: int | None = None,
    fold: bool = True,
    opened: Opened = NOTHING_OPENED,
    stopped: int = -1,
    explained: bool = True,
    judged: bool = True,
) -> GraphView:
    """Build the content of one picture.

    Args:
        backward: backward to show. None: the selected one, else the last.
        fold: whether executions of the same place are one card.
        stopped: an operation that raised or could not be differentiated, drawn with its inputs because it has no
            node.
        explained: whether cards explain missing gradients and lost paths, which takes most of a view's time.
        judged: whether to check that gradients are derivatives, which only sentences need.

    Raises:
        IndexError: the program has no such backward.
    """
    if backward is not None and not 0 <= backward < len(trace.backwards):
        raise IndexError(f"backward {backward} asked for, the program has {len(trace.backwards)}")
    shown = selected_backward(trace) if backward is None else backward
    if shown is None and trace.backwards:
        shown = len(trace.backwards) - 1
    if not len(trace.nodes):
        return _plain_view(trace, fold, opened, stopped)
    call = None if shown is None else trace.backwards[shown]
    root_nodes = {node for node in call.roots if node >= 0} if call else set()
    parts, edges = gradient_parts(trace, shown if root_nodes else None)  # no root has a history: show all nodes
    root_parts = {i for i, part in enumerate(parts) if root_nodes.intersection(part.nodes)}
    folded = fold_parts(trace, parts, edges, root_parts, fold, opened)
    kind: BackwardKind = "none" if call is None else "failed" if call.status == "failed" else call.kind
    if kind == "implicit" and trace.options.of:
        kind = "asked"
    assembly = _GraphAssembly(trace, shown, parts, edges, folded, root_parts, stopped, explained)
    view = assembly.view(kind, altered_by(trace, shown) if judged else "")
    if stopped < 0 and not view.folded and not view.left_out:
        trace.index.memoize(("unfolded view", shown), lambda: view)
    return view


def unfolded_view(trace: Trace, backward: int) -> GraphView:
    """Return the cards of a backward one by one, for their words."""
    make = partial(graph_view, trace, backward, False, explained=False, judged=False)
    return trace.index.memoize(("unfolded view", backward), make)


def _plain_view(trace: Trace, fold: bool, opened: Opened, stopped: int) -> GraphView:
    """Build the view of a program without gradients: its (last) operations as data cards."""
    parts, edges = _without_insides(trace, *operation_parts(trace))
    folded = fold_parts(trace, parts, edges, {len(parts) - 1}, fold, opened)
    if len(folded.members) > PLAIN_CARDS:
        first = len(folded.members) - PLAIN_CARDS
        shown = {(s - first, t - first, slot): e for (s, t, slot), e in folded.edges.items() if min(s, t) >= first}
        bundled = frozenset((s - first, t - first) for s, t in folded.bundled if min(s, t) >= first)
        folded = Folded(folded.members[first:], shown, folded.left_out + first, bundled=bundled)
    return _GraphAssembly(trace, None, parts, edges, folded, set(), stopped).view("none")


def _without_insides(trace: Trace, parts: list[GraphPart], edges: list[Edge]) -> tuple[list[GraphPart], list[Edge]]:
    """Drop unnamed, unconnected tensors that libraries created, such as a layer's first weights."""
    shared = shared_spans(trace, parts)
    named = {binding.tensor for binding in trace.bindings if "." not in binding.name}
    joined = {part for edge in edges for part in (edge.source, edge.target)}
    operations = trace.operations

    def inside(index: int) -> bool:
        operation = parts[index].operation
        place = (operations.span[operation], tuple(operations.iteration[operation]))
        return place in shared and index not in joined and named.isdisjoint(operations.outputs[operation])

    rest = [index for index in range(len(parts)) if not inside(index)]
    number = {old: new for new, old in enumerate(rest)}
    renumbered = [Edge(number[edge.source], number[edge.target], edge.slot, edge.node) for edge in edges]
    return [parts[index] for index in rest], renumbered


class _GraphAssembly:
    """The cards and edges of one picture under construction."""

    def __init__(
        self,
        trace: Trace,
        shown: int | None,
        parts: list[GraphPart],
        edges: list[Edge],
        folded: Folded,
        root_parts: set[int],
        stopped: int,
        explained: bool = True,
    ):
        self.stopped = stopped
        self.trace, self.shown, self.parts, self.folded = trace, shown, parts, folded
        self.maker = CardMaker(trace, shown, parts, edges, explained)
        self.modules = ModuleCards(trace, self.maker, parts, edges, folded, root_parts)
        self.roots = [root_parts.intersection(members) for members in folded.members]
        self.cards: list[Card] = [
            self.modules.card(number, bool(roots))
            if number in folded.modules
            else self.maker.card([parts[i] for i in members], bool(roots), folded.within.get(number, ""))
            for number, (members, roots) in enumerate(zip(folded.members, self.roots, strict=True))
        ]
        self.cards = self.maker.words.disambiguate(self.cards)
        self.card_of_node = {node: card.id for card in self.cards for run in card.executions for node in run}
        self.bundles = {(self.cards[source].id, self.cards[target].id) for source, target in folded.bundled}
        self.extra: dict[str, Card] = {}
        self.cuts: list[DrawnEdge] = []

    def view(self, kind: BackwardKind, altered: Altered = "") -> GraphView:
        drawn_edges = self._copied_leaves(self._ports(self._edges()))
        order = {card.id: i for i, card in enumerate(self.cards)}
        # a cut does not connect rounds of a loop
        above = {drawn.target for drawn in self.cuts if drawn.kind == "plain"}
        self.cards = [placed(self.trace, card) for card in self.cards]
        drawn_edges = [
            replace(
                drawn,
                id=f"{drawn.source}-{drawn.target}-{drawn.port}",
                again=order[drawn.source] > order[drawn.target] and drawn.kind == "plain" and drawn.target not in above,
            )
            for drawn in drawn_edges
        ]
        began = set() if self.shown is None else set(self.trace.backwards[self.shown].roots)
        roots = tuple(
            card.id for card in self.cards if (card.kind == "out" if card.module else not began.isdisjoint(card.nodes))
        )
        folded = any(card.fold or card.module for card in self.cards)
        return GraphView(
            tuple(self.cards),
            tuple(drawn_edges),
            roots,
            self._of(),
            self.shown,
            kind,
            folded,
            self.folded.left_out,
            dropped=self._counted("nodes"),
            call=last_recorded_call(self.trace, self.shown),
            lost=self._counted("lost"),
            stopped=self.stopped,
            limited=self.trace.end == "limited",
            requested=any(self.trace.tensors.requires_grad),
            altered=altered,
            start=self.maker.nonfinite.start,
            inner=self._inner(),
        )

    def _inner(self) -> str:
        """Return the torch.func call that differentiates the shown backward again in forward mode, or ""."""
        if self.shown is None or (call := self.trace.backwards[self.shown]).span < 0:
            return ""
        ends = self.maker.run.by_name.get("_unpack_dual", ())
        span = self.trace.operations.span
        return (
            one_line(self.trace.text(call.span))
            if any(at >= call.operations and span[at] == call.span for at in ends)
            else ""
        )

    def _counted(self, kind: str) -> int:
        return sum(bound.count for bound in self.trace.limits if bound.kind == kind)

    def _of(self) -> str:
        """Return the names of the roots."""
        if self.shown is None:
            return ""
        call = self.trace.backwards[self.shown]
        text = one_line(self.trace.text(call.span))
        names = [name_of(self.maker.run, t, call.operations, text) for t in call.root_tensors if t >= 0]
        return ", ".join(names) if all(names) else ""

    def _edges(self) -> dict[str, list[tuple[tuple, DrawnEdge]]]:
        """Return each target card's edges with their input: (position in the call, slot)."""
        into: dict[str, list[tuple[tuple, DrawnEdge]]] = defaultdict(list)
        for (source, target, slot), (edge, count) in self.folded.edges.items():
            single = edge.node >= 0 and (source, target) not in self.folded.bundled
            contribution = self.trace.value(self.maker.passed.get((edge.node, slot[1]), -1)) if single else None
            kind: EdgeKind = "plain" if edge.node >= 0 else "data"
            drawn = DrawnEdge("", self.cards[source].id, self.cards[target].id, 0, kind, contribution, count)
            position = self.maker.position(self.parts[edge.target], edge)
            into[drawn.target].append(((position, slot), drawn))
        for number in self.folded.modules:
            closed = self.cards[number].id
            into[closed] = _one_each(into[closed])
        self._data_edges(into)
        return into

    def _data_edges(self, into: dict[str, list[tuple[tuple, DrawnEdge]]]) -> None:
        """Add constant inputs and cut-off tensors as cards and edges, while there is room."""
        numbers = numbers_used(self.trace)
        room = MAX_CARDS - len(self.cards)
        count = sum(map(len, into.values()))
        for number, (card, members) in enumerate(list(zip(list(self.cards), self.folded.members, strict=True))):
            for part, data in self._read_data(number, members, numbers):
                if part.nodes and len(self.extra) + 2 <= room and count + 2 <= MAX_EDGES:
                    drawn = self._data_edge(card, data)
                    into[card.id].append(((data.position, (0, data.position)), drawn))
                    count += 2
                elif not part.nodes and data.source_row < 0:
                    self._plain_input(into, card, data, room)
        last = [self._stopped_card(into, numbers)] if self.stopped >= 0 else []
        self.cards = [*self.extra.values(), *self.cards, *last]

    def _read_data(
        self, number: int, members: list[int], numbers: dict[int, list[int]]
    ) -> Iterable[tuple[GraphPart, DataInput]]:
        """Yield a card's inputs without history."""
        if number in self.folded.modules:
            return self.modules.data_inputs(number, numbers)
        part = self.parts[members[-1]]
        inputs = data_inputs(self.trace, self.maker.run, part.operation, numbers) if part.operation >= 0 else []
        return [(part, data) for data in inputs]

    def _stopped_card(self, into: dict[str, list[tuple[tuple, DrawnEdge]]], numbers: dict[int, list[int]]) -> Card:
        """Return the card of the operation that raised, connected to its inputs."""
        operation, operations, run = self.stopped, self.trace.operations, self.maker.run
        card = self.maker.stopped_card(operation)
        data = {data_input_.position: data_input_ for data_input_ in data_inputs(self.trace, run, operation, numbers)}
        inputs = zip(operations.inputs[operation][:STOPPED_INPUTS], self.trace.index.rows_read(operation), strict=False)
        for position, (tensor, row) in enumerate(inputs):
            if has_history(self.trace, tensor, row, operation):
                drawn = DrawnEdge("", self._source_card(row), card.id, 0)
            elif source := next((card.id for card in self.cards if tensor in card.tensors and not card.nodes), ""):
                drawn = DrawnEdge("", source, card.id, 0, "data")
            elif position in data:
                drawn = self._data_edge(card, data[position])
            else:
                continue
            into[card.id].append(((position, (0, position)), drawn))
        return card

    def _data_edge(self, card: Card, data: DataInput) -> DrawnEdge:
        """Return a constant input's edge. Add its card and cut."""
        made = self.maker.data_card(data)
        if made.id not in self.extra:
            source = self._source_card(data.source_row) if data.source_row >= 0 else None
            self.extra[made.id] = made
            if source:
                self.cuts.append(DrawnEdge("", source, made.id, 0, data.kind))
        return DrawnEdge("", made.id, card.id, 0, "data")

    def _plain_input(
        self, into: dict[str, list[tuple[tuple, DrawnEdge]]], card: Card, data: DataInput, room: int
    ) -> None:
        """Add the card of a named, unrecorded input in a picture without gradients."""
        if any(data.key in other.tensors for other in self.cards) or len(self.extra) >= room:
            return
        made = self.maker.data_card(data)
        self.extra.setdefault(made.id, made)
        into[card.id].append(((data.position, (0, data.position)), DrawnEdge("", made.id, card.id, 0, "data")))

    def _source_card(self, row: int) -> str:
        """Return the card of a version whose gradient is cut, creating it if needed."""
        node = self.trace.versions.node[row]
        tensor = self.trace.index.tensor_of(row)
        leaves = (card.id for card in self.cards if card.kind == "leaf" and tensor in card.tensors)
        if source := self.card_of_node.get(node, "") or next(leaves, ""):
            return source
        made = self.maker.outside_card(tensor, row)
        self.extra.setdefault(made.id, made)
        if node >= 0:
            self.card_of_node[node] = made.id
            self._join_above(node)
        return made.id

    def _join_above(self, node: int) -> None:
        """Draw the path that detach removed, over few cards."""
        nodes, versions = self.trace.nodes, self.trace.versions
        above: dict[int, Card] = {}
        drawn_edges = []
        todo = [node]
        while todo:
            target = todo.pop()
            into = above[target].id if target in above else self.card_of_node[target]
            for position, below in enumerate(nodes.edges[target]):
                if below < 0:
                    continue
                if below not in self.card_of_node and below not in above:
                    row = self._row_of_node.get(below, -1)
                    if row < 0 or len(above) == ABOVE_CUT or versions.operation[row] < 0:
                        return  # the path to the picture is too long
                    above[below] = self.maker.outside_card(self.trace.index.tensor_of(row), row)
                    todo.append(below)
                source = above[below].id if below in above else self.card_of_node[below]
                drawn_edges.append(DrawnEdge("", source, into, position, "plain"))
        for below, card in above.items():
            self.extra.setdefault(card.id, card)
            self.card_of_node[below] = card.id
        self.cuts += drawn_edges

    @cached_property
    def _row_of_node(self) -> dict[int, int]:
        """First row of `versions` for each node."""
        rows: dict[int, int] = {}
        for row, node in enumerate(self.trace.versions.node):
            rows.setdefault(node, row)
        return rows

    def _ports(self, into: dict[str, list[tuple[tuple, DrawnEdge]]]) -> list[DrawnEdge]:
        drawn_edges = []
        users = Counter(source for pairs in into.values() for source in {drawn.source for _, drawn in pairs})
        for pairs in into.values():
            pairs.sort(key=lambda item: item[0])
            pairs = self._bundled(pairs, users)
            seen: dict[tuple, int] = {}
            for key, drawn in pairs:
                port = seen.setdefault(key, len(seen))
                drawn_edges.append(replace(drawn, port=port))
        return drawn_edges + self.cuts

    def _bundled(self, pairs: list[tuple[tuple, DrawnEdge]], users: Counter) -> list[tuple[tuple, DrawnEdge]]:
        """Merge the edges of a leaf that one call reads repeatedly.

        The contribution is known if only this call reads the leaf: its whole gradient.
        """
        uses: Counter[str] = Counter()
        for _, drawn in pairs:
            uses[drawn.source] += drawn.count if (drawn.source, drawn.target) in self.bundles else 1
        leaves = {card.id: card for card in self.cards if card.kind == "leaf" and uses[card.id]}
        most = 1 if len(leaves) > CROWD else LEAF_USES
        leaves = {name: card for name, card in leaves.items() if uses[name] > most}
        rest, bundled = [], set()
        for key, drawn in pairs:
            if drawn.source in bundled:
                continue
            if drawn.source in leaves:
                bundled.add(drawn.source)
                whole = leaves[drawn.source].gradient if users[drawn.source] == 1 else None
                drawn = replace(drawn, count=uses[drawn.source], contribution=whole)
            rest.append((key, drawn))
        return rest

    def _copied_leaves(self, drawn_edges: list[DrawnEdge]) -> list[DrawnEdge]:
        """Split often-used leaves and data into one card per user."""
        uses = Counter(source for source, _ in {(drawn.source, drawn.target) for drawn in drawn_edges})
        single = {card.id: card for card in self.cards if card.kind in ("leaf", "data")}
        many = len(self.cards) > LEAF_CARDS
        split = {i for i in single if uses[i] > LEAF_USES or (many and uses[i] > 1)}
        if not split:
            return drawn_edges
        room = MAX_CARDS - len(self.cards)
        placed: dict[str, list[Card]] = defaultdict(list)
        user: dict[str, str] = {}  # leaf → user of its latest copy
        moved = []
        for drawn in drawn_edges:
            if drawn.source in split and (placed[drawn.source] or room > 0):
                copies = placed[drawn.source]
                if not copies or (room > 0 and user[drawn.source] != drawn.target):
                    room -= bool(copies)
                    copies.append(replace(single[drawn.source], id=f"{drawn.source}_{len(copies)}"))
                    user[drawn.source] = drawn.target
                drawn = replace(drawn, source=copies[-1].id)
            moved.append(drawn)
        into_split = {drawn.target for drawn in moved} & set(split)
        cards = []
        for card in self.cards:
            copies = placed.get(card.id) if card.id not in into_split else None
            cards += [replace(copy, copies=len(copies)) for copy in copies] if copies else [card]
        kept = {card.id for card in cards}
        self.cards = cards
        sources = {copy.id: copy.id if copy.id in kept else leaf for leaf, copies in placed.items() for copy in copies}
        return [replace(drawn, source=sources.get(drawn.source, drawn.source)) for drawn in moved]


def _one_each(pairs: list[tuple[tuple, DrawnEdge]]) -> list[tuple[tuple, DrawnEdge]]:
    """Keep one edge per source into a closed module."""
    drawn_edges: dict[str, tuple[tuple, DrawnEdge]] = {}
    for key, drawn in sorted(pairs, key=lambda item: item[0]):
        if drawn.source in drawn_edges:
            first, before = drawn_edges[drawn.source]
            drawn_edges[drawn.source] = first, replace(before, count=before.count + drawn.count, contribution=None)
        else:
            drawn_edges[drawn.source] = key, drawn
    return list(drawn_edges.values())
