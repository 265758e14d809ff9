"""The way of one entry to the root as cards and wires of a picture, with the products that stand on the wires."""

from collections import deque

from explorer.analysis.autograd import GraphView, Wire
from explorer.analysis.autograd.inspection import card_of_node
from explorer.analysis.why.derivation import PathStep
from explorer.analysis.why.derivation_text import product_text
from explorer.text import say
from explorer.text.numbers import number

Stop = tuple[str, str, str, str]


def path_stops(view: GraphView, found: list[PathStep], lang: str) -> list[Stop]:
    """By card from the entry to the root: its id, the wire to it, what stands on that, and what beside the card.

    Steps inside one card are one: what stands on the wire is then the number that left it.
    """
    cards, wires = card_of_node(view), {(wire.source, wire.target): wire.id for wire in view.wires}
    stops: list[Stop] = []
    for step in found:
        card = cards.get(step.node)
        if card is None or any(card == stop[0] for stop in stops):
            continue
        before = stops[-1][0] if stops else ""
        stops.append((card, wires.get((before, card), ""), _words(step, lang) if before else "", ""))
    stops += _onward(view, stops[-1][0]) if stops else []
    if len(stops) < 2:
        return []
    ends = {card.id: card for card in view.cards}
    whole, value = found[0].whole, ends[stops[-1][0]].value
    if whole is not None and found[0].index:
        stops[0] = (*stops[0][:3], f"{found[0].index} {number(whole, True)}")
    if value is not None and len(value.entries) == 1:
        stops[-1] = (*stops[-1][:3], number(value.entries[0]))
    return stops


def _onward(view: GraphView, card: str) -> list[Stop]:
    """From a card behind which no product is known the shortest way to the root, without words."""
    leaving: dict[str, list[Wire]] = {}
    for wire in view.wires:
        if wire.contribution is not None:
            leaving.setdefault(wire.source, []).append(wire)
    came: dict[str, Wire | None] = {card: None}  # by card the wire over which it was reached first
    waiting = deque([card])
    while waiting and (at := waiting.popleft()) not in view.roots:
        for wire in leaving.get(at, ()):
            if wire.target not in came:
                came[wire.target] = wire
                waiting.append(wire.target)
    reached = next((root for root in came if root in view.roots), card)
    stops: list[Stop] = []
    while (by := came[reached]) is not None:
        stops.append((reached, by.id, "", ""))
        reached = by.source
    return stops[::-1]


def _words(step: PathStep, lang: str) -> str:
    """`+0.31 · 2 = +0.62`, and of which sum that is the largest part."""
    if step.part is None or step.part.amount is None:
        return ""
    product, amount = product_text(step.part), number(step.part.amount, True)
    said = f"{product} = {amount}" if product else amount
    if step.of < 2 or step.whole is None:
        return said
    return say(lang, "path-part", part=said, whole=number(step.whole, True))
