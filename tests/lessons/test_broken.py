"""Broken programs: each has a fault that raises nothing, and is not taken as it is."""

import pytest

from explorer.lessons.answers import judge_make
from explorer.lessons.asks import MakeAsk
from explorer.lessons.course import course
from tests.lessons.test_format import play

BROKEN = [id for id in course().lessons if id.startswith("broken/")]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("id", BROKEN)
def test_a_lessons_broken_program_has_a_fault_and_its_fix_has_none(id):
    lesson = course().lessons[id]
    (ask,) = lesson.data.ask
    assert isinstance(ask, MakeAsk)
    assert [fact.subject for fact in ask.check][-2:] == ["error", "diagnosis"]
    broken, fixed = play(lesson.program), play(ask.solution)
    assert len(broken.diagnosis_kinds()) == 1 and judge_make(ask, broken).right is False
    assert not fixed.diagnosis_kinds() and judge_make(ask, fixed).right
