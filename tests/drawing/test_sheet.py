"""A lesson as a sheet: every question with room for its answer, the answers last."""

import re

import pytest

from explorer.lessons.course import course
from explorer.lessons.drawing.prose import prose_html, sheet_html


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_lesson_has_all_its_questions_before_all_its_answers(lang):
    for id, lesson in course().lessons.items():
        page = sheet_html(lesson, lang, {ask.id: "<7>" for ask in lesson.data.ask})
        asked, answers = page.split('<section class="sheet-answers">')
        assert len(re.findall('class="sheet-ask"', asked)) == answers.count("<li>") - _listed(lesson, lang), id
        assert "<7>" not in page and ("sheet-room" in asked or "sheet-choices" in asked)


def _listed(lesson, lang: str) -> int:
    """Items of lists within the answers' own texts."""
    return sum(prose_html(lesson.text(lang).asks[ask.id].right).count("<li>") for ask in lesson.data.ask)
