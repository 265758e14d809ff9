"""A run's graph as a thumbnail: only cards, edges, names and gradients."""

import math
from dataclasses import dataclass, replace

from explorer.analysis.explain.autograd import Card, GraphView, graph_view
from explorer.drawing.color import Scale, scale_of, size_of
from explorer.drawing.graph.cards import Box, measure, picked_rows, text_width
from explorer.drawing.graph.dot import boxes_to_dot
from explorer.drawing.graph.place import Placement, Point, place
from explorer.drawing.marks import quoted
from explorer.sandbox import layout
from explorer.text.numbers import number, shorten
from explorer.trace import Number, Trace

NAME, ENTRY = 13.0, 11.0  # font sizes in px
HEAD, ROW, SQUARE = 23, 19, 12  # px: the line with the name, a row of numbers, an entry without its number
LETTERS = 13  # longest name
NUMBERS = 6  # up to this many entries, numbers are shown
ROWS, COLUMNS = 6, 10  # most squares
LEAST = 40  # px


@dataclass(frozen=True)
class SmallCard:
    """A card with its size in px.

    Attributes:
        rows: the shown entries; numbers: whether as numbers.
        column: width of an entry; gradient: whether they belong to the gradient.
    """

    card: Card
    title: str
    rows: tuple[tuple[Number, ...], ...]
    numbers: bool
    column: float
    gradient: bool
    width: int
    height: int

    @property
    def behind(self) -> int:
        """Return the offset in px of the sheet behind a folded card, 0 for others."""
        return 4 if self.card.fold else 0


def small_card(card: Card, most: int = NUMBERS) -> SmallCard:
    """Return the size and content of a card.

    Args:
        most: entries up to which they are numbers; more are coloured squares.
    """
    title = shorten(card.name or card.expression or card.torch, LETTERS)
    value = card.gradient or card.value
    rows = picked_rows(value, value.entries) if value is not None and value.entries else ()
    gradient = card.gradient is not None
    columns = max(map(len, rows), default=0)
    numbers = len(rows) * columns <= most
    if numbers:
        widest = max((text_width(number(entry, gradient), ENTRY) for row in rows for entry in row), default=0)
        column, row_height = max(widest + 9, 24.0), ROW
    else:
        rows = tuple(row[:COLUMNS] for row in rows[:ROWS])
        columns = max(map(len, rows))
        column, row_height = float(SQUARE), SQUARE
    wide = max(LEAST, text_width(title, NAME) + 18, columns * column + (0 if columns == 1 else 8))
    tall = HEAD + len(rows) * row_height + (5 if rows and (columns > 1 or len(rows) > 1) else 0)
    return SmallCard(card, title, rows, numbers, column, gradient, math.ceil(wide), math.ceil(tall))


def drawn(small: SmallCard, x: float, y: float, scale: Scale) -> str:
    """Draw the card at its position."""
    card, w, h = small.card, small.width, small.height
    kind = f"{card.kind}{' bad' if card.notes else ''}{' failed' if card.failed else ''}"
    round_ = 10 if card.kind == "leaf" else 5
    parts = [f'<rect class="face" width="{w}" height="{h}" rx="{round_}"/>']
    if small.behind:
        moved = f'<g transform="translate({small.behind},{small.behind})">{parts[0]}</g>'
        parts.insert(0, moved)
    parts += _entries(small, scale)
    if card.kind in ("leaf", "out"):
        seal = (4, 3, w - 8, HEAD - 6, 8) if card.kind == "leaf" else (0, 0, w, HEAD, 5)
        parts.append('<rect class="seal" x="{}" y="{}" width="{}" height="{}" rx="{}"/>'.format(*seal))
    parts.append(f'<text class="n" x="{w / 2:g}" y="16">{quoted(small.title)}</text>')
    return f'<g class="{kind}" transform="translate({x:.0f},{y:.0f})">{"".join(parts)}</g>'


def _entries(small: SmallCard, scale: Scale) -> list[str]:
    """Return the entries: a single one across the card's bottom, several in columns."""
    if not small.rows:
        return []
    if len(small.rows) == len(small.rows[0]) == 1:
        edge = 4 if small.card.kind == "leaf" else 1
        return [_number(small.rows[0][0], edge, HEAD, small.width - 2 * edge, ROW - edge, small.gradient, scale)]
    left = (small.width - max(map(len, small.rows)) * small.column) / 2
    top = _top(small.rows)
    column, gradient = small.column, small.gradient
    return [
        _number(entry, left + j * column, HEAD + i * ROW, column - 1, ROW - 1, gradient, scale)
        if small.numbers
        else f"<rect {_paint(entry, gradient, scale, top)} {_box(left + j * column, HEAD + i * column, column - 1)}/>"
        for i, row in enumerate(small.rows)
        for j, entry in enumerate(row)
    ]


def _number(entry: Number, x: float, y: float, width: float, height: float, gradient: bool, scale: Scale) -> str:
    """Return a number, of a gradient on its colour."""
    words = number(entry, gradient)
    bad = gradient and not math.isfinite(abs(entry))
    ground = f'<rect {scale.paint(entry)} rx="4" {_box(x, y, width, height)}/>' if gradient else ""
    name = "e bad" if bad else "e g" if gradient else "e"
    return f'{ground}<text class="{name}" x="{x + width / 2:.1f}" y="{y + 13:g}">{words}</text>'


def _paint(entry: Number, gradient: bool, scale: Scale, top: float) -> str:
    if gradient:
        return scale.paint(entry)
    size = abs(size_of(entry))
    return f'class="v" style="--t:{8 + 80 * min(1.0, size / top):.0f}%"' if math.isfinite(size) else 'class="g bad"'


