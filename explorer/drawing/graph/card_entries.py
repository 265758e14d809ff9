"""Numbers on a card as SVG: one number, a row, thumbnails, or bars."""

import math
from collections.abc import Sequence

from explorer.analysis.explain.autograd import Card
from explorer.analysis.explain.autograd.entry_texts import entry_number, entry_text
from explorer.drawing.color import Scale, largest, size_of, top_of
from explorer.drawing.graph.cards import (
    FOOT,
    NUMBER,
    PAD,
    SMALL,
    STRIP,
    VALUE,
    Box,
    EntryGrid,
    gradient_cells,
    has_gradient_row,
    one_number,
    picked_rows,
    range_lines,
    result_rows,
    stacked,
    text_width,
)
from explorer.drawing.marks import rect, text
from explorer.text import say
from explorer.text.numbers import numbers
from explorer.trace import Number, Value


def _gradient_word(card: Card, lang: str) -> str:
    """Return the gradient row's label: `.grad` only if it holds it."""
    holds = card.kind == "leaf" and card.stored is not None and not card.stored_more
    word, times = say(lang, "graph-leaf-gradient" if holds else "graph-gradient"), stacked(card)
    return word if times == 1 else f"{word} × {times}"


def _ink(shown: Value | Number | None, kind: str = "val") -> str:
    """Return a value's text class: NaN looks like a fault."""
    bad = shown.nans if isinstance(shown, Value) else shown != shown
    return f"{kind} nan" if bad else kind


def two_numbers(box: Box, scale: Scale, lang: str) -> list[str]:
    """Draw two labelled numbers, with the gradient's strip at the bottom."""
    card, w, y = box.card, box.width, box.body
    if card.module:
        out, strip = [text(w - PAD, 38, one_number(card.value), _ink(card.value, "rng"), "end")], y
    else:
        label, shown = text(PAD, y + 14, say(lang, "graph-value"), "lab"), one_number(card.value)
        out, strip = [label, text(w - PAD, y + 14.5, shown, _ink(card.value), "end")], y + VALUE
    if not has_gradient_row(card):
        return out
    has = card.gradient is not None
    if has:
        out += _strip(card.gradient, strip, w, scale)
    out.append(f'<line x1="0" x2="{w}" y1="{strip}" y2="{strip}" class="rule"/>')
    bad = " badtext" if has and card.gradient.nonfinite else ""
    out.append(text(PAD, strip + 16, _gradient_word(card, lang), f"lab onG{bad}" if has else "lab"))
    if has:
        out.append(text(w - PAD, strip + 16.5, one_number(card.gradient, True), f"grad{bad}", "end"))
    out.append(text(w - PAD, strip + 16.5, _unknown(card), "pend" if has else "dot", "end"))
    return out


def result_lines(box: Box, scale: Scale, lang: str) -> list[str]:
    """Draw a line for each of several results."""
    card, w, y = box.card, box.width, box.body
    ends = PAD + box.cell + PAD + box.half, w - PAD
    left = ends[0] + PAD / 2
    words = (say(lang, "graph-value"), say(lang, "graph-gradient"))
    out = [text(x, y + 10, word, "lab", "end") for x, word in zip(ends, words, strict=True)]
    gradients = [result.gradient for result in card.results]
    for i, (name, value, amount) in enumerate(result_rows(card)):
        top = y + 16 + i * STRIP
        out += [
            text(PAD, top + 16.5, name, "val"),
            text(ends[0], top + 16.5, value, _ink(card.results[i].value), "end"),
        ]
        if not amount:
            continue
        gradient = gradients[i]
        if gradient is not None:
            bad = " badtext" if gradient.nonfinite else ""
            out += _strip(gradient, top, w - left, scale, left)
            out.append(text(w - PAD, top + 16.5, amount, f"grad{bad}", "end"))
        out.append(text(w - PAD, top + 16.5, _unknown(card), "pend" if gradient is not None else "dot", "end"))
    return out


def _unknown(card: Card) -> str:
    """Return the text for a gradient that has not arrived or is hidden."""
    return "?" if card.hidden else "·"


