"""One card as SVG."""

import math

from explorer.analysis.autograd import Card
from explorer.analysis.autograd.entry_texts import entry_text, range_text
from explorer.analysis.autograd.reasons import reason_text
from explorer.drawing.color import Scale, largest
from explorer.drawing.entries import size_of
from explorer.drawing.graph.badges import PARTING, Badge, badge_svg
from explorer.drawing.graph.cards import (
    BARS,
    CELL,
    FOOT,
    INSIDE,
    PAD,
    RANGE,
    STRIP,
    TAG,
    TITLE,
    VALUE,
    Box,
    EntryGrid,
    has_gradient_row,
    inside_label,
    inside_text,
    note_text,
    one_number,
    text_width,
)
from explorer.drawing.graph.shades import Shade
from explorer.drawing.marks import quoted, rect, text
from explorer.text import say
from explorer.text.numbers import number, shape_text, shorten
from explorer.trace import Value

MEMBERS = 100  # of a stack, by which what is inside can be found
KEPT = 10.5  # px of the number on the lower edge
SPOKEN = 300  # cells of an expression in a description
_PLAIN = 'fill="#fff"'  # a face that nothing tints
_OUTLINE = 'fill="none" stroke="#7f8b9a"'
ROUND = {"leaf": 20, "data": 20}  # radius of corners in px; others 9


def draw_card(
    box: Box,
    corner: tuple[float, float],
    scale: Scale,
    lang: str,
    key: str,
    entry: int | None = None,
    badge: Badge | None = None,
    shade: Shade | None = None,
) -> str:
    """The `g.node` of a card at its position.

    Args:
        key: tells pictures of one page apart.
        entry: position of the entry of its gradient that is followed.
        badge: what checking it with numbers, or comparing two runs, found.
        shade: how its face is tinted.
    """
    card, w, h = box.card, box.width, box.height
    radius = ROUND.get(card.kind, 9)
    classes = _classes(card, badge, shade)
    tensors = " ".join(map(str, card.tensors))
    spoken = ", ".join([aria(card, lang), *([badge.words] if badge else []), *_kept_words(shade, lang)])
    out = [
        f'<g class="{classes}" id="card-{card.id}" data-id="{card.id}" data-tensors="{tensors}" '
        f'data-line="{card.line}"{_place(card)}{_module(card)} transform="translate({corner[0]:.1f},{corner[1]:.1f})" '
        f'tabindex="0" role="button" aria-label="{quoted(spoken)}">',
        f"<title>{quoted(shorten(_all_names(card), SPOKEN))}</title>",
    ]
    if card.fold:
        out += [rect(k, k, w, h, 'class="under" fill="#f5f7f9" stroke="#dfe4ea"', radius) for k in (8, 4)]
    out.append(rect(-5, -5, w + 10, h + 10, 'class="ring" fill="none"', radius + 5))
    if card.kind == "out":
        out.append(rect(-3.5, -3.5, w + 7, h + 7, 'class="outring" fill="none" stroke="#1f2733"', radius + 3.5))
    out.append(f'<clipPath id="clip-{key}-{card.id}">{rect(0, 0, w, h, "", radius)}</clipPath>')
    out.append(
        rect(0, 0, w, h, f'class="face" {shade.paint() if shade else _PLAIN}', radius)
        + f'<g clip-path="url(#clip-{key}-{card.id})">'
    )
    if card.kind == "out":
        out.append(rect(0, 0, w, box.body - 2, 'class="outhead" fill="#1f2733"'))
    if not card.kept:
        out.append(text(PAD, box.body + 14, say(lang, "graph-not-kept"), "lab"))
    elif box.mode == "grid":
        out += _grid(box, scale, lang, entry)
    else:
        out += (_row if box.mode == "row" else _one)(box, scale, lang)
    if card.module and card.module.parameters:
        out += _inside(box, lang)
    if card.fold and card.fold.values:
        out += _bars(box, scale, lang)
    if card.notes:
        out.append(rect(0, h - FOOT, w, FOOT, 'class="notebg" fill="#b0179f"'))
        out.append(text(PAD, h - 8, note_text(card, lang), "note"))
    out.append("</g>")
    out += _head(box, lang)
    out.append(rect(0, 0, w, h, 'class="edge-line" fill="none" stroke="#dfe4ea"', radius))
    out += _seal(box, lang)
    out.append(_opener(box, lang))
    out.append(badge_svg(badge, w, h) if badge else "")
    out += _kept(shade, h)
    cross = '<circle r="9"/><path d="M-3.2,-3.2L3.2,3.2M3.2,-3.2L-3.2,3.2"/>'
    out.append(f'<g class="cross" transform="translate({w},0)">{cross}</g></g>')
    return "".join(out)


