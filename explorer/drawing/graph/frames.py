"""The frames around open modules: where they lie, and how they are drawn."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from explorer.analysis.autograd import GraphView
from explorer.analysis.autograd.frames import ModuleFrame, module_frames
from explorer.drawing.graph.cards import SMALL, Box, text_width
from explorer.drawing.graph.dot import FRAME_PAD, FRAME_TITLE
from explorer.drawing.graph.place import Placement
from explorer.drawing.marks import quoted, rect, text
from explorer.text import say
from explorer.text.numbers import shorten

HEAD = FRAME_TITLE + 14  # px above the uppermost card, for the title
CLOSER = 26  # px at the end of the title for what closes the module
_LINE = 'class="frameline" fill="none" stroke="#bcc4ce"'


@dataclass(frozen=True)
class FrameBox:
    """A frame at its place, in px; one that a picture in columns cuts has a piece in each.

    Attributes:
        path: the module's.
        column: of the picture, from 0.
        begins: whether it is the first piece.
    """

    path: str
    column: int
    left: float
    top: float
    right: float
    bottom: float
    begins: bool = True


def frame_boxes(view: GraphView, boxes: Iterable[Box], placed: Placement) -> list[FrameBox]:
    """The frames of a picture, outer ones first; none where cards lie by rank, among those of other modules."""
    if placed.by_rank:
        return []
    sizes = {box.card.id: (box.width, box.height + (8 if box.card.fold else 0)) for box in boxes}
    return [piece for frame in module_frames(view) for piece in _pieces(frame, sizes, placed)]


def _pieces(frame: ModuleFrame, sizes: Mapping[str, tuple[float, float]], placed: Placement) -> list[FrameBox]:
    inside = [piece for frame in frame.inside for piece in _pieces(frame, sizes, placed)]
    held: dict[int, list[tuple[float, float, float, float]]] = {}
    for card in frame.cards:
        (x, y), (width, height) = placed.corners[card], sizes[card]
        held.setdefault(placed.column.get(card, 0), []).append((x, y, x + width, y + height))
    for box in inside:
        held.setdefault(box.column, []).append((box.left, box.top, box.right, box.bottom))
    own: list[FrameBox] = []
    for column in sorted(held):
        lefts, tops, rights, bottoms = zip(*held[column], strict=True)
        sides = min(lefts) - FRAME_PAD, min(tops) - HEAD, max(rights) + FRAME_PAD, max(bottoms) + FRAME_PAD
        own.append(FrameBox(frame.path, column, *sides, begins=not own))
    return [*own, *inside]


def draw_frame(frame: FrameBox, lang: str) -> str:
    """The `g.frame` of a frame: its outline, the module's path, and on the first piece what closes it."""
    width, height = frame.right - frame.left, frame.bottom - frame.top
    room = int((width - 2 * FRAME_PAD - CLOSER) / text_width("m", SMALL))
    title = shorten(frame.path if frame.begins else f"… {frame.path}", max(room, 4))
    closer = ""
    if frame.begins:
        words = quoted(say(lang, "graph-module-close", module=frame.path))
        closer = (
            f'<g class="closer" transform="translate({width - FRAME_PAD - 4:.1f},13)" tabindex="0" role="button" '
            f'aria-label="{words}"><title>{words}</title>'
            '<rect x="-9" y="-9" width="18" height="18" rx="5" class="openbox" fill="none" stroke="#7f8b9a"/>'
            '<path d="M-4,0H4" class="openmark" stroke="#1a212b" fill="none"/></g>'
        )
    return (
        f'<g class="frame" data-open="{quoted(frame.path)}" '
        f'transform="translate({frame.left:.1f},{frame.top:.1f})">'
        f"{rect(0, 0, width, height, _LINE, 12)}"
        f"{text(FRAME_PAD, 17, title, 'frametitle')}{closer}</g>"
    )
