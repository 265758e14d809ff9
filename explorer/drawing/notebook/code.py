"""The program's text beside a picture: numbered lines, with pieces that highlight and select what is beside."""

from dataclasses import dataclass
from itertools import pairwise

from explorer.drawing.marks import quoted
from explorer.text import say
from explorer.text.numbers import visible
from explorer.trace import Cell, Trace

LINES, WIDE = 600, 400  # lines, and characters of a line, that are shown


@dataclass(frozen=True)
class CodePiece:
    """A piece of a line.

    Attributes:
        cell, line: from 0 and from 1; start, end: columns, the end exclusive.
        lit: the word under which it lights with what belongs to it, "" for none.
        choose: what pressing it chooses, "" for nothing.
        title: what a screen reader says of what it chooses; one without is no stop for the keyboard.
        now: whether it is what is chosen.
    """

    cell: int
    line: int
    start: int
    end: int
    lit: str = ""
    choose: str = ""
    title: str = ""
    now: bool = False


def line_word(cell: int, line: int) -> str:
    """The name under which a line is highlighted."""
    return f"line{cell}.{line}"


def code_html(trace: Trace, pieces: tuple[CodePiece, ...], lang: str) -> str:
    """The program; where pieces overlap, the shorter one is clicked."""
    by_line: dict[tuple[int, int], list[CodePiece]] = {}
    for piece in pieces:
        by_line.setdefault((piece.cell, piece.line), []).append(piece)
    parts, left = [], LINES
    for number, cell in enumerate(trace.cells):
        if len(trace.cells) > 1:
            parts.append(f'<p class="code-cell">{quoted(cell.name or say(lang, "tensors-cell", cell=number + 1))}</p>')
        lines = _lines(cell)
        for line, text in enumerate(lines[:left], 1):
            parts.append(_line(number, line, text, by_line.get((number, line), [])))
        left -= min(left, len(lines))
    more = sum(len(_lines(cell)) for cell in trace.cells) - LINES
    if more > 0:
        parts.append(f'<p class="quiet">{quoted(say(lang, "code-more", count=more))}</p>')
    label = quoted(say(lang, "code-label"))
    return f'<div class="code-beside" role="group" aria-label="{label}">{"".join(parts)}</div>'


def _lines(cell: Cell) -> tuple[str, ...]:
    """Its lines without empty ones at the end."""
    end = next((k for k in range(len(cell.lines), 0, -1) if cell.lines[k - 1].strip()), 0)
    return cell.lines[:end]


def _line(cell: int, line: int, text: str, pieces: list[CodePiece]) -> str:
    """A line cut at the ends of its pieces; each part belongs to the inner piece over it."""
    shown = text[:WIDE]
    pieces = [piece for piece in pieces if piece.start < min(piece.end, len(shown))]
    cuts = sorted({0, len(shown), *(min(edge, len(shown)) for piece in pieces for edge in (piece.start, piece.end))})
    parts = []
    begun: set[int] = set()
    for start, end in pairwise(cuts):
        over = [piece for piece in pieces if piece.start <= start and end <= piece.end]
        words = quoted(visible(shown[start:end]))
        parts.append(_part(words, over, begun) if over else words)
    rest = "…" if len(text) > WIDE else ""
    now = " now" if any(piece.now for piece in pieces) else ""
    word = line_word(cell, line)
    return (
        f'<div class="code-line{now}" data-lit="{word}"><span class="no">{line}</span>'
        f"<code>{''.join(parts)}{rest}</code></div>"
    )


def _part(words: str, over: list[CodePiece], begun: set[int]) -> str:
    top = min(over, key=lambda piece: piece.end - piece.start)
    classes = [
        "piece",
        *(["stop"] if top.title else []),
        *(["chosen"] if any(piece.now for piece in over) else []),
    ]
    lit = f' data-lit="{quoted(top.lit)}"' if top.lit else ""
    act = ""
    if top.choose:
        act = f' data-choose="{quoted(top.choose)}"'
        if top.title and id(top) not in begun:  # one stop for the keyboard, however often the piece is cut
            begun.add(id(top))
            act += f' role="button" tabindex="0" aria-pressed="{str(top.now).lower()}" aria-label="{quoted(top.title)}"'
    return f'<span class="{" ".join(classes)}"{lit}{act}>{words}</span>'
