"""Draw the SVG of a view from boxes and positions, with escaped program text.

Every card is `g.node`, every edge `g.edge`, every contribution `g.contribution`, found by data-id. Stepping and
selecting only change classes: is-hovered, is-selected, is-now, is-pending, is-dimmed, is-failed, and show-contributions
on the svg.
"""

import zlib
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from html import escape
from types import MappingProxyType

from explorer.analysis.explain.autograd import Card, GraphView
from explorer.drawing.color import Scale, scale_of
from explorer.drawing.graph.badges import Badge
from explorer.drawing.graph.cardart import draw_card
from explorer.drawing.graph.cards import SMALL, Box, boxes_of, measure, text_width
from explorer.drawing.graph.columns import FrameBox, draw_frame, frame_boxes, in_columns
from explorer.drawing.graph.edges import (
    CUTS,
    draw_cut,
    draw_edge,
    draw_pill,
    followed_entries,
    label_widths,
    pill_places,
    with_pill,
)
from explorer.drawing.graph.place import Placement, Point, place
from explorer.drawing.graph.sizes import Room, in_room
from explorer.drawing.marks import rect, text
from explorer.drawing.style import sheet, themes
from explorer.text import say

MARGIN = 16
CONTRIBUTIONS = 12  # maximum edges for showing contributions in a file; a page has a switch
CAPTION = 20  # height of a line under the picture
_NO_BADGES: Mapping[str, Badge] = MappingProxyType({})


def svg_parts(
    view: GraphView,
    layout_json: str | None,
    lang: str,
    standalone: bool = False,
    room: Room | None = None,
    badges: Mapping[str, Badge] = _NO_BADGES,
) -> list[str]:
    """Draw a view as SVG parts.

    Pictures of one layout have the same parts in order: head, frames, edges, cards, and labels on edges and below.

    Args:
        layout_json: Graphviz's JSON of the graph, with the sizes of `room`. None: placed by rank, with a note.
        standalone: whether to include the style, for a file.
        room: sizes of cards and labels that other pictures of the layout need.
    """
    boxes = boxes_of(view, lang)
    labels = label_widths(view)
    if room is not None:
        boxes, labels = in_room(boxes, room), {**labels, **room.labels}
    placed = place(view, boxes, layout_json)
    placed = in_columns(view, boxes, placed)
    scale = scale_of(view)
    key = _key(placed, lang)
    captions = captions_of(view, placed, lang)
    pills = pill_places(view, placed, labels, boxes)
    frames = frame_boxes(view, boxes, placed)
    left, top, width, height = bounds(boxes, placed, frames, captions, [(x, labels[i]) for i, (x, _) in pills.items()])
    shown = " show-contributions" if standalone and len(view.edges) <= CONTRIBUTIONS else ""
    classes = f"autograd{' implicit' if view.kind == 'implicit' else ''}{shown}"
    label = escape(say(lang, "graph-label", cards=len(view.cards)), quote=True)
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="{classes}" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="{left:.1f} {top:.1f} {width:.1f} {height:.1f}" role="group" aria-label="{label}">',
        DEFS,
    ]
    if standalone:
        out.append(f"<style>{style('.autograd')}</style>")
        out.append(rect(left, top, width, height, 'class="ground" fill="#fff"'))
    out += [draw_frame(frame, lang) for frame in frames]
    out += [draw_edge(edge, route) for edge, route in zip(view.edges, placed.routes, strict=True)]
    reading = sorted(boxes, key=lambda box: (placed.column.get(box.card.id, 0), *placed.corners[box.card.id][::-1]))
    out += [
        draw_card(box, placed.corners[box.card.id], scale, lang, key, view.followed(box.card), badges.get(box.card.id))
        for box in reading
    ]
    above = _above(view, pills, scale)
    foot = top + height - CAPTION * len(captions)
    above += [text(left + MARGIN, foot + i * CAPTION + 6, line, "caption") for i, line in enumerate(captions)]
    return [*out, "\n".join([*above, "</svg>"])]


