"""Short codes of questions, for addresses and buttons, and the question behind a card's number."""

from explorer.analysis.autograd.entry_texts import index_of
from explorer.analysis.autograd.view import Card, GraphView
from explorer.analysis.why.derivation_steps import Arrived, DerivationStep, PassedOn, Stored, Subject, ValueOf
from explorer.analysis.why.entries import most_informative_entry, place_of
from explorer.analysis.why.grad_steps import without_gradient
from explorer.analysis.why.values import mention_of_row
from explorer.safe_regex import plain
from explorer.trace import Trace, Value

_CODE = plain(r"([gpsv])(\d{1,9}+(?:\.\d{1,9}+){1,3}+)")
_QUARTERS = 4  # parts of an operation in which times are counted


def code_of(subject: Subject) -> str:
    """`g12.0.5`: the gradient of node 12, output 0, entry 5; p: passed on, s: stored, v: a value; "" for no entry.

    >>> code_of(Arrived(0, 12, 0, 5))
    'g12.0.5'
    """
    match subject:
        case Arrived(node=node, output=output, place=place):
            kind, numbers = "g", [node, output, place]
        case PassedOn(node=node, edge=edge, place=place):
            kind, numbers = "p", [node, edge, place]
        case Stored(tensor=tensor, place=place, time=time):
            kind, numbers = "s", [tensor, place, *([round(time * _QUARTERS)] if time >= 0 else [])]
        case ValueOf(row=row, place=place):
            kind, numbers = "v", [row, place]
    return "" if min(numbers) < 0 else kind + ".".join(map(str, numbers))


def coded(trace: Trace, backward: int | None, code: str) -> Subject | None:
    """The question of a code for a Trace and a backward; None if the Trace has no such thing."""
    found = _CODE.fullmatch(code)
    if found is None:
        return None
    numbers = [int(part) for part in found[2].split(".")]
    nodes = trace.nodes
    match found[1], numbers:
        case "g", [node, output, place] if backward is not None and node < len(nodes):
            return Arrived(backward, node, output, place)
        case "p", [node, edge, place] if backward is not None and node < len(nodes) and edge < len(nodes.edges[node]):
            return PassedOn(backward, node, edge, place) if nodes.edges[node][edge] >= 0 else None
        case "s", [tensor, place, *time] if tensor < len(trace.tensors) and len(time) < 2:
            return Stored(tensor, place, time[0] / _QUARTERS if time else -1.0)
        case "v", [row, place] if row < len(trace.versions.value):
            return ValueOf(row, place)
    return None


def subject_of(trace: Trace, view: GraphView, card: Card, gradient: bool) -> Subject | None:
    """The question about a card's gradient or value, at the followed entry, otherwise at the most telling one."""
    followed = view.followed(card)
    if gradient:
        if card.gradient is None or view.backward is None:
            return None
        node, output = card.main or (card.nodes[-1] if card.nodes else -1, 0)
        place = most_informative_entry(card.gradient) if followed is None else _place(card.gradient, followed)
        return Arrived(view.backward, node, output, place) if node >= 0 and place >= 0 else None
    if card.value is None or not card.tensors:
        return None
    place = most_informative_entry(card.value)
    if followed is not None and card.gradient is not None and card.gradient.shape == card.value.shape:
        place = _place(card.gradient, followed)
    row = _row_shown(trace, card)
    return ValueOf(row, place) if place >= 0 else None


def nothing_of(trace: Trace, view: GraphView, card: Card) -> DerivationStep | None:
    """Why a card has no gradient; None if it shows no tensor."""
    if not card.tensors:
        return None
    tensor = card.tensors[-1]
    mention = mention_of_row(trace, trace.versions_of(tensor)[-1])
    step = DerivationStep(
        Stored(tensor, -1), "gradient", None, mention, tensor=tensor, node=card.nodes[-1] if card.nodes else -1
    )
    return without_gradient(trace, step, tensor, view.backward)


def _row_shown(trace: Trace, card: Card) -> int:
    """The version whose value a card shows: the one that its node made; for a leaf the one that was read."""
    rows = list(trace.versions_of(card.tensors[0]))
    made = [row for row in rows if card.main is not None and trace.versions.node[row] == card.main[0]]
    same = [row for row in made or rows if trace.value_at(row) == card.value]
    return (same or made or rows)[-1]


def _place(value: Value, position: int) -> int:
    return place_of(index_of(value, position), value.shape)
