"""The room that cards and labels take in several pictures of one layout: they stand in the same place in each."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from explorer.autograd import GraphView
from explorer.drawing.graph.cards import Box, boxes_of
from explorer.drawing.graph.wireart import label_widths


@dataclass(frozen=True)
class Room:
    """The largest sizes.

    Attributes:
        boxes: width, height, cell and half of each card's box, in the order of the view.
        labels: width of what stands on a wire, by its index; wires without anything are left out.
    """

    boxes: tuple[tuple[int, int, float, float], ...]
    labels: Mapping[int, float]


def room_of(view: GraphView, lang: str) -> Room:
    """What a view takes."""
    boxes = boxes_of(view, lang)
    return Room(tuple((box.width, box.height, box.cell, box.half) for box in boxes), label_widths(view))


def joined(rooms: Iterable[Room]) -> Room:
    """What all of these take: of one graph, so that they have the same cards and wires."""
    found = list(rooms)
    boxes = zip(*(room.boxes for room in found), strict=True)
    labels: dict[int, float] = {}
    for room in found:
        for index, width in room.labels.items():
            labels[index] = max(width, labels.get(index, 0))
    return Room(tuple(map(_largest, boxes)), labels)


def _largest(sizes: Iterable[tuple[int, int, float, float]]) -> tuple[int, int, float, float]:
    width, height, cell, half = zip(*sizes, strict=True)
    return max(width), max(height), max(cell), max(half)


def in_room(boxes: Iterable[Box], room: Room) -> list[Box]:
    """The boxes with the sizes of a room: what will stand there in another picture has its place."""
    return [
        replace(box, width=width, height=height, cell=cell, half=half)
        for box, (width, height, cell, half) in zip(boxes, room.boxes, strict=True)
    ]
