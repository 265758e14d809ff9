"""Where a learner is in the course."""

from explorer.ui.pages.lessons.learner import once_more
from explorer.ui.session.page_state import PageState

ALLOWED = "_lesson_allowed"  # session state: whether the programs of a lesson from elsewhere may run
STATE = PageState("lessons", {"path": "lessons_path", "text": "lessons_text"})


def open_lesson(id: str) -> None:
    """Go to a lesson, to the first question that is open there."""
    STATE.put(lesson=id, at=0, own="")


def open_ask(key: str, at: int) -> None:
    """Ask one question of a lesson again."""
    once_more(key)
    STATE.put(lesson=key.partition("#")[0], at=at + 1, own="")


def to_map() -> None:
    """Go back to the map of the course."""
    STATE.put(lesson="", at=0, own="")
