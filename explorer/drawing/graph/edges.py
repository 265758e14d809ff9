"""Edges as SVG: the line, its contribution to a gradient, and cuts."""

import math
from collections.abc import Iterable, Mapping

from explorer.analysis.explain.autograd import Card, DrawnEdge, GraphView
from explorer.analysis.explain.autograd.entry_texts import entry_text, few, range_text
from explorer.drawing.color import Scale, size_of
from explorer.drawing.graph.cards import SMALL, Box, text_width
from explorer.drawing.graph.place import Placement, Point, bezier, direction
from explorer.drawing.marks import rect, text

CUTS = {"detach": "detach()", "data_attribute": ".data", "no_grad": "no_grad", "item": ".item()"}
_LABEL, _CUT = 'class="clab" fill="#fff"', 'class="cutlab" fill="#fff"'
PILL = 18  # px, height of a label
EDGE = "#7f8b9a"  # for renderers without the style sheet


def draw_edge(edge: DrawnEdge, route: list[Point]) -> str:
    """Draw an edge's `g.edge`: line and arrow, and both again for the backward gradient."""
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in route[1:])
    path = f"M{route[0][0]:.1f},{route[0][1]:.1f}C{points}"
    tip, back = _at(route[-2], route[-1]), _at(route[1], route[0])
    ends = f'data-id="{edge.id}" data-source="{edge.source}" data-target="{edge.target}"'
    return (
        f'<g class="edge {_edge_class(edge)}" id="edge-{edge.id}" {ends}>'
        f'<path d="{path}" class="edge-path" fill="none" stroke="{EDGE}"/><path d="{path}" class="flow" fill="none"/>'
        f'<path d="M-7,-3.6L0,0L-7,3.6Z" transform="{tip}" class="tip" fill="{EDGE}"/>'
        f'<path d="M-9,-5L0,0L-9,5Z" transform="{back}" class="backtip" fill="none"/></g>'
    )


def draw_pill(edge: DrawnEdge, at: Point, scale: Scale, several: bool, entry: int | None = None) -> str:
    """Draw an edge's `g.contribution`.

    Args:
        several: whether its source gets others too, so that it is always shown.
    """
    words = pill_text(edge, entry)
    width = label_width(edge, entry)
    bad = " cbad" if edge.contribution.nonfinite else ""
    shown = _largest_entry(edge) if entry is None else size_of(edge.contribution.entries[entry])
    classes = f"contribution {_sign(edge, shown)}{' several' if several else ''}{' rounds' if edge.count > 1 else ''}"
    return (
        f'<g class="{classes}" data-id="{edge.id}" transform="translate({at[0]:.1f},{at[1]:.1f})">'
        f"{rect(-width / 2, -9, width, 18, _LABEL, 9)}"
        f"{rect(-width / 2, -9, width, 18, scale.paint(shown), 9)}"
        f"{text(0, 3.7, words, 'ctext' + bad, 'middle')}</g>"
    )


def draw_cut(edge: DrawnEdge, at: Point) -> str:
    """Draw two strokes across the edge, with the word for the cut."""
    words = CUTS[edge.kind]
    width = label_width(edge)
    left = -width / 2 + 7
    strokes = f"M{left:.1f},5L{left + 4:.1f},-5M{left + 4:.1f},5L{left + 8:.1f},-5"
    return (
        f'<g class="cutmark" data-id="{edge.id}" transform="translate({at[0]:.1f},{at[1]:.1f})">'
        f"{rect(-width / 2, -9, width, 18, _CUT, 4)}"
        f'<path d="{strokes}" class="cutline" stroke="#1a212b" fill="none"/>'
        f"{text(8, 3.7, words, 'cuttext', 'middle')}</g>"
    )


def with_pill(view: GraphView) -> frozenset[str]:
    """Return ids of edges that show their contribution.

    A folded edge knows only the last round's contribution, which next to the total would be misread.
    """
    cards = {card.id: card for card in view.cards}

    def is_whole(edge: DrawnEdge) -> bool:
        source = cards[edge.source]
        return edge.count == 1 or source.fold is not None or edge.contribution == source.gradient

    return frozenset(edge.id for edge in view.edges if edge.contribution is not None and is_whole(edge))


