"""The slope beside the graph: the root of a backward over an entry of a leaf.

Axes and curve are drawn here; point and tangent, which follow the hand, by ui/pages/autograd/slope.js.
"""

import math

from explorer.analysis.gradcheck.leaf_curve import LeafCurve
from explorer.drawing.marks import quoted, text
from explorer.drawing.plots.chart import Frame, Place, axes, clip, line
from explorer.drawing.sentences import said_html
from explorer.text import say
from explorer.text.numbers import number, shorten

NAME = 28  # characters of the root's and of the leaf's name in the picture
SIZES = {"wide": (560.0, 216.0), "narrow": (246.0, 168.0)}  # px
_OUTLIERS = 0.04  # of the heights on each side, such as beside a pole, do not count for the frame
_ROUNDING = 1e-5  # of the heights: a curve that differs by less, and whose slope is as small, is level
Heights = tuple[float, float]


def leaf_plot(curve: LeafCurve, heights: Heights, root: str, name: str, drags: bool, lang: str) -> str:
    """The plot in both sizes as a figure, with a sentence below.

    Args:
        root, name: what the root and the entry are called in the program.
        drags: whether its point turns a number of the program.
    """
    short = {"root": shorten(root, NAME), "name": shorten(name, NAME)}
    drawn = "".join(_svg(curve, heights, size, short, lang) for size in SIZES)
    message = "plot-computed" if curve.slopes else "plot-said"
    given = {"gradient": number(curve.gradient), "finite": "yes" if math.isfinite(curve.gradient) else "no"}
    said = said_html(lang, message, drags="yes" if drags else "no", **given, **short)
    lost = sum(height is None for _, height in curve.points)
    more = f" {quoted(say(lang, 'plot-lost', count=lost))}" if lost else ""
    return f'<figure class="leafplot">{drawn}<figcaption>{said}{more}</figcaption></figure>'


def heights_of(curve: LeafCurve, before: Heights | None = None) -> Heights:
    """The ends of the y axis: those from before if the curve still fills them."""
    roots = sorted(root for _, root in curve.points if root is not None and math.isfinite(root))
    out = int(len(roots) * _OUTLIERS)
    low, high = (min(roots[out], curve.value), max(roots[-1 - out], curve.value)) if roots else (0.0, 0.0)
    if before and before[0] <= low and high <= before[1] and high - low > 0.4 * (before[1] - before[0]):
        return before
    size, width = max(abs(low), abs(high)), curve.points[-1][0] - curve.points[0][0]
    is_level = high - low <= _ROUNDING * size and abs(curve.gradient) * width <= _ROUNDING * size
    room = 0.5 * max(1e-6, size) if is_level or high == low else 0.1 * (high - low)
    return low - room, high + room


def _svg(curve: LeafCurve, heights: Heights, size: str, names: dict[str, str], lang: str) -> str:
    width, height = SIZES[size]
    low, high = curve.points[0][0], curve.points[-1][0]
    frame = Frame(width, height, low, high, *heights, left=46, top=20, right=12, bottom=34)
    finite = "yes" if math.isfinite(curve.gradient) else "no"
    title = say(lang, "plot-title", at=number(curve.at), gradient=number(curve.gradient), finite=finite, **names)
    dots = "" if curve.slopes else _dots(frame, curve)
    clipped = f"url(#leafplot-{size})"
    parts = [
        *axes(frame, rows=4),
        f'<g clip-path="{clipped}">{line(_places(frame, curve), "curve")}{dots}</g>',
        text(frame.left, 12, names["root"], "name"),
        text(frame.edge, height - 1, names["name"], "name", "end"),
        f'<g class="moving" data-clip="{clipped}"></g>',
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="plane leafplot {size}" viewBox="0 0 {width:g} {height:g}" '
        f'{frame.attributes()} role="group" aria-label="{quoted(title)}">'
        f"<defs>{clip(f'leafplot-{size}', frame)}</defs>{''.join(parts)}</svg>"
    )


def _places(frame: Frame, curve: LeafCurve) -> list[Place]:
    """The points; NaN stands for one without a finite root, and before one behind a jump over the whole frame."""
    places: list[Place] = []
    last = math.nan
    for at, root in curve.points:
        root = root if root is not None and math.isfinite(root) else math.nan
        if min(last, root) < frame.floor and max(last, root) > frame.roof:
            places.append((frame.x(at), math.nan))
        places.append((frame.x(at), frame.y(root)))
        last = root
    return places


def _dots(frame: Frame, curve: LeafCurve) -> str:
    places = [(x, y) for x, y in _places(frame, curve) if x != frame.x(curve.at) and not math.isnan(y)]
    return "".join(f'<circle class="run" cx="{x:.1f}" cy="{y:.1f}" r="2"/>' for x, y in places)
