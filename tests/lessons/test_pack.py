"""Lesson packs: a course's own folder, with texts in any language, next to the app's course."""

import pytest

from explorer.lessons.course import own_course, read_pack
from explorer.lessons.drawing.course_map import course_map
from explorer.lessons.lesson import read_lesson
from explorer.lessons.runs import pack_flaws
from tests.lessons.test_format import example

COURSE = """
[[chapter]]
id = "week-1"
title = { de = "Woche <b>1</b>" }
lessons = ["slope"]
"""


@pytest.fixture
def pack(tmp_path):
    """Return a pack with one lesson, only in German, that builds on one of the app's."""
    files = example(1)
    files["de.md"] = files.pop("en.md").replace(b"The slope of a square", b"Die Steigung")
    del files["zh.md"]
    files["lesson.toml"] = b'needs = ["zero/slope"]\n' + files["lesson.toml"]
    (tmp_path / "course.toml").write_text(COURSE)
    (tmp_path / "week-1" / "slope").mkdir(parents=True)
    for name, text in files.items():
        (tmp_path / "week-1" / "slope" / name).write_bytes(text)
    return tmp_path


def test_a_packs_lessons_precede_the_apps_own_and_may_build_on_them(pack):
    course, flaws = read_pack(pack)
    assert flaws == [] and pack_flaws(str(pack)) == ""
    assert [*course.lessons] == ["week-1/slope", *own_course().lessons]
    assert course.lessons["week-1/slope"].text("en").title == "Die Steigung"


def test_a_teachers_text_is_escaped(pack):
    drawn = course_map(read_pack(pack)[0], {}, "", "en")
    assert "Woche &lt;b&gt;1&lt;/b&gt;" in drawn and "<b>" not in drawn


def test_a_chapter_with_the_id_of_the_apps_replaces_it(pack):
    (pack / "course.toml").write_text(COURSE.replace("week-1", "zero"))
    (pack / "week-1").rename(pack / "zero")
    course, _ = read_pack(pack)
    assert [id for id in course.lessons if id.startswith("zero/")] == ["zero/slope"]
    assert len(course.chapters) == len(own_course().chapters)


def test_a_third_language_needs_another_file(pack):
    files = example(1)
    files["de.md"] = files["en.md"].replace(b"The slope of a square", b"Die Steigung")
    lesson, flaws = read_lesson(files)
    assert flaws == [] and [*lesson.texts] == ["en", "zh", "de"]
    assert (lesson.text("en").title, lesson.text("de").title) == ("The slope of a square", "Die Steigung")


def test_mistakes_in_a_pack_are_named_with_file_and_line(pack):
    text = pack / "week-1" / "slope" / "de.md"
    text.write_text(text.read_text().replace("What will", "What <img src=x> will"))
    assert pack_flaws(str(pack)) == f"{pack}/week-1/slope/de.md:6: HTML is not rendered: <img src=x>. Write Markdown."
    (pack / "course.toml").write_text(COURSE.replace("lessons", "lesson"))
    course, flaws = read_pack(pack)
    assert course is None and [(flaw.file, flaw.line) for _, flaw in flaws] == [("course.toml", 2)]
    assert read_pack(pack / "nowhere")[0] is None
