"""Thumbnails of the app's own examples and lessons, which `tools/generate_pictures.py` draws from their runs."""

from functools import cache
from pathlib import Path

from explorer.lessons.course import own_course
from explorer.lessons.gallery import HERE, gallery
from explorer.lessons.lesson import Lesson

PICTURES = HERE / "pictures"


def picture_file(id: str) -> Path:
    """Return the file of an example's or a lesson's thumbnail."""
    return PICTURES / f"{id.replace('/', '.')}.svg"


@cache
def picture_of(id: str) -> str:
    """Return an example's thumbnail as SVG, or ""."""
    return _read(id) if id in gallery().examples else ""


def lesson_picture(lesson: Lesson) -> str:
    """Return a lesson's thumbnail as SVG, "" for a pack's lesson."""
    own = own_course().lessons.get(lesson.id)
    return _read(lesson.id) if own is not None and own.program == lesson.program else ""


@cache
def _read(id: str) -> str:
    path = picture_file(id)
    return path.read_text("utf-8").strip() if path.is_file() else ""
