"""A small plot: the root of a backward over an entry of a leaf, from runs, with the gradient as a slope."""

import math

from explorer.analysis.gradcheck import LeafCurve
from explorer.drawing.derivatives.curves import Frame, axes, clip, tangent_line
from explorer.drawing.marks import quoted, text
from explorer.drawing.sentences import said_html
from explorer.text import say
from explorer.text.numbers import number, shorten

WIDTH, HEIGHT = 246.0, 168.0  # px
NAME = 28  # characters of the root's and of the leaf's name in the picture


def leaf_plot(curve: LeafCurve, root: str, name: str, lang: str) -> str:
    """The plot as a figure, with a sentence below.

    Args:
        root, name: what the root and the entry are called in the program.
    """
    slope, frame = number(curve.gradient), _frame(curve)
    short_root, short_name = shorten(root, NAME), shorten(name, NAME)
    names = {"root": short_root, "name": short_name, "gradient": slope}
    title = say(lang, "plot-title", at=number(curve.at), **names)
    at, value = frame.x(curve.at), frame.y(curve.value)
    parts = [
        *axes(frame, rows=3),
        f'<g clip-path="url(#leafplot)">{_line(frame, curve)}{_dots(frame, curve)}'
        f"{tangent_line(frame, curve.at, curve.value, curve.gradient)}</g>",
        f'<circle class="first" cx="{at:.1f}" cy="{value:.1f}" r="5"/>',
        text(frame.left, 11, short_root, "name"),
        text(WIDTH - frame.right, HEIGHT - 1, short_name, "name", "end"),
    ]
    drawn = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="plane leafplot" viewBox="0 0 {WIDTH:g} {HEIGHT:g}" role="img" '
        f'aria-label="{quoted(title)}"><defs>{clip("leafplot", frame)}</defs>{"".join(parts)}</svg>'
    )
    said = said_html(lang, "plot-said", **names)
    lost = sum(found is None for _, found in curve.points)
    more = f" {quoted(say(lang, 'plot-lost', count=lost))}" if lost else ""
    return f'<figure class="leafplot">{drawn}<figcaption>{said}{more}</figcaption></figure>'


def _frame(curve: LeafCurve) -> Frame:
    heights = [root for _, root in curve.points if root is not None and math.isfinite(root)]
    floor, roof = min(heights), max(heights)
    room = 0.08 * (roof - floor) or 0.5 * max(1e-6, abs(roof))
    low, high = curve.points[0][0], curve.points[-1][0]
    return Frame(WIDTH, HEIGHT, low, high, floor - room, roof + room, left=46, top=18, right=8, bottom=34)


def _finite(curve: LeafCurve) -> list[list[tuple[float, float]]]:
    """The points in pieces: a run without a finite root parts them."""
    pieces: list[list[tuple[float, float]]] = [[]]
    for at, root in curve.points:
        if root is not None and math.isfinite(root):
            pieces[-1].append((at, root))
        elif pieces[-1]:
            pieces.append([])
    return pieces


def _line(frame: Frame, curve: LeafCurve) -> str:
    return "".join(
        f'<path class="curve" d="M{"L".join(f"{frame.x(at):.1f} {frame.y(root):.1f}" for at, root in piece)}"/>'
        for piece in _finite(curve)
        if len(piece) > 1
    )


def _dots(frame: Frame, curve: LeafCurve) -> str:
    places = [(frame.x(at), frame.y(root)) for piece in _finite(curve) for at, root in piece if at != curve.at]
    return "".join(f'<circle class="run" cx="{x:.1f}" cy="{y:.1f}" r="2"/>' for x, y in places)
