"""The course: chapters and lessons from the folder `lessons` next to the app."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from explorer.lessons.asks import Chapter, CourseData, CoursePath
from explorer.lessons.flaws import Flaw
from explorer.lessons.lesson import PROGRAM, TOML, Lesson, converted, read_lesson, text_files
from explorer.lessons.texts import MOST_TEXT
from explorer.paths import PACK, site

COURSE = "course.toml"
HERE = site() / "lessons"
MOST_FILE = 10 * MOST_TEXT  # bytes read of one file, so that a message can state its size


@dataclass(frozen=True)
class Course:
    """Chapters and lessons.

    Attributes:
        lessons: by id, such as autograd/leaf, in the order of the course.
        paths: ways through it that leave lessons out.
    """

    chapters: tuple[Chapter, ...]
    lessons: Mapping[str, Lesson]
    paths: tuple[CoursePath, ...] = ()

    def along(self, path: str) -> "Course":
        """Return the lessons of a path by id, or the whole course."""
        chosen = next((set(one.lessons) for one in self.paths if one.id == path), None)
        if chosen is None:
            return self
        lessons = {id: lesson for id, lesson in self.lessons.items() if id in chosen}
        used = {id.partition("/")[0] for id in lessons}
        return Course(tuple(chapter for chapter in self.chapters if chapter.id in used), lessons, self.paths)

    def before(self, other: "Course") -> "Course":
        """Return this course followed by another. Equal chapter ids replace the other's."""
        own, ways = {chapter.id for chapter in self.chapters}, {path.id for path in self.paths}
        lessons = {id: lesson for id, lesson in other.lessons.items() if id.partition("/")[0] not in own}
        chapters = tuple(chapter for chapter in other.chapters if chapter.id not in own)
        paths = tuple(path for path in other.paths if path.id not in ways)
        return Course(self.chapters + chapters, {**self.lessons, **lessons}, self.paths + paths)

    def chapter_of(self, id: str) -> Chapter | None:
        """Return the chapter of a lesson."""
        return next((chapter for chapter in self.chapters if chapter.id == id.partition("/")[0]), None)

    def beside(self, id: str) -> tuple[str, str]:
        """Return the lessons before and after a lesson, or ""."""
        ids = [*self.lessons]
        if id not in ids:
            return "", ""
        at = ids.index(id)
        return ids[at - 1] if at else "", ids[at + 1] if at + 1 < len(ids) else ""


def read_folder(folder: Path) -> dict[str, bytes]:
    """Read a lesson's files from a folder, cutting very large files. Raises OSError."""
    files = {}
    for name in (TOML, PROGRAM, *text_files(path.name for path in folder.glob("*.md"))):
        if (path := folder / name).is_file():
            with path.open("rb") as file:
                files[name] = file.read(MOST_FILE)
    return files


def read_course(folder: Path, beside: Course | None = None) -> tuple[Course | None, list[tuple[str, Flaw]]]:
    """Read a course that may require lessons of `beside`. Return the course and its flaws."""
    flaws: list[tuple[str, Flaw]] = []
    own: list[Flaw] = []
    try:
        text = (folder / COURSE).read_bytes()[:MOST_FILE].decode("utf-8")
    except OSError:
        return None, [("", Flaw(COURSE, 0, "no-course"))]
    except UnicodeDecodeError:
        return None, [("", Flaw(COURSE, 0, "no-text"))]
    data = converted(COURSE, text, CourseData, own)
    if data is None:
        return None, [("", flaw) for flaw in own]
    lessons: dict[str, Lesson] = {}
    own_lessons = {f"{chapter.id}/{name}" for chapter in data.chapter for name in chapter.lessons}
    listed = own_lessons | (beside.lessons.keys() if beside else set())
    chapters = {chapter.id for chapter in (*data.chapter, *(beside.chapters if beside else ()))}
    for number, chapter in enumerate(data.chapter):
        line = _line(text, f'id = "{chapter.id}"')
        flaws += [("", Flaw(COURSE, line, "need", {"name": need})) for need in chapter.needs if need not in chapters]
        if chapter.id in [earlier.id for earlier in data.chapter[:number]]:
            flaws.append(("", Flaw(COURSE, line, "twice", {"name": chapter.id})))
        for name in chapter.lessons:
            id = f"{chapter.id}/{name}"
            lesson, wrong = read_lesson(read_folder(folder / chapter.id / name), id)
            flaws += [(id, flaw) for flaw in wrong]
            if lesson is not None:
                lessons[id] = lesson
                unknown = [need for need in lesson.data.needs if need not in listed]
                flaws += [(id, Flaw("lesson.toml", 1, "need", {"name": need})) for need in unknown]
    for way in data.path:
        line = _line(text, f'id = "{way.id}"')
        flaws += [("", Flaw(COURSE, line, "need", {"name": id})) for id in way.lessons if id not in listed]
    folders = {f"{path.parent.parent.name}/{path.parent.name}" for path in folder.glob("*/*/lesson.toml")}
    flaws += [("", Flaw(COURSE, 0, "unlisted", {"name": lesson_id})) for lesson_id in sorted(folders - own_lessons)]
    if circle := _circle({id: lesson.data.needs for id, lesson in lessons.items()}):
        flaws.append(("", Flaw(COURSE, 0, "circle", {"name": " → ".join(circle)})))
    return Course(data.chapter, lessons, data.path), flaws


@cache
def own_course() -> Course:
    """Return the app's course, without chapters if its folder is missing."""
    course, _ = read_course(HERE)
    return course or Course((), {})


def read_pack(folder: Path) -> tuple[Course | None, list[tuple[str, Flaw]]]:
    """Read a third-party course, placed before the app's, with its faults, None if unreadable."""
    course, flaws = read_course(folder, own_course())
    return (course.before(own_course()) if course else None), flaws


@cache
def course() -> Course:
    """Return the app's course, extended by the environment's lesson pack."""
    pack = os.environ.get(PACK)
    return (pack and read_pack(Path(pack))[0]) or own_course()


def _line(text: str, words: str) -> int:
    return next((number for number, line in enumerate(text.split("\n"), 1) if words in line), 0)


def _circle(needs: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Return lessons that require each other in a cycle, or []."""
    left = {id: [need for need in of if need in needs] for id, of in needs.items()}
    while free := [id for id, of in left.items() if not any(need in left for need in of)]:
        for id in free:
            del left[id]
    if not left:
        return []
    path = [next(iter(left))]
    while len(path) < 2 or path[-1] not in path[:-1]:
        path.append(next(need for need in left[path[-1]] if need in left))
    return path[path.index(path[-1]) :]
