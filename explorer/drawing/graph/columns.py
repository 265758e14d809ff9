"""Break a long picture into newspaper columns.

A model is a chain of modules, so its picture is too long for a screen. It is cut between ranks with few edges, which
continue from the bottom of a column up to the top of the next.

Frames around open modules are split too.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import accumulate

from explorer.analysis.explain.autograd import GraphView
from explorer.analysis.explain.autograd.frames import ModuleFrame, module_frames
from explorer.drawing.graph.cards import SMALL, Box, text_width
from explorer.drawing.graph.dot import FRAME_PAD, FRAME_TITLE
from explorer.drawing.graph.place import Placement, Point
from explorer.drawing.marks import quoted, rect, text
from explorer.text import say
from explorer.text.numbers import shorten

PANE = (620, 760)  # readable px next to an editor on a usual screen
WORTH = 0.85  # minimum gain in scale for another column
MOST = 4  # columns
GUTTER, LANE = 72, 9  # px between columns, and between edges there
BEND, ROUND = 40, 14  # px that an edge needs to turn around, and radius of its corners
SLACK = 0.35  # share of a column's height by which a cut may move to cross fewer edges
HEAD = FRAME_TITLE + 14  # px above the uppermost card, for the title
CLOSER = 26  # px for the closing button at the end of the title
_LINE = 'class="frameline" fill="none" stroke="#bcc4ce"'


def in_columns(view: GraphView, boxes: list[Box], placed: Placement) -> Placement:
    """Arrange cards in columns, unchanged if not a strip or without closed modules."""
    if not any(card.module for card in view.cards) or any(edge.again for edge in view.edges):
        return placed
    frames = {box.card.id: (*placed.corners[box.card.id], box.width, box.height) for box in boxes}
    top, bottom = min(y for _, y, *_ in frames.values()), max(y + h for _, y, _, h in frames.values())
    best = placed
    for count in range(2, MOST + 1):
        cuts = _cuts(view, frames, top, bottom - top, count)
        if len(cuts) == count - 1:
            column = {card: sum(y >= cut for cut in cuts) for card, (_, y, *_) in frames.items()}
            broken = _moved(view, frames, placed, column)
            if _times_pane(broken, frames) < WORTH * _times_pane(best, frames):
                best = broken
    return best


def _times_pane(placed: Placement, frames: Mapping[str, "Frame"]) -> float:
    """Return how many times larger than the pane a picture is."""
    xs = [x for route in placed.routes for x, _ in route]
    ys = [y for route in placed.routes for _, y in route]
    for card, (x, y) in placed.corners.items():
        xs += [x, x + frames[card][2]]
        ys += [y, y + frames[card][3]]
    return max((max(xs) - min(xs)) / PANE[0], (max(ys) - min(ys)) / PANE[1], 1.0)


Frame = tuple[float, float, float, float]  # left, top, width, height


def _cuts(view: GraphView, frames: Mapping[str, Frame], top: float, tall: float, count: int) -> list[float]:
    """Return evenly spaced cut heights that cross no card and few edges."""
    gaps, low = [], top
    for y, height in sorted((y, height) for _, y, _, height in frames.values()):
        if y > low:
            gaps.append((low + y) / 2)
        low = max(low, y + height)
    ends = [(frames[edge.source][1], frames[edge.target][1]) for edge in view.edges]
    cuts: list[float] = []
    for number in range(1, count):
        even = top + tall * number / count
        near = [gap for gap in gaps if abs(gap - even) < SLACK * tall / count and gap > (cuts[-1] if cuts else top)]
        if near:
            cuts.append(min(near, key=lambda gap: (sum(a < gap < b for a, b in ends), abs(gap - even))))
    return cuts


def _moved(view: GraphView, frames: Mapping[str, Frame], placed: Placement, column: dict[str, int]) -> Placement:
    """Move each column next to the previous one, its top at 0."""
    numbers = range(max(column.values()) + 1)
    span: dict[int, list[float]] = {number: [] for number in numbers}
    tops = {number: min(frames[card][1] for card, at in column.items() if at == number) for number in numbers}
    for card, at in column.items():
        span[at] += [frames[card][0], frames[card][0] + frames[card][2]]
    for edge, route in zip(view.edges, placed.routes, strict=True):
        if column[edge.source] == column[edge.target]:
            span[column[edge.source]] += [x for x, _ in route]
    widths = [max(span[number]) - min(span[number]) for number in numbers]
    starts = list(accumulate((width + GUTTER for width in widths), initial=0.0))
    shift = {number: (starts[number] - min(span[number]), -tops[number]) for number in numbers}
    corners = {card: (frames[card][0] + shift[at][0], frames[card][1] + shift[at][1]) for card, at in column.items()}
    lanes = dict.fromkeys(numbers, 0)
    routes = []
    for edge, route in zip(view.edges, placed.routes, strict=True):
        source, target = column[edge.source], column[edge.target]
        begin, end = _by(route[0], shift[source]), _by(route[-1], shift[target])
        if source == target:
            routes.append([_by(point, shift[source]) for point in route])
            continue
        aside = lanes[target] * LANE
        lanes[target] += 1
        out, into = starts[source + 1] - GUTTER / 2 + aside, starts[target] - GUTTER / 2 + aside
        over = [] if target == source + 1 else [(out, -BEND - aside), (into, -BEND - aside)]
        foot, head = begin[1] + BEND, end[1] - BEND
        routes.append(_rounded([begin, (begin[0], foot), (out, foot), *over, (into, head), (end[0], head), end]))
    return Placement(corners, routes, placed.by_rank, column)


def _by(point: Point, shift: Point) -> Point:
    return point[0] + shift[0], point[1] + shift[1]


def _rounded(points: list[Point]) -> list[Point]:
    """Convert a right-angled path to cubic curves with round corners."""
    route = [points[0]]
    for before, corner, after in zip(points, points[1:], points[2:], strict=False):
        into, out = _towards(corner, before), _towards(corner, after)
        route += [_between(route[-1], into, 1 / 3), _between(route[-1], into, 2 / 3), into]
        route += [_between(into, corner, 0.55), _between(out, corner, 0.55), out]
    last = route[-1]
    return [*route, _between(last, points[-1], 1 / 3), _between(last, points[-1], 2 / 3), points[-1]]


def _towards(corner: Point, other: Point) -> Point:
    """Return a point ROUND away from a corner, or halfway."""
    length = abs(other[0] - corner[0]) + abs(other[1] - corner[1])
    return _between(corner, other, min(0.5, ROUND / length) if length else 0)


def _between(a: Point, b: Point, share: float) -> Point:
    return a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share


@dataclass(frozen=True)
class FrameBox:
    """A placed frame, in px, possibly one piece for each column.

    Attributes:
        path: path of the module.
        column: column of the picture, from 0.
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
    """Return the frames, outermost first, none in a placement by rank."""
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
    """Draw a `g.frame`: outline, module path, and the closing button on the first piece."""
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
