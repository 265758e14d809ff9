"""The smallest marks of the SVG: texts and rectangles, escaped."""

from html import escape

from explorer.text.numbers import visible


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
