"""Numbers and marks of plots as plain data: conversion, matplotlib's short formats, and the bound on points."""

import contextlib
import math
import re
from typing import Any

import numpy as np

from explorer.trace import Figure

MOST_SERIES, MOST_POINTS = 200, 10_000  # of one figure
_PER_POINT = ("x", "y", "y2", "z", "error", "error_x", "size")  # lists with an entry per point

_FORMAT = re.compile(r"(?P<line>--|-\.|-|:)|(?P<marker>[.,ov^<>1-8spP*hH+xXdD|_])|(?P<color>C\d|[bgrcmykw])")
_DASHES = {"-": "solid", "--": "dash", "-.": "dashdot", ":": "dot", "solid": "solid", "dashed": "dash"}
_DASHES |= {"dashdot": "dashdot", "dotted": "dot", "": "none", " ": "none", "None": "none"}

Series = dict[str, Any]  # texts, numbers and lists of numbers


def numbers(values: object) -> tuple[list[float], list[str]]:
    """A flat list of numbers, and the names of their positions when they are categories.

    Raises whatever NumPy raises on what is no array (a tensor that requires grad says so).
    """
    array = np.asarray(values)
    if array.dtype.kind in "biuf":
        return array.astype(np.float64).ravel().tolist(), []
    flat = array.ravel().tolist()
    try:
        return [float(entry) for entry in flat], []
    except (TypeError, ValueError):
        names = list(dict.fromkeys(str(entry) for entry in flat))
        place = {name: float(i) for i, name in enumerate(names)}
        return [place[str(entry)] for entry in flat], names


def outline(places: object) -> list[tuple[float, float]]:
    """One place or several as pairs of numbers."""
    pairs = np.asarray(places, dtype=np.float64).reshape(-1, 2)
    return [(float(x), float(y)) for x, y in pairs]


def columns(values: object) -> list[object]:
    """The curves in what was given as y: one, or the columns of a matrix."""
    array = values if isinstance(values, list | tuple) and values and isinstance(values[0], str) else np.asarray(values)
    return [array] if np.ndim(array) < 2 else list(np.asarray(array).T)


def marks(text: str) -> Series:
    """What a short format says.

    >>> marks("g-.")
    {'color': 'g', 'dash': 'dashdot'}

    Raises ValueError, as matplotlib does, for a text that is none.
    """
    found: Series = {}
    at = 0
    while at < len(text):
        piece = _FORMAT.match(text, at)
        if piece is None:
            raise ValueError(f"{text!r} is not a valid format string (unrecognized character {text[at]!r})")
        at = piece.end()
        if piece["line"]:
            found["dash"] = _DASHES[piece["line"]]
        elif piece["marker"]:
            found["marker"] = piece["marker"]
        else:
            found["color"] = piece["color"]
    if "marker" in found:
        found.setdefault("dash", "none")
    return found


def styled(options: dict) -> Series:
    """The marks among the keyword arguments of a plotting call."""
    found: Series = {}
    for names, key in ((("color", "c", "facecolor", "edgecolor"), "color"), (("marker",), "marker")):
        given = next((word for name in names if (word := _color(options.get(name)))), None)
        if given is not None:
            found[key] = given[:40]
    sizes = {"width": ("linewidth", "lw"), "opacity": ("alpha",), "marker_size": ("markersize", "ms")}
    for key, words in sizes.items():
        given = next((options[name] for name in words if isinstance(options.get(name), int | float)), None)
        if given is not None:
            found[key] = float(given)
    dash = options.get("linestyle", options.get("ls"))
    if isinstance(dash, str) and dash in _DASHES:
        found["dash"] = _DASHES[dash]
    label = options.get("label")
    if label is not None and not str(label).startswith("_"):
        found["label"] = str(label)[:500]
    return found


def _color(given: object) -> str:
    """A colour as a word; also three or four shares of red, green, blue."""
    if isinstance(given, str):
        return given
    if (
        isinstance(given, tuple | list | np.ndarray)
        and len(given) in (3, 4)
        and all(np.ndim(one) == 0 for one in given)
    ):
        try:
            return "#" + "".join(f"{round(255 * min(1.0, max(0.0, float(one)))):02x}" for one in given[:3])
        except (TypeError, ValueError):
            return ""
    return ""


def bounded(series: list[Series], axes: Series) -> Figure:
    """The figure with at most MOST_SERIES series and MOST_POINTS points.

    `series_in_all` and `points_in_all` among the axes say how many there were when some are left out.
    """
    axes = dict(axes)
    if len(series) > MOST_SERIES:
        axes["series_in_all"] = float(len(series))
        series = series[:MOST_SERIES]
    total = sum(map(_points, series))
    if total > MOST_POINTS:
        axes["points_in_all"] = float(total)
        step = math.ceil(total / MOST_POINTS)
        series = [_thinned(one, step) for one in series]
        while (left := sum(map(_points, series))) > MOST_POINTS:  # grids lose whole rows and columns
            series = [_thinned(one, math.ceil(left / MOST_POINTS) + 1) for one in series]
    return Figure([_plain(one) for one in series], _plain(axes))


def _plain(series: Series) -> Series:
    """Texts, numbers and lists of numbers, whatever a program has put there; the rest is left out."""
    found: Series = {}
    for key, entry in series.items():
        if isinstance(entry, str):
            found[str(key)] = str(entry)
        elif isinstance(entry, list):
            with contextlib.suppress(TypeError, ValueError):
                found[str(key)] = list(map(float, entry))
        elif isinstance(entry, int | float | np.generic):
            found[str(key)] = float(entry)
    return found


def _points(series: Series) -> int:
    if "rows" in series:
        return int(series["rows"] * series["columns"])
    return max((len(entry) for entry in series.values() if isinstance(entry, list)), default=1)


def _thinned(series: Series, step: int) -> Series:
    if "rows" not in series:
        return {
            key: entry[::step] if isinstance(entry, list) and key in _PER_POINT else entry
            for key, entry in series.items()
        }
    jump = math.ceil(math.sqrt(step))
    rows, wide, channels = int(series["rows"]), int(series["columns"]), int(series.get("channels", 1))
    grid = np.array(series["z"]).reshape(rows, wide, channels)[::jump, ::jump]
    thinner = {**series, "z": grid.ravel().tolist(), "rows": float(grid.shape[0]), "columns": float(grid.shape[1])}
    for key in ("x", "y"):
        if isinstance(series.get(key), list):
            thinner[key] = series[key][::jump]
    return thinner
