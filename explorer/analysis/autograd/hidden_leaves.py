"""The leaves inside closed modules, for the table of leaves: no card shows them."""

from explorer.analysis.autograd.cards import CardMaker
from explorer.analysis.autograd.graph_parts import gradient_parts
from explorer.analysis.autograd.view import Card, GraphView
from explorer.trace import Trace

HIDDEN = 1_000  # that are listed


def hidden_leaves(trace: Trace, view: GraphView) -> list[Card]:
    """The first HIDDEN leaves inside a view's closed modules, as cards, in forward order."""
    closed = {
        node
        for card in view.cards
        if card.module
        for run in (card.fold.executions if card.fold else (card.nodes,))
        for node in run
    }
    if not closed:
        return []
    parts, edges = gradient_parts(trace, None if view.backward is None else trace.backwards[view.backward])
    shown = {tensor for card in view.cards if card.kind == "leaf" for tensor in card.tensors}
    inside = [part for part in parts if part.leaf >= 0 and part.leaf not in shown and not closed.isdisjoint(part.nodes)]
    maker = CardMaker(trace, view.backward, parts, edges)
    return [maker.card([part], False) for part in inside[:HIDDEN]]
