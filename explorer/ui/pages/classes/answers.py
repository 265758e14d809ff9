"""Where a teacher pastes the codes of a class: they are read in this session, and kept nowhere."""

import streamlit as st

from explorer.drawing.marks import quoted
from explorer.lessons import course
from explorer.lessons.answer_code import MOST_CODES, MOST_TEXT, read_codes
from explorer.lessons.drawing.answer_table import answered_lessons, answers_html, lesson_answers_html
from explorer.text import say

MOST_TOLD = 12  # lines without a code


def answer_codes(lang: str) -> None:
    """Draw the field and the tables."""
    with st.expander(say(lang, "codes-read"), key="class_answers"):
        st.html(f'<p class="quiet">{quoted(say(lang, "codes-read-says"))}</p>')
        words = say(lang, "codes-paste")
        text = st.text_area(words, key="class_codes", height=120, max_chars=MOST_TEXT, placeholder="AE1-…")
        if not text.strip():
            return
        found = read_codes(text)
        told = [say(lang, "codes-wrong", line=line, text=said) for line, said in found.wrong[:MOST_TOLD]]
        if len(found.wrong) > MOST_TOLD:
            told.append(say(lang, "codes-wrong-more", count=len(found.wrong) - MOST_TOLD))
        if found.left_out:
            told.append(say(lang, "codes-left-out", most=MOST_CODES))
        if told:
            rows = "".join(f"<li>{quoted(line)}</li>" for line in told)
            st.html(f'<ul class="class-wrong" role="alert">{rows}</ul>')
        lessons = {lesson.id: lesson for lesson in answered_lessons(found.sheets, course())}
        if not lessons:
            return
        st.html(answers_html(found.sheets, [*lessons.values()], lang))
        titles = {id: lesson.text(lang).title.replace("`", "") for id, lesson in lessons.items()}
        words = say(lang, "codes-lesson")
        id = st.selectbox(words, list(titles), format_func=lambda id: titles.get(id, id), key="class_codes_lesson")
        if id in lessons:
            st.html(lesson_answers_html(found.sheets, lessons[id], lang))
