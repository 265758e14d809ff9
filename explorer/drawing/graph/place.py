"""Positions of cards and edges: from Graphviz's JSON, or by rank."""

import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

import msgspec
from msgspec import Struct

from explorer.analysis.explain.autograd import GraphView
from explorer.drawing.graph.cards import Box
from explorer.drawing.graph.dot import drawn_ports

GAP, RANK_GAP = 26, 54  # px between cards of one rank, and between ranks
BEND = 28  # px that an edge needs to turn around
MOST_ROUTE = 20_000  # characters of an edge's route, on average

Point = tuple[float, float]


@dataclass(frozen=True)
class Placement:
    """Positions in px, y downwards.

    Attributes:
        corners: upper left corner by card id.
        routes: 3 n + 1 points of a chain of cubic Bézier curves for each edge.
        by_rank: whether the placement is by rank, without Graphviz.
        column: column by card id, from 0, if broken into columns.
    """

    corners: dict[str, Point]
    routes: list[list[Point]]
    by_rank: bool
    column: Mapping[str, int] = field(default_factory=dict)


class _Thing(Struct):
    name: str
    pos: str = ""  # a group of cards has none


class _Edge(Struct):
    id: str
    pos: str


class _Laid(Struct):
    """The fields that are read from Graphviz's JSON."""

    bb: str
    objects: list[_Thing] = []
    edges: list[_Edge] = []


_decoder = msgspec.json.Decoder(_Laid)


def place(view: GraphView, boxes: list[Box], layout_json: str | None) -> Placement:
    """Return a layout's placement, or one by rank."""
    if layout_json:
        try:
            return _read(view, boxes, _decoder.decode(layout_json))
        except (ValueError, KeyError, IndexError, TypeError, RecursionError):
            pass
    return by_rank(view, boxes)


def _read(view: GraphView, boxes: list[Box], laid: _Laid) -> Placement:
    if sum(len(edge.pos) for edge in laid.edges) > MOST_ROUTE * len(view.edges):
        raise ValueError("a layout of another graph")
    height = float(laid.bb.split(",")[3])
    boxes_by_id = {box.card.id: box for box in boxes}
    corners = {}
    for thing in laid.objects:
        if thing.name in boxes_by_id:
            box = boxes_by_id[thing.name]
            x, y = map(float, thing.pos.split(","))
            corners[box.card.id] = (x - box.width / 2, height - y - box.height / 2)
    placed = {}
    for edge in laid.edges:
        pairs = (pair.split(",") for pair in edge.pos.split() if pair[0] not in "es")
        placed[int(edge.id[1:])] = [(float(x), height - float(y)) for x, y in pairs]
    again = _again_routes(view, boxes, corners)
    routes = [again[index] if edge.again else placed[index] for index, edge in enumerate(view.edges)]
    if len(corners) < len(boxes) or any(len(route) < 4 for route in routes):
        raise ValueError("a layout of another graph")
    return Placement(corners, routes, False)


def by_rank(view: GraphView, boxes: list[Box]) -> Placement:
    """Place cards in rows by longest path from a source, ordered by their targets."""
    rank = _ranks(view)
    rows = defaultdict(list)
    for box in boxes:
        rows[rank[box.card.id]].append(box)
    _order(view, rows)
    widest = max((sum(b.width + GAP for b in row) - GAP for row in rows.values()), default=0)
    depth = 0.0
    corners = {}
    for number in sorted(rows):
        row = rows[number]
        at = (widest - (sum(b.width + GAP for b in row) - GAP)) / 2
        for box in row:
            corners[box.card.id] = (at, depth)
            at += box.width + GAP
        depth += max(box.height for box in row) + RANK_GAP
    again = _again_routes(view, boxes, corners)
    size, share = {box.card.id: (box.width, box.height) for box in boxes}, _shares(view)
    routes = [
        again[i] if edge.again else _curve(corners, size, edge.source, edge.target, share[i])
        for i, edge in enumerate(view.edges)
    ]
    return Placement(corners, routes, True)


def _shares(view: GraphView) -> list[float]:
    """Return where each edge ends on its target's side, from 0 to 1."""
    ports: dict[str, int] = defaultdict(int)
    drawn = drawn_ports(view)
    for port, edge in zip(drawn, view.edges, strict=True):
        ports[edge.target] = max(ports[edge.target], port + 1)
    return [(port + 0.5) / ports[edge.target] for port, edge in zip(drawn, view.edges, strict=True)]


