"""Draw grids of numbers as plotly heat maps.

A cell's `customdata` names its result entry, operand entry and kind, by which a script highlights it.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from textwrap import wrap
from typing import Any

from explorer.drawing.color import Scale, size_of
from explorer.drawing.plots.plotly_look import CODE_FONT, Paints, label, layout, paints
from explorer.text.numbers import fitted, number, shorten
from explorer.trace import Number

WIDE, PHONE, BESIDE = 690, 318, 16  # px for a row of grids on each page, and for an adjacent arrow
BETWEEN = 40, 26  # px between two grids, for a sign
LEAST = 440, 264  # px for the heads of all grids in a row, at least
WIDEST, TALLEST, NUMBERED, NARROWEST = 48, 40, 26, 8  # px of a cell: widest, tallest, with a number, in a shared row
TITLE, LINE, BELOW = 26, 15, 36  # px for a head's name, a line below it, and below a row
ADVANCE, TYPE, LEAST_TYPE = 0.61, 15, 9.5  # em of a digit, then px
CHARACTER = 7.3  # px of a line below a name
Figure = dict[str, Any]
LOOKS = "value", "ghost", "tint", "bad"


@dataclass(frozen=True)
class HeatCell:
    """One cell: number or None, look, name and associated entries."""

    entry: Number | None
    kind: str  # read, ghost, result, given, upstream or gradient: the last three are gradients
    name: str
    r: str = ""
    s: str = ""

    @property
    def back(self) -> bool:
        """Return whether it is a gradient."""
        return self.kind in ("given", "upstream", "gradient")

    @property
    def look(self) -> str:
        """One of LOOKS."""
        size = 0.0 if self.entry is None else size_of(self.entry)
        if math.isnan(size) or (self.back and math.isinf(size)):
            return "bad"
        return "tint" if self.back else "ghost" if self.kind == "ghost" else "value"

    @property
    def size(self) -> float:
        """Magnitude of its number, 0 if missing or not finite."""
        size = 0.0 if self.entry is None else abs(size_of(self.entry))
        return size if math.isfinite(size) else 0.0

    @property
    def description(self) -> str:
        """Name and number."""
        return self.name if self.entry is None else f"{self.name} = {number(self.entry, self.back)}"

    def text(self, most: int) -> str:
        """Write its number within this many characters."""
        return "" if self.entry is None else fitted(self.entry, most, self.back)

    def share(self, scale: Scale) -> float:
        """Return its colour's position on its look's scale."""
        if self.look == "tint" and self.entry is not None:
            return scale.share(size_of(self.entry))
        return 1.0 if self.look == "bad" else min(1.0, self.size / scale.largest)


@dataclass(frozen=True)
class Grid:
    """One grid with its head.

    Attributes:
        title, about: its name, and the text below.
        place: column and row from 0.
        stretched: repetitions along the last axis and the one before.
        sign: sign after it.
    """

    title: str
    about: str
    cells: list[list[HeatCell]]
    place: tuple[int, int]
    stretched: tuple[int, int] = (1, 1)
    sign: str = ""

    @property
    def wide(self) -> int:
        return max(1, *map(len, self.cells)) if self.cells else 1


@dataclass(frozen=True)
class _Box:
    """A grid's layout in px: upper left corner, cell size, room for the head."""

    left: float
    top: float
    cell: tuple[int, int]
    room: float


def both(grids: list[Grid], dark: bool) -> tuple[Figure, Figure]:
    """Build figures for wide pages and for phones."""
    wide = _placed(grids, WIDE, BETWEEN[0], LEAST[0])
    narrow = [_placed(_folded(grids, most), PHONE, BETWEEN[1], LEAST[1]) for most in (len(grids), 2, 1)]
    phone = next((one for one in narrow if one[0][0].cell[0] >= NUMBERED and one[1] <= PHONE), narrow[-1])
    return _figure(grids, *wide, paints(dark)), _figure(grids, *phone, paints(dark))