def _classes(card: Card, badge: Badge | None, shade: Shade | None) -> str:
    """The CSS classes of a card."""
    bad = card.notes or (card.value and card.value.nans) or (card.gradient and card.gradient.nonfinite)
    return " ".join(
        name
        for name, holds in (
            ("node card", True),
            (card.kind, True),
            ("nonfinite", bad),
            ("is-failed", card.failed),
            ("folded", card.fold is not None),
            ("layer", card.layer > 0),
            ("module", card.module is not None),
            ("is-parting", badge is not None and badge.verdict == PARTING),
            ("shaded", shade is not None),
            ("unkept", not card.kept),
        )
        if holds
    )


def aria(card: Card, lang: str) -> str:
    """A card's content as one line of words."""
    parts = [
        shorten(_all_names(card), SPOKEN),
        card.torch or say(lang, f"graph-kind-{card.kind}"),
        shape_text(card.shape),
    ]
    if card.line:
        parts.append(say(lang, "graph-line", line=card.line))
    parts.append(f"{say(lang, 'graph-value')} {_spoken(card.value, False)}" if card.value is not None else "")
    if card.reason == "not_kept":
        parts.append(reason_text(card.reason, None, lang))
    elif has_gradient_row(card):
        word = say(lang, "graph-gradient")
        nothing = "graph-hidden" if card.hidden else "graph-nothing-arrived"
        parts.append(f"{word} {_spoken(card.gradient, True)}" if card.gradient else say(lang, nothing))
    else:
        parts.append(say(lang, "graph-no-gradient"))
    if card.notes:
        parts.append(note_text(card, lang))
    return ", ".join(part for part in parts if part)


def _all_names(card: Card) -> str:
    return ", ".join((card.title, *card.also))


def _kept_words(shade: Shade | None, lang: str) -> list[str]:
    return [say(lang, "color-bytes-of", size=shade.words)] if shade and shade.words else []


def _kept(shade: Shade | None, height: float) -> list[str]:
    """The number on the lower edge that colours the card."""
    if shade is None or not shade.words:
        return []
    width = text_width(shade.words, KEPT) + 14
    return [
        rect(10, height - 4, width, 17, 'class="keptpill" fill="#fff" stroke="#7f8b9a"', 8.5),
        text(10 + width / 2, height + 8, shade.words, "kept", "middle", KEPT),
    ]


def _place(card: Card) -> str:
    """The place in the program as an attribute: cell, line, column, end line, end column."""
    if card.place is None:
        return ""
    at = card.place
    return f' data-span="{at.cell},{at.line},{at.column},{at.end_line},{at.end_column}"'


def _spoken(value: Value, signed: bool) -> str:
    if value.data is not None and 0 < len(value.data) <= 8:
        return " ".join(number(v, signed) for v in value.data)
    return range_text(value, signed) or "–"


def _gradient_word(card: Card, lang: str) -> str:
    """The label of the gradient's row: `.grad` only if the leaf now holds this gradient."""
    holds = card.kind == "leaf" and card.stored is not None and not card.stored_more
    return say(lang, "graph-leaf-gradient" if holds else "graph-gradient")


