"""Draw views: sizes, DOT, positions, SVG, legend, tables, HTML. Pure functions of plain records.

Belongs here: how things look, and numbers as people read them. Does not belong here: what a Trace means (autograd),
running a layout (sandbox), widgets (ui).
"""

from explorer.drawing.graph.dot import to_dot
from explorer.drawing.graph.dotfile import labelled_dot
from explorer.drawing.graph.legend import legend
from explorer.drawing.graph.svg import style, to_svg
from explorer.drawing.offline.page import html_page
from explorer.drawing.tables import leaf_table, node_table
from explorer.text.numbers import number, shape_text, shorten, visible

__all__ = [
    "html_page",
    "labelled_dot",
    "leaf_table",
    "legend",
    "node_table",
    "number",
    "shape_text",
    "shorten",
    "style",
    "to_dot",
    "to_svg",
    "visible",
]
