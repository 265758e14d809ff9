"""A program's plotly figure, drawn by the app's own plotly. Pure.

Its JSON is untrusted: only data and layout are read, plotly's checks drop unknown properties, and properties that
would load something from elsewhere (pictures, maps, links) are left out.
"""

from typing import Any

import msgspec
import plotly.graph_objects as go

from explorer.trace import Figure

_LOADING = ("geo", "map", "image")  # in names of traces and of parts of a layout: they fetch tiles, borders, pictures
_MOST_TRACES, _DEEP = 200, 30
MOST_HEIGHT = 1_200


def plotly_figure(figure: Figure) -> go.Figure | None:
    """The figure for plotly, None if it is not a plotly figure."""
    try:
        read = msgspec.json.decode(figure.data)
        data = [plotted for plotted in read["data"][:_MOST_TRACES] if not _loads(str(plotted.get("type", "")))]
        layout = {key: part for key, part in read.get("layout", {}).items() if not _loads(key)}
        drawn = go.Figure(_plain(data), _plain(layout), skip_invalid=True)
    except (msgspec.DecodeError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    height = drawn.layout.height
    drawn.update_layout(height=min(MOST_HEIGHT, max(100, height)) if height else 450)
    return drawn


def _loads(name: str) -> bool:
    return name != "heatmap" and any(word in name for word in _LOADING)


def _plain(part: Any, depth: int = 0) -> Any:
    """A part of a figure with no links in its texts."""
    if depth > _DEEP:
        raise ValueError("nested too deeply")
    if isinstance(part, dict):
        return {key: _plain(value, depth + 1) for key, value in part.items() if key != "images"}
    if isinstance(part, list):
        return [_plain(item, depth + 1) for item in part]
    if isinstance(part, str) and "<" in part:
        return _without_links(part)
    return part


def _without_links(text: str) -> str:
    """A text whose links are plain words: plotly reads a few tags, among them `a`."""
    first, *others = text.split("<")
    return first + "".join(f"&lt;{rest}" if rest.lstrip("/ ")[:1] in ("a", "A") else f"<{rest}" for rest in others)