def _one(box: Box, scale: Scale, lang: str) -> list[str]:
    """Two labelled numbers, the gradient's strip across the foot."""
    card, w, y = box.card, box.width, box.body
    if card.module:
        out, strip = [text(w - PAD, 38, one_number(card.value), "rng", "end")], y
    else:
        label, shown = text(PAD, y + 14, say(lang, "graph-value"), "lab"), one_number(card.value)
        out, strip = [label, text(w - PAD, y + 14.5, shown, "val", "end")], y + VALUE
    if not has_gradient_row(card):
        return out
    has = card.gradient is not None
    if has:
        out += _strip(card.gradient, strip, w, scale)
        if card.gradient.nonfinite:
            out.append(rect(0, strip, w, STRIP, 'class="g hatched" fill="url(#hatch)"'))
        out.append(rect(0, strip, w, STRIP, 'class="g uncalled" fill="none"'))
    out.append(f'<line x1="0" x2="{w}" y1="{strip}" y2="{strip}" class="rule"/>')
    bad = " badtext" if has and card.gradient.nonfinite else ""
    out.append(text(PAD, strip + 16, _gradient_word(card, lang), f"lab onG{bad}" if has else "lab"))
    if has:
        out.append(text(w - PAD, strip + 16.5, one_number(card.gradient, True), f"grad{bad}", "end"))
    out.append(text(w - PAD, strip + 16.5, _unknown(card), "pend" if has else "dot", "end"))
    return out


def _unknown(card: Card) -> str:
    """The text instead of a gradient: none has arrived, or it is hidden."""
    return "?" if card.hidden else "·"


def _strip(gradient: Value, y: float, width: int, scale: Scale) -> list[str]:
    """The ground of a gradient: one colour for one entry; for several those of the least and of the largest."""
    several = math.prod(gradient.shape) > 1 and gradient.minimum is not None and not gradient.nonfinite
    if not several:
        return [rect(0, y, width, STRIP, scale.paint(gradient.entries[0]))] if gradient.entries else []
    half = width / 2
    ends = ((0, gradient.minimum), (half, gradient.maximum))
    return [rect(x, y, half, STRIP, scale.paint(end)) for x, end in ends]


def _row(box: Box, scale: Scale, lang: str) -> list[str]:
    """Up to four entries side by side, the gradient's below the value's."""
    card, y, cell = box.card, box.body, box.cell
    left = box.width - 8 - len(card.value.entries) * cell
    out = [text(PAD, y + 14, say(lang, "graph-value"), "lab")]
    for i, entry in enumerate(card.value.entries):
        out.append(text(left + (i + 1) * cell - 9, y + 14.5, number(entry), "val", "end", CELL))
    if not has_gradient_row(card):
        return out
    out.append(text(PAD, y + 38, _gradient_word(card, lang), "lab"))
    entries = card.gradient.entries if card.gradient else ()
    for i in range(len(card.value.entries)):
        x = left + i * cell
        if i < len(entries):
            finite = math.isfinite(abs(entries[i]))
            out.append(rect(x + 1.5, y + 22, cell - 3, 19, scale.paint(entries[i]), 3.5))
            out.append(rect(x + 1.5, y + 22, cell - 3, 19, 'class="g uncalled" fill="none"', 3.5))
            if not finite:
                out.append(rect(x + 1.5, y + 22, cell - 3, 19, 'class="g hatched" fill="url(#hatch)"', 3.5))
            name = "grad" if finite else "grad badtext"
            out.append(text(x + cell - 9, y + 36, number(entries[i], True), name, "end", CELL))
        out.append(text(x + cell - 9, y + 36, _unknown(card), "pend" if entries else "dot", "end"))
    return out


