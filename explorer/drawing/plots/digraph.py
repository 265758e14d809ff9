"""A program's graphviz graph: our own SVG from Graphviz's drawing operations, never its SVG.

Only numbers, hexadecimal colours and escaped texts pass.
"""

import json

from explorer.drawing.marks import quoted
from explorer.safe_regex import plain

MOST = 4_000  # drawing operations
_INK, _PAPER = "#1a212b", "#ffffff"
_COLOR = plain(r"#[0-9a-fA-F]{6}(?:[0-9a-fA-F]{2})?")
_ANCHORS = {"l": "start", "c": "middle", "r": "end"}
_DASHES = {"dashed": "6 4", "dotted": "2 3"}
_PARTS = ("_draw_", "_hdraw_", "_tdraw_", "_ldraw_", "_hldraw_", "_tldraw_")


def digraph_svg(layout_json: str | None, source: str) -> str:
    """The picture of a graph on paper.

    Args:
        layout_json: Graphviz's JSON of the graph; None when it could not be laid out: the source is shown instead.
        source: its DOT.
    """
    try:
        return _drawn(json.loads(layout_json)) if layout_json else _plain(source)
    except (ValueError, KeyError, TypeError, AttributeError, IndexError):
        return _plain(source)


def _plain(source: str) -> str:
    return f'<pre class="digraph">{quoted(source)}</pre>'


def _drawn(graph: dict) -> str:
    _, _, width, height = map(float, graph["bb"].split(","))
    things = [*graph.get("objects", []), *graph.get("edges", [])]
    pieces: list[str] = []
    for thing in things:
        pen = _Pen(height)
        for part in _PARTS:
            for operation in thing.get(part, []):
                pen.take(operation, pieces)
                if len(pieces) > MOST:
                    raise ValueError("too large to be drawn")
    wide, tall = width + 16, height + 16
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="digraph" width="{wide:.0f}" height="{tall:.0f}" '
        f'viewBox="-8 -8 {wide:.1f} {tall:.1f}" role="img" font-family="Source Sans, sans-serif">'
        f'<rect x="-8" y="-8" width="{wide:.1f}" height="{tall:.1f}" fill="{_PAPER}"/>{"".join(pieces)}</svg>'
    )


class _Pen:
    """Follows the drawing operations of one node or edge: colours, sizes and styles hold until they change."""

    def __init__(self, height: float) -> None:
        self._height = height
        self._line = self._fill = _INK
        self._size, self._dash = 14.0, ""

    def take(self, operation: dict, pieces: list[str]) -> None:
        """Convert one operation to SVG."""
        match operation["op"]:
            case "c":
                self._line = _color(operation["color"])
            case "C":
                self._fill = _color(operation["color"])
            case "F":
                self._size = float(operation["size"])
            case "S":
                self._dash = _DASHES.get(operation["style"], "")
            case "e" | "E":
                x, y, wide, tall = map(float, operation["rect"])
                center = f'cx="{x:.1f}" cy="{self._height - y:.1f}" rx="{wide:.1f}" ry="{tall:.1f}"'
                pieces.append(f"<ellipse {center} {self._paint(operation['op'] == 'E')}/>")
            case "p" | "P":
                points = " ".join(self._points(operation["points"]))
                pieces.append(f'<polygon points="{points}" {self._paint(operation["op"] == "P")}/>')
            case "L":
                pieces.append(
                    f'<polyline points="{" ".join(self._points(operation["points"]))}" {self._paint(False)}/>'
                )
            case "b" | "B":
                first, *others = self._points(operation["points"])
                pieces.append(f'<path d="M{first}C{" ".join(others)}" {self._paint(operation["op"] == "B")}/>')
            case "T":
                x, y = map(float, operation["pt"])
                anchor = _ANCHORS.get(operation["align"], "middle")
                place = f'x="{x:.1f}" y="{self._height - y:.1f}" text-anchor="{anchor}" font-size="{self._size:.1f}"'
                pieces.append(f'<text {place} fill="{self._line}">{quoted(str(operation["text"]))}</text>')

    def _points(self, points: list) -> list[str]:
        return [f"{float(x):.1f},{self._height - float(y):.1f}" for x, y in points]

    def _paint(self, filled: bool) -> str:
        dash = f' stroke-dasharray="{self._dash}"' if self._dash else ""
        return f'fill="{self._fill if filled else "none"}" stroke="{self._line}"{dash}'


def _color(text: object) -> str:
    if not isinstance(text, str) or not _COLOR.fullmatch(text):
        return _INK
    return _INK if text == "#000000" else text
