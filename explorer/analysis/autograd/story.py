"""The story of a small graph: what the root is, what it passes, and what each leaf gets through which cards.

It is told only where every word is certain and the whole is short: of single numbers, without a fold, a hook or a cut.
"""

import math

from msgspec import Struct

from explorer.analysis.autograd.view import Card, GraphView, Wire
from explorer.analysis.rounding import adds_up
from explorer.trace import Value, real

LEAVES, WAYS = 4, 4  # leaves, and ways from one leaf to the root; with more it would be a list


class Way(Struct, frozen=True):
    """Contributions between a card and another one. Attributes: card, name: the other card; amounts: one per wire."""

    card: str
    name: str
    amounts: tuple[float, ...]


class LeafStory(Struct, frozen=True):
    """What a leaf gets.

    Attributes:
        card, name: of the leaf.
        ways: into which cards it goes, in forward order.
        total: its gradient, the sum over all ways.
        stored: its `.grad` before and after, if it is still that at the end of the program; otherwise None.
    """

    card: str
    name: str
    ways: tuple[Way, ...]
    total: float
    stored: tuple[float, float] | None


class Story(Struct, frozen=True):
    """The story.

    Attributes:
        card, name: of the root.
        value, seed: its value and its starting gradient.
        passed: what it passes to which cards; () where that is no single number.
        leaves: what each leaf gets.
        ran: whether the program called backward; if not, the story says what a call would do.
    """

    card: str
    name: str
    value: float
    seed: float
    passed: tuple[Way, ...]
    leaves: tuple[LeafStory, ...]
    ran: bool = True


def story(view: GraphView) -> Story | None:
    """The story of a picture, or None where it would be long or not certain."""
    if view.kind not in ("backward", "grad", "implicit", "asked") or len(view.roots) != 1:
        return None
    if view.folded or view.left_out or view.dropped or view.lost or view.altered or view.start:
        return None
    if any(card.notes or card.cut or card.module or card.fold or card.failed or card.hidden for card in view.cards):
        return None
    if any(wire.kind not in ("plain", "data") or wire.count > 1 or wire.again for wire in view.wires):
        return None
    cards = {card.id: card for card in view.cards}
    root = cards[view.roots[0]]
    value, seed = _single(root.value), _single(root.gradient)
    groups: dict[tuple[int, ...], list[Card]] = {}
    for card in view.cards:
        if card.kind == "leaf":
            groups.setdefault(card.tensors, []).append(card)
    if value is None or seed is None or root.kind == "leaf" or not 0 < len(groups) <= LEAVES:
        return None
    leaves = [_leaf(copies, cards, view.wires) for copies in groups.values()]
    into = [wire for wire in view.wires if wire.target == root.id and wire.kind == "plain"]
    passed = _ways(into, cards, receivers=True) or ()
    passed = passed if len(passed) <= WAYS else ()
    name, shown = view.of or root.name or root.title, tuple(filter(None, leaves))
    result = Story(root.id, name, value, seed, passed, shown, view.kind in ("backward", "grad"))
    return result if all(leaves) and _names_are_clear(result) else None


def _leaf(copies: list[Card], cards: dict[str, Card], wires: tuple[Wire, ...]) -> LeafStory | None:
    leaf, ids = copies[0], {card.id for card in copies}
    total = _single(leaf.gradient)
    ways = _ways([wire for wire in wires if wire.source in ids], cards)
    if total is None or not leaf.name or ways is None:
        return None
    amounts = [amount for way in ways for amount in way.amounts]
    if not 0 < len(amounts) <= WAYS or not adds_up(amounts, total, leaf.gradient.dtype):
        return None
    stored = None
    if leaf.stored is not None:
        before, after, held = (_single(each) for each in (*leaf.stored, leaf.held))
        before = 0.0 if leaf.stored[0] is None else before
        if before is not None and after is not None and after == held:
            stored = before, after
    return LeafStory(leaf.id, leaf.name, ways, total, stored)


def _ways(wires: list[Wire], cards: dict[str, Card], receivers: bool = False) -> tuple[Way, ...] | None:
    """What wires carry by the card at their other end, or by the receiver; None where one carries no single number."""
    by_card: dict[str, list[float]] = {}
    for wire in wires:
        amount = _single(wire.contribution)
        if amount is None:
            return None
        by_card.setdefault(wire.source if receivers else wire.target, []).append(amount)
    return tuple(Way(card, _name(cards[card]), tuple(amounts)) for card, amounts in by_card.items())


def _name(card: Card) -> str:
    return card.name or card.expression or card.torch


def _names_are_clear(story: Story) -> bool:
    """Whether no two cards of the story have one name, and each has one."""
    named = {story.card: story.name}
    for way in (*story.passed, *(way for leaf in story.leaves for way in leaf.ways)):
        named.setdefault(way.card, way.name)
    leaves = {leaf.name for leaf in story.leaves}
    others = {card: name for card, name in named.items() if name not in leaves}
    copies = [name for name in named.values() if name in leaves]  # a leaf that is split stands for itself
    return all(named.values()) and len(set(others.values())) == len(others) and len(copies) == len(set(copies))


def _single(value: Value | None) -> float | None:
    """The one finite number that a value is, or None."""
    if value is None or value.data is None or len(value.data) != 1 or isinstance(value.data[0], complex):
        return None
    number = real(value.data[0])
    return number if math.isfinite(number) else None
