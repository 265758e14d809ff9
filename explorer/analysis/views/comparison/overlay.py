"""Two pictures laid over each other: their cards paired, and what each card has of both runs."""

from collections import Counter
from dataclasses import dataclass
from typing import Literal

from msgspec import structs

from explorer.analysis.explain.autograd import Card, DrawnEdge, GraphView
from explorer.analysis.views.comparison.comparison import Comparison, card_finder, unequal_cards
from explorer.analysis.views.comparison.differences import Difference
from explorer.analysis.views.comparison.matching import bound_pairs, paired
from explorer.trace import Trace

Side = Literal["", "A", "B"]  # "" for both
OWN = "B_"  # begins the ids of what only the second run has


@dataclass(frozen=True)
class Overlay:
    """A picture of two runs.

    Attributes:
        view: cards and edges of both, those in both as in the first run.
        sides: by id of a card or edge that only one run has.
        differences: by card id, of both runs.
        titles: by card id, both titles if they differ.
        first: card of the first difference, or None.
    """

    view: GraphView
    sides: dict[str, Side]
    differences: dict[str, list[Difference]]
    titles: dict[str, tuple[str, str]]
    first: str | None


def overlay(traces: tuple[Trace, Trace], views: tuple[GraphView, GraphView], comparison: Comparison) -> Overlay:
    """Lay the pictures of two compared runs over each other."""
    left, right = views
    pairs = paired_cards(traces, views)
    known = {card.id: card for card in left.cards}
    merged = {card.id: pairs.get(card.id, f"{OWN}{card.id}") for card in right.cards}
    both = set(pairs.values())
    cards = _in_order(left.cards, [structs.replace(card, id=merged[card.id]) for card in right.cards])
    edges, sides = _edges(left.edges, right.edges, merged)
    sides |= {card.id: "A" for card in left.cards if card.id not in both}
    sides |= {of: "B" for of in merged.values() if of not in both}
    unequal = [
        unequal_cards(trace, view, comparison, at) for at, (trace, view) in enumerate(zip(traces, views, strict=True))
    ]
    differences = {merged[card]: found for card, found in unequal[1].differences.items()} | unequal[0].differences
    titles = {
        merged[card.id]: (known[merged[card.id]].title, card.title)
        for card in right.cards
        if merged[card.id] in known and known[merged[card.id]].title != card.title
    }
    begin = unequal[0].begin or (merged.get(unequal[1].begin) if unequal[1].begin else None)
    left_out = max(left.left_out, right.left_out)
    view = structs.replace(left, cards=cards, edges=edges, left_out=left_out, roots=(), entry=None)
    return Overlay(view, sides, differences, titles, begin)


def paired_cards(traces: tuple[Trace, Trace], views: tuple[GraphView, GraphView]) -> dict[str, str]:
    """Pair the second picture's cards with the first's by shared operations, module path or leaf name."""
    finders = [card_finder(trace, view) for trace, view in zip(traces, views, strict=True)]
    sure = paired(*traces)
    votes: Counter[tuple[str, str]] = Counter()
    for operations in (*sure, *bound_pairs(*traces, sure)):
        cards = finders[0](operations[0]), finders[1](operations[1])
        if cards[0] is not None and cards[1] is not None:
            votes[cards[0], cards[1]] += 1
    keys = [{key: card.id for card in view.cards if (key := _key(card))} for view in views]
    votes.update({(keys[0][key], card): len(sure) + 1 for key, card in keys[1].items() if key in keys[0]})
    kinds = [{card.id: _kind(card) for card in view.cards} for view in views]
    pairs, taken = dict[str, str](), set[str]()
    for (mine, other), _ in votes.most_common():
        if other not in pairs and mine not in taken and kinds[0][mine] == kinds[1][other]:
            pairs[other] = mine
            taken.add(mine)
    return pairs


def _key(card: Card) -> tuple[str, str] | None:
    """Return what identifies a card in any run: a closed module's path, or the name of a leaf."""
    if card.module is not None:
        return "module", card.module.path
    return ("leaf", card.name) if card.kind in ("leaf", "data") and card.name else None


def _kind(card: Card) -> str:
    return "module" if card.module is not None else "leaf" if card.kind in ("leaf", "data") else "operation"


def _in_order(left: tuple[Card, ...], right: list[Card]) -> tuple[Card, ...]:
    """Insert the second run's own cards after the card before them."""
    after: dict[str, list[Card]] = {}
    before = ""
    for card in right:
        if card.id.startswith(OWN):
            after.setdefault(before, []).append(card)
        else:
            before = card.id
    return (*after.get("", ()), *(each for card in left for each in (card, *after.get(card.id, ()))))


def _edges(
    left: tuple[DrawnEdge, ...], right: tuple[DrawnEdge, ...], merged: dict[str, str]
) -> tuple[tuple[DrawnEdge, ...], dict[str, Side]]:
    """Merge equal edges, without the gradients on them. Return them and the runs of the others."""
    moved = [
        structs.replace(edge, id=f"{OWN}{edge.id}", source=merged[edge.source], target=merged[edge.target])
        for edge in right
    ]

    def key(edge: DrawnEdge) -> tuple[str, str, int, str, bool]:
        return edge.source, edge.target, edge.port, "" if edge.kind == "data" else edge.kind, edge.again

    mine, others = {key(edge) for edge in left}, {key(edge) for edge in moved}
    own = [edge for edge in moved if key(edge) not in mine]
    sides: dict[str, Side] = {edge.id: "A" for edge in left if key(edge) not in others}
    sides |= {edge.id: "B" for edge in own}
    return tuple(structs.replace(edge, contribution=None) for edge in (*left, *own)), sides
