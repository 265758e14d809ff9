"""A program's plots in the project's look: from the data of a figure to a plotly figure. Pure."""

import html
import math
import textwrap
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import plotly.graph_objects as go

from explorer.patterns import plain
from explorer.text import say
from explorer.trace import Figure

Series = dict[str, str | float | list[float]]

_DASHES = {"solid": "solid", "dash": "6px,4px", "dot": "2px,3px", "dashdot": "8px,3px,2px,3px"}
_MARKERS = {
    "o": "circle",
    ".": "circle",
    ",": "circle",
    "x": "x",
    "X": "x",
    "+": "cross",
    "s": "square",
    "D": "diamond",
}
_MARKERS |= {"d": "diamond", "^": "triangle-up", "v": "triangle-down", "<": "triangle-left", ">": "triangle-right"}
_MARKERS |= {"*": "star", "p": "pentagon", "h": "hexagon", "P": "cross", "|": "line-ns-open", "_": "line-ew-open"}
_NAMES = {"b": "blue", "g": "green", "r": "red", "c": "cyan", "m": "magenta", "y": "yellow", "k": "black", "w": "white"}
_SHAPES = {"vh": "vh", "hv": "hv", "hvh": "hvh"}
_NUMBERED, _CYCLE = plain(r"\d{1,3}\."), plain(r"C\d")
_HEX = plain(r"#[0-9a-fA-F]{3}(?:[0-9a-fA-F]{3})?")
_LEGEND = {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"}
_INCH = 80  # px that an inch of the program's figure takes here


@dataclass(frozen=True)
class Paints:
    """The tokens a plot needs.

    Attributes:
        ink, quiet, line, grid: text and first curve, labels, axes, grid.
        curves: of curves whose colour the program leaves open; the gradient's hues are not among them.
        named: for colours that the program names.
        scale: of matrices and heights, from low to high.
    """

    ink: str
    quiet: str
    line: str
    grid: str
    curves: tuple[str, ...]
    named: dict[str, str]
    scale: tuple[tuple[float, str], ...]


_LIGHT = Paints(
    ink="#1a212b",
    quiet="#545f6e",
    line="#7f8b9a",
    grid="#e8ecf0",
    curves=("#1a212b", "#6b3fa0", "#2c6e49", "#8a5a00", "#647080"),
    named={
        **{"blue": "#1f66ad", "green": "#2c6e49", "red": "#b42318", "cyan": "#0a7568", "magenta": "#b0179f"},
        **{"yellow": "#8a5a00", "black": "#1a212b", "white": "#ffffff", "orange": "#b3590a", "purple": "#6b3fa0"},
        **{"gray": "#647080", "grey": "#647080"},
    },
    scale=((0.0, "#f5f7f9"), (1.0, "#1a212b")),
)
_DARK = Paints(
    ink="#e9edf2",
    quiet="#a3aebb",
    line="#667282",
    grid="#222a34",
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


def plotly_figure(figure: Figure, dark: bool = False, lang: str = "en") -> go.Figure:
    """The figure as plotly draws it; below it stands what was left out, in the language `lang`."""
    paints, axes = (_DARK if dark else _LIGHT), figure.axes
    rows, columns = _whole(axes.get("rows"), 20), _whole(axes.get("columns"), 20)
    panels = sorted({_panel(one) for one in figure.series} | _named_panels(axes))
    drawn = go.Figure()
    for panel in panels:
        series = [one for one in figure.series if _panel(one) == panel]
        _draw_panel(drawn, panel, series, _properties(axes, panel), paints, (rows, columns))
    height = min(1200, max(240, _INCH * _number(axes.get("height"), 4.8)))
    width = min(1400, max(340, _INCH * _number(axes.get("width"), 6.4)))
    named = any("label" in one for one in figure.series) and any(key.endswith(".legend") for key in axes)
    drawn.update_layout(
        height=height,
        width=width,
        margin={
            "l": 52,
            "r": 14,
            "t": 48 if "title" in axes or named else 30,
            "b": 84 if _left_out(axes, lang) else 44,
        },
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"family": "Source Sans, sans-serif", "size": 14, "color": paints.ink},
        hoverlabel={"font": {"family": "Source Code Pro, monospace"}},
        showlegend=named,
        legend={"font": {"color": paints.quiet, "size": 12.5}, "bgcolor": "rgba(0,0,0,0)", **_LEGEND},
        barmode="overlay",
        template="none",
        title={"text": _words(axes["title"]), "x": 0.5, "font": {"size": 14.5}} if "title" in axes else None,
    )
    if told := "<br>".join(textwrap.wrap(_left_out(axes, lang), int(width / 7))):
        place = {"xref": "paper", "yref": "paper", "x": 0, "y": 0, "yshift": -46, "xanchor": "left", "yanchor": "top"}
        drawn.add_annotation(text=told, showarrow=False, font={"size": 12.5, "color": paints.quiet}, **place)
    return drawn


def dot_source(figure: Figure) -> str | None:
    """The DOT of a figure that is a graphviz graph, None for a plot."""
    found = [one for one in figure.series if one.get("kind") == "dot"]
    return str(found[0].get("source", "")) if found else None


def _left_out(axes: Series, lang: str) -> str:
    sentences = [
        say(lang, f"figure-{what}-left-out", count=int(_number(axes[f"{what}_in_all"], 0)))
        for what in ("points", "series")
        if f"{what}_in_all" in axes
    ]
    return " ".join(sentences)


def _named_panels(axes: Series) -> set[int]:
    return {int(key.split(".")[0]) for key in axes if _NUMBERED.match(key)}


def _properties(axes: Series, panel: int) -> Series:
    start = f"{panel}."
    return {key[len(start) :]: entry for key, entry in axes.items() if key.startswith(start)}


def _panel(series: Series) -> int:
    return max(0, min(399, int(_number(series.get("panel"), 0))))


def _draw_panel(
    drawn: go.Figure, panel: int, series: list[Series], properties: Series, paints: Paints, grid: tuple[int, int]
) -> None:
    rows, columns = grid
    row, column = min(panel // columns, rows - 1), panel % columns
    mark = "" if panel == 0 else str(panel + 1)
    solid = any(one.get("kind") == "surface" for one in series)
    across = [column / columns + 0.06 * bool(column), (column + 1) / columns - 0.02 * (column + 1 < columns)]
    up = [1 - (row + 1) / rows + 0.06 * (row + 1 < rows), 1 - row / rows - 0.09 * bool(row)]
    if solid:
        drawn.update_layout({f"scene{mark}": _scene(properties, paints, across, up)})
    else:
        for axis, domain in (("x", across), ("y", up)):
            drawn.update_layout({f"{axis}axis{mark}": _axis(axis, properties, series, paints, domain, mark)})
    anchors = {"scene": f"scene{mark}"} if solid else {"xaxis": f"x{mark}", "yaxis": f"y{mark}"}
    curves = 0
    for one in series:
        paint = _paint(one, paints, curves)
        curves += "color" not in one and one.get("kind") not in ("text", "image", "contour", "contourf")
        _draw(drawn, one, paint, paints, anchors)
    if "title" in properties:
        above = 20 if "legend" in properties and panel < columns else 0  # the legend stands there
        place = {
            "yshift": above,
            "xref": "paper",
            "yref": "paper",
            "x": sum(across) / 2,
            "y": up[1],
            "yanchor": "bottom",
        }
        drawn.add_annotation(text=_words(properties["title"]), showarrow=False, font={"size": 13.5}, **place)


def _axis(axis: str, properties: Series, series: list[Series], paints: Paints, domain: list[float], mark: str) -> dict:
    logarithmic = properties.get(f"{axis}scale") == "log"
    images = [one for one in series if one.get("kind") == "image"]
    made = {
        "domain": domain,
        "anchor": f"{'y' if axis == 'x' else 'x'}{mark}",
        "type": "log" if logarithmic else "linear",
        "title": {"text": _words(properties.get(f"{axis}label", "")), "standoff": 4, "font": {"size": 13}},
        "gridcolor": paints.grid,
        "showgrid": bool(properties.get("grid")),
        "zeroline": False,
        "showline": True,
        "linecolor": paints.line,
        "tickfont": {"family": "Source Code Pro, monospace", "size": 12, "color": paints.quiet},
        "visible": "off" not in properties,
        "exponentformat": "power" if logarithmic else "none",
    }
    limits = properties.get(f"{axis}lim")
    if isinstance(limits, list) and len(limits) == 2 and all(map(math.isfinite, limits)):
        made["range"] = [math.log10(end) if logarithmic and end > 0 else end for end in limits]
    elif axis == "y" and any("upright" not in one for one in images):
        made["autorange"] = "reversed"
    if axis == "y" and (images or "equal" in properties):
        made |= {"scaleanchor": f"x{mark}", "constrain": "domain"}
    elif axis == "x" and images:
        made["constrain"] = "domain"
    places, names = properties.get(f"{axis}ticks"), properties.get(f"{axis}ticklabels")
    categories = properties.get(f"{axis}categories")
    if places is None and isinstance(categories, str):
        names = categories
        places = [float(i) for i in range(len(categories.split("\n")))]
    if isinstance(places, list):
        made["tickvals"] = places
        if isinstance(names, str):
            made["ticktext"] = [_words(name) for name in names.split("\n")]
    elif names == "":
        made["showticklabels"] = False
    return made


def _scene(properties: Series, paints: Paints, across: list[float], up: list[float]) -> dict:
    def axis(name: str) -> dict:
        title = {"text": _words(properties.get(f"{name}label", ""))}
        return {"title": title, "gridcolor": paints.line, "backgroundcolor": "rgba(0,0,0,0)", "color": paints.quiet}

    return {"domain": {"x": across, "y": up}, **{f"{name}axis": axis(name) for name in "xyz"}}


def _paint(series: Series, paints: Paints, curves: int) -> str:
    given = str(series.get("color", ""))
    if _CYCLE.fullmatch(given):
        return paints.curves[int(given[1]) % len(paints.curves)]
    name = _NAMES.get(given, given.removeprefix("tab:").lower())
    if name in paints.named:
        return paints.named[name]
    return given if _HEX.fullmatch(given) else paints.curves[curves % len(paints.curves)]


def _draw(drawn: go.Figure, one: Series, paint: str, paints: Paints, anchors: dict) -> None:
    kind, x, y = one.get("kind"), _list(one, "x"), _list(one, "y")
    named = {
        "name": _words(one.get("label", "")),
        "showlegend": "label" in one,
        "opacity": _number(one.get("opacity"), 1),
    }
    common = {**named, **anchors}
    dash = str(one.get("dash", "solid"))
    stroke = {"color": paint, "width": min(12.0, _number(one.get("width"), 2)), "dash": _DASHES.get(dash, "solid")}
    spot = {"color": paint, "size": min(30.0, _number(one.get("marker_size"), 7)), "symbol": _symbol(one)}
    if kind in ("line", "errorbar"):
        mode = "+".join(part for part, there in (("lines", dash != "none"), ("markers", "marker" in one)) if there)
        errors = {f"error_{a}": _spread(one, key, paint) for a, key in (("y", "error"), ("x", "error_x")) if key in one}
        stroke["shape"] = _SHAPES.get(str(one.get("steps")), "linear")
        drawn.add_scatter(x=x, y=y, mode=mode or "markers", line=stroke, marker=spot, **errors, **common)
    elif kind == "scatter":
        if "z" in one:
            spot |= {"color": _list(one, "z"), "colorscale": paints.scale, "line": {"width": 1, "color": paints.ink}}
        if sizes := _list(one, "size"):  # areas in square points
            spot["size"] = (
                [min(60.0, math.sqrt(max(0.0, size))) for size in sizes] if len(sizes) > 1 else math.sqrt(sizes[0])
            )
        drawn.add_scatter(x=x, y=y, mode="markers", marker=spot, **common)
    elif kind in ("bar", "barh"):
        widths, flat = _list(one, "across") or [0.8], kind == "barh"
        width = widths if len(widths) == max(len(x), len(y)) else widths[0]
        base = _list(one, "bottom")
        drawn.add_bar(
            x=x, y=y, width=width, base=base or None, orientation="h" if flat else "v", marker_color=paint, **common
        )
    elif kind == "hist":
        middles = [(a + b) / 2 for a, b in pairwise(x)]
        widths = [b - a for a, b in pairwise(x)]
        drawn.add_bar(x=middles, y=y, width=widths, marker_color=paint, **common)
    elif kind == "stem":
        stalks = [entry for a, b in zip(x, y, strict=False) for entry in ((a, 0.0), (a, b), (None, None))]
        drawn.add_scatter(
            x=[a for a, _ in stalks], y=[b for _, b in stalks], mode="lines", line=stroke, hoverinfo="skip", **common
        )
        drawn.add_scatter(x=x, y=y, mode="markers", marker=spot, **{**common, "showlegend": False})
    elif kind == "area":
        edges = {"x": x + x[::-1], "y": y + _list(one, "y2")[::-1]}
        drawn.add_scatter(
            **edges, mode="none", fill="toself", fillcolor=paint, **{**common, "opacity": common["opacity"] * 0.35}
        )
    elif kind == "image":
        _image(drawn, one, paints, anchors)
    elif kind in ("contour", "contourf", "surface"):
        _heights(drawn, one, kind, x, y, paints, anchors)
    elif kind in ("hline", "vline", "hspan", "vspan"):
        _ruler(drawn, kind, x or y, paint, stroke, anchors)
    elif kind == "text" and x and y:
        arrow: dict[str, Any] = {"showarrow": False}
        place = {"x": x[0], "y": y[0], "xref": anchors.get("xaxis", "x"), "yref": anchors.get("yaxis", "y")}
        if "to_x" in one:
            head = {"x": one["to_x"], "y": one["to_y"], "ax": x[0], "ay": y[0]}
            arrow = {"showarrow": True, "arrowcolor": paints.quiet, "axref": place["xref"], "ayref": place["yref"]}
            place |= head
        drawn.add_annotation(text=_words(one.get("text", "")), xanchor="left", font={"color": paint}, **place, **arrow)


def _image(drawn: go.Figure, one: Series, paints: Paints, anchors: dict) -> None:
    grid = _rows(one)
    if _number(one.get("channels"), 1) == 3:
        pixels = [
            [[round(255 * min(1.0, max(0.0, part))) for part in row[i : i + 3]] for i in range(0, len(row), 3)]
            for row in grid
        ]
        drawn.add_image(z=pixels, colormodel="rgb", hoverinfo="skip", **anchors)
        return
    bounds = {key: one[name] for key, name in (("zmin", "low"), ("zmax", "high")) if name in one}
    extent = _list(one, "extent")
    if len(extent) == 4 and grid and grid[0]:
        wide, tall = len(grid[0]), len(grid)
        first, last = (extent[2], extent[3]) if "upright" in one else (extent[3], extent[2])
        bounds |= {"x0": extent[0] + (extent[1] - extent[0]) / wide / 2, "dx": (extent[1] - extent[0]) / wide}
        bounds |= {"y0": first + (last - first) / tall / 2, "dy": (last - first) / tall}
    drawn.add_heatmap(z=grid, colorscale=paints.scale, showscale=False, hoverongaps=False, **bounds, **anchors)


def _heights(drawn: go.Figure, one: Series, kind: str, x: list, y: list, paints: Paints, anchors: dict) -> None:
    data = {"x": x, "y": y, "z": _rows(one), "colorscale": paints.scale, "showscale": False}
    if kind == "surface":
        drawn.add_surface(**data, **anchors)
        return
    levels = _list(one, "levels")
    steps: dict[str, Any] = {}
    if len(levels) == 1:
        steps = {"ncontours": max(1, int(min(100, levels[0])))}
    elif len(levels) > 1:
        size = (levels[-1] - levels[0]) / (len(levels) - 1)
        steps = {"contours": {"start": levels[0], "end": levels[-1], "size": size}}
    coloring = {
        "contours_coloring": "lines" if kind == "contour" else "fill",
        "line_width": 1.5 if kind == "contour" else 0,
    }
    if kind == "contour":  # the lowest line must be seen too
        data["colorscale"] = ((0.0, paints.line), (1.0, paints.ink))
    drawn.add_contour(**data, **steps, **coloring, **anchors)


def _ruler(drawn: go.Figure, kind: str, at: list[float], paint: str, stroke: dict, anchors: dict) -> None:
    flat, ends = kind.startswith("h"), (at[0], at[-1]) if at else (0.0, 0.0)
    x, y = anchors.get("xaxis", "x"), anchors.get("yaxis", "y")
    span = {"x0": 0, "x1": 1, "xref": f"{x} domain", "y0": ends[0], "y1": ends[1], "yref": y}
    if not flat:
        span = {"y0": 0, "y1": 1, "yref": f"{y} domain", "x0": ends[0], "x1": ends[1], "xref": x}
    if kind.endswith("span"):
        drawn.add_shape(type="rect", fillcolor=paint, opacity=0.15, line_width=0, layer="below", **span)
    else:
        drawn.add_shape(type="line", line={**stroke, "width": min(stroke["width"], 1.5)}, **span)


def _rows(one: Series) -> list[list[float]]:
    rows, wide = _whole(one.get("rows"), 20_000), _whole(one.get("columns"), 20_000) * _whole(one.get("channels"), 3)
    flat = _list(one, "z")
    return [flat[start : start + wide] for start in range(0, min(len(flat), rows * wide), wide)]


def _spread(one: Series, key: str, paint: str) -> dict:
    return {"type": "data", "array": _list(one, key), "color": paint, "thickness": 1.5, "width": 4}


def _symbol(one: Series) -> str:
    return _MARKERS.get(str(one.get("marker", "o")), "circle")


def _list(one: Series, key: str) -> list[float]:
    entry = one.get(key)
    return entry if isinstance(entry, list) else []


def _number(entry: object, otherwise: float) -> float:
    return float(entry) if isinstance(entry, int | float) and math.isfinite(entry) else otherwise


def _whole(entry: object, most: int) -> int:
    return max(1, min(most, int(_number(entry, 1))))


def _words(text: object) -> str:
    """A text of the program for plotly, which would read tags and entities in it."""
    return html.escape(str(text), quote=False).replace("\n", "<br>")