def _above(view: GraphView, pills: Mapping[int, Point], scale: Scale) -> list[str]:
    """Draw the labels on edges: gradients and cuts."""
    known, entries = with_pill(view), followed_entries(view)
    uses = Counter(edge.source for edge in view.edges if edge.id in known)
    above = [
        draw_pill(view.edges[i], at, scale, uses[view.edges[i].source] > 1, entries[i])
        for i, at in pills.items()
        if view.edges[i].kind == "plain" and view.edges[i].id in known
    ]
    return above + [draw_cut(view.edges[i], at) for i, at in pills.items() if view.edges[i].kind in CUTS]


def card_redrawer(
    view: GraphView, layout_json: str | None, lang: str, room: Room | None = None
) -> Callable[[Card], str]:
    """Return a function that redraws a card with other numbers. Arguments as in `svg_parts`."""
    boxes = boxes_of(view, lang)
    boxes = boxes if room is None else in_room(boxes, room)
    placed = place(view, boxes, layout_json)
    placed = in_columns(view, boxes, placed)
    key = _key(placed, lang)
    scale = scale_of(view)
    sizes, plain = {box.card.id: box for box in boxes}, any(card.module for card in view.cards)

    def drawn(card: Card) -> str:
        old = sizes[card.id]
        box = measure(card, lang, plain)
        kept = {name: getattr(old, name) for name in ("title", "width", "height", "cell", "half", "bars")}
        box = replace(box, **kept)
        corner = placed.corners[card.id]
        return draw_card(box, corner, scale, lang, key, view.followed(card))

    return drawn


def _key(placed: Placement, lang: str) -> str:
    """Return a key that keeps two pictures' ids on a page distinct."""
    return f"{zlib.crc32(repr((placed.corners, lang)).encode()):x}"


@cache
def style(root: str = ":root") -> str:
    """Return a drawing's style sheet, light and dark.

    Inside a page with themes of its own use `tokens.css` and `graph.css` and set data-theme instead.
    """
    light, dark, rest = themes()
    tokens = f"{light}@media (prefers-color-scheme: dark){{:root{{{dark}}}}}{rest}"
    return tokens.replace(":root", root) + sheet("graph")


DEFS = (
    '<defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
    '<rect width="2.4" height="6" class="hatchline" fill="#fff" fill-opacity=".28"/></pattern>'
    '<pattern id="notcalled" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
    '<rect width="1.1" height="5" class="notcalled" fill="#1a212b" fill-opacity=".32"/></pattern></defs>'
)


def captions_of(view: GraphView, placed: Placement, lang: str) -> list[str]:
    """Return the lines below a picture: what it lacks, and why it is placed so."""
    lines = []
    if view.kind == "implicit":
        lines.append(say(lang, "term-implicit"))
    if view.kind == "asked":
        lines.append(say(lang, "graph-asked", of=view.of))
    if view.left_out:
        lines.append(say(lang, "graph-left-out", count=view.left_out))
    if view.dropped:
        lines.append(say(lang, "graph-dropped", count=view.dropped))
    if view.lost:
        lines.append(say(lang, "graph-lost", count=view.lost))
    if placed.by_rank:
        lines.append(say(lang, "graph-by-rank"))
    if not view.cards:
        lines.append(say(lang, "graph-empty"))
    return lines


def bounds(
    boxes: list[Box], placed: Placement, frames: list[FrameBox], captions: list[str], labels: list[tuple[float, float]]
) -> tuple[float, float, float, float]:
    """Return left, top, width and height of a picture."""
    xs, ys = [0.0], [0.0]
    for box in boxes:
        x, y = placed.corners[box.card.id]
        extra = 8 if box.card.fold else 0
        xs += [x, x + box.width + extra]
        ys += [y - (10 if box.card.fold else 0), y + box.height + extra]
    for route in placed.routes:
        xs += [x for x, _ in route]
        ys += [y for _, y in route]
    for frame in frames:
        xs += [frame.left, frame.right]
        ys += [frame.top, frame.bottom]
    for x, width in labels:
        xs += [x - width / 2, x + width / 2]
    if boxes:
        xs, ys = xs[1:], ys[1:]
    words = max((text_width(line, SMALL) for line in captions), default=0)
    width = max(max(xs) - min(xs), words)
    height = max(ys) - min(ys) + (CAPTION * len(captions) + 8 if captions else 0)
    return min(xs) - MARGIN, min(ys) - MARGIN, width + 2 * MARGIN, height + 2 * MARGIN
