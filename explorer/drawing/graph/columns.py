"""A long picture broken into columns, as a newspaper is: read down the first, then down the second.

A model is a chain of modules, so its picture is a strip that no screen holds. It is cut between ranks, where few wires
run; those go on from the foot of a column up between two columns and down into the next.
"""

from collections.abc import Mapping
from itertools import accumulate

from explorer.analysis.autograd import GraphView
from explorer.drawing.graph.cards import Box
from explorer.drawing.graph.place import Placement, Point

PANE = (620, 760)  # px of width and height that are readable at once beside an editor, on a usual screen
WORTH = 0.85  # of its scale that a picture in one column more must at least gain
MOST = 4  # columns
GUTTER, LANE = 72, 9  # px between columns, and between wires there
BEND, ROUND = 40, 14  # px in which a wire turns round, and radius of its corners
SLACK = 0.35  # of a column's height by which a cut may move to where fewer wires run


def in_columns(view: GraphView, boxes: list[Box], placed: Placement) -> Placement:
    """The same cards in columns; as it was where that is no strip, or holds no closed module."""
    if not any(card.module for card in view.cards) or any(wire.again for wire in view.wires):
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
    """How many times larger than the pane a picture is."""
    xs = [x for route in placed.routes for x, _ in route]
    ys = [y for route in placed.routes for _, y in route]
    for card, (x, y) in placed.corners.items():
        xs += [x, x + frames[card][2]]
        ys += [y, y + frames[card][3]]
    return max((max(xs) - min(xs)) / PANE[0], (max(ys) - min(ys)) / PANE[1], 1.0)


Frame = tuple[float, float, float, float]  # left, top, width, height


def _cuts(view: GraphView, frames: Mapping[str, Frame], top: float, tall: float, count: int) -> list[float]:
    """Heights that no card stands across, near to even ones, where the fewest wires run."""
    gaps, low = [], top
    for y, height in sorted((y, height) for _, y, _, height in frames.values()):
        if y > low:
            gaps.append((low + y) / 2)
        low = max(low, y + height)
    ends = [(frames[wire.source][1], frames[wire.target][1]) for wire in view.wires]
    cuts: list[float] = []
    for number in range(1, count):
        even = top + tall * number / count
        near = [gap for gap in gaps if abs(gap - even) < SLACK * tall / count and gap > (cuts[-1] if cuts else top)]
        if near:
            cuts.append(min(near, key=lambda gap: (sum(a < gap < b for a, b in ends), abs(gap - even))))
    return cuts


def _moved(view: GraphView, frames: Mapping[str, Frame], placed: Placement, column: dict[str, int]) -> Placement:
    """Every column beside the one before, its top at 0."""
    numbers = range(max(column.values()) + 1)
    span: dict[int, list[float]] = {number: [] for number in numbers}
    tops = {number: min(frames[card][1] for card, at in column.items() if at == number) for number in numbers}
    for card, at in column.items():
        span[at] += [frames[card][0], frames[card][0] + frames[card][2]]
    for wire, route in zip(view.wires, placed.routes, strict=True):
        if column[wire.source] == column[wire.target]:
            span[column[wire.source]] += [x for x, _ in route]
    widths = [max(span[number]) - min(span[number]) for number in numbers]
    starts = list(accumulate((width + GUTTER for width in widths), initial=0.0))
    shift = {number: (starts[number] - min(span[number]), -tops[number]) for number in numbers}
    corners = {card: (frames[card][0] + shift[at][0], frames[card][1] + shift[at][1]) for card, at in column.items()}
    lanes = dict.fromkeys(numbers, 0)
    routes = []
    for wire, route in zip(view.wires, placed.routes, strict=True):
        source, target = column[wire.source], column[wire.target]
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
    """A way with right angles as a chain of cubic curves, its corners round."""
    route = [points[0]]
    for before, corner, after in zip(points, points[1:], points[2:], strict=False):
        into, out = _towards(corner, before), _towards(corner, after)
        route += [_between(route[-1], into, 1 / 3), _between(route[-1], into, 2 / 3), into]
        route += [_between(into, corner, 0.55), _between(out, corner, 0.55), out]
    last = route[-1]
    return [*route, _between(last, points[-1], 1 / 3), _between(last, points[-1], 2 / 3), points[-1]]


def _towards(corner: Point, other: Point) -> Point:
    """A point ROUND away from a corner, half way where there is not so much room."""
    length = abs(other[0] - corner[0]) + abs(other[1] - corner[1])
    return _between(corner, other, min(0.5, ROUND / length) if length else 0)


def _between(a: Point, b: Point, share: float) -> Point:
    return a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share
