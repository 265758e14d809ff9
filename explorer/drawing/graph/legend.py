"""The legend: what the marks of this picture mean, those it holds and no others."""

from explorer.autograd import GraphView
from explorer.drawing.color import scale_of
from explorer.drawing.marks import quoted
from explorer.drawing.terms import term
from explorer.text import say
from explorer.text.numbers import number


def legend(view: GraphView, lang: str) -> str:
    """The legend of a view as HTML; its style is that of the graph."""
    kinds = {card.kind for card in view.cards}
    marks = [
        ("leafk", "leaf", "leaf" in kinds),
        ("opk", "operation", "op" in kinds),
        ("outk", "output", "out" in kinds),
        ("datak", "data", "data" in kinds),
        ("savedk", "saved", any(card.saved for card in view.cards)),
        ("layerk", "layer", any(card.layer for card in view.cards)),
        ("cutk", "cut", any(wire.kind not in ("plain", "data") for wire in view.wires)),
    ]
    entries = [_entry(mark, term(lang, word, say(lang, f"legend-{word}"))) for mark, word, holds in marks if holds]
    gradients = [card.gradient for card in view.cards if card.gradient is not None]
    if gradients:
        top = number(scale_of(view).largest)
        words = term(lang, "gradient", say(lang, "legend-gradient"))
        ramp = f'<b>−{top}</b><i class="ramp"></i><b>+{top}</b>'
        entries.append(f'<span class="k scale">{words}&#8194;{ramp}</span>')
    if view.kind == "implicit":
        entries.append(_entry("implicitk", term(lang, "implicit", say(lang, "legend-implicit"))))
    values = [card.value for card in view.cards if card.value is not None]
    if any(value.nans for value in values) or any(gradient.nonfinite for gradient in gradients):
        entries.append(_entry("nank", term(lang, "nan", "NaN")))
    return f'<div class="legend" role="note" aria-label="{quoted(say(lang, "legend"))}">{"".join(entries)}</div>'


def _entry(mark: str, words: str) -> str:
    letter = "a" if mark == "savedk" else ""
    return f'<span class="k"><i class="lg {mark}">{letter}</i>{words}</span>'
