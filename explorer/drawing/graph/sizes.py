"""Share card and label sizes, so that nothing moves."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from explorer.analysis.explain.autograd import GraphView
from explorer.drawing.graph.cards import Box, boxes_of
from explorer.drawing.graph.edges import label_widths


@dataclass(frozen=True)
class Room:
    """Largest sizes.

    Attributes:
        boxes: width, height, cell and half of each card's box, in the order of the view.
        labels: label width by edge index, for edges with a label.
    """

    boxes: tuple[tuple[int, int, float, float], ...]
    labels: Mapping[int, float]


def room_of(view: GraphView, lang: str) -> Room:
    """Return the sizes that a view needs."""
    boxes = boxes_of(view, lang)
    return Room(tuple((box.width, box.height, box.cell, box.half) for box in boxes), label_widths(view))


def joined(rooms: Iterable[Room]) -> Room:
    """Return sizes that fit all of these, which share cards and edges."""
    every = list(rooms)
    boxes = zip(*(room.boxes for room in every), strict=True)
    labels: dict[int, float] = {}
    for room in every:
        for index, width in room.labels.items():
            labels[index] = max(width, labels.get(index, 0))
    return Room(tuple(map(_largest, boxes)), labels)


def _largest(sizes: Iterable[tuple[int, int, float, float]]) -> tuple[int, int, float, float]:
    width, height, cell, half = zip(*sizes, strict=True)
    return max(width), max(height), max(cell), max(half)


def in_room(boxes: Iterable[Box], room: Room) -> list[Box]:
    """Enlarge boxes to these sizes."""
    return [
        replace(box, width=width, height=height, cell=cell, half=half)
        for box, (width, height, cell, half) in zip(boxes, room.boxes, strict=True)
    ]
