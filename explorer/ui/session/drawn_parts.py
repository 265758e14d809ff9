"""Parts that the browser already shows, with their program's revision.

A part stays on the page during a run. A missing part needs a placeholder.
"""

from explorer.ui.components.session_values import SessionValue

PAGE = ""  # name of the whole page as a part
_drawn = SessionValue[dict[str, int]]("_drawn_parts", dict)


def is_drawn(part: str = PAGE, revision: int = 0) -> bool:
    """Return whether the page already shows this part of this program."""
    return _drawn.get().get(part) == revision


def mark_drawn(part: str = PAGE, revision: int = 0) -> None:
    """Remember that the page shows this part now."""
    _drawn.get()[part] = revision


def forget_drawn() -> None:
    """Forget every part: the page shows something else."""
    _drawn.clear()
