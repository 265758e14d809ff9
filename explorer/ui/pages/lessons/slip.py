"""The result slip: date, lessons, answers and final programs as a file of the learner's own. Nothing of it is sent."""

from collections.abc import Sequence
from datetime import date
from functools import partial
from typing import Literal

import streamlit as st

from explorer.lessons.asks import Ask, AxesAsk, CardAsk, ChoiceAsk, MakeAsk, WireAsk
from explorer.lessons.lesson import Lesson
from explorer.program import CellSource, Program, write_program
from explorer.text import say
from explorer.text.numbers import shorten
from explorer.trace import Note
from explorer.ui.pages.lessons.learner import answered, texts_of

SAID = 300  # cells of an answer
MIME = {"md": "text/markdown", "ipynb": "application/x-ipynb+json"}
_UNSPOKEN = (CardAsk, WireAsk, AxesAsk, MakeAsk)  # answered by pointing, or by the program itself


def slip(lessons: Sequence[Lesson], lang: str, day: str, kind: Literal["md", "ipynb"] = "md") -> str:
    """The text of the file: of each lesson its questions, the answers, and the programs as they were left."""
    cells: list[CellSource] = []
    notes = [Note(0, f"# {say(lang, 'lessons-slip')}\n\n{day}")]
    for lesson in lessons:
        rows = [_row(lesson, ask, lang) for ask in lesson.data.ask]
        notes.append(Note(len(cells), "\n".join([f"## {lesson.text(lang).title}", "", *rows])))
        for texts in _programs(lesson):
            cells += map(CellSource, texts)
    return write_program(Program(cells, notes), kind)


def _row(lesson: Lesson, ask: Ask, lang: str) -> str:
    now = answered(lesson, ask)
    words = say(lang, f"lessons-slip-{now.state}", tries=now.tries + 1, hints=now.hints)
    question = " ".join(lesson.text(lang).asks[ask.id].question.split())
    return f"- {question} {words}{_answer(lesson, ask, now.said, lang)}"


def _answer(lesson: Lesson, ask: Ask, said: str, lang: str) -> str:
    """What the learner said last, as code of one line: it cannot end the list."""
    if not said or isinstance(ask, _UNSPOKEN):
        return ""
    if isinstance(ask, ChoiceAsk):
        words = dict(lesson.text(lang).asks[ask.id].choices).get(said, "")
        said = f"{said}: {words}"
    text = shorten(" ".join(said.split()).replace("`", chr(0x2BC)), SAID)
    return f"\n  {say(lang, 'lessons-slip-answer')} `{text}`" if text else ""


def _programs(lesson: Lesson) -> list[tuple[str, ...]]:
    """The programs of the questions that are over, each once."""
    return list(
        dict.fromkeys(texts_of(lesson, ask) for ask in lesson.data.ask if answered(lesson, ask).state != "open")
    )


def slip_button(lessons: Sequence[Lesson], lang: str) -> None:
    """The menu that saves it."""
    day = date.today().isoformat()
    menu = st.popover(say(lang, "lessons-slip-save"), key="lesson_slip", on_change="rerun")
    if not menu.open:  # a closed menu is not sent
        return
    for kind in ("md", "ipynb"):
        data, name = partial(slip, lessons, lang, day, kind), f"autograd-lessons.{kind}"
        menu.download_button(f".{kind}", data, name, MIME[kind], key=f"lesson_slip_{kind}", on_click="ignore")
