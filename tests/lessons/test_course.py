"""Every lesson is played: what is shown runs, what is asked has an answer, every listed answer its own reply."""

import pytest

from explorer.lessons import course, read_course
from explorer.lessons.run_checks import played
from explorer.lessons.course import HERE
from explorer.lessons.runs import flaw_text
from tests.lessons.test_format import play


def test_the_files_of_the_course_are_in_order_and_say_the_same_in_both_languages():
    _, flaws = read_course(HERE)
    assert [(id, flaw_text("en", one)) for id, one in flaws] == []


@pytest.mark.sampled(4)
@pytest.mark.parametrize("id", course().lessons)
def test_a_lesson_is_played(id):
    assert [flaw_text("en", one) for one in played(course().lessons[id], play)] == []


def test_a_lesson_builds_only_on_what_came_before():
    before: set[str] = set()
    for id, lesson in course().lessons.items():
        assert set(lesson.data.needs) <= before, id
        before.add(id)
