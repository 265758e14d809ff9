"""Colour gradients: t = sign(g) · sqrt(|g| / max|g|).

If most gradients would look like zero on that scale, it becomes logarithmic: each lower decade is a step paler, down to
the smallest card maximum.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from explorer.analysis.explain.autograd import GraphView
from explorer.trace import Number, Value


def size_of(entry: Number) -> float:
    """Return the number that colours an entry, the magnitude if complex.

    >>> size_of(3 + 4j), size_of(-2), size_of(True)
    (5.0, -2.0, 1.0)
    """
    return abs(entry) if isinstance(entry, complex) else float(entry)


# The light theme's colours, for renderers that read fill= and no style sheet.
_NEGATIVE, _ZERO, _POSITIVE, _NAN = (90, 157, 224), (242, 244, 247), (240, 148, 58), "#b0179f"

SEVERAL = 5  # minimum number of gradients for a logarithmic scale, used if half would be pale
PALE = 0.04  # relative to the largest: a fifth of the colour
MOST = 12  # decades of a logarithmic scale
FAINT = 0.04  # colour strength of still smaller nonzero numbers


@dataclass(frozen=True)
class Scale:
    """Colour scale for gradients.

    Attributes:
        largest: largest finite absolute gradient of the picture (1 if there is none).
        decades: coloured powers of ten below `largest` on a logarithmic scale. 0: the scale is a root.
    """

    largest: float
    decades: int = 0

    def share(self, gradient: float) -> float:
        """Return a gradient's position on the scale, from −1 to 1, 0 for zero."""
        if not gradient:
            return 0.0
        if not self.decades:
            return math.copysign(math.sqrt(min(1.0, abs(gradient) / self.largest)), gradient)
        below = math.log10(self.largest) - math.log10(abs(gradient))
        return math.copysign(min(1.0, max(FAINT, 1 - below / self.decades)), gradient)

    def paint(self, gradient: Number) -> str:
        """Return SVG class, style and fallback colour. The browser mixes in theme colours."""
        gradient = size_of(gradient)
        if not math.isfinite(gradient):
            return f'class="g bad" fill="{_NAN}"'
        share = self.share(gradient)
        end = _POSITIVE if share > 0 else _NEGATIVE
        mixed = "".join(f"{round(z + (e - z) * abs(share)):02x}" for z, e in zip(_ZERO, end, strict=True))
        return f'class="g {"pos" if share > 0 else "neg"}" style="--t:{abs(share) * 100:.0f}%" fill="#{mixed}"'


def scale_of(view: GraphView) -> Scale:
    """Return the scale of all gradients in a view."""
    sizes = sorted(size for size in map(largest, view.gradients()) if 0 < size < math.inf)
    if not sizes:
        return Scale(1.0)
    if len(sizes) < SEVERAL or sizes[len(sizes) // 2] > PALE * sizes[-1]:
        return Scale(sizes[-1])
    least = next(size for size in sizes if size >= sizes[-1] * 10.0**-MOST)
    return Scale(sizes[-1], math.ceil(math.log10(sizes[-1]) - math.log10(least)) + 1)


def largest(value: Value) -> float:
    """Return the largest finite absolute entry, or 0."""
    if value.minimum is not None and value.maximum is not None:
        return max(abs(value.minimum), abs(value.maximum))
    return top_of(value.entries)


def top_of(entries: Iterable[Number]) -> float:
    """Return the largest finite magnitude, or 0."""
    return max((size for size in map(abs, entries) if math.isfinite(size)), default=0.0)


def tint(entry: Number, scale: Scale | None, top: float = 1.0, classes: str = "") -> str:
    """Return a square's classes and style: a gradient's colour, or without a scale a grey, darkest at `top`."""
    size = size_of(entry)
    if math.isnan(size) or (scale is not None and math.isinf(size)):
        return f'class="{classes}bad"'
    if scale is None:
        return f'class="{classes}v" style="--t:{8 + 60 * min(1, abs(size) / top):.0f}%"'
    share = scale.share(size)
    return f'class="{classes}{"pos" if share > 0 else "neg"}" style="--t:{abs(share) * 100:.0f}%"'


def sign_of(entry: Number) -> str:
    """Return the class that colours a gradient's number by its sign, "" for zero."""
    size = size_of(entry)
    return "bad" if not math.isfinite(size) else "gp" if size > 0 else "gn" if size < 0 else ""
