"""Card sizes, computed from the code font's advance instead of a renderer.

The advance is .600 em (full-width characters 1.0 em) in every code font of the style sheet.
"""

import math
import unicodedata
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Literal

from explorer.analysis.explain.autograd import Card, GraphView, SavedTag
from explorer.analysis.explain.autograd.entry_texts import range_text
from explorer.analysis.explain.autograd.frames import frames_of_cards, short_title
from explorer.analysis.explain.autograd.view_records import ModuleSummary
from explorer.text import LANGUAGES, say
from explorer.text.numbers import number, numbers, shape_text, shorten, sizes, visible
from explorer.trace import Number, Value

PAD = 12  # px from the edge of a card to its text
TITLE, NUMBER, SMALL = 13.5, 13, 12  # font sizes in px; a picture opens at a scale that shows small print at 10
TITLE_CELLS, KEY_CELLS = 34, 40
RESULTS, NAME_CELLS = 4, 16  # lines, and characters of a name, for a call with several results
ROWS, COLUMNS = 8, 12  # largest thumbnail
RANGE_CELLS = 11  # characters of a line below it
FOOT = 24  # height of the line that names the start of NaN
VALUE, STRIP = 20, 25  # heights of the rows of one number: the value, and the gradient with its ground
INSIDE = 24  # height of the line with the gradients of a closed module's parameters
BARS, BARS_ALONE = 64, 34  # height of a folded card's bars: with gradients, or values only


@dataclass(frozen=True)
class EntryGrid:
    """A tensor as at most ROWS × COLUMNS entries, and the range of all."""

    rows: tuple[tuple[Number, ...], ...]
    range: str


@dataclass(frozen=True)
class Box:
    """A card with its size and fitting content.

    Attributes:
        width, height: px.
        title, torch, shape, tags: drawn texts.
        mode: form of its numbers: one, a row of at most four, a thumbnail, a line for each of several results, or
            none.
        body: y of the first row of numbers.
        cell: width of an entry of a row, or side of a thumbnail's square.
        value_grid, gradient_grid: for a thumbnail. half: width of the value's part.
        bars: height of the bars.
    """

    card: Card
    width: int
    height: int
    title: str
    torch: str
    shape: str
    tags: tuple[str, ...]
    mode: Literal["one", "row", "grid", "results", "none"]
    body: int
    cell: float = 0
    value_grid: EntryGrid | None = None
    gradient_grid: EntryGrid | None = None
    half: float = 0
    bars: int = 0

    @property
    def rows(self) -> int:
        """Rows of its thumbnails."""
        return _rows(self.value_grid, self.gradient_grid)


def text_width(text: str, size: float) -> float:
    """Return a text's width in px in the code font."""
    if text.isascii():
        return len(text) * 0.6 * size * 1.005
    return sum(1.0 if unicodedata.east_asian_width(c) in "WF" else 0.6 for c in text) * size * 1.005


def label_width(text: str, size: float) -> float:
    """Return a word's maximum width in px in the text font."""
    return sum(1.0 if unicodedata.east_asian_width(c) in "WF" else 0.56 for c in text) * size


def boxes_of(view: GraphView, lang: str) -> list[Box]:
    """Measure all cards, once for a view. With closed modules, none has a thumbnail."""
    known = vars(view).setdefault("boxes", {})  # the layout and the SVG need the same
    if lang not in known:
        plain = any(card.module for card in view.cards)
        frames = frames_of_cards(view) if plain else {}
        known[lang] = [measure(card, lang, plain, frames.get(card.id, "")) for card in view.cards]
    return known[lang]


