"""Lessons: texts and questions about a program, read from data and judged by what the learner's program really did.

Belongs here: the records of a lesson and of the course, reading and checking their files, what a fact of a Trace is,
whether an answer is right, and what a program did where a check does not hold. Nothing of a lesson is ever executed
but its programs, and those in a child as every other (`runs.py`). `drawing` makes HTML and the map of the course. Does
not belong here: what the page remembers (ui). docs/lessons.md describes the format.
"""

from explorer.lessons.asks import (
    Ask,
    AxesAsk,
    CardAsk,
    ChoiceAsk,
    Fact,
    LineAsk,
    MakeAsk,
    NumberAsk,
    PrintsAsk,
    ShapeAsk,
    TangentAsk,
    WireAsk,
    in_language,
)
from explorer.lessons.course import Course, course, lesson_of, of_the_day, read_course
from explorer.lessons.facts import LessonRun, Reply
from explorer.lessons.flaws import Flaw
from explorer.lessons.lesson import Lesson, bundled, read_lesson, unbundled

__all__ = [
    "Ask",
    "AxesAsk",
    "CardAsk",
    "ChoiceAsk",
    "Course",
    "Fact",
    "Flaw",
    "Lesson",
    "LessonRun",
    "LineAsk",
    "MakeAsk",
    "NumberAsk",
    "PrintsAsk",
    "Reply",
    "ShapeAsk",
    "TangentAsk",
    "WireAsk",
    "bundled",
    "course",
    "in_language",
    "lesson_of",
    "of_the_day",
    "read_course",
    "read_lesson",
    "unbundled",
]
