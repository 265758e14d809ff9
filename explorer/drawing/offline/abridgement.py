"""A line of too many moments for one page: its beginning and its end, and one moment for all between them."""

from collections import defaultdict
from collections.abc import Callable
from typing import Any


def shortened(line: dict[str, Any], most: int, left_out: Callable[[int], str]) -> dict[str, Any]:
    """A time line (of `line_data`) shortened to at most `most` moments.

    A replacement moment contains all changes of the moments that it replaces.

    Args:
        left_out: HTML that states how many moments were left out.
    """
    moments = line["moments"]
    if len(moments) <= most:
        return line
    head, tail = most // 2, most - most // 2 - 1
    end = len(moments) - tail
    scenes = [chapter["scene"] for chapter in line["chapters"] for _ in range(chapter["count"])]
    after = [dict(moment) for moment in moments[end:]]
    drawn: dict[int, dict[str, str | None]] = defaultdict(dict)
    for moment, scene in zip(moments[head:end], scenes[head:], strict=False):
        drawn[scene] |= moment.get("drawn", {})
    for scene, cards in drawn.items():
        if scene != scenes[head] and scene in scenes[end:]:
            first = after[scenes[end:].index(scene)]
            first["drawn"] = cards | first.get("drawn", {})
    gap = _together(moments[head:end]) | {"says": left_out(end - head), "drawn": drawn[scenes[head]]}
    return {
        **line,
        "moments": [*moments[:head], gap, *after],
        "chapters": _chapters(line["chapters"], head, end - head),
        "scenes": [_scene(scene, head, end - head) for scene in line["scenes"]],
    }


def _together(moments: list[dict[str, Any]]) -> dict[str, Any]:
    """The texts beside the lines after these moments: for each place the last."""
    beside: dict[tuple[int, int], Any] = {}
    shown: dict[str, Any] = {}
    for moment in moments:
        beside |= {(cell, text[0]): (cell, text) for cell, text in moment.get("beside", ())}
        shown |= {"out": moment["out"]} if "out" in moment else {}
    return shown | {"beside": list(beside.values())}


def _chapters(chapters: list[dict[str, Any]], head: int, gone: int) -> list[dict[str, Any]]:
    """The chapters without the dropped moments; their replacement takes the place of the first."""
    found, at = [], 0
    for chapter in chapters:
        start, at = at, at + chapter["count"]
        lost = max(0, min(at, head + gone) - max(start, head))
        kept = chapter["count"] - lost + (lost > 0 and start <= head)
        if kept:
            found.append(chapter | {"count": kept})
    return found


def _scene(scene: dict[str, Any], head: int, gone: int) -> dict[str, Any]:
    def moved(positions: dict[str, int]) -> dict[str, int]:
        return {card: min(at, max(head + 1, at - gone + 1)) for card, at in positions.items()}

    return scene | {name: moved(scene[name]) for name in ("born", "settled", "reached")}
