"""The gradient's colour: one zero-centred scale per picture, t = sign(g) · sqrt(|g| / max|g|)."""

import math
from dataclasses import dataclass

from explorer.autograd import GraphView
from explorer.drawing.entries import size_of
from explorer.trace import Number, Value

# The light theme's colours, for renderers that read fill= and no style sheet.
_NEGATIVE, _ZERO, _POSITIVE, _NAN = (90, 157, 224), (242, 244, 247), (240, 148, 58), "#b0179f"


@dataclass(frozen=True)
class Scale:
    """Attributes: largest: the largest finite absolute gradient of the picture (1 when there is none)."""

    largest: float

    def share(self, gradient: float) -> float:
        """Where a gradient lies on the scale: from −1 to 1, 0 for zero."""
        return math.copysign(math.sqrt(min(1.0, abs(gradient) / self.largest)), gradient) if gradient else 0.0

    def paint(self, gradient: Number) -> str:
        """Class, style and a fallback colour as SVG attributes; the browser mixes in the theme's colours."""
        gradient = size_of(gradient)
        if not math.isfinite(gradient):
            return f'class="g bad" fill="{_NAN}"'
        share = self.share(gradient)
        end = _POSITIVE if share > 0 else _NEGATIVE
        mixed = "".join(f"{round(z + (e - z) * abs(share)):02x}" for z, e in zip(_ZERO, end, strict=True))
        return f'class="g {"pos" if share > 0 else "neg"}" style="--t:{abs(share) * 100:.0f}%" fill="#{mixed}"'


def scale_of(view: GraphView) -> Scale:
    """The scale of all gradients on the cards of a view."""
    gradients = [card.gradient for card in view.cards if card.gradient is not None]
    gradients += [g for card in view.cards if card.fold for g in card.fold.gradients if g is not None]
    return Scale(max((size for size in map(largest, gradients) if size > 0), default=1.0))


def largest(value: Value) -> float:
    """The largest finite absolute entry, 0 when there is none."""
    if value.minimum is not None and value.maximum is not None:
        return max(abs(value.minimum), abs(value.maximum))
    return max((abs(v) for v in value.entries if math.isfinite(abs(v))), default=0.0)
