"""Pictures of values as in a notebook: figures, Pillow's images, plotly's figures, graphviz's graphs."""

import binascii
import io
import re
from typing import Any

from explorer.runtime.recorder.assemble import readable
from explorer.trace import Figure
from explorer.trace.outputs import ALT_LENGTH, DOT_BYTES, FIGURE_BYTES, MOST_SIDE, SVG_BYTES

_IMAGE_PIXELS = 2_000_000  # pixels of a Pillow image before scaling down
_SIDES = re.compile(r'\b(width|height)="(\d{1,6}(?:\.\d{1,20})?)(px|pt|)"')
_BOX = re.compile(r'\bviewBox="[-\d.]+[ ,]+[-\d.]+[ ,]+(\d{1,6}(?:\.\d{1,20})?)[ ,]+(\d{1,6}(?:\.\d{1,20})?)"')
_IMG = re.compile(r'\s*<img [^>"]*src="data:image/(?:png|gif|jpeg);base64,([A-Za-z0-9+/=\s]*+)"[^>]*+>\s*')


def picture_of(value: Any) -> Figure | None:
    """Return the picture that a notebook shows for a value, None for text.

    Raises any error of drawing.
    """
    if is_plot(value):
        from explorer.runtime.figures.matplotlib_figures import figure_of  # imports matplotlib

        return figure_of(value.figure)
    if _is(value, "PIL.Image", "Image"):
        return _image(value)
    if _is(value, "plotly.basedatatypes", "BaseFigure"):
        data = value.to_json().encode()
        alt = readable(str(value.layout.title.text or ""))[:ALT_LENGTH]
        return Figure("plotly", data, 0, 0, alt) if len(data) <= FIGURE_BYTES else None
    if _is(value, "graphviz.jupyter_integration", "JupyterIntegration"):
        return _graph(value)
    if _is(value, "IPython.core.display", "SVG"):
        return _svg(value.data)
    if _is(value, "IPython.core.display", "Image") or _is(value, "IPython.core.display", "HTML"):
        return _shown(value.data)
    return None


def is_plot(value: object) -> bool:
    """Return whether a value is a matplotlib figure."""
    return _is(value, "matplotlib.figure", "FigureBase")


def _is(value: object, module: str, name: str) -> bool:
    """Return whether a value is of a class, without importing its module."""
    return any(kind.__name__ == name and kind.__module__ == module for kind in type(value).__mro__)


def _shown(data: object) -> Figure | None:
    """Return the picture in IPython's Image, or in HTML of a single image."""
    if isinstance(data, str):
        match = _IMG.fullmatch(data)
        if match is None:
            return None
        try:
            data = binascii.a2b_base64(match[1])
        except binascii.Error:
            return None
    if not isinstance(data, bytes):
        return None
    from PIL import Image, UnidentifiedImageError

    try:
        return _image(Image.open(io.BytesIO(data)))
    except UnidentifiedImageError:
        return None


def _graph(graph: Any) -> Figure | None:
    """Return the DOT of a graph with its requested layout, for the server."""
    source = readable(graph.source)
    if graph.engine != "dot":
        source = source.replace("{", f"{{ layout={graph.engine};", 1)
    return Figure("dot", source.encode()) if len(source.encode()) <= DOT_BYTES else None


def _svg(text: object) -> Figure | None:
    """Return an SVG with its declared size, in px or points."""
    if not isinstance(text, str) or len(data := readable(text).encode()) > SVG_BYTES:
        return None
    head = text[: text.find(">", text.find("<svg")) + 1]
    sizes = {name: float(size) * (4 / 3 if unit == "pt" else 1) for name, size, unit in _SIDES.findall(head)}
    box = _BOX.search(head)
    wide, tall = (float(side) for side in box.groups()) if box else (300.0, 150.0)
    wide, tall = sizes.get("width", wide), sizes.get("height", tall)
    if not (wide > 0 and tall > 0):
        return None
    smaller = min(1.0, MOST_SIDE / max(wide, tall))
    return Figure("svg", data, max(1, round(wide * smaller)), max(1, round(tall * smaller)))


def _image(image: Any) -> Figure | None:
    """Encode an image as PNG, scaled down if it has too many pixels."""
    wide, rows = image.size
    if not wide or not rows:
        return None
    plain = image if image.mode in ("1", "L", "LA", "RGB", "RGBA", "P") else image.convert("RGB")
    most = _IMAGE_PIXELS
    while True:
        smaller = min(1.0, (most / (wide * rows)) ** 0.5, MOST_SIDE / max(wide, rows))
        size = max(1, int(wide * smaller)), max(1, int(rows * smaller))
        file = io.BytesIO()
        (plain if smaller == 1.0 else plain.resize(size)).save(file, "PNG")
        if len(file.getvalue()) <= FIGURE_BYTES:
            return Figure("png", file.getvalue(), *size)
        most //= 4
