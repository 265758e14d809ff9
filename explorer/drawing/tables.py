"""The nodes and the leaves of a view as plain rows, for the tables one click away from the picture."""

from explorer.autograd import Card, GraphView
from explorer.autograd.amounts import entry_text, range_text
from explorer.text import say
from explorer.text.numbers import number, shape_text, shorten, visible
from explorer.trace import Value

ENTRIES = 6  # of a value in a cell of the table; more are a range

Row = dict[str, str]


def node_table(view: GraphView, lang: str) -> list[Row]:
    """One row per operation in forward order: expression, torch's name, line, shape, value, gradient."""
    cards = [card for card in view.cards if card.nodes and card.kind in ("op", "out")]
    return [_row(card, view.followed(card), lang, "table-node", say(lang, "graph-gradient")) for card in cards]


def leaf_table(view: GraphView, lang: str) -> list[Row]:
    """One row per leaf: name, line, shape, value, .grad; a leaf drawn in several copies stands once."""
    leaves = {card.tensors: card for card in view.cards if card.kind == "leaf"}
    gradient = say(lang, "graph-leaf-gradient")
    return [_row(card, view.followed(card), lang, "table-leaf", gradient) for card in leaves.values()]


def _row(card: Card, entry: int | None, lang: str, first: str, gradient: str) -> Row:
    row = {say(lang, first): shorten(card.title, 120)}
    if card.torch:
        row["torch"] = visible(card.torch)
    row |= {
        say(lang, "table-line"): str(card.line or ""),
        say(lang, "table-shape"): shape_text(card.shape),
        say(lang, "graph-value"): in_words(card.value, False),
        gradient: in_words(card.gradient, True) if card.gradient is not None else _reason(card, lang),
    }
    if entry is not None:
        row[gradient] = f"{entry_text(card.gradient, entry)} · {row[gradient]}"
    return row


def in_words(value: Value | None, signed: bool) -> str:
    """A value in one cell: its entries when there are few, otherwise range and norm."""
    if value is None:
        return ""
    if value.data is not None and len(value.data) <= ENTRIES:
        return " ".join(number(entry, signed) for entry in value.data)
    text = range_text(value, signed)
    return f"{text} · ‖·‖ {number(value.norm)}" if text and value.norm is not None and not value.nonfinite else text


def _reason(card: Card, lang: str) -> str:
    return say(lang, f"reason-{card.reason.replace('_', '-')}") if card.reason else ""
