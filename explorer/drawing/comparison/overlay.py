"""Two runs as one picture: grey what they share, tinted what only one has, and a row for each where they differ."""

from collections.abc import Sequence
from dataclasses import dataclass

from explorer.analysis.explain.autograd import Card
from explorer.analysis.explain.autograd.entry_texts import index_text
from explorer.analysis.explain.autograd.frames import frames_of_cards, short_title
from explorer.analysis.views.comparison.comparison import both_texts
from explorer.analysis.views.comparison.differences import Difference
from explorer.analysis.views.comparison.overlay import Overlay
from explorer.drawing.graph.cardart import aria, draw_opener, place_attributes
from explorer.drawing.graph.cards import PAD, SMALL, TITLE, TITLE_CELLS, Box, label_width, text_width
from explorer.drawing.graph.columns import draw_frame, frame_boxes, in_columns
from explorer.drawing.graph.dot import boxes_to_dot
from explorer.drawing.graph.edges import CUTS, draw_cut, draw_edge, label_widths, pill_places
from explorer.drawing.graph.place import Point, place
from explorer.drawing.graph.svg import CAPTION, DEFS, MARGIN, bounds, captions_of
from explorer.drawing.marks import quoted, rect, text
from explorer.sandbox import layout
from explorer.text import say
from explorer.text.numbers import shape_text, shorten

LABEL, ROW = 19, 20  # px: a label, and the row of a run below it
HEAD, SECOND = 32, 15  # px: the name, and the line below it
SHOWN = 2  # differences of a card


@dataclass(frozen=True)
class PairedRow:
    """Row of a card for each run. Attributes: label: its words, "" for expressions. left, right: texts of A and B."""

    label: str
    left: str
    right: str


def overlay_svg(over: Overlay, lang: str) -> str:
    """Lay out and draw both runs as one SVG."""
    frames_by_card = frames_of_cards(over.view)
    rows = {card.id: _rows(over, card, lang) for card in over.view.cards}
    boxes = [_box(over, card, rows[card.id], frames_by_card.get(card.id, ""), lang) for card in over.view.cards]
    placed = in_columns(over.view, boxes, place(over.view, boxes, layout(boxes_to_dot(over.view, boxes))))
    labels = label_widths(over.view)
    pills, frames = pill_places(over.view, placed, labels, boxes), frame_boxes(over.view, boxes, placed)
    captions = captions_of(over.view, placed, lang)
    around = bounds(boxes, placed, frames, captions, [(x, labels[i]) for i, (x, _) in pills.items()])
    left, top, width, height = around
    label = quoted(say(lang, "graph-label", cards=len(over.view.cards)))
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="autograd overlay" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="{left:.1f} {top:.1f} {width:.1f} {height:.1f}" role="group" aria-label="{label}">',
        DEFS,
        *(draw_frame(frame, lang) for frame in frames),
    ]
    for edge, route in zip(over.view.edges, placed.routes, strict=True):
        out.append(f'<g class="only{over.sides.get(edge.id, "")}">{draw_edge(edge, route)}</g>')
    reading = sorted(boxes, key=lambda box: (placed.column.get(box.card.id, 0), *placed.corners[box.card.id][::-1]))
    out += [_draw(over, box, placed.corners[box.card.id], rows[box.card.id], lang) for box in reading]
    for i, at in pills.items():
        if (edge := over.view.edges[i]).kind in CUTS:
            out.append(f'<g class="only{over.sides.get(edge.id, "")}">{draw_cut(edge, at)}</g>')
    foot = top + height - CAPTION * len(captions)
    out += [text(left + MARGIN, foot + i * CAPTION + 6, line, "caption") for i, line in enumerate(captions)]
    return "\n".join([*out, "</svg>"])


def _rows(over: Overlay, card: Card, lang: str) -> list[PairedRow]:
    """Return the rows of a card that both runs have."""
    if over.sides.get(card.id):
        return []
    found = over.differences.get(card.id, [])
    codes = over.titles.get(card.id)
    rows = [] if codes is None else [PairedRow("", *(shorten(code, TITLE_CELLS) for code in codes))]
    if card.module is None and card.fold is None:
        firsts = {difference.kind == "gradient": difference for difference in reversed(found)}
        return rows + [_row(firsts[kind], lang) for kind in (False, True) if kind in firsts]
    return rows


def _row(difference: Difference, lang: str) -> PairedRow:
    what, left, right = both_texts(difference)
    kind = "gradient" if difference.kind == "gradient" else "value"
    index = difference.gap.index if difference.gap is not None else None
    label = say(lang, "comparing-row", kind=kind, what=what, entry=index_text(index or ()))
    missing, some = say(lang, "comparing-none"), say(lang, "comparing-some")
    return PairedRow(
        label, left or (missing if what == "only-b" else some), right or (missing if what == "only-a" else some)
    )


