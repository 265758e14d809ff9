"""One card of a small picture: its name, and below it the entries of its gradient, or of its value without one."""

import math
from dataclasses import dataclass

from explorer.analysis.autograd import Card
from explorer.drawing.color import Scale
from explorer.drawing.entries import size_of
from explorer.drawing.graph.cards import picked_rows, text_width
from explorer.drawing.marks import quoted
from explorer.text.numbers import number, shorten
from explorer.trace import Number

NAME, ENTRY = 13.0, 11.0  # font sizes in px
HEAD, ROW, SQUARE = 23, 19, 12  # px: the line with the name, a row of numbers, an entry without its number
LETTERS = 13  # of a name
NUMBERS = 6  # entries up to which they are shown as numbers
ROWS, COLUMNS = 6, 10  # of squares at most
LEAST = 40  # px


@dataclass(frozen=True)
class SmallCard:
    """A card with its size in px.

    Attributes:
        rows: the entries that are shown; numbers: whether as numbers.
        column: width of an entry; gradient: whether they are those of the gradient.
    """

    card: Card
    title: str
    rows: tuple[tuple[Number, ...], ...]
    numbers: bool
    column: float
    gradient: bool
    width: int
    height: int

    @property
    def behind(self) -> int:
        """By how many px the sheet behind a folded card is moved, 0 for others."""
        return 4 if self.card.fold else 0


def small_card(card: Card, most: int = NUMBERS) -> SmallCard:
    """The size of a card and what it shows.

    Args:
        most: entries up to which they are numbers; more are coloured squares.
    """
    title = shorten(card.name or card.expression or card.torch, LETTERS)
    value = card.gradient or card.value
    rows = picked_rows(value, value.entries) if value is not None and value.entries else ()
    gradient = card.gradient is not None
    columns = max(map(len, rows), default=0)
    numbers = len(rows) * columns <= most
    if numbers:
        widest = max((text_width(number(entry, gradient), ENTRY) for row in rows for entry in row), default=0)
        column, row_height = max(widest + 9, 24.0), ROW
    else:
        rows = tuple(row[:COLUMNS] for row in rows[:ROWS])
        columns = max(map(len, rows))
        column, row_height = float(SQUARE), SQUARE
    wide = max(LEAST, text_width(title, NAME) + 18, columns * column + (0 if columns == 1 else 8))
    tall = HEAD + len(rows) * row_height + (5 if rows and (columns > 1 or len(rows) > 1) else 0)
    return SmallCard(card, title, rows, numbers, column, gradient, math.ceil(wide), math.ceil(tall))


def drawn(small: SmallCard, x: float, y: float, scale: Scale) -> str:
    """The card at its place."""
    card, w, h = small.card, small.width, small.height
    kind = f"{card.kind}{' bad' if card.notes else ''}{' failed' if card.failed else ''}"
    round_ = 10 if card.kind == "leaf" else 5
    parts = [f'<rect class="face" width="{w}" height="{h}" rx="{round_}"/>']
    if small.behind:
        moved = f'<g transform="translate({small.behind},{small.behind})">{parts[0]}</g>'
        parts.insert(0, moved)
    parts += _entries(small, scale)
    if card.kind in ("leaf", "out"):
        seal = (4, 3, w - 8, HEAD - 6, 8) if card.kind == "leaf" else (0, 0, w, HEAD, 5)
        parts.append('<rect class="seal" x="{}" y="{}" width="{}" height="{}" rx="{}"/>'.format(*seal))
    parts.append(f'<text class="n" x="{w / 2:g}" y="16">{quoted(small.title)}</text>')
    return f'<g class="{kind}" transform="translate({x:.0f},{y:.0f})">{"".join(parts)}</g>'


def _entries(small: SmallCard, scale: Scale) -> list[str]:
    """The entries: a single one over the whole foot of the card, several in columns."""
    if not small.rows:
        return []
    if len(small.rows) == len(small.rows[0]) == 1:
        edge = 4 if small.card.kind == "leaf" else 1
        return [_number(small.rows[0][0], edge, HEAD, small.width - 2 * edge, ROW - edge, small.gradient, scale)]
    left = (small.width - max(map(len, small.rows)) * small.column) / 2
    top = _top(small.rows)
    column, gradient = small.column, small.gradient
    return [
        _number(entry, left + j * column, HEAD + i * ROW, column - 1, ROW - 1, gradient, scale)
        if small.numbers
        else f"<rect {_paint(entry, gradient, scale, top)} {_box(left + j * column, HEAD + i * column, column - 1)}/>"
        for i, row in enumerate(small.rows)
        for j, entry in enumerate(row)
    ]


def _number(entry: Number, x: float, y: float, width: float, height: float, gradient: bool, scale: Scale) -> str:
    """A number, of a gradient on its colour."""
    words = number(entry, gradient)
    bad = gradient and not math.isfinite(abs(entry))
    ground = f'<rect {scale.paint(entry)} rx="4" {_box(x, y, width, height)}/>' if gradient else ""
    name = "e bad" if bad else "e g" if gradient else "e"
    return f'{ground}<text class="{name}" x="{x + width / 2:.1f}" y="{y + 13:g}">{words}</text>'


def _paint(entry: Number, gradient: bool, scale: Scale, top: float) -> str:
    if gradient:
        return scale.paint(entry)
    size = abs(size_of(entry))
    return f'class="v" style="--t:{8 + 80 * min(1.0, size / top):.0f}%"' if math.isfinite(size) else 'class="g bad"'


def _top(rows: tuple[tuple[Number, ...], ...]) -> float:
    return max((abs(entry) for row in rows for entry in row if math.isfinite(abs(entry))), default=0.0) or 1.0


def _box(x: float, y: float, width: float, height: float | None = None) -> str:
    return f'x="{x:g}" y="{y:g}" width="{width:g}" height="{width if height is None else height:g}"'