def _folded(grids: list[Grid], most: int) -> list[Grid]:
    """Wrap the grids to at most this many side by side."""
    folded: list[tuple[int, int]] = []
    line = 0
    for _, row in groupby(grids, lambda grid: grid.place[1]):
        placed = [(grid.place[0], line) for grid in row]
        if placed[-1][0] >= most:
            placed = [(k % most, line + k // most) for k in range(len(placed))]
        line, folded = placed[-1][1] + 1, folded + placed
    return [replace(grid, place=place) for grid, place in zip(grids, folded, strict=True)]


def _heads(grid: Grid, room: float) -> list[str]:
    """Return the lines below a grid's name."""
    unbroken = grid.about.replace(", ", ",\u00a0").replace("→ ", "→\u00a0").replace(" −", "\u00a0−")
    return wrap(unbroken, max(8, int(room / CHARACTER)), break_long_words=False, break_on_hyphens=False)


def _placed(grids: list[Grid], room: int, between: int, least: int) -> tuple[list[_Box], float, float]:
    """Lay out grids in columns and rows. Return their boxes, total width and height."""
    columns = 1 + max(grid.place[0] for grid in grids)
    most = [max(grid.wide for grid in grids if grid.place[0] == k) for k in range(columns)]
    cell = max(NARROWEST, min(WIDEST, (room - between * (columns - 1)) // sum(most)))
    tall = min(cell, TALLEST if max(len(grid.cells) for grid in grids) <= 8 else 26)
    widths = [max(least // columns, wide * cell) for wide in most]
    lefts = [sum(widths[:k]) + k * between for k in range(columns)]
    boxes, top = {}, 0
    for line in range(1 + max(grid.place[1] for grid in grids)):
        row = [grid for grid in grids if grid.place[1] == line]
        top += TITLE + LINE * max((len(_heads(grid, widths[grid.place[0]])) for grid in row), default=0)
        for grid in row:
            boxes[grid.place] = _Box(lefts[grid.place[0]], top, (cell, tall), widths[grid.place[0]])
        top += tall * max((len(grid.cells) for grid in row), default=0) + BELOW
    return [boxes[grid.place] for grid in grids], lefts[-1] + widths[-1], top - BELOW // 2


def _figure(grids: list[Grid], boxes: list[_Box], width: float, height: float, tokens: Paints) -> Figure:
    drawn: list[Figure] = []
    notes: list[Figure] = []
    shapes: list[Figure] = []
    axes: Figure = {}
    cells = [cell for grid in grids for row in grid.cells for cell in row]
    largest = {look: max((cell.size for cell in cells if cell.look == look), default=0) or 1 for look in LOOKS}
    largest["value"] = largest["ghost"] = max(largest["value"], largest["ghost"])
    for k, (grid, box) in enumerate(zip(grids, boxes, strict=True), 1):
        across, down = grid.wide * box.cell[0], len(grid.cells) * box.cell[1]
        x, y = (f"{axis}{k if k > 1 else ''}" for axis in "xy")
        bare, rows = {"visible": False, "fixedrange": True, "showgrid": False}, max(1, len(grid.cells))
        columns = [box.left / width, (box.left + across) / width]
        lines = [1 - (box.top + max(1, down)) / height, 1 - box.top / height]
        axes[f"xaxis{x[1:]}"] = {**bare, "domain": columns, "range": [-0.5, grid.wide - 0.5], "anchor": y}
        axes[f"yaxis{y[1:]}"] = {**bare, "domain": lines, "range": [rows - 0.5, -0.5], "anchor": x}
        quiet = f'<span style="font-size:12px;color:{tokens.quiet}">'
        head = [f"<b>{label(shorten(grid.title, max(6, int(box.room / 8.8))))}</b>"] if grid.title else []
        head += [f"{quiet}{label(line)}</span>" for line in _heads(grid, box.room)]
        notes.append(_note("<br>".join(head), box.left, box.top - 5, width, height, 14.5, tokens.ink, "left", "bottom"))
        if grid.sign:
            middle = box.left + max(box.room, across), box.top + down / 2
            following = boxes[k] if k < len(boxes) else None
            if following is not None and following.left > box.left:
                hue = tokens.of["g-pos-line"] if grid.sign == "←" else tokens.ink
                place = 0.3 * middle[0] + 0.7 * following.left  # next to an axis's arrow
                notes.append(_note(label(grid.sign), place, middle[1], width, height, 20, hue, "center", "middle"))
        if not grid.cells:
            continue
        drawn += _heat(grid, box, largest, tokens, x, y)
        shapes += _edges(grid, box, x, y, tokens)
        notes += _stretches(grid, x, y, tokens)
    look = layout(
        tokens, round(height), width=round(width) + BESIDE, margin={"l": 0, "r": BESIDE, "t": 0, "b": 0},
        annotations=notes,
        shapes=shapes, hovermode="closest", dragmode=False,
    )  # fmt: skip
    return {"data": drawn, "layout": {**look, **axes}}


def _note(
    words: str, left: float, top: float, width: float, height: float, size: float, hue: str, xanchor: str, yanchor: str
) -> Figure:
    """Return a text annotation at a position in px."""
    font = {"family": CODE_FONT, "size": size, "color": hue}
    place = {"xref": "paper", "yref": "paper", "x": left / width, "y": 1 - top / height}
    anchors = {"xanchor": xanchor, "yanchor": yanchor, "align": "left", "borderpad": 0}
    return {**place, **anchors, "text": words, "font": font, "showarrow": False}


def _stretches(grid: Grid, x: str, y: str, tokens: Paints) -> Iterator[Figure]:
    """Yield an arrow along each repeated axis, with the number of reads."""
    across, down = grid.stretched
    edge, foot, hue = grid.wide - 0.5, len(grid.cells) - 0.5, tokens.named["cyan"]
    font = {"family": CODE_FONT, "size": 12, "color": hue}
    arrow = {"showarrow": True, "arrowhead": 2, "arrowsize": 0.8, "arrowwidth": 1.6, "arrowcolor": hue, "text": ""}
    refs = {"xref": x, "yref": y, "axref": x, "ayref": y}
    label = {"xref": x, "yref": y, "showarrow": False, "font": font, "borderpad": 0}
    if across > 1:
        yield {**refs, **arrow, "x": edge, "ax": -0.5, "y": foot, "ay": foot, "yshift": -8}
        yield {**label, "x": -0.5, "y": foot, "xanchor": "left", "yanchor": "top", "yshift": -11, "text": f"×{across}"}
    if down > 1:
        yield {**refs, **arrow, "x": edge, "ax": edge, "y": foot, "ay": -0.5, "xshift": 8}
        yield {**label, "x": edge, "y": foot, "xanchor": "center", "yanchor": "top", "xshift": 7, "text": f"×{down}"}


def _edges(grid: Grid, box: _Box, x: str, y: str, tokens: Paints) -> Iterator[Figure]:
    """Yield cell edges: stored, repeated, gradients (only stored without numbers)."""
    numbered = box.cell[0] >= NUMBERED
    hues = {"value": tokens.line, "ghost": tokens.line, "tint": tokens.of["line"]}
    half, paths = 0.5 - 1.5 * numbered / box.cell[0], dict.fromkeys(hues if numbered else ["value"], "")
    for i, row in enumerate(grid.cells):
        for j, cell in enumerate(row):
            if cell.look in paths:
                paths[cell.look] += f"M{j - half},{i - half}H{j + half}V{i + half}H{j - half}Z"
    for look, path in paths.items():
        if path:
            line = {"color": hues[look], "width": 1, "dash": "3px,2px" if look == "ghost" else "solid"}
            yield {"type": "path", "xref": x, "yref": y, "path": path, "line": line}


def _heat(grid: Grid, box: _Box, largest: Mapping[str, float], tokens: Paints, x: str, y: str) -> Iterator[Figure]:
    """Yield a heat map for each look of a grid. Args: largest: over the whole picture, by look."""
    numbered, size = box.cell[0] >= NUMBERED, float(TYPE)
    if numbered:
        longest = max(len(cell.text(16)) for row in grid.cells for cell in row) or 1
        size = min(size, max(LEAST_TYPE, (box.cell[0] - 6) / (ADVANCE * longest)))
    most, of = int((box.cell[0] - 3) / (ADVANCE * size)), tokens.of  # characters
    scales = {
        "value": ((of["face"], of["face" if numbered else "v-max"]), tokens.ink),
        "ghost": ((of["bg-2"], of["bg-2" if numbered else "line"]), of["ink-3"]),
        "tint": ([of[f"g-{name}"] for name in "n4 n3 n2 n1 0 p1 p2 p3 p4".split()], of["on-g"]),
        "bad": ((of["nan"], of["nan"]), of["on-nan"]),
    }
    for look, (colours, ink) in scales.items():
        if not any(cell.look == look for row in grid.cells for cell in row):
            continue

        def each(say: Callable[[HeatCell], Any], none: Any = "", look: str = look) -> list[list[Any]]:
            return [[say(cell) if cell.look == look else none for cell in row] for row in grid.cells]

        yield {
            "type": "heatmap", "xaxis": x, "yaxis": y, "xgap": 3 if numbered else 1, "ygap": 3 if numbered else 1,
            "z": each(partial(HeatCell.share, scale=Scale(largest[look])), None),
            "zmin": -1 if look == "tint" else 0, "zmax": 1,
            "colorscale": [[k / (len(colours) - 1), colour] for k, colour in enumerate(colours)], "showscale": False,
            "text": each(lambda cell: cell.text(most)) if numbered else None,
            "texttemplate": "%{text}" if numbered else "",
            "textfont": {"family": CODE_FONT, "size": round(size, 1), "color": ink},
            "customdata": each(lambda cell: [cell.r, cell.s, cell.kind], None),
            "hovertext": each(lambda cell: label(cell.description)), "hoverinfo": "text",
        }  # fmt: skip