def _strip(gradient: Value, y: float, width: float, scale: Scale, left: float = 0) -> list[str]:
    """Draw a gradient's background and its cover."""
    cover = _cover(left, y, width, STRIP, bool(gradient.nonfinite))
    several = math.prod(gradient.shape) > 1 and gradient.minimum is not None and not gradient.nonfinite
    if not several:
        paint = [rect(left, y, width, STRIP, scale.paint(gradient.entries[0]))] if gradient.entries else []
        return [*paint, *cover]
    high = one_number(gradient, True).partition("…")[2]
    edge = width - PAD - text_width(high, NUMBER) - text_width("…", NUMBER) / 2  # each number is on its own colour
    ends = ((left, edge, gradient.minimum), (left + edge, width - edge, gradient.maximum))
    return [*(rect(x, y, wide, STRIP, scale.paint(end)) for x, wide, end in ends), *cover]


def _cover(x: float, y: float, width: float, height: float, bad: bool, radius: float = 0) -> list[str]:
    """Draw over a gradient's colour: hatching if not finite, a cover for a backward that was not called."""
    hatch = [rect(x, y, width, height, 'class="g hatched" fill="url(#hatch)"', radius)] if bad else []
    return [*hatch, rect(x, y, width, height, 'class="g uncalled" fill="none"', radius)]


def entry_row(box: Box, scale: Scale, lang: str) -> list[str]:
    """Draw up to four entries side by side, gradients below values."""
    card, y, cell = box.card, box.body, box.cell
    left = box.width - 8 - len(card.value.entries) * cell
    out = [text(PAD, y + 14, say(lang, "graph-value"), "lab")]
    for i, (entry, words) in enumerate(zip(card.value.entries, numbers(card.value.entries), strict=True)):
        out.append(text(left + (i + 1) * cell - 9, y + 14.5, words, _ink(entry), "end", SMALL))
    if not has_gradient_row(card):
        return out
    out.append(text(PAD, y + 38, _gradient_word(card, lang), "lab"))
    entries = card.gradient.entries if card.gradient else ()
    texts = gradient_cells(card)
    for i in range(len(card.value.entries)):
        x = left + i * cell
        if i < len(entries):
            finite = math.isfinite(abs(entries[i]))
            place = (x + 1.5, y + 22, cell - 3, 19)
            out += [rect(*place, scale.paint(entries[i]), 3.5), *_cover(*place, not finite, 3.5)]
            name = "grad" if finite else "grad badtext"
            out.append(text(x + cell - 9, y + 36, texts[i], name, "end", SMALL))
        out.append(text(x + cell - 9, y + 36, _unknown(card), "pend" if entries else "dot", "end"))
    return out


def thumbnails(box: Box, scale: Scale, lang: str, entry: int | None) -> list[str]:
    """Draw thumbnails side by side with ranges: grey for values, coloured for gradients."""
    card, y = box.card, box.body
    foot = y + 14 + box.rows * box.cell + 11
    sampled = sum(map(len, box.value_grid.rows)) < math.prod(card.value.shape)
    out = [
        text(PAD, y + 8, say(lang, "graph-sample" if sampled else "graph-value"), "lab"),
        *_thumbnail(PAD, y + 14, box.value_grid, box.cell, None),
        *_range(PAD, foot, box.value_grid.range),
    ]
    if not has_gradient_row(card):
        return out
    x = PAD + box.half + 14
    out.append(text(x, y + 8, _gradient_word(card, lang), "lab"))
    if box.gradient_grid:
        out += ['<g class="gpart">', *_thumbnail(x, y + 14, box.gradient_grid, box.cell, scale, _places(card))]
        rows = box.gradient_grid.rows
        size = (len(rows[0]) * box.cell - 1, len(rows) * box.cell - 1)
        out += _cover(x, y + 14, *size, False)
        words = box.gradient_grid.range if entry is None else entry_text(card.gradient, entry)
        if entry is not None and text_width(words, SMALL) > box.half + PAD:
            words = entry_number(card.gradient, entry)
        out += [*_range(x, foot, words), "</g>"]
    out.append(text(x + 2, y + 25, _unknown(card), "pend" if box.gradient_grid else "dot"))
    return out


