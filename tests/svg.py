"""The SVG of a view as one text."""

from typing import Any

from explorer.analysis.explain.autograd import GraphView
from explorer.drawing.graph.svg import svg_parts


def to_svg(view: GraphView, *args: Any, **options: Any) -> str:
    """Join an SVG's parts like a picture does. The arguments are those of `svg_parts`."""
    return "\n".join(svg_parts(view, *args, **options))