def _count(over: Overlay, card: Card, lang: str) -> str:
    """Count the differences inside of a closed module or a folded card."""
    found = over.differences.get(card.id, [])
    if not found or over.sides.get(card.id) or (card.module is None and card.fold is None):
        return ""
    gradients = sum(difference.kind == "gradient" for difference in found)
    return say(lang, "comparing-inside", values=len(found) - gradients, gradients=gradients)


def _box(over: Overlay, card: Card, rows: Sequence[PairedRow], frame: str, lang: str) -> Box:
    """Measure a card."""
    title = card.word if card.id in over.titles else short_title(card.title, frame)
    title = shorten(title, TITLE_CELLS)
    second = _count(over, card, lang) or (shorten(card.torch, TITLE_CELLS) if card.id not in over.titles else "")
    shape = shape_text(card.shape)
    words = [text_width(title, TITLE) + (text_width(shape, SMALL) + 18 if shape else 0) + 24 * bool(card.module)]
    words += [text_width(second, SMALL), *(label_width(row.label, SMALL) for row in rows)]
    words += [text_width(each, SMALL) + 34 for row in rows for each in (row.left, row.right)]
    body = HEAD + (SECOND if second else 0)
    height = body + sum(2 * ROW + (LABEL if row.label else 0) for row in rows)
    return Box(card, int(max(words) + 2 * PAD + 1), height, title, second, shape, (), "none", body)


def _draw(over: Overlay, box: Box, corner: Point, rows: Sequence[PairedRow], lang: str) -> str:
    """Draw the `g.node` of a card."""
    card, w, h = box.card, box.width, box.height
    side = over.sides.get(card.id, "")
    differs = bool(rows or over.differences.get(card.id))
    kind = card.kind if card.kind in ("leaf", "data") else "op"
    states = {f"only{side}": side, "differs": differs and not side, "is-parting": card.id == over.first}
    classes = " ".join(["node card", kind, *(name for name, holds in states.items() if holds)])
    alone = say(lang, "comparing-only", side=side) if side else ""
    spoken = [alone, *(f"{row.label} A {row.left}, B {row.right}" for row in rows), aria(card, lang)]
    radius = 20 if kind != "op" and not rows else 9
    second = "op" if box.torch == shorten(card.torch, TITLE_CELLS) else "lab"
    out = [
        f'<g class="{classes}" id="card-{card.id}" data-id="{card.id}" data-tensors="" data-line="{card.line}"'
        f'{place_attributes(card)} transform="translate({corner[0]:.1f},{corner[1]:.1f})" tabindex="0" role="button" '
        f'aria-label="{quoted(", ".join(filter(None, spoken)))}"><title>{quoted(shorten(card.title, 300))}</title>',
        rect(-5, -5, w + 10, h + 10, 'class="ring" fill="none"', radius + 5),
        rect(0, 0, w, h, 'class="face" fill="#fff"', radius),
        text(PAD, 21, box.title, "expr"),
        text(w - PAD - 24 * bool(card.module), 20.5, box.shape, "shape", "end") if box.shape else "",
        text(PAD, HEAD + 4, box.torch, second) if box.torch else "",
    ]
    y = float(box.body)
    for row in rows:
        if row.label:
            out.append(text(PAD, y + 14, row.label, "lab"))
            y += LABEL
        for name, words in (("A", row.left), ("B", row.right)):
            last = radius if row is rows[-1] and name == "B" else 0
            out.append(rect(1, y, w - 2, ROW - (1 if last else 0), f'class="side{name}"', min(last, 6)))
            out += [text(PAD, y + 14.5, name, "letter"), text(w - PAD, y + 14.5, words, "val", "end")]
            y += ROW
    out.append(rect(0, 0, w, h, 'class="edge-line" fill="none" stroke="#dfe4ea"', radius))
    out += [draw_opener(box, lang), _seal(alone, w) if alone else "", "</g>"]
    return "".join(out)


def _seal(words: str, width: float) -> str:
    """Draw the words for a card that only one run has on its upper edge."""
    wide = label_width(words, SMALL) + 14
    x = width - wide - 10
    return rect(x, -9, wide, 18, 'class="seal"', 9) + text(x + wide / 2, 4, words, "sealed", "middle")


def legend_html(over: Overlay, lang: str) -> str:
    """Explain the colours, with how many cards have each."""
    cards = [card.id for card in over.view.cards]
    counts = {side: sum(over.sides.get(card) == side for card in cards) for side in ("A", "B")}
    counts["both"] = sum(bool(over.differences.get(card)) and not over.sides.get(card) for card in cards)
    marks = [
        f'<span><i class="lg side{what}"></i>{quoted(say(lang, "comparing-count", what=what, count=count))}</span>'
        for what, count in counts.items()
        if count
    ]
    return f'<p class="cp-key">{"".join(marks)}</p>'