def _grid(box: Box, scale: Scale, lang: str, entry: int | None) -> list[str]:
    """Thumbnails side by side: grey squares for the value, coloured ones for the gradient, each with its range."""
    card, y = box.card, box.body
    foot = y + 14 + len(box.value_grid.rows) * box.cell + 11
    out = [
        text(PAD, y + 8, say(lang, "graph-value"), "lab"),
        *_thumbnail(PAD, y + 14, box.value_grid, box.cell, None),
        text(PAD, foot, box.value_grid.range, "rng"),
    ]
    if not has_gradient_row(card):
        return out
    x = PAD + box.half + 14
    out.append(text(x, y + 8, _gradient_word(card, lang), "lab"))
    if box.gradient_grid:
        out += ['<g class="gpart">', *_thumbnail(x, y + 14, box.gradient_grid, box.cell, scale)]
        rows = box.gradient_grid.rows
        size = (len(rows[0]) * box.cell - 1, len(rows) * box.cell - 1)
        out.append(rect(x, y + 14, *size, 'class="g uncalled" fill="none"'))
        words = box.gradient_grid.range if entry is None else entry_text(card.gradient, entry)
        if entry is not None and text_width(words, RANGE) > box.half + PAD:
            words = number(card.gradient.entries[entry], True)
        out += [text(x, foot, words, "rng"), "</g>"]
    out.append(text(x + 2, y + 25, _unknown(card), "pend" if box.gradient_grid else "dot"))
    return out


def _thumbnail(x: float, y: float, grid: EntryGrid, cell: float, scale: Scale | None) -> list[str]:
    """Squares for the entries; scale colours a gradient, None means a value in grey. A dash says negative."""
    sizes = [abs(v) for row in grid.rows for v in row if math.isfinite(abs(v))]
    top = max(sizes, default=0) or 1
    out = []
    for i, row in enumerate(grid.rows):
        for j, entry in enumerate(row):
            left, above = x + j * cell, y + i * cell
            real = size_of(entry)
            if scale:
                paint = scale.paint(real)
            elif math.isnan(real):
                paint = 'class="g bad" fill="#b0179f"'
            else:
                paint = f'class="v" style="--t:{8 + 80 * min(1, abs(real) / top):.0f}%" fill="#aab2bc"'
            out.append(rect(left, above, cell - 1, cell - 1, paint, 1))
            if not math.isfinite(real):
                out.append(rect(left, above, cell - 1, cell - 1, 'class="hatched" fill="url(#hatch)"', 1))
            if -math.inf <= real < 0 and cell >= 7 and (scale is None or abs(scale.share(real)) > 0.12):
                middle = above + cell / 2 - 0.5
                ends = f'x1="{left + cell * 0.28:.1f}" x2="{left + cell * 0.64:.1f}"'
                out.append(f'<line {ends} y1="{middle:.1f}" y2="{middle:.1f}" class="minus"/>')
    return out


def _module(card: Card) -> str:
    """The closed module that a card is with what is inside, and the open one around it, as attributes."""
    closed = ""
    if card.module:
        members, inside = quoted(" ".join(card.module.members[:MEMBERS])), quoted(" ".join(card.module.inside))
        closed = f' data-module="{quoted(card.module.path)}" data-members="{members}" data-inside="{inside}"'
    return closed + (f' data-within="{quoted(card.within)}"' if card.within else "")


def _opener(box: Box, lang: str) -> str:
    """The mark that opens a closed module."""
    if box.card.module is None:
        return ""
    words = quoted(say(lang, "graph-module-open", module=box.card.title))
    return (
        f'<g class="opener" transform="translate({box.width - PAD - 8},17)"><title>{words}</title>'
        f'<rect x="-10" y="-10" width="20" height="20" rx="6" class="openbox" {_OUTLINE}/>'
        '<path d="M-4,0H4M0,-4V4" class="openmark" stroke="#1a212b" fill="none"/></g>'
    )


def _inside(box: Box, lang: str) -> list[str]:
    """The norm of the gradients of a closed module's parameters."""
    module, w = box.card.module, box.width
    top = box.height - INSIDE - (BARS if box.card.fold else 0) - (FOOT if box.card.notes else 0)
    paint = 'class="g bad" fill="#b0179f"' if module.nonfinite else 'class="foldbg" fill="#f5f7f9"'
    name = "grad badtext" if module.nonfinite else "val"
    return [
        rect(0, top, w, INSIDE, paint),
        f'<line x1="0" x2="{w}" y1="{top}" y2="{top}" class="rule"/>',
        text(PAD, top + 16, inside_label(module, lang), "lab badtext" if module.nonfinite else "lab"),
        text(w - PAD, top + 16.5, inside_text(module), name, "end"),
    ]


