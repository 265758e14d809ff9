"""The look of plotly figures: app colours and fonts, quiet axes, no toolbar."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from html import escape
from typing import Any

import plotly.graph_objects as go

from explorer.drawing.marks import quoted
from explorer.drawing.style import themes
from explorer.safe_regex import linear
from explorer.text.numbers import visible

_TOKEN = linear(r"--([\w-]+): (?:var\([\w-]+, )?(#[0-9a-f]{6})")
# No toolbar, because it would cover the words in the corner: drag to zoom, double-click to reset.
CONFIG = {"displayModeBar": False, "doubleClick": "reset", "showTips": False}
CODE_FONT, TEXT_FONT = "Source Code Pro, monospace", "Source Sans, sans-serif"


@dataclass(frozen=True)
class Paints:
    """Colour tokens for plots.

    Attributes:
        ink, quiet, line, grid, ground: text and first curve, labels, axes, grid, background.
        curves: for curves without a specified colour, excluding the gradient's hues.
        named: for colours named by the program.
        of: every colour of the token sheet by name.
    """

    ink: str
    quiet: str
    line: str
    grid: str
    ground: str
    curves: tuple[str, ...]
    named: dict[str, str]
    of: Mapping[str, str]


@cache
def paints(dark: bool) -> Paints:
    """Return a theme's colours for plotly, which reads no style sheet."""
    light, night, _ = themes()
    of = dict(_TOKEN.findall(light)) | (dict(_TOKEN.findall(night)) if dark else {})
    named = {"red": "bad", "cyan": "accent", "magenta": "nan", "yellow": "warn", "black": "ink", "white": "bg"}
    named |= {"blue": "g-neg-line", "orange": "g-pos-line", "green": "c-str", "purple": "c-key"}
    named |= {"gray": "ink-3", "grey": "ink-3"}
    return Paints(
        ink=of["ink"],
        quiet=of["ink-2"],
        line=of["line-2"],
        grid=of["grid"],
        ground=of["bg"],
        curves=tuple(of[name] for name in ("ink", "c-key", "c-str", "warn", "ink-3")),
        named={name: of[token] for name, token in named.items()},
        of=of,
    )


def label(words: str) -> str:
    """Escape text for plotly, which reads tags but few HTML entities."""
    return escape(visible(words), quote=False)


def axis_look(colours: Paints, **more: Any) -> dict[str, Any]:
    """Return the look of a plotly axis."""
    font = {"family": CODE_FONT, "size": 12, "color": colours.quiet}
    look = {"gridcolor": colours.grid, "linecolor": colours.line, "zerolinecolor": colours.line, "zeroline": False}
    return {**look, "tickfont": font, "exponentformat": "power", **more}


def layout(colours: Paints, height: int, **more: Any) -> dict[str, Any]:
    """Return the common layout: no frame, the app's fonts, quiet axes."""
    axis = axis_look(colours, title={"standoff": 4, "font": {"size": 13}})
    axes = {name: {**axis, **more.pop(name, {})} for name in ("xaxis", "yaxis")}
    return {
        "height": height,
        "margin": {"l": 52, "r": 12, "t": 12, "b": 42},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"family": TEXT_FONT, "size": 13, "color": colours.ink},
        "hoverlabel": {
            "bgcolor": colours.of["invert"],
            "bordercolor": colours.of["invert"],
            "font": {"family": CODE_FONT, "color": colours.of["on-invert"]},
        },
        "showlegend": False,
        "dragmode": "zoom",
        **axes,
        **more,
    }


def corner(text: str, above: int) -> dict[str, Any]:
    """Annotate the upper left corner of a plot, this many px above it."""
    place = {"x": 0, "y": 1, "xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "bottom"}
    font = {"family": CODE_FONT, "size": 14}
    return {**place, "yshift": above, "showarrow": False, "text": label(text), "font": font}


def dress(figure: go.Figure, colours: Paints, height: int, **more: Any) -> go.Figure:
    """Apply the common look to a plotly figure."""
    parts = layout(colours, height, template="none", **more)
    across, up = parts.pop("xaxis"), parts.pop("yaxis")
    return figure.update_layout(**parts).update_xaxes(**across).update_yaxes(**up)


def plot_html(figure: dict[str, Any], alt: str) -> str:
    """Render a placeholder in which `components/linked.js` draws the figure."""
    drawn = quoted(json.dumps({"figure": figure, "config": CONFIG}, separators=(",", ":"), allow_nan=False))
    height = figure["layout"]["height"]
    return (
        f'<div class="plot" role="figure" aria-label="{quoted(alt)}" data-plot="{drawn}" '
        f'style="min-height:{height}px"></div>'
    )