def _again_routes(view: GraphView, boxes: list[Box], corners: dict[str, Point]) -> dict[int, list[Point]]:
    """Route edges into the next round outside all cards."""
    share, routes = _shares(view), {}
    frames = {}  # left, top, right, bottom
    for box in boxes:
        x, y = corners[box.card.id]
        frames[box.card.id] = x, y, x + box.width, y + box.height
    lanes = 0
    for index, edge in enumerate(view.edges):
        if not edge.again:
            continue
        left, _, right, bottom = frames[edge.source]
        target = frames[edge.target]
        start = ((left + right) / 2, bottom)
        end = (target[0] + (target[2] - target[0]) * share[index], target[1])
        passed = [f[2] for f in frames.values() if f[3] > end[1] - BEND and f[1] < start[1] + BEND]
        lane = max(passed, default=max(left, right)) + 22 + 12 * lanes
        lanes += 1
        low, high = (lane, start[1] - BEND), (lane, end[1] + BEND)
        out = [start, (start[0], start[1] + BEND), (lane, start[1] + BEND), low]
        up = [(lane, (2 * low[1] + high[1]) / 3), (lane, (low[1] + 2 * high[1]) / 3), high]
        back = [(lane, end[1] - BEND), (end[0], end[1] - BEND), end]
        routes[index] = [*out, *up, *back]
    return routes


def _curve(
    corners: Mapping[str, Point], size: Mapping[str, Point], source: str, target: str, share: float
) -> list[Point]:
    (ax, ay), (aw, ah) = corners[source], size[source]
    (bx, by), (bw, _) = corners[target], size[target]
    start, end = (ax + aw / 2, ay + ah), (bx + bw * share, by)
    bend = max(24.0, abs(end[1] - start[1]) / 2)
    return [start, (start[0], start[1] + bend), (end[0], end[1] - bend), end]


def _ranks(view: GraphView) -> dict[str, int]:
    """Return the longest path to each card, ignoring edges into the next loop round."""
    rank = {card.id: 0 for card in view.cards}
    waiting, out = dict.fromkeys(rank, 0), defaultdict(list)
    for edge in view.edges:
        if not edge.again:
            waiting[edge.target] += 1
            out[edge.source].append(edge.target)
    ready = [card for card, count in waiting.items() if not count]
    for card in ready:
        for target in out[card]:
            rank[target] = max(rank[target], rank[card] + 1)
            waiting[target] -= 1
            if not waiting[target]:
                ready.append(target)
    for source in {edge.source for edge in view.edges} - {edge.target for edge in view.edges}:
        rank[source] = max(0, min(rank[target] for target in out[source]) - 1) if out[source] else 0
    return rank


def _order(view: GraphView, rows: dict[int, list[Box]]) -> None:
    """Sort each row by the mean place of its cards' targets and ports."""
    out = defaultdict(list)
    for edge in view.edges:
        if not edge.again:
            out[edge.source].append((edge.target, edge.port))
    place_of: dict[str, float] = {}
    for number in sorted(rows, reverse=True):
        row = rows[number]
        wanted = {}
        for i, box in enumerate(row):
            ends = [place_of[target] + port / 100 for target, port in out[box.card.id] if target in place_of]
            wanted[box.card.id] = sum(ends) / len(ends) if ends else i / len(row)
        row.sort(key=lambda box: wanted[box.card.id])
        place_of.update((box.card.id, (i + 0.5) / len(row)) for i, box in enumerate(row))


def bezier(route: list[Point], share: float) -> Point:
    """Return a point on a route's last curve, at a share from 0 to 1."""
    a, b, c, d = route[-4:]
    u = 1 - share
    weights = (u**3, 3 * u * u * share, 3 * u * share**2, share**3)
    x, y = (sum(w * p[axis] for w, p in zip(weights, (a, b, c, d), strict=True)) for axis in (0, 1))
    return x, y


def direction(start: Point, end: Point) -> float:
    """Return the direction between two points in degrees, clockwise from the right."""
    return math.degrees(math.atan2(end[1] - start[1], end[0] - start[0]))
