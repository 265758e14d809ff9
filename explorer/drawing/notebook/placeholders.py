"""Placeholders during a page's first run, and a summary of changes to pasted text."""

from collections.abc import Sequence
from typing import Literal

from explorer.drawing.marks import quoted
from explorer.program import Cleaned
from explorer.text import say, separated
from explorer.text.numbers import visible

LINES, WIDE = 200, 400  # lines shown of all cells, and characters per line
_CARDS = ((64, 0), (232, 0), (64, 150), (232, 150), (148, 300))  # card positions of a small picture
_EDGES = ("M140 90v56", "M308 90v56", "M140 240c0 40 60 20 76 56", "M308 240c0 40-60 20-76 56")
_ORDER = ("notebook", "fences", "prompts", "outputs")


def program_html(texts: Sequence[str]) -> str:
    """Render a program's cells line by line in the editor's style."""
    left, cells = LINES, []
    for text in texts:
        lines = text.split("\n")[:left]
        left -= len(lines)
        drawn = "".join(
            f'<div class="line"><span class="src">{quoted(visible(line[:WIDE]))}</span></div>' for line in lines
        )
        cells.append(f'<section class="cell"><div class="pad"><div class="paint">{drawn}</div></div></section>')
    kind = "code-editor is-unrun is-single" if len(texts) == 1 else "code-editor is-unrun"
    return f'<div class="{kind}"><div class="cells">{"".join(cells)}</div></div>'


def skeleton_html(kind: Literal["graph", "chart"], words: str = "") -> str:
    """Render the outline of upcoming content. Args: words: label of a waiting chart."""
    if kind == "chart":
        return f'<div class="skeleton is-chart" aria-hidden="true"><i>{quoted(words)}</i><i></i></div>'
    cards = "".join(f'<rect x="{x}" y="{y}" width="152" height="90" rx="10"/>' for x, y in _CARDS)
    edges = "".join(f'<path d="{path}"/>' for path in _EDGES)
    return (
        '<div class="skeleton is-graph" aria-hidden="true"><svg viewBox="0 0 448 392" width="448" height="392">'
        f"{edges}{cards}</svg></div>"
    )


def beside_html(left: str, right: str) -> str:
    """Render two of these side by side, like a page's columns."""
    return f'<div class="meanwhile"><div>{left}</div><div>{right}</div></div>'


def cleaned_sentence(cleaned: Cleaned, lang: str) -> str:
    """Summarize changes to pasted text in one line, "" if there is none.

    >>> from explorer.program import read_pasted
    >>> cleaned_sentence(read_pasted("In [1]: 1 + 1"), "en")
    'Pasted: one prompt removed.'
    """
    done = [say(lang, f"cleaned-{kind}", count=cleaned.counts[kind]) for kind in _ORDER if kind in cleaned.counts]
    return say(lang, "cleaned", what=separated(lang, done)) if done else ""