def _top(rows: tuple[tuple[Number, ...], ...]) -> float:
    return max((abs(entry) for row in rows for entry in row if math.isfinite(abs(entry))), default=0.0) or 1.0


def _box(x: float, y: float, width: float, height: float | None = None) -> str:
    return f'x="{x:g}" y="{y:g}" width="{width:g}" height="{width if height is None else height:g}"'


ROOM = (320, 190)  # px that a picture has on the page
EDGE = 4  # px around the picture
READABLE = 0.6  # smallest scale at which numbers are readable
TINY = 0.5  # smallest scale at which names are readable; below it, only a part is shown, at READABLE
LARGEST = 1.4  # largest scale
NEARLY = 2.5  # px by which a level edge may be off
GAPS = (0.18, 0.36)  # inches between cards of a rank, and between ranks


def graph_thumbnail(trace: Trace) -> str:
    """Return the picture, "" of a run without tensors, from left to right: pictures have more width than height.

    Where it is too small to read its numbers, it has squares in their place. Where it is too small to read its names,
    only a part is drawn: around the card at which NaN begins, otherwise around a leaf.
    """
    view = graph_view(trace, explained=False, judged=False)
    if not view.cards:
        return ""
    size, svg = _svg(view, {card.id: small_card(card) for card in view.cards})
    if size < READABLE:
        size, svg = max((size, svg), _svg(view, {card.id: small_card(card, most=1) for card in view.cards}))
    return svg


def _small_box(small: SmallCard) -> Box:
    return replace(measure(small.card, "en", True), width=small.width, height=small.height)


def _placed(view: GraphView, boxes: list[Box]) -> Placement:
    """Lay out the cards from left to right: a layout from top to bottom, transposed."""
    lying = [replace(box, width=box.height, height=box.width) for box in boxes]
    placed = place(view, lying, layout(boxes_to_dot(view, lying, GAPS)))
    corners = {id: (y, x) for id, (x, y) in placed.corners.items()}
    ends = {box.card.id: corners[box.card.id][0] + box.width for box in boxes}
    turned = zip(view.edges, placed.routes, strict=True)
    routes = [_joined([(y, x) for x, y in route], ends[edge.source], corners[edge.target][0]) for edge, route in turned]
    return replace(placed, corners=corners, routes=routes)


def _joined(route: list[Point], start: float, end: float) -> list[Point]:
    """Extend an edge to touch both cards, and straighten nearly level edges, because Graphviz rounds to pixels."""
    height = route[-1][1]
    level = all(abs(y - height) <= NEARLY for _, y in route)
    points = [(x, height if level else y) for x, y in route]
    return [(start, points[0][1]), *points[1:-1], (end, points[-1][1])]


def _svg(view: GraphView, cards: dict[str, SmallCard]) -> tuple[float, str]:
    """Return the picture, and its scale in the available space."""
    placed = _placed(view, [_small_box(small) for small in cards.values()])
    corners = [(placed.corners[id], small) for id, small in cards.items()]
    edges = list(zip(placed.routes, view.edges, strict=True))
    left, top, right, bottom = _bounds(corners, placed.routes)
    largest = min(LARGEST, ROOM[0] / (right - left), ROOM[1] / (bottom - top))
    if largest < TINY:
        (x, y), point = max(corners, key=lambda place: (bool(place[1].card.notes), place[1].card.kind == "leaf"))
        left, width = _part(left, right, x + point.width / 2, ROOM[0] / READABLE)
        top, height = _part(top, bottom, y + point.height / 2, ROOM[1] / READABLE)
        corners = [
            ((x, y), small)
            for (x, y), small in corners
            if left <= x <= left + width - small.width and top <= y <= top + height - small.height
        ]
        seen = {small.card.id for _, small in corners}
        edges = [(route, edge) for route, edge in edges if {edge.source, edge.target} <= seen]
        joined = {id for _, edge in edges for id in (edge.source, edge.target)}
        corners = [place for place in corners if place[1].card.id in joined] or corners
        left, top, right, bottom = _bounds(corners, [route for route, _ in edges])
    body = "".join(_edge(route, edge.kind) for route, edge in edges)
    scale = scale_of(view)
    body += "".join(drawn(small, *corner, scale) for corner, small in corners)
    width, height = right - left, bottom - top
    size = f'viewBox="{left:.0f} {top:.0f} {width:.0f} {height:.0f}" style="max-width:{LARGEST * width:.0f}px"'
    return largest, f'<svg class="thumb" {size}>{body}</svg>'


def _bounds(corners: list[tuple[Point, SmallCard]], routes: list[list[Point]]) -> tuple[float, float, float, float]:
    """Return the left, upper, right and lower end of cards and edges."""
    points = [point for route in routes for point in route] + [corner for corner, _ in corners]
    points += [(x + small.width + small.behind, y + small.height + small.behind) for (x, y), small in corners]
    across, down = zip(*points, strict=True)
    return min(across) - EDGE, min(down) - EDGE, max(across) + EDGE, max(down) + EDGE


def _part(low: float, high: float, middle: float, most: float) -> tuple[float, float]:
    """Return the beginning and the length of the part of an axis, of at most so many px, around a point."""
    length = min(high - low, most)
    return max(low, min(middle - length / 2, high - length)), length


def _edge(route: list[Point], kind: str) -> str:
    points = " ".join(f"{x:.0f},{y:.0f}" for x, y in route[1:])
    cut = "" if kind == "plain" else " cut"
    return f'<path class="w{cut}" d="M{route[0][0]:.0f},{route[0][1]:.0f}C{points}"/>'
