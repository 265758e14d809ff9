"""A lesson as a sheet that is printed: all of it at once, its answers on the last page."""

import streamlit as st

from explorer.lessons.drawing.prose import sheet_html
from explorer.lessons.lesson import Lesson
from explorer.lessons.runs import lesson_run
from explorer.program import Unusable
from explorer.text import say
from explorer.ui.components.linked_html import linked
from explorer.ui.components.script import component
from explorer.ui.pages.lessons.progress import STATE
from explorer.ui.pages.lessons.question import answer_of
from explorer.ui.pages.lessons.workroom import FULL
from explorer.ui.session.program_run import computed, ready
from explorer.ui.session.startup import starting

_print = component("explorer_print", '<button type="button" class="share"></button>', "pages/lessons/sheet.js")


def sheet(lesson: Lesson, asked: bool, lang: str) -> None:
    """Draw it. `asked`: whether its programs may run, which computes some of the answers."""
    with st.container(key="sheet_ways", horizontal=True, vertical_alignment="center"):
        st.button(f"← {say(lang, 'lessons-sheet-back')}", key="lesson_sheet_back", type="tertiary", on_click=_back)
        _print(data={"words": say(lang, "lessons-sheet-print")}, key="sheet_print")
    if asked and not ready():
        return starting(lang)
    answers: dict[str, str] = {}
    for ask in lesson.data.ask if asked else ():
        result = computed(lesson.program_of(ask), lang, FULL)
        if not isinstance(result, Unusable):
            answers[ask.id] = answer_of(ask, lesson_run(result))
    linked(sheet_html(lesson, lang, answers), "lesson_sheet_text")  # st.html leaves out formulas


def _back() -> None:
    STATE.put(sheet=False)


def sheet_button(lang: str) -> None:
    """The button that shows the sheet."""
    st.button(say(lang, "lessons-sheet"), key="lesson_sheet", type="tertiary", on_click=_show)


def _show() -> None:
    STATE.put(sheet=True)
