"""Optional card colourings: the size of its value, or the bytes it keeps alive.

In ink alone, since hue means the gradient. Where a picture is tinted so, gradients stand without colour.
"""

import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from explorer.analysis.autograd import GraphView
from explorer.analysis.autograd.saved_tensors import KeptMemory
from explorer.drawing.color import largest
from explorer.text import say
from explorer.text.numbers import bytes_text, number

Coloring = Literal["gradient", "value", "bytes"]
COLORINGS: tuple[Coloring, ...] = get_args(Coloring)

_FACE, _INK = (255, 255, 255), (70, 82, 95)  # of the light theme, for renderers that read fill= and no style sheet
MOST = 0.42  # of the ink in the darkest face: quiet words are still read on it


@dataclass(frozen=True)
class Shade:
    """The colouring of a card.

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


def shades(view: GraphView, coloring: Coloring, memory: KeptMemory | None) -> Mapping[str, Shade]:
    """The colouring of each card; empty if colour shows the gradient."""
    if coloring == "gradient":
        return {}
    sizes = _sizes(view, coloring, memory)
    top = min(max(sizes.values(), default=0.0), sys.float_info.max) or 1.0
    words = {card: bytes_text(int(size)) if coloring == "bytes" else "" for card, size in sizes.items()}
    return {card: Shade(math.sqrt(min(size / top, 1.0)), words[card]) for card, size in sizes.items() if size > 0}


def shading_words(view: GraphView, coloring: Coloring, memory: KeptMemory | None, lang: str) -> tuple[str, str, str]:
    """The legend of the colouring: what it shows, the end of the scale, and a sentence on the sum, or ""."""
    top = max(_sizes(view, coloring, memory).values(), default=0.0)
    if coloring != "bytes" or memory is None:
        return say(lang, "color-value"), number(top), ""
    end = bytes_text(int(top))
    total, held = bytes_text(memory.total), bytes_text(memory.held)
    sentence = say(lang, "color-bytes-held" if memory.held else "color-bytes-sum", total=total, held=held)
    return say(lang, "color-bytes"), end, sentence


def _sizes(view: GraphView, coloring: Coloring, memory: KeptMemory | None) -> dict[str, float]:
    if coloring == "bytes":
        return {card: float(size) for card, size in memory.cards.items()} if memory else {}
    sizes = {card.id: largest(card.value) for card in view.cards if card.value is not None}
    return {card: size for card, size in sizes.items() if not math.isnan(size)}
