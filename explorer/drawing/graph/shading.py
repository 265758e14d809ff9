"""What else a card's face may be tinted by than nothing: the size of its value, or the bytes it keeps alive.

In ink alone, since hue means the gradient. Where a picture is tinted so, gradients stand without colour.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from explorer.autograd import GraphView
from explorer.autograd.kept import KeptMemory
from explorer.drawing.color import largest
from explorer.text import say
from explorer.text.numbers import bytes_text, number

Coloring = Literal["gradient", "value", "bytes"]
COLORINGS: tuple[Coloring, ...] = get_args(Coloring)

_FACE, _INK = (255, 255, 255), (70, 82, 95)  # of the light theme, for renderers that read fill= and no style sheet
MOST = 0.42  # of the ink in the darkest face: quiet words are still read on it


@dataclass(frozen=True)
class Shade:
    """How a card is tinted.

    Attributes:
        share: from 0 to 1, the root of its share in the largest of the picture.
        words: a number to be shown beside it, "" where the card shows it already.
    """

    share: float
    words: str = ""

    def paint(self) -> str:
        """Style and fallback colour of the face, as SVG attributes."""
        mixed = "".join(f"{round(f + (i - f) * MOST * self.share):02x}" for f, i in zip(_FACE, _INK, strict=True))
        return f'style="--t:{self.share * 100:.0f}%" fill="#{mixed}"'


def shades(view: GraphView, coloring: Coloring, kept: KeptMemory | None) -> Mapping[str, Shade]:
    """By card how it is tinted; nothing where the gradient has the colour."""
    if coloring == "gradient":
        return {}
    sizes = _sizes(view, coloring, kept)
    top = max(sizes.values(), default=0.0) or 1.0
    words = {card: bytes_text(int(size)) if coloring == "bytes" else "" for card, size in sizes.items()}
    return {card: Shade(math.sqrt(size / top), words[card]) for card, size in sizes.items() if size > 0}


def shading_words(view: GraphView, coloring: Coloring, kept: KeptMemory | None, lang: str) -> tuple[str, str, str]:
    """For the legend: what tints the cards, the end of the scale, and what is to be said of the sum, or ""."""
    top = max(_sizes(view, coloring, kept).values(), default=0.0)
    if coloring != "bytes" or kept is None:
        return say(lang, "color-value"), number(top), ""
    end = bytes_text(int(top))
    total, held = bytes_text(kept.total), bytes_text(kept.held)
    told = say(lang, "color-bytes-held" if kept.held else "color-bytes-sum", total=total, held=held)
    return say(lang, "color-bytes"), end, told


def _sizes(view: GraphView, coloring: Coloring, kept: KeptMemory | None) -> dict[str, float]:
    if coloring == "bytes":
        return {card: float(size) for card, size in kept.cards.items()} if kept else {}
    return {card.id: largest(card.value) for card in view.cards if card.value is not None}
