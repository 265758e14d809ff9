"""Every lesson works: programs run, questions have answers, and listed answers have their own replies."""

import re

import pytest

from explorer.lessons.course import HERE, course, read_course
from explorer.lessons.runs import flaw_text, played
from tests.lessons.test_format import play


def test_the_course_has_no_flaws_and_both_languages():
    _, flaws = read_course(HERE)
    assert [(id, flaw_text("en", one)) for id, one in flaws] == []
    assert [id for id, lesson in course().lessons.items() if [*lesson.texts] != ["en", "zh"]] == []
    both = [(chapter.id, [*chapter.title], [*chapter.can]) for chapter in course().chapters]
    assert both == [(id, ["en", "zh"], ["en", "zh"]) for id, _, _ in both]


@pytest.mark.sampled(8)
@pytest.mark.parametrize("id", course().lessons)
def test_every_lesson_can_be_played(id):
    assert [flaw_text("en", one) for one in played(course().lessons[id], play)] == []


def test_a_lesson_needs_only_earlier_lessons():
    before: set[str] = set()
    for id, lesson in course().lessons.items():
        assert set(lesson.data.needs) <= before, id
        before.add(id)


@pytest.mark.parametrize(("file", "word", "a_minute"), [("en.md", r"\S+", 200), ("zh.md", r"[\u4e00-\u9fff]|\w+", 300)])
def test_lesson_times_cover_reading_and_answering(file, word, a_minute):
    timed = [lesson for lesson in course().lessons.values() if lesson.data.minutes]
    for lesson in timed:
        reading = len(re.findall(word, lesson.files[file])) / a_minute
        assert reading + 0.75 * len(lesson.data.ask) <= lesson.data.minutes, lesson.id


def test_the_first_chapter_takes_twenty_minutes():
    first = course().chapters[0]
    assert [course().lessons[f"{first.id}/{name}"].data.minutes for name in first.lessons] == [3, 3, 3, 3, 4, 4]