def measure(card: Card, lang: str, plain: bool = False, frame: str = "") -> Box:
    """Measure a card, equally in all languages so that they share a layout."""
    title, torch = shorten(short_title(card.title, frame), TITLE_CELLS), _second_line(card, lang)
    shape = "" if card.module else shape_text(card.shape)  # a closed module shows it after the shapes of its inputs
    tags = tuple(tag_text(tag) for tag in card.saved)
    head = (
        text_width(title, TITLE)
        + (text_width(shape, SMALL) + 18 if shape else 0)
        + 10 * (card.kind == "leaf")
        + 24 * bool(card.module)
    )
    tags_width = sum(text_width(tag, SMALL) + 14 for tag in tags)
    longest = max(text_width(_second_line(card, each), SMALL) for each in LANGUAGES)
    beside = text_width(one_number(card.value), SMALL) if card.module else tags_width
    second = longest + (beside + 16 if beside else 0)
    body = 9 + 18 + (15 if torch or tags else 0) + 5
    mode = _mode(card, plain)
    width, height, cell, half = 0.0, 0, 0.0, 0.0
    grids: tuple[EntryGrid | None, EntryGrid | None] = (None, None)
    words = _words_width()
    if mode == "row":
        shown = [*numbers(card.value.entries), *gradient_cells(card)]
        cell = max(40.0, max((text_width(text, SMALL) for text in shown), default=0) + 15)
        width, height = len(card.value.entries) * cell + words + PAD + 16, 22 + (24 if has_gradient_row(card) else 2)
    elif mode == "grid":
        cell, half, grids = _thumbnails(card, words)
        both = has_gradient_row(card)
        width = (2 if both else 1) * (half + 14) - 14 + 2 * PAD
        height = 14 + math.ceil(_rows(*grids) * cell) + 32
    elif mode == "results":
        cell, half = result_columns(card)
        width, height = cell + 2 * half + 4 * PAD, 16 + STRIP * len(result_rows(card))
    else:
        # Room for at least a usual number, because cards must not move while a number is being changed.
        texts = [one_number(card.value), one_number(card.gradient, True), "−0.00"]
        width = max(text_width(text, NUMBER) for text in texts) + words + 16 + 2 * PAD
        height = (VALUE if not card.module else 0) + (STRIP if has_gradient_row(card) else 4)
    if card.module and card.module.parameters:  # the value is next to the shapes
        inside = max(label_width(inside_label(card.module, each), SMALL) for each in LANGUAGES)
        width = max(width, inside + text_width(inside_text(card.module), NUMBER) + 2 * PAD + 16)
        height += INSIDE
    if bars := _bars(card):
        width, height = max(width, 214), height + bars
    if card.notes:
        note = max(text_width(note_text(card, each), SMALL) for each in LANGUAGES)
        width = max(width, note + 2 * PAD + 8)
        height += FOOT
    width = math.ceil(max(width, head + 2 * PAD, second + 2 * PAD, 112))
    return Box(card, width, body + height, title, torch, shape, tags, mode, body, cell, *grids, half, bars)


@cache
def _words_width() -> float:
    """Return the longer row label's width, in any language."""
    return max(label_width(say(each, f"graph-{w}"), SMALL) for w in ("value", "gradient") for each in LANGUAGES)


def has_gradient_row(card: Card) -> bool:
    """Return whether a card has room for a gradient."""
    return card.kind != "data" and card.reason != "not_kept"


def one_number(value: Value | None, signed: bool = False) -> str:
    """Write an entry or range, · before a gradient arrives, – if none was recorded."""
    if value is None:
        return "·" if signed else "–"
    if math.prod(value.shape) > 1 or len(value.entries) != 1:  # a single entry may be available
        return range_text(value, signed) or "–"
    return number(value.entries[0], signed)


def _bars(card: Card) -> int:
    """Return the bar height of a folded card, or 0."""
    if not card.fold or not card.fold.values or card.results:
        return 0
    return BARS if any(gradient is not None for gradient in card.fold.gradients) else BARS_ALONE


def result_rows(card: Card) -> list[tuple[str, str, str]]:
    """Return name, value and gradient of each result, … for those beyond RESULTS."""
    rows = [
        (shorten(visible(result.name), NAME_CELLS), one_number(result.value), one_number(result.gradient, True))
        for result in card.results[:RESULTS]
    ]
    return [*rows, ("…", "", "")] if len(card.results) > RESULTS else rows


def result_columns(card: Card) -> tuple[float, float]:
    """Return the column widths of several results' names and values."""
    names, values, gradients = zip(*result_rows(card), strict=True)
    widest = max(text_width(text, NUMBER) for text in (*values, *gradients, "−0.00"))
    return max(text_width(name, NUMBER) for name in names), max(widest, _words_width())


def gradient_cells(card: Card) -> list[str]:
    """Return the gradient entries shown in a row."""
    return numbers(card.gradient.entries, True) if card.gradient else []


def tag_text(tag: SavedTag) -> str:
    """Return a saved tag's text: the program's word and short entries."""
    word = shorten("".join(tag.text.split(" ")) if len(tag.text) > 12 else tag.text, 14)
    if tag.value is None:
        with suppress(ValueError):
            word = number(float(tag.text))  # a constant, such as a scale
    entries = tag.value.entries if tag.value is not None else ()
    short = len(entries) == 1 or (1 < len(entries) <= 4 and isinstance(entries[0], bool))
    texts = " ".join(numbers(entries)) if short else ""
    return " ".join(part for part in (word, texts) if part) or visible(tag.name)


def note_text(card: Card, lang: str) -> str:
    """Describe where NaN or infinity starts."""
    note = card.notes[0]
    word = "NaN" if note.kind == "nan" else "∞"
    place = visible(note.place)
    return say(lang, "graph-starts", what=word, place=place or "–", at="yes" if place else "no")


