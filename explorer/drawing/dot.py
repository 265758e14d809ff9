"""DOT out of a view: boxes of known size with a port per input, and none of the program's text."""

from explorer.autograd import GraphView
from explorer.drawing.cards import Box, measure


def to_dot(view: GraphView, rankdir: str = "TB") -> str:
    """The graph for Graphviz. Nodes are named by the cards' ids, edges carry id "e<index of the wire>"."""
    return boxes_to_dot(view, [measure(card, "en") for card in view.cards], rankdir)


def boxes_to_dot(view: GraphView, boxes: list[Box], rankdir: str) -> str:
    """The same for boxes already measured."""
    rankdir = "LR" if rankdir == "LR" else "TB"
    ports: dict[str, int] = {}
    for wire in view.wires:
        ports[wire.target] = max(ports.get(wire.target, 0), wire.port + 1)
    nodesep, ranksep = (0.30, 0.68) if rankdir == "TB" else (0.24, 0.62)
    lines = [
        f"digraph autograd {{ rankdir={rankdir}; nodesep={nodesep}; ranksep={ranksep}; splines=true;",
        'node [shape=record fixedsize=true label="" fontsize=1 margin=0]; edge [arrowhead=none];',
    ]
    for box in boxes:
        inputs = "|".join(f"<i{port}>" for port in range(ports.get(box.card.id, 0))) or "<i0>"
        size = f"width={box.width / 72:.4f} height={box.height / 72:.4f}"
        lines.append(f'{box.card.id} [{size} label="{{{{{inputs}}}|<o>}}"];')
    out, into = ("s", "n") if rankdir == "TB" else ("e", "w")
    for index, wire in enumerate(view.wires):
        if not wire.again:  # those run outside of everything: place.py
            lines.append(f'{wire.source}:o:{out} -> {wire.target}:i{wire.port}:{into} [id="e{index}"];')
    return "\n".join([*lines, "}"])
