"""The player's steps and labels as data for the browser, with escaped program text.

Timeline pictures are compressed, because most parts equal the previous picture.
"""

import base64
import json
import zlib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from explorer.analysis.explain.autograd import Card, GraphView
from explorer.analysis.explain.autograd.backward_steps import BackwardSteps
from explorer.drawing.marks import quoted
from explorer.safe_regex import plain
from explorer.text import say

_CODE = plain("`([^`]*)`")


def player_data(backward: BackwardSteps, reached: int | None = None) -> dict[str, Any]:
    """Return the player's data: initial gradients, and each step's changes.

    Args:
        reached: number of steps to describe (None: all). The rest are only counted.
    """
    reached = len(backward.steps) if reached is None else reached
    described = [
        {
            "card": step.card,
            "edges": step.edges,
            "arrived": step.arrived,
            "leaf": step.leaf,
            "says": sentence_html(step.sentence),
        }
        for step in backward.steps[:reached]
    ]
    return {"start": backward.start, "steps": [*described, *({"leaf": step.leaf} for step in backward.steps[reached:])]}


def result_lines(view: GraphView) -> list[tuple[int, int, list[str]]]:
    """List lines with cards whose result is shown at their end: cell, line, cards."""
    at: dict[tuple[int, int], list[Card]] = defaultdict(list)
    for card in view.cards:
        if card.place is not None and card.kind != "data":
            at[card.place.cell, card.place.line].append(card)
    return [(*place, [card.id for card in cards if card.name] or [cards[-1].id]) for place, cards in at.items()]


def sentence_html(text: str) -> str:
    """Convert a sentence with program text in backticks to HTML.

    >>> sentence_html("`a` is < 3")
    '<code>a</code> is &lt; 3'
    """
    return _CODE.sub(r"<code>\1</code>", quoted(text))


WORDS = (
    *("play", "pause", "first", "back", "next", "last", "speed", "keys", "end", "elsewhere"),
    *("forward", "backward", "update", "after", "log"),
)
ASKING = ("predict", "check", "answer")  # only if a server keeps the answers


def player_words(lang: str, asks: bool) -> dict[str, str]:
    """Return the player's labels by name (`asks`: with Predict)."""
    words = {word: say(lang, f"player-{word}") for word in WORDS + (ASKING if asks else ())}
    return words | {
        "player": say(lang, "player"),
        "choose": say(lang, "inspect-choose-card"),
        "ready": say(lang, "player-ready", count="{count}"),
        "step": say(lang, "player-step", step="{step}", count="{count}"),
        "round": say(lang, "player-round", round="{round}"),
    }


@dataclass(frozen=True)
class FilmFrame:
    """Content of one step on a page, as escaped HTML or JSON.

    Attributes:
        position: position of the step in its film.
        svg: parts, equally many in every frame.
        legend, sentence: HTML.
        beside: line-end annotations, a JSON list for each cell.
    """

    position: int
    svg: Sequence[str]
    legend: str
    sentence: str
    beside: str


def packed_frames(frames: Sequence[FilmFrame]) -> str:
    """Pack frames as compressed text, "" if there is none.

    Equal parts of all frames are adjacent, and null repeats the previous frame's part.
    """
    if not frames:
        return ""
    columns = {
        "positions": [frame.position for frame in frames],
        "svg": [_changes(column) for column in zip(*(frame.svg for frame in frames), strict=True)],
        "legend": _changes([frame.legend for frame in frames]),
        "sentence": _changes([frame.sentence for frame in frames]),
        "beside": _changes([frame.beside for frame in frames]),
    }
    return packed(columns)


def packed(data: object) -> str:
    """Return compressed JSON as text."""
    return base64.b64encode(zlib.compress(json.dumps(data).encode("ascii"), 6)).decode("ascii")


def _changes(texts: Sequence[str]) -> list[str | None]:
    return [text if not i or text != texts[i - 1] else None for i, text in enumerate(texts)]
