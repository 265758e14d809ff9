"""DOT for a user's own Graphviz: the cards with their words, which the layout's DOT leaves out."""

from explorer.analysis.autograd import Card, GraphView
from explorer.analysis.autograd.entry_texts import range_text
from explorer.drawing.graph.wireart import pill_text, with_pill
from explorer.text import say
from explorer.text.numbers import number, shorten
from explorer.trace import Value

TITLE = 60  # cells of a card's title
ENTRIES = 6  # of a value; of more the range


def labelled_dot(view: GraphView, lang: str) -> str:
    """Every card with its title, value and gradient; every wire with what it adds to the gradient of its source."""
    lines = [
        "digraph autograd { rankdir=TB;",
        'node [shape=box style=rounded fontname="monospace" fontsize=11]; edge [fontname="monospace" fontsize=9];',
    ]
    for card in view.cards:
        words = [shorten(card.title, TITLE), card.torch if card.kind in ("op", "out") else ""]
        if card.value is not None:
            words.append(f"{say(lang, 'graph-value')} {numbers_in_words(card, False)}")
        if card.gradient is not None:
            words.append(f"{say(lang, 'graph-gradient')} {numbers_in_words(card, True)}")
        bold = " penwidth=2" if card.kind == "out" else ""
        lines.append(f"{card.id} [label={_label(words)}{bold}];")
    known = with_pill(view)
    for wire in view.wires:
        words = [pill_text(wire)] if wire.id in known else []
        dashed = "" if wire.kind == "plain" else " style=dashed"
        lines.append(f"{wire.source} -> {wire.target} [label={_label(words)}{dashed}];")
    return "\n".join([*lines, "}"])


def _label(words: list[str]) -> str:
    r"""Lines of text as a quoted string of DOT, set flush left.

    >>> _label(['a = "x"', "value 2"])
    '"a = \\"x\\"\\lvalue 2\\l"'
    """
    escaped = [word.replace("\\", "\\\\").replace('"', '\\"') for word in words if word]
    return '"' + "".join(f"{word}\\l" for word in escaped) + '"'


def in_words(value: Value | None, signed: bool) -> str:
    """A value in a few words: its entries if there are few, otherwise range and norm."""
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
