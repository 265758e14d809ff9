"""The graph for a user's own Graphviz, with texts that the layout graph omits."""

from typing import TYPE_CHECKING

from explorer.analysis.explain.autograd import Card, GraphView
from explorer.analysis.explain.autograd.entry_texts import few, range_text
from explorer.drawing.graph.edges import pill_text, with_pill
from explorer.text import say
from explorer.text.numbers import number, shorten
from explorer.trace import Value

if TYPE_CHECKING:
    from graphviz import Digraph

TITLE = 60  # cells of a card's title
ENTRIES = 6  # listed entries; more become a range


def labelled_graph(view: GraphView, lang: str) -> "Digraph":
    """Build a graph of cards with title, value and gradient, and edges with contributions."""
    from graphviz import Digraph

    graph = Digraph(
        "autograd",
        graph_attr={"rankdir": "TB"},
        node_attr={"shape": "box", "style": "rounded", "fontname": "monospace", "fontsize": "11"},
        edge_attr={"fontname": "monospace", "fontsize": "9"},
    )
    for card in view.cards:
        words = [shorten(card.title, TITLE), card.torch if card.kind in ("op", "out") else ""]
        if card.value is not None:
            words.append(f"{say(lang, 'graph-value')} {numbers_in_words(card, False)}")
        if card.gradient is not None:
            words.append(f"{say(lang, 'graph-gradient')} {numbers_in_words(card, True)}")
        graph.node(card.id, _label(words), penwidth="2" if card.kind == "out" else None)
    known = with_pill(view)
    for edge in view.edges:
        words = [pill_text(edge)] if edge.id in known else []
        graph.edge(edge.source, edge.target, _label(words), style=None if edge.kind == "plain" else "dashed")
    return graph


def _label(words: list[str]) -> str:
    r"""Write lines as a left-aligned DOT label.

    >>> print(_label(["a = 1", r"print('\n')"]))
    a = 1\lprint('\\n')\l
    """
    return "".join(word.replace("\\", "\\\\") + "\\l" for word in words if word)


def in_words(value: Value | None, signed: bool) -> str:
    """Describe a value briefly: a few entries, otherwise range and norm."""
    if value is None:
        return ""
    if words := few(value, ENTRIES, signed):
        return words
    text = range_text(value, signed)
    return f"{text} · ‖·‖ {number(value.norm)}" if text and value.norm is not None and not value.nonfinite else text


def numbers_in_words(card: Card, signed: bool) -> str:
    """Describe a card's value or (signed) gradient, for several results with names."""
    if card.results:
        each = ((result.name, result.gradient if signed else result.value) for result in card.results)
        return ", ".join(f"{name} {in_words(value, signed)}" for name, value in each)
    return in_words(card.gradient if signed else card.value, signed)
