"""The learner's answers as a code for the teacher: made on the page, sent by nobody but the learner."""

from collections.abc import Iterable

import streamlit as st

from explorer.drawing.marks import quoted
from explorer.lessons import AxesAsk, CardAsk, Lesson, MakeAsk, WireAsk
from explorer.lessons.answer_code import SHORT, AnswerSheet, GivenAnswer, to_code
from explorer.text import say
from explorer.ui.pages.lessons.learner import answered, done

_UNSPOKEN = (CardAsk, WireAsk, AxesAsk, MakeAsk)  # answered by pointing, or by the program itself
MOST_TRIES, MOST_HINTS = 999, 99


def hand_in(lessons: Iterable[Lesson], lang: str) -> None:
    """Draw the place where the code of these lessons is made; nothing while none of them was begun."""
    begun = [lesson for lesson in lessons if lesson.id and done(lesson)]
    if not begun:
        return
    with st.expander(say(lang, "codes-hand-in"), key="lesson_hand_in"):
        st.html(f'<p class="quiet">{quoted(say(lang, "codes-hand-in-says"))}</p>')
        name = st.text_input(say(lang, "codes-name"), key="lesson_hand_in_name", max_chars=60)
        sheet = AnswerSheet(" ".join(name.split())[:60], {lesson.id: _answers(lesson) for lesson in begun})
        st.code(to_code(sheet), language=None, wrap_lines=True)


def _answers(lesson: Lesson) -> dict[str, GivenAnswer]:
    """What was answered; a question that was never tried is left out."""
    found = {}
    for ask in lesson.data.ask:
        now = answered(lesson, ask)
        if now.state != "open" or now.tries or now.hints:
            said = "" if isinstance(ask, _UNSPOKEN) else " ".join(now.said.split())[:SHORT]
            found[ask.id] = GivenAnswer(now.state, min(now.tries, MOST_TRIES), min(now.hints, MOST_HINTS), said)
    return found
