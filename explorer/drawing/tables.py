"""The nodes and the leaves of a view as plain rows, for the tables one click away from the picture."""

from collections.abc import Sequence

from explorer.analysis.autograd import Card, GraphView
from explorer.analysis.autograd.entry_texts import entry_text, range_text
from explorer.analysis.autograd.gradients import reason_text
from explorer.text import say
from explorer.text.numbers import number, shape_text, shorten, visible
from explorer.trace import Value

ENTRIES = 6  # of a value in a cell of the table; more are a range

Row = dict[str, str]


def node_table(view: GraphView, lang: str) -> list[Row]:
    """One row per operation in forward order: expression, torch's name, line, shape, value, gradient."""
    gradient = say(lang, "graph-gradient")
    return [_row(card, view.followed(card), lang, "table-node", gradient) for card in node_cards(view)]


def node_cards(view: GraphView) -> list[Card]:
    """The cards of the node table's rows."""
    return [card for card in view.cards if card.nodes and card.kind in ("op", "out")]


def leaf_cards(view: GraphView) -> list[Card]:
    """The cards of the leaf table's rows."""
    return list({card.tensors: card for card in view.cards if card.kind == "leaf"}.values())


def leaf_table(view: GraphView, lang: str, hidden: Sequence[Card] = ()) -> list[Row]:
    """One row per leaf: name, line, shape, value, .grad; a leaf drawn in several copies appears once.

    Args:
        hidden: leaves inside of closed modules, listed after those that are drawn.
    """
    gradient = say(lang, "graph-leaf-gradient")
    return [_row(card, view.followed(card), lang, "table-leaf", gradient) for card in (*leaf_cards(view), *hidden)]


def _row(card: Card, entry: int | None, lang: str, first: str, gradient: str) -> Row:
    row = {say(lang, first): shorten(", ".join((card.title, *card.also)), 120)}
    if card.torch:
        row["torch"] = visible(card.torch)
    row |= {
        say(lang, "table-line"): str(card.line or ""),
        say(lang, "table-shape"): shape_text(card.shape),
        say(lang, "graph-value"): numbers_in_words(card, False),
        gradient: "?" if card.hidden else _gradient(card, lang),
    }
    if entry is not None and card.gradient is not None:
        row[gradient] = f"{entry_text(card.gradient, entry)} · {row[gradient]}"
    return row


def in_words(value: Value | None, signed: bool) -> str:
    """A value in one cell: its entries if there are few, otherwise range and norm."""
    if value is None:
        return ""
    if value.data is not None and len(value.data) <= ENTRIES:
        return " ".join(number(entry, signed) for entry in value.data)
    text = range_text(value, signed)
    return f"{text} · ‖·‖ {number(value.norm)}" if text and value.norm is not None and not value.nonfinite else text


def numbers_in_words(card: Card, signed: bool) -> str:
    """The value of a card, or, signed, its gradient; of several results each with its name."""
    if card.results:
        each = ((result.name, result.gradient if signed else result.value) for result in card.results)
        return ", ".join(f"{name} {in_words(value, signed)}" for name, value in each)
    return in_words(card.gradient if signed else card.value, signed)


def _gradient(card: Card, lang: str) -> str:
    if card.gradient is not None:
        return numbers_in_words(card, True)
    return reason_text(card.reason, card.cut, lang) if card.reason else ""
