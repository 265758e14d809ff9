"""Broadcasts as plotly figures: operands with repeated reads, the result, the backward."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from explorer.analysis.views.broadcasting.alignment import AxisColumn, Shape, sources
from explorer.analysis.views.broadcasting.operation import Broadcast, BroadcastOperand
from explorer.analysis.views.broadcasting.question import OPERATORS, back_text
from explorer.drawing.broadcasting.alignment import (
    ResultWindow,
    dim_text,
    entry_text,
    forward_html,
    gradient_name,
    result_word,
    sum_html,
    window_of,
    word,
)
from explorer.drawing.broadcasting.heat_maps import Figure, Grid, HeatCell, both
from explorer.text import say
from explorer.text.numbers import cells_of, sizes
from explorer.trace import Number

LONGEST = 18  # cells of a result's title


def figures(broadcast: Broadcast, window: ResultWindow, dark: bool, lang: str) -> tuple[Figure, Figure]:
    """Return figures for wide pages and phones: forward, passed gradients, and sums below."""
    grids = list(_forward(broadcast, window, lang))
    if broadcast.upstream is not None:
        grids += _given_gradients(broadcast, window, lang)
    if any(part.gradient is not None for part in broadcast.parts):
        grids += _gradients(broadcast, window, lang)
    return _drawn(grids, dark, lang)


def operand_figures(broadcast: Broadcast, dark: bool, lang: str) -> tuple[Figure, Figure]:
    """Draw only the operands in their own shapes, for clashing shapes."""
    grids = [Grid(word(part.name), sizes(part.shape), _start(part), (i, 0)) for i, part in enumerate(broadcast.parts)]
    return _drawn(grids, dark, lang)


def _drawn(grids: list[Grid], dark: bool, lang: str) -> tuple[Figure, Figure]:
    none = f" · {say(lang, 'bc-no-entries')}"
    described = [replace(grid, about=grid.about + none * (not grid.cells and bool(grid.title))) for grid in grids]
    return both(described, dark)


def picture_title(broadcast: Broadcast, lang: str) -> str:
    """Describe the picture for screen readers."""
    named = [(word(part.name), part.shape) for part in broadcast.parts]
    if broadcast.alignment.result is not None:
        named.append((result_word(broadcast), broadcast.alignment.result))
    return "; ".join(say(lang, "bc-grid", name=name, shape=sizes(shape)) for name, shape in named)


def words(broadcast: Broadcast, window: ResultWindow, lang: str) -> dict[str, str]:
    """Map the entries of results and operands to their sentences."""
    sentences: dict[str, str] = {}
    for index in window.entries:
        back = [sum_html(broadcast, i, sources(index, part.shape), lang) for i, part in enumerate(broadcast.parts)]
        sentences[key(index)] = "".join(
            f"<p>{line}</p>" for line in (forward_html(broadcast, index, lang), *back) if line
        )
        for i, part in enumerate(broadcast.parts):
            if back[i]:
                sentences.setdefault(source(i, sources(index, part.shape)), f"<p>{back[i]}</p>")
    return sentences


def key(index: Shape) -> str:
    """Return the key of a result entry."""
    return ",".join(map(str, index)) or "·"


def source(operand: int, entry: Shape) -> str:
    """Return the key of an operand entry."""
    return f"{operand}:{key(entry)}"


def _forward(broadcast: Broadcast, window: ResultWindow, lang: str) -> Iterator[Grid]:
    """Yield the operands as the result reads them, and the result."""
    result, last = broadcast.alignment.result, len(broadcast.parts)
    symbol = OPERATORS[broadcast.operator].symbol if broadcast.operator else ""
    for i, part in enumerate(broadcast.parts):

        def read(at: Shape, i: int = i, part: BroadcastOperand = part) -> HeatCell:
            entry = sources(at, part.shape)
            kind = "ghost" if (0,) * (len(at) - len(entry)) + entry != at else "read"
            return HeatCell(
                _entry(part.values, entry), kind, entry_text(word(part.name), entry), key(at), source(i, entry)
            )

        stretched = part.shape != result and window.entries
        about = f"{sizes(part.shape)} → {sizes(result)}" if stretched else sizes(part.shape)
        cells = _rows_of(window, read) if window.entries else _start(part)
        times = _times(broadcast.alignment.columns, i) if stretched else (1, 1)
        yield Grid(word(part.name), about, cells, (i, 0), times, symbol if i + 1 < last else "=")
    name = result_word(broadcast)
    whole = f"{name} = {broadcast.expression}" if broadcast.result else broadcast.expression
    title = whole if cells_of(whole) <= LONGEST else name
    about = " ".join(part for part in (sizes(result), window.slice_text) if part)
    made = _rows_of(window, lambda at: HeatCell(_entry(broadcast.values, at), "result", entry_text(name, at), key(at)))
    yield Grid(title, about, made, (last, 0))


def _given_gradients(broadcast: Broadcast, window: ResultWindow, lang: str) -> Iterator[Grid]:
    """Yield the gradient of each read below its operand, and the upstream gradient."""
    names = tuple(word(part.name) for part in broadcast.parts)
    for i, part in enumerate(broadcast.parts):
        if part.given is None:
            continue
        title = back_text(broadcast.operator, names, i) or say(lang, "bc-share")

        def draw(at: Shape, i: int = i, part: BroadcastOperand = part, title: str = title) -> HeatCell:
            return HeatCell(_entry(part.given, at), "given", title, key(at), source(i, sources(at, part.shape)))

        sign = "←" if all(other.given is None for other in broadcast.parts[i + 1 :]) else ""
        yield Grid(title, say(lang, "bc-per-reading"), _rows_of(window, draw), (i, 1), sign=sign)
    about = say(lang, "bc-upstream", name=result_word(broadcast))
    cells = _rows_of(
        window, lambda at: HeatCell(_entry(broadcast.upstream, at), "upstream", entry_text("v", at), key(at))
    )
    yield Grid("v", about, cells, (len(names), 1))


def _gradients(broadcast: Broadcast, window: ResultWindow, lang: str) -> Iterator[Grid]:
    """Yield each operand's gradient in its own shape, and the summed axes."""
    for i, part in enumerate(broadcast.parts):
        if part.gradient is None:
            yield Grid("", say(lang, "bc-no-gradient"), [], (i, 2))
            continue
        dims = [dim_text(column.dim) for column in broadcast.alignment.stretches(i)]
        about = say(lang, "bc-summed", dims=", ".join(dims)) if dims else say(lang, "bc-not-summed")
        shown = window.entries or (window_of(part.shape, None).entries if part.gradient.size else ())
        entries = list(dict.fromkeys(sources(at, part.shape) if window.entries else at for at in shown))
        wide, name = max(1, len({entry[-1:] for entry in entries})), gradient_name(part)
        cells = [
            HeatCell(_entry(part.gradient, at), "gradient", entry_text(name, at), s=source(i, at)) for at in entries
        ]
        yield Grid(name, about, [cells[k : k + wide] for k in range(0, len(cells), wide)], (i, 2))


def _times(columns: tuple[AxisColumn, ...], operand: int) -> tuple[int, int]:
    """Return how often an operand is read along its last two axes."""
    last = [*reversed(columns[-2:])]
    across, down = [column.size or 1 if column.stretched(operand) else 1 for column in last] + [1] * (2 - len(last))
    return across, down


def _start(part: BroadcastOperand) -> list[list[HeatCell]]:
    """Return the beginning of a tensor in its own shape."""
    name = word(part.name)
    shown = window_of(part.shape, None)
    return (
        []
        if 0 in part.shape
        else _rows_of(shown, lambda at: HeatCell(_entry(part.values, at), "read", entry_text(name, at)))
    )


def _rows_of(window: ResultWindow, draw: Callable[[Shape], HeatCell]) -> list[list[HeatCell]]:
    rows = window.rows if window.entries else ()
    return [[draw(window.index(row, column)) for column in window.columns] for row in rows]


def _entry(held: np.ndarray | None, at: Shape) -> Number | None:
    return None if held is None else held[at].item()
