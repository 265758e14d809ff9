"""How plotly's figures look: the app's colours and fonts, quiet axes, no frame."""

from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

CODE_FONT, TEXT_FONT = "Source Code Pro, monospace", "Source Sans, sans-serif"


@dataclass(frozen=True)
class Paints:
    """The tokens a plot needs.

    Attributes:
        ink, quiet, line, grid, ground: text and first curve, labels, axes, grid, what is behind.
        curves: of curves whose colour the program leaves open; the gradient's hues are not among them.
        named: for colours that the program names.
        scale: of matrices and heights, from low to high.
    """

    ink: str
    quiet: str
    line: str
    grid: str
    ground: str
    curves: tuple[str, ...]
    named: dict[str, str]
    scale: tuple[tuple[float, str], ...]


_LIGHT = Paints(
    ink="#1a212b",
    quiet="#545f6e",
    line="#7f8b9a",
    grid="#e8ecf0",
    ground="#ffffff",
    curves=("#1a212b", "#6b3fa0", "#2c6e49", "#8a5a00", "#647080"),
    named={
        **{"blue": "#1f66ad", "green": "#2c6e49", "red": "#b42318", "cyan": "#0a7568", "magenta": "#b0179f"},
        **{"yellow": "#8a5a00", "black": "#1a212b", "white": "#ffffff", "orange": "#ab5509", "purple": "#6b3fa0"},
        **{"gray": "#647080", "grey": "#647080"},
    },
    scale=((0.0, "#f5f7f9"), (1.0, "#1a212b")),
)
_DARK = Paints(
    ink="#e9edf2",
    quiet="#a3aebb",
    line="#667282",
    grid="#222a34",
    ground="#0e1217",
    curves=("#e9edf2", "#c4a1f5", "#8fd3ac", "#e7b75a", "#8a95a3"),
    named={
        **{"blue": "#7db6f0", "green": "#8fd3ac", "red": "#ff8a7a", "cyan": "#45c8b4", "magenta": "#f08be0"},
        **{"yellow": "#e7b75a", "black": "#e9edf2", "white": "#0e1217", "orange": "#f0a155", "purple": "#c4a1f5"},
        **{"gray": "#8a95a3", "grey": "#8a95a3"},
    },
    scale=((0.0, "#151a21"), (1.0, "#e9edf2")),
)


def paints(dark: bool) -> Paints:
    """The tokens of a theme."""
    return _DARK if dark else _LIGHT


def axis_look(colours: Paints, **more: Any) -> dict[str, Any]:
    """How an axis of plotly's looks."""
    font = {"family": CODE_FONT, "size": 12, "color": colours.quiet}
    look = {"gridcolor": colours.grid, "linecolor": colours.line, "zerolinecolor": colours.line, "zeroline": False}
    return {**look, "tickfont": font, "exponentformat": "power", **more}


def layout(colours: Paints, height: int, **more: Any) -> dict[str, Any]:
    """The layout of all figures: no frame of their own, the app's fonts, quiet axes.

    Args:
        more: further parts; those of an axis are added to its look.
    """
    axis = axis_look(colours, title={"standoff": 4, "font": {"size": 13}})
    axes = {name: {**axis, **more.pop(name, {})} for name in ("xaxis", "yaxis")}
    return {
        "height": height,
        "margin": {"l": 52, "r": 12, "t": 12, "b": 42},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"family": TEXT_FONT, "size": 13, "color": colours.ink},
        "hoverlabel": {"font": {"family": CODE_FONT}},
        "showlegend": False,
        "dragmode": False,
        "modebar": {"bgcolor": "rgba(0,0,0,0)", "color": colours.line, "activecolor": colours.ink},
        **axes,
        **more,
    }


def dress(figure: go.Figure, colours: Paints, height: int, **more: Any) -> go.Figure:
    """Give a figure of plotly's the look of all. Args: more: further parts of its layout."""
    parts = layout(colours, height, template="none", **more)
    across, up = parts.pop("xaxis"), parts.pop("yaxis")
    return figure.update_layout(**parts).update_xaxes(**across).update_yaxes(**up)
