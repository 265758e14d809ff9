"""The picture of a broadcast: operands with repeated reads, the result, and below them the backward."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from explorer.analysis.broadcasting.alignment import Shape, sources
from explorer.analysis.broadcasting.operation import Broadcast, BroadcastOperand
from explorer.analysis.broadcasting.question import OPERATORS, back_text
from explorer.drawing.broadcasting.alignment import (
    ResultWindow,
    dim_text,
    forward_html,
    gradient_name,
    result_word,
    sliders_html,
    sum_html,
    window_of,
    word,
)
from explorer.drawing.color import Scale
from explorer.drawing.graph.heat import tint
from explorer.drawing.marks import quoted
from explorer.safe_regex import linear
from explorer.text import say
from explorer.text.numbers import cells_of, fitted, number, sizes
from explorer.trace import Number

_UNBROKEN = linear(r"\([^)]*\)|→ ")  # a shape, and an arrow with what it leads to
TALLEST = 40  # px of a cell's height
LEAST_TYPE, TYPE = 9.5, 15  # px
ADVANCE = 0.61  # em of a digit
CAPTION = 440  # px for the heads of all grids in a row, at least


@dataclass(frozen=True)
class Square:
    """One square.

    Attributes:
        entry: its number, None if it has none; back: whether it is a gradient, which has its sign.
        attributes: its class and data, ours.
    """

    entry: Number | None
    back: bool
    attributes: str


@dataclass(frozen=True)
class Paper:
    """What all cells of a picture have in common. Attributes: width: px; scale: of all its gradients."""

    width: int
    scale: Scale

    def style(self, blocks: int) -> str:
        """For the element around so many grids in a row."""
        least, tall = CAPTION // max(1, blocks), min(self.width, TALLEST)
        return f"--wide:{self.width}px;--tall:{tall}px;--blocks:{blocks};--least:{least}px"

    def value(
        self, held: np.ndarray | None, at: Shape, r: str = "", s: str = "", ghost: bool = False, pick: bool = False
    ) -> Square:
        """A value. Args: ghost: it is read again there, not stored; pick: it can be reached by the keyboard."""
        value = None if held is None else held[at].item()
        text = "" if value is None else number(value)
        bad = value is not None and math.isnan(abs(value))
        classes = f"c v{' ghost' if ghost else ''}{' bad' if bad else ''}"
        return Square(value, False, f'class="{classes}"{_where(at, text, r, s, pick)}')

    def gradient(self, held: np.ndarray, at: Shape, r: str = "", s: str = "", pick: bool = False) -> Square:
        """A gradient, signed and coloured."""
        value = held[at].item()
        colour = tint(value, self.scale).replace('class="', 'class="c ', 1)
        return Square(value, True, f"{colour}{_where(at, number(value, True), r, s, pick)}")

    def block(
        self,
        kind: str,
        title: str,
        sub: str,
        rows: list[list[Square]],
        place: tuple[int, int],
        lang: str,
        role: str = "",
    ) -> str:
        """A grid with its head.

        Args:
            place: its column from 0 and its row from 1, where there is room for a table of grids.
            role: attributes of a grid that can be walked over.
        """
        wide = max(map(len, rows), default=0)
        longest = max((len(_text(cell, 16)) for row in rows for cell in row), default=1) or 1
        size = min(TYPE, max(LEAST_TYPE, (self.width - 4) / (ADVANCE * longest)))
        most = int((self.width - 2) / (ADVANCE * size))  # characters
        body = f'<p class="bc-none">{quoted(say(lang, "bc-no-entries"))}</p>'
        if wide:
            lines = ("".join(_span(square, most) for square in row) for row in rows)
            line = '<div role="row">' if role else "<div>"
            body = f'<div class="cells"{role}>{"".join(f"{line}{cells}</div>" for cells in lines)}</div>'
        style = f"--columns:{max(1, wide)};--type:{size:.1f}px;--at:{place[0] + 1};--line:{place[1]}"
        return (
            f'<figure class="bc-block {kind}" style="{style}">'
            f"<figcaption><b>{quoted(title)}</b> <span>{quoted(_unbroken(sub))}</span></figcaption>{body}</figure>"
        )


def key(index: Shape) -> str:
    """The name of an entry of the result in data-r."""
    return ",".join(map(str, index)) or "·"


def source(operand: int, entry: Shape) -> str:
    """The name of an entry of an operand in data-s."""
    return f"{operand}:{key(entry)}"


def _span(cell: Square, most: int) -> str:
    """A cell with its number as far as it fits into so many characters."""
    text = _text(cell, most)
    title = "" if cell.entry is None or text == number(cell.entry, cell.back) else number(cell.entry, cell.back)
    attribute = f' title="{quoted(title)}"' if title else ""
    return f"<span {cell.attributes}{attribute}>{quoted(text)}</span>"


def _text(cell: Square, most: int) -> str:
    return "" if cell.entry is None else fitted(cell.entry, most, cell.back)


def _where(at: Shape, text: str, r: str, s: str, pick: bool) -> str:
    where = (f' data-r="{r}"' if r else "") + (f' data-s="{s}"' if s else "")
    if not pick:
        return where
    return f'{where} role="gridcell" tabindex="-1" aria-label="{quoted(f"{list(at)}: {text}")}"'


ROOM, BETWEEN, GAP = 690, 58, 4  # px: for a row of grids, of an operator between two, from cell to cell
WIDEST, NARROWEST = 48, 32  # px of a cell: five characters have room in the narrowest
PHONE, SMALL, SMALL_CELL, SMALL_SIGN = (
    360,
    78,
    33,
    24,
)  # px of a phone's row, and what a grid, a column, a sign need there
TITLE = 18  # cells of a result's title


def picture_html(broadcast: Broadcast, window: ResultWindow, lang: str) -> str:
    """The grids: forward in the first row, below them what every reading gives back, below that the sums."""
    paper = _paper(broadcast, window)
    rows = [_forward(broadcast, window, paper, lang)]
    if broadcast.upstream is not None:
        rows.append(_given(broadcast, window, paper, lang))
    if any(part.gradient is not None for part in broadcast.parts):
        rows.append(_gradients(broadcast, window, paper, lang))
    body = "".join(f'<div class="bc-row">{row}</div>' for row in rows)
    blocks = len(broadcast.parts) + 1
    small = " is-small" if blocks * max(SMALL, SMALL_CELL * len(window.columns)) <= PHONE - SMALL_SIGN * blocks else ""
    return f'{sliders_html(window, lang)}<div class="bc-flow{small}" style="{paper.style(blocks)}">{body}</div>'


def operands_html(broadcast: Broadcast, lang: str) -> str:
    """The operands alone, each in its own shape, for shapes that clash."""
    paper = Paper(WIDEST, Scale(1.0))
    blocks = [
        paper.block("own", word(part.name), sizes(part.shape), _alone(paper, part.values, part.shape), (i, 1), lang)
        for i, part in enumerate(broadcast.parts)
    ]
    return f'<div class="bc-flow is-alone" style="{paper.style(len(blocks))}">{"".join(blocks)}</div>'


def words(broadcast: Broadcast, window: ResultWindow, lang: str) -> dict[str, str]:
    """The sentence for every cell that can be chosen, by its data-r, and by its data-s for entries of operands."""
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


def _paper(broadcast: Broadcast, window: ResultWindow) -> Paper:
    columns = len(window.columns) * (len(broadcast.parts) + 1)
    room = ROOM - BETWEEN * len(broadcast.parts)
    width = int(min(WIDEST, max(NARROWEST, room / max(1, columns) - GAP)))
    arrays = [broadcast.upstream, *(array for part in broadcast.parts for array in (part.gradient, part.given))]
    largest = max((_largest(array) for array in arrays if array is not None), default=0.0)
    return Paper(width, Scale(largest or 1.0))


def _unbroken(said: str) -> str:
    """A line below a name that breaks between shapes, never inside of one."""
    return _UNBROKEN.sub(lambda part: part[0].replace(" ", "\u00a0"), said)


def _largest(array: np.ndarray) -> float:
    finite = np.abs(array[np.isfinite(array)])
    return float(finite.max()) if finite.size else 0.0


def _forward(broadcast: Broadcast, window: ResultWindow, paper: Paper, lang: str) -> str:
    result = broadcast.alignment.result
    symbol = OPERATORS[broadcast.operator].symbol if broadcast.operator else ""
    out = []
    for i, part in enumerate(broadcast.parts):
        stretched = part.shape != result and window.entries
        sub = f"{sizes(part.shape)} → {sizes(result)}" if stretched else sizes(part.shape)
        cells = _readings(broadcast, i, window, paper) if window.entries else _alone(paper, part.values, part.shape)
        out.append(paper.block("operand", word(part.name), sub, cells, (2 * i, 1), lang))
        out.append(_between(i, "op", symbol if i + 1 < len(broadcast.parts) else "="))
    name = result_word(broadcast)
    whole = f"{name} = {broadcast.expression}" if broadcast.result else broadcast.expression
    title = whole if cells_of(whole) <= TITLE else name
    cells = _grid(window, lambda at: paper.value(broadcast.values, at, r=key(at), pick=True))
    about = " ".join(part for part in (sizes(result), window.slice_text) if part)
    place = (2 * len(broadcast.parts), 1)
    out.append(paper.block("result", title, about, cells, place, lang, _walked(name, result, lang)))
    return "".join(out)


def _given(broadcast: Broadcast, window: ResultWindow, paper: Paper, lang: str) -> str:
    """What each reading gives back, under its operand, and the upstream gradient under the result."""
    out = []
    names = tuple(word(part.name) for part in broadcast.parts)
    for i, part in enumerate(broadcast.parts):
        if part.given is None:
            continue

        def draw(at: Shape, i: int = i, part: BroadcastOperand = part) -> Square:
            return paper.gradient(part.given, at, r=key(at), s=source(i, sources(at, part.shape)))

        sentence = back_text(broadcast.operator, names, i) or say(lang, "bc-share")
        out.append(paper.block("given", sentence, say(lang, "bc-per-reading"), _grid(window, draw), (2 * i, 2), lang))
    if out:
        out.append(_between(len(names) - 1, "back", "", 2))
    cells = _grid(window, lambda at: paper.gradient(broadcast.upstream, at, r=key(at)))
    upstream = say(lang, "bc-upstream", name=result_word(broadcast))
    out.append(paper.block("upstream", "v", upstream, cells, (2 * len(names), 2), lang))
    return "".join(out)


def _gradients(broadcast: Broadcast, window: ResultWindow, paper: Paper, lang: str) -> str:
    """The gradient of each operand in its own shape, and over which axes it was summed."""
    out = []
    for i, part in enumerate(broadcast.parts):
        if part.gradient is None:
            sentence = quoted(say(lang, "bc-no-gradient"))
            out.append(f'<p class="bc-none" style="--at:{2 * i + 1};--line:3">{sentence}</p>')
            continue
        dims = [dim_text(column.dim) for column in broadcast.alignment.stretches(i)]
        sub = say(lang, "bc-summed", dims=", ".join(dims)) if dims else say(lang, "bc-not-summed")
        shown = window.entries or (window_of(part.shape, None).entries if part.gradient.size else ())
        entries = list(dict.fromkeys(sources(at, part.shape) if window.entries else at for at in shown))
        wide = max(1, len({entry[-1:] for entry in entries}))
        cells = [paper.gradient(part.gradient, at, s=source(i, at), pick=True) for at in entries]
        rows = [cells[k : k + wide] for k in range(0, len(cells), wide)]
        name = gradient_name(part)
        out.append(paper.block("gradient", name, sub, rows, (2 * i, 3), lang, _walked(name, part.shape, lang)))
    return "".join(out)


def _readings(broadcast: Broadcast, operand: int, window: ResultWindow, paper: Paper) -> list[list[Square]]:
    """An operand stretched to the result; repeated reads are ghosts."""
    part = broadcast.parts[operand]

    def draw(at: Shape) -> Square:
        entry = sources(at, part.shape)
        ghost = (0,) * (len(at) - len(entry)) + entry != at
        return paper.value(part.values, entry, r=key(at), s=source(operand, entry), ghost=ghost)

    return _grid(window, draw)


def _alone(paper: Paper, values: np.ndarray | None, shape: Shape) -> list[list[Square]]:
    """The beginning of a tensor in its own shape."""
    return [] if 0 in shape else _grid(window_of(shape, None), lambda at: paper.value(values, at))


def _grid(window: ResultWindow, draw: Callable[[Shape], Square]) -> list[list[Square]]:
    return [[draw(window.index(row, column)) for column in window.columns] for row in window.rows]


def _walked(name: str, shape: Shape, lang: str) -> str:
    spoken = quoted(say(lang, "bc-grid", name=name, shape=sizes(shape)))
    return f' role="grid" aria-label="{spoken}"'


def _between(operand: int, kind: str, text: str, line: int = 1) -> str:
    """The sign between two grids: an operator, or the arrow of the backward."""
    return f'<i class="{kind}" style="--at:{2 * operand + 2};--line:{line}" aria-hidden="true">{quoted(text)}</i>'
