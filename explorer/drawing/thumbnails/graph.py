"""The graph of a run as a small picture: the cards and wires of the large one, names and gradients alone."""

from dataclasses import replace

from explorer.analysis.autograd import GraphView, graph_view
from explorer.drawing.color import scale_of
from explorer.drawing.graph.cards import Box, measure
from explorer.drawing.graph.dot import boxes_to_dot
from explorer.drawing.graph.place import Placement, Point, place
from explorer.drawing.thumbnails.cards import SmallCard, drawn, small_card
from explorer.sandbox import layout
from explorer.trace import Trace

ROOM = (320, 190)  # px that a picture has on the page
EDGE = 4  # px around it
READABLE = 0.6  # times its size in px, below which its numbers are too small
LARGEST = 1.4  # times its size in px that it is shown at most
GAPS = (0.18, 0.36)  # inches between cards of a rank, and between ranks


def graph_thumbnail(trace: Trace) -> str:
    """The picture, "" of a run without tensors: in the direction in which it is larger, and where even that one is
    small, with squares in place of numbers.
    """
    view = graph_view(trace, explained=False, judged=False)
    if not view.cards:
        return ""
    size, svg = _largest(view, {card.id: small_card(card) for card in view.cards})
    if size < READABLE:
        size, svg = max((size, svg), _largest(view, {card.id: small_card(card, most=1) for card in view.cards}))
    return svg


def _largest(view: GraphView, cards: dict[str, SmallCard]) -> tuple[float, str]:
    boxes = [_box(small) for small in cards.values()]
    return max(_svg(view, cards, _placed(view, boxes, direction)) for direction in ("TB", "LR"))


def _box(small: SmallCard) -> Box:
    return replace(measure(small.card, "en", True), width=small.width, height=small.height)


def _placed(view: GraphView, boxes: list[Box], direction: str) -> Placement:
    return place(view, boxes, layout(boxes_to_dot(view, boxes, direction, GAPS)), direction)


def _svg(view: GraphView, cards: dict[str, SmallCard], placed: Placement) -> tuple[float, str]:
    """How large it is in its room, and the picture."""
    scale = scale_of(view)
    corners = [(placed.corners[id], small) for id, small in cards.items()]
    points = [point for route in placed.routes for point in route] + [corner for corner, _ in corners]
    points += [(x + small.width + small.behind, y + small.height + small.behind) for (x, y), small in corners]
    (left, right), (top, bottom) = ((min(axis) - EDGE, max(axis) + EDGE) for axis in zip(*points, strict=True))
    width, height = right - left, bottom - top
    wires = "".join(_wire(route, view.wires[i].kind) for i, route in enumerate(placed.routes))
    body = "".join(drawn(small, *corner, scale) for corner, small in corners)
    size = f'viewBox="{left:.0f} {top:.0f} {width:.0f} {height:.0f}" style="max-width:{LARGEST * width:.0f}px"'
    return min(LARGEST, ROOM[0] / width, ROOM[1] / height), f'<svg class="thumb" {size}>{wires}{body}</svg>'


def _wire(route: list[Point], kind: str) -> str:
    points = " ".join(f"{x:.0f},{y:.0f}" for x, y in route[1:])
    cut = "" if kind == "plain" else " cut"
    return f'<path class="w{cut}" d="M{route[0][0]:.0f},{route[0][1]:.0f}C{points}"/>'