def _range(x: float, y: float, words: str) -> list[str]:
    return [text(x, y + 13 * i, line, "rng") for i, line in enumerate(range_lines(words))]


def _places(card: Card) -> tuple[tuple[int, ...], ...]:
    """Return the entry position in each square of a leaf."""
    if card.kind != "leaf" or card.gradient is None:
        return ()
    return picked_rows(card.gradient, range(len(card.gradient.entries)))


def _thumbnail(
    x: float, y: float, grid: EntryGrid, cell: float, scale: Scale | None, places: Sequence[Sequence[int]] = ()
) -> list[str]:
    """Draw squares for entries, with a dash for negative values."""
    top = top_of(entry for row in grid.rows for entry in row) or 1
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
            if places:
                paint += f' data-entry="{places[i][j]}"'
            out.append(rect(left, above, cell - 1, cell - 1, paint, 1))
            if not math.isfinite(real):
                out.append(rect(left, above, cell - 1, cell - 1, 'class="hatched" fill="url(#hatch)"', 1))
            if -math.inf <= real < 0 and cell >= 7 and (scale is None or abs(scale.share(real)) > 0.12):
                middle = above + cell / 2 - 0.5
                ends = f'x1="{left + cell * 0.28:.1f}" x2="{left + cell * 0.64:.1f}"'
                out.append(f'<line {ends} y1="{middle:.1f}" y2="{middle:.1f}" class="minus"/>')
    return out


def run_bars(box: Box, scale: Scale, lang: str) -> list[str]:
    """Draw a folded card's executions as bars, log scale."""
    fold, w = box.card.fold, box.width
    top = box.height - box.bars - (FOOT if box.card.notes else 0)
    label = 58
    width = (w - 2 * PAD - label) / len(fold.values)
    out = [
        rect(0, top, w, box.bars, 'class="foldbg" fill="#f5f7f9"'),
        f'<line x1="0" x2="{w}" y1="{top}" y2="{top}" class="rule"/>',
        text(PAD, top + 24, say(lang, "graph-value"), "lab"),
    ]
    known, unknown = 'class="v" style="--t:45%" fill="#9aa4b0"', 'class="g bad" fill="#b0179f"'
    values = [_strength(value) for value in fold.values]
    paints = [known if math.isfinite(strength) else unknown for strength in values]
    out += _bars(PAD + label, top + 28, width, values, paints)
    if not any(gradient is not None for gradient in fold.gradients):
        return out
    out.append(text(PAD, top + 51, say(lang, "graph-gradient-short"), "lab"))
    gradients = [_strength(gradient) for gradient in fold.gradients]
    paints = []
    for strength, gradient in zip(gradients, fold.gradients, strict=True):
        only = gradient is None or len(gradient.entries) == 1 or gradient.nonfinite
        paints.append("" if gradient is None else scale.paint(strength if only else largest(gradient)))
    return [*out, *_bars(PAD + label, top + 55, width, gradients, paints)]


def _bars(x: float, y: float, width: float, strengths: list[float], paints: list[str]) -> list[str]:
    """Draw a bar for each painted strength, log scale."""
    heights = [math.log2(abs(strength) + 1) if math.isfinite(strength) else None for strength in strengths]
    tallest = max(filter(None, heights), default=1)
    bars = [20 if height is None else 20 * height / tallest for height in heights]
    return [
        rect(x + i * width, y - bar, width - 2, max(bar, 1), paint, 1)
        for i, (bar, paint) in enumerate(zip(bars, paints, strict=True))
        if paint
    ]


def _strength(value: Value | None) -> float:
    """Return one number for a bar: the only entry, or the norm."""
    if value is None:
        return 0.0
    if len(value.entries) == 1:
        entry = value.entries[0]
        return size_of(entry)
    return math.nan if value.norm is None else value.norm
