"""The smallest marks: texts and rectangles of the SVG, explained terms of the HTML; all of them escaped."""

from html import escape

from explorer.text import say
from explorer.text.numbers import visible


def term(lang: str, name: str, words: str) -> str:
    """HTML: a term, escaped here, that is explained by the message term-<name>."""
    tip = quoted(say(lang, f"term-{name}"))
    return f'<span class="term" tabindex="0" data-tip="{tip}" aria-description="{tip}">{quoted(words)}</span>'


def text(x: float, y: float, words: str, name: str, anchor: str = "start", size: float | None = None) -> str:
    """A text element with a class; anchor as SVG's text-anchor, size in px when it is not the class's."""
    more = f' style="font-size:{size}px"' if size else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{name}" text-anchor="{anchor}"{more}>{quoted(words)}</text>'


def rect(x: float, y: float, width: float, height: float, attributes: str, radius: float = 0) -> str:
    """A rectangle; attributes are ours, never the program's."""
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="{radius:g}" {attributes}/>'


def quoted(words: str) -> str:
    """Text as XML holds it, in elements and attributes."""
    return escape(visible(words), quote=True)
