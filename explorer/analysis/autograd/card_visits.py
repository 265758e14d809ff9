"""The engine's order in a backward, card by card."""

from collections import Counter
from itertools import groupby

from msgspec import Struct

from explorer.analysis.autograd.inspection import card_of_node
from explorer.analysis.autograd.view import GraphView
from explorer.trace import Trace

MAX_STEPS = 120  # above this number a folded card has one step for all its rounds


class Visit(Struct, frozen=True):
    """Nodes of one card that the engine ran one after the other. Attributes: rounds: how many executions they belong
    to.
    """

    card: str
    nodes: tuple[int, ...]
    rounds: int = 1


def card_visits(trace: Trace, view: GraphView) -> list[Visit]:
    """The engine's order, card by card."""
    card_of, size = card_of_node(view), {card.id: len(card.nodes) or 1 for card in view.cards}
    shown = [(card_of[node], node) for node in trace.backwards[view.backward].order if node in card_of]
    visits = []
    for card, found in groupby(shown, key=lambda pair: pair[0]):
        nodes = tuple(node for _, node in found)
        visits += [Visit(card, nodes[i : i + size[card]]) for i in range(0, len(nodes), size[card])]
    if len(visits) <= MAX_STEPS:
        return visits
    together: dict[str, list[int]] = {}
    for visit in visits:
        together.setdefault(visit.card, []).extend(visit.nodes)
    count = Counter(visit.card for visit in visits)
    return [Visit(card, tuple(nodes), count[card]) for card, nodes in together.items()][:MAX_STEPS]
