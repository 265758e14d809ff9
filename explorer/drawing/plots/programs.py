"""A program's figures on a page: inert images, and filtered plotly figures.

The JSON of a plotly figure is untrusted, and plotly loads and opens what it asks for: tiles, borders, pictures, links,
buttons that change the figure into another. So what passes is listed: kinds of traces, parts of a layout, properties
that may hold any text, and the tags in those. plotly's own checks are not used: an unknown name costs them seconds.

A graph in DOT is untrusted too: Graphviz draws it in a confined child, and its SVG is an image.
"""

from base64 import b64encode
from typing import Any

import msgspec

from explorer.drawing.marks import quoted
from explorer.safe_regex import plain
from explorer.sandbox import graph_svg
from explorer.text import say
from explorer.trace import Figure
from explorer.trace.outputs import MOST_SIDE

_TYPES = {"svg": "image/svg+xml", "png": "image/png"}
_SIDES = plain(r'<svg width="(\d{1,6})pt" height="(\d{1,6})pt"')


def picture_html(figure: Figure, lang: str) -> str:
    """Render a described image, "" if invalid. An undrawable graph shows its DOT."""
    if figure.format == "dot":
        drawn = drawn_graph(figure)
        if drawn is None:
            words, source = say(lang, "figure-graph-undrawn"), figure.data.decode("utf-8", "replace").strip()
            lines = "\n".join(map(quoted, source.split("\n")))
            return f'<p class="skipped">{quoted(words)}</p><pre class="echo">{lines}</pre>'
        return _image(drawn, say(lang, "figure-alt-graph"))
    if figure.format == "":
        return f'<p class="skipped">{quoted(say(lang, "figure-of-old-run"))}</p>'
    if figure.format not in _TYPES:
        return ""
    return _image(figure, described(figure, lang))


def _image(figure: Figure, words: str) -> str:
    source = f"data:{_TYPES[figure.format]};base64,{b64encode(figure.data).decode()}"
    size = f'width="{figure.width}" height="{figure.height}"'
    return f'<img class="picture" src="{source}" {size} alt="{quoted(words)}">'


def drawn_graph(figure: Figure) -> Figure | None:
    """Draw a DOT graph, None if Graphviz cannot within its limits."""
    svg = graph_svg(figure.data.decode("utf-8", "replace"))
    sides = _SIDES.search(svg) if svg else None
    if svg is None or sides is None:
        return None
    wide, tall = (max(1, int(side)) * 4 / 3 for side in sides.groups())
    smaller = min(1.0, MOST_SIDE / max(wide, tall))
    return Figure("svg", svg.encode(), max(1, round(wide * smaller)), max(1, round(tall * smaller)), figure.alt)


def described(figure: Figure, lang: str) -> str:
    """Describe a figure for screen readers."""
    return say(lang, "figure-alt", words=figure.alt) if figure.alt else say(lang, "figure-alt-none")