def inside_label(module: ModuleSummary, lang: str) -> str:
    """Describe a closed module's number of parameters and its gradient number."""
    word = "yes" if module.gradients else "no"
    return say(lang, "graph-module-parameters", count=module.parameters, gradients=word)


def inside_text(module: ModuleSummary) -> str:
    """Write a closed module's gradient norm, or its non-finite count, "" if there are none."""
    if module.nonfinite:
        return f"NaN/∞ × {module.nonfinite}"
    return "" if module.norm is None else number(module.norm)


def _module_line(module: ModuleSummary, shape: tuple[int, ...]) -> str:
    """Write a module's input shapes and its result: dictionary keys or shape."""
    inputs = [sizes(input_) for input_ in module.inputs]
    if module.keys:
        keys = shorten(", ".join(module.keys), KEY_CELLS)
        return f"{inputs[0]}{', …' * (len(inputs) > 1)} → {keys}" if inputs else f"→ {keys}"
    return f"{', '.join(inputs)} → {shape_text(shape) or '()'}" if inputs else ""


def _second_line(card: Card, lang: str) -> str:
    if card.module:
        return _module_line(card.module, card.shape)
    if card.also:
        return shorten(f"= {', '.join(card.also)}", 40)
    if card.stored_more:
        before, after = card.stored
        if len(before.entries) == 1:
            return f".grad {number(before.entries[0], True)} → {number(after.entries[0], True)}"
        return say(lang, "graph-added")
    if card.kind == "data" and not card.torch:
        return say(lang, "graph-no-gradient")
    if card.fold and card.fold.kind != "chain" and card.torch and " + " not in card.torch:
        return visible(f"{card.torch} × {card.fold.count}")
    return shorten(card.torch, 40)


def _mode(card: Card, plain: bool) -> Literal["one", "row", "grid", "results", "none"]:
    if card.results:
        return "results"
    value = card.value
    if value is None or not value.entries:
        return "none"
    entries = math.prod(value.shape)
    if entries == 1:
        return "one"
    if len(value.shape) == 1 and entries <= 4 and stacked(card) == 1:
        return "row"
    return "one" if plain else "grid"


def _thumbnails(card: Card, words: float) -> tuple[float, float, tuple[EntryGrid, EntryGrid | None]]:
    value = grid(card.value, False)
    gradient = grid(card.gradient, True) if card.gradient and card.gradient.entries else None
    cell = max(5, min(14, 60 // _rows(value, gradient), 84 // len(value.rows[0])))
    ranges = [text_width(line, SMALL) + 2 for g in (value, gradient) if g for line in range_lines(g.range)]
    return cell, max(len(value.rows[0]) * cell, words + 8, *ranges), (value, gradient)


def range_lines(words: str) -> list[str]:
    """Write a range in as many lines as a narrow card needs."""
    low, dots, high = words.partition(" … ")
    return [low + dots, high] if dots and len(words) > RANGE_CELLS else [words]


def _rows(*grids: EntryGrid | None) -> int:
    return max(len(each.rows) for each in grids if each is not None)


def stacked(card: Card) -> int:
    """Return how many gradients of the card's shape are stacked, as under vmap."""
    value, gradient = card.value, card.gradient
    if value is None or gradient is None or len(gradient.shape) <= len(value.shape):
        return 1
    leading = len(gradient.shape) - len(value.shape)
    return math.prod(gradient.shape[:leading]) if gradient.shape[leading:] == value.shape else 1


def grid(value: Value, signed: bool) -> EntryGrid:
    """Return a value's entries as rows, leading axes stacked."""
    rows = picked_rows(value, value.entries)
    return EntryGrid(rows, "" if value.dtype == "bool" else range_text(value, signed))


def picked_rows(value: Value, entries: Sequence) -> tuple[tuple, ...]:
    """Arrange items for a value's entries in as many rows as fit."""
    columns = (value.shape or (1,))[-1] if len(value.shape) > 1 or value.data is not None else len(value.sample)
    if value.data is None:
        columns = min(columns, 8) if len(value.shape) > 1 else len(value.sample)
    rows = [entries[i : i + columns] for i in range(0, len(entries), columns)]
    if len(rows) == 1 and columns > COLUMNS:
        rows = [_pick(rows[0], COLUMNS)]
    return tuple(tuple(_pick(row, COLUMNS)) for row in _pick(rows, ROWS))


def _pick(items: Sequence, most: int) -> Sequence:
    """Pick at most this many items evenly."""
    if len(items) <= most:
        return items
    return [items[i * len(items) // most] for i in range(most)]
