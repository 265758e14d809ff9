"""DOT out of a view: boxes of known size with a port per input, and none of the program's text."""

from explorer.autograd import GraphView
from explorer.autograd.formulas import commutes
from explorer.drawing.graph.cards import Box, measure


def to_dot(view: GraphView, rankdir: str = "TB") -> str:
    """The graph for Graphviz. Nodes are named by the cards' ids, edges carry id "e<index of the wire>"."""
    return boxes_to_dot(view, [measure(card, "en") for card in view.cards], rankdir)


def boxes_to_dot(view: GraphView, boxes: list[Box], rankdir: str) -> str:
    """The graph for Graphviz, as in `to_dot`, with the sizes of boxes already measured."""
    rankdir = "LR" if rankdir == "LR" else "TB"
    port = drawn_ports(view)
    ports: dict[str, int] = {}
    for index, wire in enumerate(view.wires):
        ports[wire.target] = max(ports.get(wire.target, 0), port[index] + 1)
    nodesep, ranksep = (0.30, 0.68) if rankdir == "TB" else (0.24, 0.62)
    lines = [
        f"digraph autograd {{ rankdir={rankdir}; nodesep={nodesep}; ranksep={ranksep}; splines=true;",
        'node [shape=record fixedsize=true label="" fontsize=1 margin=0]; edge [arrowhead=none];',
    ]
    for box in boxes:
        inputs = "|".join(f"<i{number}>" for number in range(ports.get(box.card.id, 0))) or "<i0>"
        size = f"width={box.width / 72:.4f} height={box.height / 72:.4f}"
        lines.append(f'{box.card.id} [{size} label="{{{{{inputs}}}|<o>}}"];')
    out, into = ("s", "n") if rankdir == "TB" else ("e", "w")
    for index, wire in enumerate(view.wires):
        if not wire.again:  # those run outside of everything: place.py
            lines.append(f'{wire.source}:o:{out} -> {wire.target}:i{port[index]}:{into} [id="e{index}"];')
    return "\n".join([*lines, "}"])


def drawn_ports(view: GraphView) -> list[int]:
    """Where on its target each wire arrives, from 0: in argument order, but for two operands that may change places.

    Of those the one that is used again further on arrives on the right, where its other wires go: fewer wires cross.
    """
    ports = [wire.port for wire in view.wires]
    into: dict[str, list[int]] = {}
    last_use: dict[str, int] = {}
    order = {card.id: number for number, card in enumerate(view.cards)}
    commuting = {card.id for card in view.cards if commutes(card.torch)}
    for index, wire in enumerate(view.wires):
        last_use[wire.source] = max(last_use.get(wire.source, 0), order[wire.target])
        if wire.target in commuting and not wire.again:
            into.setdefault(wire.target, []).append(index)
    for pair in into.values():
        if len(pair) == 2 and {ports[i] for i in pair} == {0, 1}:
            pair.sort(key=lambda i: (last_use[view.wires[i].source], ports[i]))
            ports[pair[0]], ports[pair[1]] = 0, 1
    return ports
