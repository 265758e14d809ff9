"""The player's steps as plain data for the browser: sentences as HTML, everything of the program escaped."""

from typing import Any

from explorer.autograd.steps import BackwardSteps
from explorer.drawing.marks import quoted
from explorer.patterns import plain

_CODE = plain("`([^`]*)`")


def player_data(found: BackwardSteps, reached: int | None = None) -> dict[str, Any]:
    """What the player needs, once: cards that have their gradient at the start, and per step what changes.

    Args:
        reached: how many steps may be told (None: all); of the others only how many there are.
    """
    return {
        "start": found.start,
        "steps": [
            {
                "card": step.card,
                "wires": step.wires,
                "arrived": step.arrived,
                "leaf": step.leaf,
                "says": sentence_html(step.sentence),
            }
            for step in found.steps[:reached]
        ]
        + [{"leaf": step.leaf} for step in found.steps[len(found.steps[:reached]) :]],
    }


def sentence_html(text: str) -> str:
    """A sentence whose texts of the program stand between backticks, as HTML.

    >>> sentence_html("`a` is < 3")
    '<code>a</code> is &lt; 3'
    """
    return _CODE.sub(r"<code>\1</code>", quoted(text))
