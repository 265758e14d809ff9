"""Conversion of matplotlib figures: SVG if short, otherwise PNG at double density."""

import io
import math
import re
from typing import Any

import matplotlib
from matplotlib.figure import Figure as MatplotlibFigure

from explorer.runtime.recorder.assemble import readable
from explorer.trace import Figure
from explorer.trace.outputs import ALT_LENGTH, FIGURE_BYTES, MOST_SIDE, PIXELS, png_size

SVG_BYTES = 200_000
_DENSITY = 2.0  # pixels of a PNG per CSS pixel
_ROOM = 0.7  # share of the allowed pixels: a tight frame may be larger than the figure


class SvgTooLong(Exception):
    """Raised if an SVG has too many bytes."""


class _Bounded(io.BytesIO):
    """A file that accepts SVG_BYTES."""

    def write(self, data) -> int:
        if self.tell() + len(data) > SVG_BYTES:
            raise SvgTooLong
        return super().write(data)


def figure_of(figure: MatplotlibFigure) -> Figure | None:
    """Draw a figure, cropped as in Jupyter, None if it is empty.

    Raises any error of drawing.
    """
    if not (figure.axes or figure.lines or figure.texts or figure.images or figure.patches or figure.subfigs):
        return None
    with matplotlib.rc_context({"svg.hashsalt": "explorer"}):  # equal runs produce equal pictures
        try:
            return _svg(figure)
        except SvgTooLong:
            return _png(figure)


def _svg(figure: MatplotlibFigure) -> Figure:
    file = _Bounded()
    _print(figure, file, "svg", figure.dpi, {"Date": None, "Creator": None})
    data = file.getvalue()
    width, height = (float(side) / 72 * figure.dpi for side in _sides(data))
    return Figure("svg", data, *_css(width, height), alt_text(figure))


def _sides(svg: bytes) -> tuple[float, float]:
    """Return width and height of matplotlib's SVG, in points."""
    head = svg[:2_000]
    sides = {name: float(size) for name, size in re.findall(rb'\b(width|height)="([\d.]+)pt"', head)}
    return sides[b"width"], sides[b"height"]


def _png(figure: MatplotlibFigure) -> Figure:
    across, down = figure.get_size_inches() * figure.dpi
    density = min(_DENSITY, math.sqrt(PIXELS * _ROOM / (across * down)))
    while True:
        file = io.BytesIO()
        _print(figure, file, "png", figure.dpi * density, None)
        data = file.getvalue()
        width, height = png_size(data) or (1, 1)
        if len(data) <= FIGURE_BYTES and width * height <= PIXELS:
            return Figure("png", data, *_css(width / density, height / density), alt_text(figure))
        density /= 2


def _print(figure: MatplotlibFigure, file: io.BytesIO, kind: str, dpi: float, metadata: dict | None) -> None:
    colors: dict[str, Any] = {"facecolor": figure.get_facecolor(), "edgecolor": figure.get_edgecolor()}
    figure.canvas.print_figure(file, format=kind, dpi=dpi, bbox_inches="tight", metadata=metadata, **colors)


def _css(width: float, height: float) -> tuple[int, int]:
    """Round a size to whole CSS pixels, within the page's bounds."""
    smaller = min(1.0, MOST_SIDE / max(width, height))
    return max(1, round(width * smaller)), max(1, round(height * smaller))


def alt_text(figure: MatplotlibFigure) -> str:
    """Describe a figure for screen readers by its titles and labels, each once."""
    parts = [figure.get_suptitle()]
    for axes in figure.get_axes():
        parts += [axes.get_title(), *(axis.get_label_text() for axis in axes._axis_map.values())]
        legend = axes.get_legend()
        parts += [text.get_text() for text in legend.get_texts()] if legend else []
    words = dict.fromkeys(" ".join(part.split()) for part in parts)
    return readable("; ".join(filter(None, words)))[:ALT_LENGTH]


def draw_everything() -> None:
    """Draw a small figure in every format to fill matplotlib's caches."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(2, 1.5))
    axes.plot([1, 2], "o--", label="$x^2$")
    axes.imshow([[1, 2], [3, 4]])
    axes.set_title("title")
    axes.legend()
    _svg(figure)
    _png(figure)