def label_widths(view: GraphView) -> dict[int, float]:
    """Return each edge label's width in px, by edge index."""
    entries, known = followed_entries(view), with_pill(view)
    shown = [i for i, edge in enumerate(view.edges) if edge.id in known or edge.kind in CUTS]
    return {i: label_width(view.edges[i], entries[i]) for i in shown}


def pill_places(
    view: GraphView, placed: Placement, widths: Mapping[int, float], boxes: Iterable[Box]
) -> dict[int, Point]:
    """Place labels at free points of their edges, pushing touching labels apart."""
    shown = list(widths)
    cards = [(*placed.corners[box.card.id], box.width, box.height) for box in boxes]

    def free(point: Point, width: float) -> bool:
        x, y = point
        return not any(
            left - width / 2 < x < left + wide + width / 2 and top - PILL / 2 < y < top + high + PILL / 2
            for left, top, wide, high in cards
        )

    at: dict[int, Point] = {}
    for i in shown:
        points = _pill_points(view.edges[i], placed.routes[i])
        at[i] = next((point for point in points if free(point, widths[i])), points[0])
    width = {i: widths[i] + 6 for i in shown}
    for _ in range(12):
        ordered = sorted(shown, key=lambda i: at[i][1])
        moved = False
        for k, a in enumerate(ordered):
            for b in ordered[k + 1 :]:
                if at[b][1] - at[a][1] >= 20:
                    break
                gap, apart = (width[a] + width[b]) / 2, at[b][0] - at[a][0]
                if abs(apart) < gap - 0.1:
                    push = (gap - abs(apart)) / 2 * (1 if apart >= 0 else -1)
                    at[a], at[b] = (at[a][0] - push, at[a][1]), (at[b][0] + push, at[b][1])
                    moved = True
        if not moved:
            break
    return at


def followed_entries(view: GraphView) -> list[int | None]:
    """Return the followed entry's position in each edge's source card."""
    if view.entry is None:
        return [None] * len(view.edges)
    cards = {card.id: card for card in view.cards}
    return [_followed(view, cards[edge.source], edge) for edge in view.edges]


def _followed(view: GraphView, card: Card, edge: DrawnEdge) -> int | None:
    """Return the followed position, None if the edge carries another shape."""
    same = (
        edge.contribution is not None and card.gradient is not None and edge.contribution.shape == card.gradient.shape
    )
    return view.followed(card) if same else None


def label_width(edge: DrawnEdge, entry: int | None = None) -> float:
    """Return an edge label's width in px."""
    if edge.kind in CUTS:
        return text_width(CUTS[edge.kind], SMALL) + 26
    return text_width(pill_text(edge, entry), SMALL) + 12


def _pill_points(edge: DrawnEdge, route: list[Point]) -> list[Point]:
    """Return candidate points for an edge's label, best first."""
    if edge.again:
        return [bezier(route[:7], 0.5)]
    shares = (0.42 if len(route) == 4 else 0.3, 0.5, 0.15, 0.7)
    return [bezier(route[:end], share) for end in range(len(route), 3, -3) for share in shares]


def _at(before: Point, end: Point) -> str:
    return f"translate({end[0]:.1f},{end[1]:.1f}) rotate({direction(before, end):.1f})"


def _edge_class(edge: DrawnEdge) -> str:
    again = " again" if edge.again else ""
    if edge.kind in CUTS:
        return "nog cut" + again
    if edge.kind == "data":
        return "nog" + again
    if edge.contribution is None:
        return "plain" + again
    return _sign(edge, _largest_entry(edge)) + again


def _sign(edge: DrawnEdge, entry: float) -> str:
    if edge.contribution.nonfinite:
        return "bad"
    return "pos" if entry > 0 else "neg" if entry < 0 else "zerog"


def _largest_entry(edge: DrawnEdge) -> float:
    entries = [size_of(v) for v in edge.contribution.entries]
    return max(entries, key=lambda v: abs(v) if math.isfinite(v) else math.inf, default=0.0)


def pill_text(edge: DrawnEdge, entry: int | None = None) -> str:
    """Write a contribution briefly: followed entry, one number, up to four, or a range."""
    value = edge.contribution
    if entry is not None:
        return entry_text(value, entry)
    return few(value, 4, True) or range_text(value, True) or "–"
