"""Legend of a picture's marks, and badges on its cards.

Badges show a numeric check.
"""

from dataclasses import dataclass

from explorer.analysis.explain.autograd import GraphView
from explorer.drawing.color import scale_of
from explorer.drawing.marks import quoted, term
from explorer.text import say
from explorer.text.numbers import number

_UNEQUAL = "M-3.4,-1.5H3.4M-3.4,1.5H3.4M2,-4L-2,4"

SIGNS: dict[str, str] = {
    "agrees": "M-3.6,0.2L-1,2.8L3.8,-2.8",
    "kink": "M-4,2.6L0,-2.6L4,2.6",
    "differs": _UNEQUAL,
    "depends": _UNEQUAL,
}
_FROM_CORNER = 16


@dataclass(frozen=True)
class Badge:
    """A badge. Attributes: verdict: its kind. words: for screen readers."""

    verdict: str
    words: str


def badge_svg(badge: Badge, width: float, height: float) -> str:
    """Draw the badge on a card of this size."""
    at = f'transform="translate({width - _FROM_CORNER:.1f},{height + 5:.1f})"'
    return f'<g class="badge {badge.verdict}" {at}><circle r="8"/><path d="{SIGNS[badge.verdict]}"/></g>'


def legend(view: GraphView, lang: str) -> str:
    """Render a view's legend as HTML in the graph's style.

    In a small space, the marks fold into one word and only the scale remains.
    """
    kinds = {card.kind for card in view.cards}
    marks = [
        ("leafk", "leaf", "leaf" in kinds),
        ("opk", "operation", any(card.kind == "op" and card.module is None for card in view.cards)),
        ("modulek", "module", any(card.module for card in view.cards)),
        ("outk", "output", "out" in kinds),
        ("datak", "data", "data" in kinds),
        ("savedk", "saved", any(card.saved for card in view.cards)),
        ("layerk", "layer", any(card.layer for card in view.cards)),
        ("cutk", "cut", any(edge.kind not in ("plain", "data") for edge in view.edges)),
    ]
    marked = [_entry(mark, term(lang, word, say(lang, f"legend-{word}"))) for mark, word, holds in marks if holds]
    if view.kind == "implicit":
        marked.append(_entry("implicitk", term(lang, "implicit", say(lang, "legend-implicit"))))
    named = quoted(say(lang, "legend"))
    entries = [f'<details class="marks"><summary>{named}</summary><div>{"".join(marked)}</div></details>']
    gradients = [card.gradient for card in view.cards if card.gradient is not None]
    if gradients:
        scale = scale_of(view)
        top = number(scale.largest)
        words = term(lang, "gradient", say(lang, "graph-gradient"))
        ramp = f'<b>−{top}</b><i class="ramp"></i><b>+{top}</b>'
        least = number(scale.largest * 10.0**-scale.decades)
        text = (
            f"&#8194;{term(lang, 'logarithmic', say(lang, 'legend-logarithmic', least=least))}" if scale.decades else ""
        )
        entries.append(f'<span class="k scale">{words}&#8194;{ramp}{text}</span>')
    values = [card.value for card in view.cards if card.value is not None]
    if any(value.nans for value in values) or any(gradient.nonfinite for gradient in gradients):
        entries.append(_entry("nank", term(lang, "nan", "NaN")))
    return f'<div class="legend" role="note" aria-label="{named}">{"".join(entries)}</div>'


def _entry(mark: str, words: str) -> str:
    letter = "a" if mark == "savedk" else ""
    return f'<span class="k"><i class="lg {mark}">{letter}</i>{words}</span>'
