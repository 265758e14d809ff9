"""Convert a view to DOT: sized boxes with a port for each input."""

from explorer.analysis.explain.autograd import GraphView
from explorer.analysis.explain.autograd.frames import ModuleFrame, all_cards, module_frames
from explorer.analysis.explain.autograd.node_formulas import commutes
from explorer.drawing.graph.cards import Box, boxes_of

ROW = 520  # px of cards side by side above a card: as much as a pane shows at once
FRAME_PAD, FRAME_TITLE = 14, 12  # px from a frame to its cards, and height of its title
BESIDE, BELOW = 0.25, 0.36  # inches between cards of a rank, and between ranks with room for edge labels
FEW, ROOMY = 6, 0.6  # up to so many cards fit with more room between ranks


def to_dot(view: GraphView) -> str:
    """Return the graph for Graphviz. Nodes are card ids, edges have id "e<edge index>"."""
    return boxes_to_dot(view, boxes_of(view, "en"))


def boxes_to_dot(view: GraphView, boxes: list[Box], gaps: tuple[float, float] | None = None) -> str:
    """Return the graph for Graphviz with measured boxes, as in `to_dot`.

    Args:
        gaps: inches between cards of a rank, and between ranks. None: the page's.
    """
    port = drawn_ports(view)
    leaves = {card.id for card in view.cards if card.kind in ("leaf", "data")}
    nodes = _nodes(view, boxes, port, leaves)
    frames = module_frames(view)
    framed = {card for frame in frames for card in all_cards(frame)}
    away = _rows_of_leaves(view, {box.card.id: box.width for box in boxes}, leaves)
    edges = (
        f'"{edge.source}":o:s -> "{edge.target}":i{port[index]}:n [id=e{index}'
        f"{f' minlen={away[index]}' if index in away else ''}{' weight=8' if edge.source not in leaves else ''}]"
        for index, edge in enumerate(view.edges)
        if not edge.again  # those run outside of everything: place.py
    )
    beside, below = gaps or (BESIDE, ROOMY if len(boxes) <= FEW else BELOW)
    lines = [
        f"digraph autograd {{ graph [rankdir=TB nodesep={beside} ranksep={below} splines=true]",
        'node [shape=record fixedsize=true label="" fontsize=1 margin=0] edge [arrowhead=none]',
        *(line for card, line in nodes.items() if card not in framed),
        *(_cluster(frame, nodes, f"{number}") for number, frame in enumerate(frames)),
        *edges,
        "}",
    ]
    return "\n".join(lines)


def _nodes(view: GraphView, boxes: list[Box], port: list[int], leaves: set[str]) -> dict[str, str]:
    """Return each card's line, with its size and input ports."""
    ports: dict[str, int] = {}
    inside: dict[str, set[int]] = {}  # ports into which computed values run
    for index, edge in enumerate(view.edges):
        if edge.source not in leaves and not edge.again:
            inside.setdefault(edge.target, set()).add(port[index])
        ports[edge.target] = max(ports.get(edge.target, 0), port[index] + 1)
    nodes = {}
    for box in boxes:
        count, inner = ports.get(box.card.id, 0), inside.get(box.card.id, set())
        aside = count - 1 - 2 * min(inner) if len(inner) == 1 else 0  # a chain runs straight down through its cards
        inputs = "|".join([""] * aside + [f"<i{number}>" for number in range(count or 1)] + [""] * -aside)
        size = f"width={box.width / 72:.4f} height={box.height / 72:.4f}"
        nodes[box.card.id] = f'"{box.card.id}" [{size} label="{{{{{inputs}}}|<o>}}"]'
    return nodes


def _cluster(frame: ModuleFrame, nodes: dict[str, str], name: str) -> str:
    """Return a frame, which Graphviz keeps together, with room for its title."""
    inside = [nodes[card] for card in frame.cards]
    inside += [_cluster(inner, nodes, f"{name}_{number}") for number, inner in enumerate(frame.inside)]
    margin = f'graph [margin={FRAME_PAD} label=" " fontsize={FRAME_TITLE} peripheries=0]'
    return "\n".join([f"subgraph cluster_{name} {{ {margin}", *inside, "}"])


def _rows_of_leaves(view: GraphView, size: dict[str, int], leaves: set[str]) -> dict[int, int]:
    """Return, for each edge, how many ranks its leaf is above its target."""
    users: dict[str, set[str]] = {}
    into: dict[str, dict[str, None]] = {}
    for edge in view.edges:
        users.setdefault(edge.source, set()).add(edge.target)
        if not edge.again:
            into.setdefault(edge.target, {})[edge.source] = None
    rank: dict[tuple[str, str], int] = {}
    for target, sources in into.items():
        alone = [source for source in sources if source in leaves and len(users[source]) == 1]
        beside = min(ROW // 2, sum(size[source] for source in sources if source not in alone))
        row, taken = 1, beside
        for leaf in alone:
            if taken > beside * (row > 1) and taken + size[leaf] > ROW:
                row, taken = row + 1, beside
            taken += size[leaf]
            rank[leaf, target] = row
    return {i: row for i, edge in enumerate(view.edges) if (row := rank.get((edge.source, edge.target), 1)) > 1}


def drawn_ports(view: GraphView) -> list[int]:
    """Return the port on its target where each edge arrives, in argument order.

    Interchangeable operands may swap: the one used again later arrives on the right, near its other edges, so that
    fewer edges cross.
    """
    ports = [edge.port for edge in view.edges]
    into: dict[str, list[int]] = {}
    last_use: dict[str, int] = {}
    order = {card.id: number for number, card in enumerate(view.cards)}
    commuting = {card.id for card in view.cards if commutes(card.torch)}
    for index, edge in enumerate(view.edges):
        last_use[edge.source] = max(last_use.get(edge.source, 0), order[edge.target])
        if edge.target in commuting and not edge.again:
            into.setdefault(edge.target, []).append(index)
    for pair in into.values():
        if len(pair) == 2 and {ports[i] for i in pair} == {0, 1}:
            pair.sort(key=lambda i: (last_use[view.edges[i].source], ports[i]))
            ports[pair[0]], ports[pair[1]] = 0, 1
    return ports
