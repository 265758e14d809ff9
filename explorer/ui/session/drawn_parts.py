"""Which parts of a page the browser shows already, each with the revision of the program it belongs to.

A part stays on the page while a program runs; a part that is not there yet needs something in its place.
"""

from explorer.ui.components.session_values import SessionValue

PAGE = ""  # the part that is the page itself, drawn whole
_drawn = SessionValue[dict[str, int]]("_drawn_parts", dict)


def is_drawn(part: str = PAGE, revision: int = 0) -> bool:
    """Whether the page shows this part of this program already."""
    return _drawn.get().get(part) == revision


def mark_drawn(part: str = PAGE, revision: int = 0) -> None:
    """Remember that the page shows this part now."""
    _drawn.get()[part] = revision


def forget_drawn() -> None:
    """Forget every part: the page shows something else."""
    _drawn.clear()