def _bars(box: Box, scale: Scale, lang: str) -> list[str]:
    """The numbers of a folded card's executions: heights on a log scale, norms where there are many entries."""
    fold, w = box.card.fold, box.width
    top = box.height - BARS - (FOOT if box.card.notes else 0)
    label = 58
    width = (w - 2 * PAD - label) / len(fold.values)
    out = [
        rect(0, top, w, BARS, 'class="foldbg" fill="#f5f7f9"'),
        f'<line x1="0" x2="{w}" y1="{top}" y2="{top}" class="rule"/>',
        text(PAD, top + 24, say(lang, "graph-value"), "lab"),
    ]
    values = [_strength(value) for value in fold.values]
    tallest = max((math.log2(abs(v) + 1) for v in values if math.isfinite(v)), default=0) or 1
    for i, strength in enumerate(values):
        height = 20 * math.log2(abs(strength) + 1) / tallest if math.isfinite(strength) else 20
        paint = (
            'class="v" style="--t:45%" fill="#9aa4b0"' if math.isfinite(strength) else 'class="g bad" fill="#b0179f"'
        )
        out.append(rect(PAD + label + i * width, top + 28 - height, width - 2, max(height, 1), paint, 1))
    if not any(gradient is not None for gradient in fold.gradients):
        return out
    out.append(text(PAD, top + 51, say(lang, "graph-gradient-short"), "lab"))
    gradients = [_strength(gradient) for gradient in fold.gradients]
    tallest = max((math.log2(abs(v) + 1) for v in gradients if math.isfinite(v)), default=0) or 1
    for i, (strength, gradient) in enumerate(zip(gradients, fold.gradients, strict=True)):
        if gradient is None:
            continue
        height = 20 * math.log2(abs(strength) + 1) / tallest if math.isfinite(strength) else 20
        known = strength if len(gradient.entries) == 1 or gradient.nonfinite else largest(gradient)
        attributes = scale.paint(known)
        out.append(rect(PAD + label + i * width, top + 55 - height, width - 2, max(height, 1), attributes, 1))
    return out


def _strength(value: Value | None) -> float:
    """One number for a bar: the only entry, otherwise the norm."""
    if value is None:
        return 0.0
    if len(value.entries) == 1:
        entry = value.entries[0]
        return size_of(entry)
    return math.nan if value.norm is None else value.norm


def _head(box: Box, lang: str) -> list[str]:
    """Name or expression, shape, torch's name, saved tags."""
    card, w, out = box.card, box.width, []
    if card.kind == "leaf":
        seal = text_width(box.title, TITLE) + 16
        out.append(rect(PAD - 4, 7, seal, 21, 'class="namepill" fill="#1f2733"', 10.5))
        out.append(text(PAD + 4, 22, box.title, "name"))
    else:
        out.append(text(PAD, 22, box.title, "expr"))
    if box.shape:
        out.append(text(w - PAD, 21.5, box.shape, "shape", "end"))
    if box.torch:
        out.append(text(PAD, 38, box.torch, "op"))
    x: float = w - PAD
    for tag in reversed(box.tags):
        width = text_width(tag, TAG) + 10
        x -= width
        out.append(f"<g class='saved'>{rect(x, 27.5, width, 14, _OUTLINE, 3)}{text(x + 5, 37.7, tag, 'savedt')}</g>")
        x -= 4
    return out


def _seal(box: Box, lang: str) -> list[str]:
    """On the upper edge: how many executions or copies of a leaf it stands for, or which backward made it."""
    card = box.card
    if card.fold:
        words = say(lang, "graph-times-loop" if card.fold.loop else "graph-times", count=str(card.fold.count))
    elif card.copies > 1:
        words = say(lang, "graph-uses", count=str(card.copies))
    elif card.layer:
        words = say(lang, "graph-made-by", number=str(card.layer))
    else:
        return []
    width = text_width(words, 11) + 14
    x = box.width - width - (10 if card.module is None else 40)
    return [
        rect(x, -10, width, 20, 'class="namepill" fill="#1f2733"', 10),
        text(x + width / 2, 4, words, "name", "middle", 11),
    ]