_TRACES = frozenset(
    """bar barpolar box candlestick carpet cone contour contourcarpet funnel funnelarea heatmap histogram histogram2d
    histogram2dcontour icicle indicator isosurface mesh3d ohlc parcats parcoords pie quiver sankey scatter scatter3d
    scattercarpet scattergl scatterpolar scatterpolargl scattersmith scatterternary splom streamtube sunburst
    surface table treemap violin volume waterfall""".split()
)
# Allowed layout parts; a number may follow, as in xaxis2.
_PARTS = frozenset(
    """annotationdefaults annotations autosize autotypenumbers barcornerradius bargap bargroupgap barmode barnorm
    boxgap boxgroupgap boxmode calendar coloraxis colorscale colorway dragmode extendfunnelareacolors
    extendiciclecolors extendpiecolors extendsunburstcolors extendtreemapcolors font funnelareacolorway funnelgap
    funnelgroupgap funnelmode grid height hiddenlabels hoverdistance hoverlabel hovermode hoversubplots
    iciclecolorway legend margin minreducedheight minreducedwidth paper_bgcolor piecolorway plot_bgcolor polar
    scattergap scattermode scene separators shapedefaults shapes showlegend smith spikedistance sunburstcolorway
    ternary title treemapcolorway uniformtext violingap violingroupgap violinmode waterfallgap waterfallgroupgap
    waterfallmode width xaxis yaxis""".split()
)
# Properties with free texts or data; other strings are plotly's keywords, colours and numbers.
_TEXTS = frozenset(
    """a alignmentgroup array arrayminus ax ay b base bdata bingroup c carpet categoryarray customdata dtick end
    hiddenlabels hoverformat hovertemplate hovertext ids label labelformat labelprefix labels labelsuffix
    legendgroup level locations maxallowed minallowed name offsetgroup parents path prefix r range scalegroup
    separators shape size stackgroup start suffix symbol text texttemplate theta tick0 tickformat tickprefix
    ticksuffix ticktext tickvals title uhoverformat value valueformat valuehoverformat values valuesuffix
    vhoverformat whoverformat x x0 x1 xbingroup xhoverformat y y0 y1 ybingroup yhoverformat z zhoverformat""".split()
)
# form of plotly's names; others would reach JavaScript's own objects
_NAME = plain(r"(?!constructor$)[a-z][a-z0-9_]{0,60}")
_WORD = plain(r"[#\w.,%()+ -]{0,300}")
# Tags that plotly may read in texts. Others can load, run or open something, as a style with url() does. Braces, which
# plotly would substitute, are excluded.
_TAGS = plain(
    r"<(?=/?(?:b|i|em|s|u|sub|sup|br|span|extra) ?/?>"
    r"""|span style=["'](?:(?:color|font-size|font-weight|font-style) ?: ?[#\w.%-]++;? ?){1,8}+["']>)"""
)
_KEPT = "\0"  # placeholder for the beginning of a listed tag
_MOST_TRACES, _DEEP = 200, 30
MOST_HEIGHT = 1_200


def plotly_figure(figure: Figure) -> dict | None:
    """Return the filtered data and layout for plotly, None if not a plotly figure."""
    try:
        read = msgspec.json.decode(figure.data)
        data, layout = _traces(read["data"]), _layout(read.get("layout", {}))
    except (msgspec.DecodeError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    height = layout.get("height")
    tall = min(MOST_HEIGHT, max(100, height)) if isinstance(height, int | float) and height > 0 else 450
    return {"data": data, "layout": {**layout, "height": tall}}


def _traces(traces: list) -> list[dict]:
    return [_clean(one) for one in traces[:_MOST_TRACES] if one.get("type", "scatter") in _TRACES]


def _layout(layout: dict) -> dict:
    """Return the allowed layout parts, including the template's."""
    keys = [key for key in layout if key.rstrip("0123456789") in _PARTS and _NAME.fullmatch(key)]
    parts = {key: _clean(layout[key], key) for key in keys}
    template = layout.get("template")
    if not isinstance(template, dict):
        return parts
    data = {kind: _traces(traces) for kind, traces in template.get("data", {}).items() if kind in _TRACES}
    return {**parts, "template": {"layout": _layout({**template.get("layout", {}), "template": None}), "data": data}}


def _clean(part: Any, name: str = "", depth: int = 0) -> Any:
    """Return a figure part whose texts have only allowed tags. `name` is its property."""
    if depth > _DEEP:
        raise ValueError("nested too deeply")
    if isinstance(part, dict):
        return {key: _clean(value, key, depth + 1) for key, value in part.items() if _NAME.fullmatch(key)}
    if isinstance(part, list):
        return [_clean(item, name, depth + 1) for item in part]
    if not isinstance(part, str):
        return part
    if name not in _TEXTS:
        return part if _WORD.fullmatch(part) else ""
    return _TAGS.sub(_KEPT, part.replace(_KEPT, "")).replace("<", "&lt;").replace(_KEPT, "<") if "<" in part else part
