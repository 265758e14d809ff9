"""Where a learner is in the course."""

from explorer.ui.session.page_state import PageState

STATE = PageState("lessons", {"path": "lessons_path"})


def open_lesson(id: str) -> None:
    """Go to a lesson, to the first question that is open there."""
    STATE.put(lesson=id, at=0)


def to_map() -> None:
    """Go back to the map of the course."""
    STATE.put(lesson="", at=0)
