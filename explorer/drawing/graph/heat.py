"""A tensor as an HTML grid: grey for values, a zero-centred scale for gradients."""

import math

from explorer.analysis.explain.autograd.entry_texts import about, ends, index_text, indices_of, range_text
from explorer.drawing.color import Scale, size_of, tint, top_of
from explorer.drawing.graph.cards import grid, picked_rows
from explorer.drawing.marks import quoted
from explorer.text import say
from explorer.text.numbers import are_exact, fitted, in_full, number
from explorer.trace import Number, Value

NUMBERED = 6  # columns up to which every square holds its number
WIDTH, ADVANCE = 280, 6.4  # px of the inspector, and of a digit in a square


def heat(value: Value, scale: Scale | None, lang: str, small: bool = False, chosen: int | None = None) -> str:
    """Render entries as squares, with numbers if they fit, and their range.

    Args:
        scale: colours a gradient. None: grey values.
        small: squares without numbers, a few px wide, and no range.
        chosen: position of the followed entry, -1 for none. None: entries cannot be chosen.
    """
    if not value.entries:
        return '<p class="range">–</p>'
    rows = grid(value, scale is not None).rows
    numbered = not small and len(rows[0]) <= NUMBERED
    room = int((WIDTH / len(rows[0]) - 2) / ADVANCE) if numbered else 0
    places = [place for row in picked_rows(value, range(len(value.entries))) for place in row]
    entries = [entry for row in rows for entry in row]
    top = top_of(entries) or 1
    full = [in_full(entry, scale is not None) for entry in entries]
    marks = [""] * len(places) if chosen is None else _marks(value, places, chosen, full)
    exact = bool(room) and are_exact(value.entries)
    squares = zip(entries, full, marks, strict=True)
    cells = "".join(_cell(*square, scale, top, room, exact) for square in squares)
    classes = f"heat{' small' if small else ''}{' numbered' if numbered else ''}"
    html = f'<div class="{classes}" style="--columns:{len(rows[0])}">{cells}</div>'
    return html if small else html + _range_html(value, lang)


def _marks(value: Value, places: list[int], chosen: int, full: list[str]) -> list[str]:
    """Return attributes that make squares buttons with arrow-key navigation."""
    first = chosen if chosen in places else places[0]
    return [
        f' role="button" data-entry="{place}" tabindex="{0 if place == first else -1}" '
        f'aria-pressed="{"true" if place == chosen else "false"}" '
        f'aria-label="{f"{index_text(index)} {words}".strip()}"'
        for place, index, words in zip(places, indices_of(value, places), full, strict=True)
    ]


def _cell(entry: Number, full: str, mark: str, scale: Scale | None, top: float, room: int, exact: bool) -> str:
    """Render one square."""
    shown = fitted(entry, room, scale is not None, exact) if room else "−" if size_of(entry) < 0 else ""
    return f'<span {tint(entry, scale, top)}{mark} title="{full}">{shown}</span>'


def range_words(value: Value, lang: str) -> str:
    """Write the range or only entry, with mean and norm."""
    if value.nonfinite or value.mean is None or value.norm is None:
        return range_text(value, False)
    low, high = ends(value)
    if value.minimum == value.maximum and not value.sampled:
        return say(lang, "inspect-equal", entry=low, norm=number(value.norm))
    low, mean = f"{about(value)}{low}", f"{about(value)}{number(value.mean)}"
    return say(lang, "inspect-range", low=low, high=high, mean=mean, norm=number(value.norm))


def _range_html(value: Value, lang: str) -> str:
    """Render a value's range, and how much of it is shown."""
    parts = []
    count, shown = math.prod(value.shape), len(value.entries)
    if shown < count:
        parts.append(say(lang, "inspect-sample", shown=shown, count=count))
    if value.minimum is not None and value.dtype != "bool" and len(value.entries) > 1:
        parts.append(range_words(value, lang))
    if value.nonfinite:
        parts.append(say(lang, "inspect-nonfinite", count=value.nonfinite))
    return f'<p class="range">{quoted(" · ".join(parts))}</p>' if parts else ""
