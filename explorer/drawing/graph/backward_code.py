"""HTML of a backward written out as code: each line knows its card and its line of the program."""

from html import escape

from explorer.analysis.autograd.backward_code import BackwardCode, written_lines
from explorer.analysis.autograd.view import Card, GraphView
from explorer.trace import Trace


def backward_html(trace: Trace, view: GraphView, code: BackwardCode) -> str:
    """The lines as a list, with the shapes as comments."""
    cards = {node: card for card in view.cards for run in card.executions for node in run}
    items = []
    for line, text in zip(code.lines, written_lines(code.lines), strict=True):
        words, sign, shape = text.partition("  # ")
        card = next((cards[node] for node in line.nodes if node in cards), None)
        ends = ' class="ends"' if ".grad = " in words else ""
        press = "" if card is None else ' role="button" tabindex="0"'
        items.append(
            f"<li{ends}{'' if card is None else _place(trace, card)}><code{press}>{escape(words)}"
            f"<i>{escape(sign + shape)}</i></code></li>"
        )
    return f'<ol class="backward-code">{"".join(items)}</ol>'


def _place(trace: Trace, card: Card) -> str:
    """Attributes: the card of a line, and its span as `drawing.graph.cards` writes it."""
    span = trace.spans[card.span] if card.span >= 0 else None
    numbers = (span.cell, span.line, span.column, span.end_line, span.end_column) if span else ()
    place = ",".join(map(str, numbers))
    return f' data-card="{escape(card.id)}" data-span="{place}"'
