"""A derivation as HTML for any page: each line with its parts below it, folded except the first."""

from collections.abc import Sequence
from html import escape

from explorer.text.numbers import visible

_LINE = "font-family:monospace;white-space:pre-wrap"
_BELOW = "margin-left:1.2em"


def derivation_html(lines: Sequence[str], indent: str) -> str:
    """Lines that are indented by their depth as nested `details`.

    >>> derivation_html(["y = 6", "  6 = 2 · 3"], "  ").count("<details")
    1
    """
    depths = [(len(line) - len(line.lstrip(" "))) // len(indent) for line in lines]
    written: list[str] = []
    open_depths: list[int] = []
    for at, (line, depth) in enumerate(zip(lines, depths, strict=True)):
        while open_depths and open_depths[-1] >= depth:
            open_depths.pop()
            written.append("</div></details>")
        text = f'<span style="{_LINE}">{escape(visible(line.strip()))}</span>'
        if at + 1 < len(lines) and depths[at + 1] > depth:
            unfolded = " open" if not open_depths else ""
            written.append(f'<details{unfolded}><summary>{text}</summary><div style="{_BELOW}">')
            open_depths.append(depth)
        else:
            written.append(f"<div>{text}</div>")
    return "".join(written) + "</div></details>" * len(open_depths)
