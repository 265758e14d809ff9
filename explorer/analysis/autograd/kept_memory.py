"""Memory that a graph keeps alive: the bytes that its nodes saved for backward, each piece of memory once."""

from collections.abc import Iterable

from msgspec import Struct

from explorer.analysis.autograd.view import Card, GraphView
from explorer.trace import Trace


class KeptMemory(Struct, frozen=True):
    """The memory that the nodes of a picture keep.

    Attributes:
        cards: bytes by card id. Memory of a shown leaf or of shown data counts at that card, other memory at the first
            card whose nodes saved it.
        total: the sum of all.
        held: the part in leaves and data, which the program keeps anyway.
    """

    cards: dict[str, int]
    total: int
    held: int


def kept_memory(trace: Trace, view: GraphView) -> KeptMemory | None:
    """The bytes that the nodes of a picture keep; None if that was not recorded.

    A node that saved a view keeps the whole memory.
    """
    saved, storages = trace.saved, trace.tensors.storage
    if not saved.size:
        return None
    rows: dict[int, list[int]] = {}
    for row, node in enumerate(saved.node):
        if saved.size[row] and saved.storage[row] != -1:
            rows.setdefault(node, []).append(row)
    holders: dict[int, str] = {}
    for card in view.cards:
        if card.kind in ("leaf", "data"):
            for tensor in card.tensors:
                holders.setdefault(storages[tensor], card.id)
    found: dict[str, int] = {}
    counted: set[int] = set()
    for card in view.cards:
        for row in (row for node in _nodes(card) for row in rows.get(node, ())):
            storage = saved.storage[row]
            if storage not in counted:
                counted.add(storage)
                at = holders.get(storage, card.id)
                found[at] = found.get(at, 0) + saved.size[row]
    at_hand = set(holders.values())
    return KeptMemory(found, sum(found.values()), sum(size for card, size in found.items() if card in at_hand))


def _nodes(card: Card) -> Iterable[int]:
    """The nodes of a card, of all its executions."""
    return (node for run in card.fold.executions for node in run) if card.fold and card.fold.executions else card.nodes
