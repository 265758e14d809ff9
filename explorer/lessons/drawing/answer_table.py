"""The answers of a class as tables: a row for each learner, and a column for each lesson or each question of one."""

from collections.abc import Mapping, Sequence

from explorer.drawing.marks import quoted
from explorer.lessons import Course, Lesson
from explorer.lessons.answer_code import AnswerSheet, GivenAnswer, right
from explorer.text import say

MARKS = {"right": "✓", "shown": "○", "open": "✗"}
NOTHING: Mapping[str, GivenAnswer] = {}


def answered_lessons(sheets: Sequence[AnswerSheet], course: Course) -> list[Lesson]:
    """The lessons that any of the sheets is about, in the order of the course; it may not have all of them."""
    answered = {id for sheet in sheets for id in sheet.lessons}
    return [lesson for id, lesson in course.lessons.items() if id in answered]


def answers_html(sheets: Sequence[AnswerSheet], lessons: Sequence[Lesson], lang: str) -> str:
    """How many answers of each lesson are right, learner by learner."""
    head = "".join(f'<th scope="col">{quoted(_title(lesson, lang))}</th>' for lesson in lessons)
    rows = [(sheet, "".join(_sum(sheet, lesson, lang) for lesson in lessons)) for sheet in sheets]
    return _table(say(lang, "codes-caption"), head, rows, lang)


def lesson_answers_html(sheets: Sequence[AnswerSheet], lesson: Lesson, lang: str) -> str:
    """The answers to each question of one lesson, of the learners who answered any."""
    head = "".join(f'<th scope="col">{number}</th>' for number in range(1, len(lesson.data.ask) + 1))
    rows = [
        (sheet, "".join(f"<td>{_answer(given.get(ask.id), lang)}</td>" for ask in lesson.data.ask))
        for sheet in sheets
        if (given := _given(sheet, lesson))
    ]
    return _table(_title(lesson, lang), head, rows, lang)


def _table(caption: str, head: str, rows: Sequence[tuple[AnswerSheet, str]], lang: str) -> str:
    learner = quoted(say(lang, "codes-learner"))
    body = "".join(f'<tr><th scope="row">{_name(sheet, lang)}</th>{cells}</tr>' for sheet, cells in rows)
    return (
        f'<div class="class-answers rows"><table><caption>{quoted(caption)}</caption>'
        f'<tr><th scope="col">{learner}</th>{head}</tr>{body}</table></div>'
    )


def _title(lesson: Lesson, lang: str) -> str:
    return lesson.text(lang).title.replace("`", "")


def _name(sheet: AnswerSheet, lang: str) -> str:
    return quoted(sheet.name.strip() or say(lang, "codes-unnamed"))


def _given(sheet: AnswerSheet, lesson: Lesson) -> Mapping[str, GivenAnswer]:
    """The learner's answers to questions that the lesson has."""
    asks = {ask.id for ask in lesson.data.ask}
    return {id: given for id, given in sheet.lessons.get(lesson.id, NOTHING).items() if id in asks}


def _sum(sheet: AnswerSheet, lesson: Lesson, lang: str) -> str:
    given = _given(sheet, lesson)
    words = say(lang, "codes-right", right=right(given.values()), all=len(lesson.data.ask)) if given else "–"
    return f"<td>{quoted(words)}</td>"


def _answer(given: GivenAnswer | None, lang: str) -> str:
    if given is None:
        return "–"
    more = [
        say(lang, f"codes-{name}", count=count)
        for name, count in (("tries", given.tries), ("hints", given.hints))
        if count
    ]
    said = f" <code>{quoted(given.said)}</code>" if given.said else ""
    note = f" <small>{quoted(', '.join(more))}</small>" if more else ""
    word = quoted(say(lang, f"codes-state-{given.state}"))
    return f'<span class="is-{given.state}" title="{word}">{MARKS[given.state]}</span>{said}{note}'
