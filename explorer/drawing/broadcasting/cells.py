"""Cells and grids of a broadcast's picture as HTML.

Every cell says in data-r which entry of the result it belongs to and in data-s which entry of which operand, so that
the page lights what belongs together without asking the server.
"""

import math
from dataclasses import dataclass

import numpy as np

from explorer.analysis.broadcasting.alignment import Shape
from explorer.drawing.color import Scale
from explorer.drawing.graph.heat import tint
from explorer.drawing.marks import quoted
from explorer.text import say
from explorer.text.numbers import fitted, number
from explorer.trace import Number

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
            f"<figcaption><b>{quoted(title)}</b> <span>{quoted(sub)}</span></figcaption>{body}</figure>"
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
    told = f' title="{quoted(title)}"' if title else ""
    return f"<span {cell.attributes}{told}>{quoted(text)}</span>"


def _text(cell: Square, most: int) -> str:
    return "" if cell.entry is None else fitted(cell.entry, most, cell.back)


def _where(at: Shape, text: str, r: str, s: str, pick: bool) -> str:
    where = (f' data-r="{r}"' if r else "") + (f' data-s="{s}"' if s else "")
    if not pick:
        return where
    return f'{where} role="gridcell" tabindex="-1" aria-label="{quoted(f"{list(at)}: {text}")}"'
