"""Answer codes: what a learner hands in is what the teacher reads; what is no code is told, within bounds."""

import base64
import zlib

import pytest

from explorer.lessons import course
from explorer.lessons.answer_code import (
    MOST_CODE,
    MOST_CODES,
    MOST_TEXT,
    MOST_UNPACKED,
    PREFIX,
    AnswerSheet,
    GivenAnswer,
    read_code,
    read_codes,
    to_code,
)
from explorer.lessons.drawing.answer_table import answered_lessons, answers_html, lesson_answers_html

LESSON = next(iter(course().lessons.values()))
FIRST, SECOND = (ask.id for ask in LESSON.data.ask[:2])
ANN = AnswerSheet("Ann 安", {LESSON.id: {FIRST: GivenAnswer("right", 2, 1, "−0.5"), SECOND: GivenAnswer("shown")}})
BEN = AnswerSheet("<b>Ben</b>", {LESSON.id: {FIRST: GivenAnswer("open", 1, said='<img src=x onerror="alert(1)">')}})


def packed(text: bytes) -> str:
    return PREFIX + base64.urlsafe_b64encode(zlib.compress(text, 9)).rstrip(b"=").decode()


def test_what_is_handed_in_is_what_is_read():
    assert [read_code(to_code(sheet)) for sheet in (ANN, BEN)] == [ANN, BEN]
    found = read_codes(f"Ann: {to_code(ANN)}\n\n  {to_code(BEN)}  \n")
    assert (found.sheets, found.wrong, found.left_out) == ((ANN, BEN), (), False)


def test_a_code_of_the_whole_course_is_short_enough_and_keeps_who_was_right():
    many = {id: {ask.id: GivenAnswer("right", 1, 2, f"{i}{id}"[:60]) for i, ask in enumerate(lesson.data.ask)}
            for id, lesson in course().lessons.items()}  # fmt: skip
    code = to_code(AnswerSheet("A", many))
    assert len(code) <= MOST_CODE
    read = read_code(code)
    assert read is not None and {id: {*answers} for id, answers in read.lessons.items()} == {
        id: {ask.id for ask in lesson.data.ask} for id, lesson in course().lessons.items()
    }


@pytest.mark.parametrize(
    "code",
    [
        "",
        "AE1-",
        "hello",
        to_code(ANN)[:-3],
        to_code(ANN)[:20] + "A" + to_code(ANN)[21:],
        packed(b"[]"),
        packed(b'{"name": "A"}'),
        packed(b'{"name": 1, "lessons": {}}'),
        packed(b'{"name": "A", "lessons": {"x": {"y": ["cheated"]}}}'),
        packed(b'{"name": "A", "lessons": {"x": {"y": ["right", -1]}}}'),
        packed(b'{"name": "' + b"A" * 61 + b'", "lessons": {}}'),
        packed(b"[" * 50_000),
        packed(b" " * (MOST_UNPACKED + 1) + b'{"name": "A", "lessons": {}}'),
        PREFIX + "A" * (MOST_CODE + 1),
    ],
)
def test_what_is_no_code_is_refused(code):
    assert read_code(code) is None


def test_lines_without_a_code_are_told_with_their_number():
    found = read_codes(f"{to_code(ANN)}\nI forgot\n{to_code(BEN)[:-4]}")
    assert found.sheets == (ANN,) and [line for line, _ in found.wrong] == [2, 3]
    assert all(len(text) <= 40 for _, text in found.wrong)


def test_a_long_text_is_read_to_a_bound():
    bomb = packed(b"0" * 5_000_000)
    assert len(bomb) < MOST_CODE
    found = read_codes(f"{bomb}\n" * 10_000)
    assert found.left_out and len(found.wrong) <= MOST_CODES and not found.sheets
    assert read_codes("AE1-" * MOST_TEXT).left_out


def test_the_tables_escape_what_learners_wrote_and_leave_out_lessons_that_are_not_there():
    other = AnswerSheet("", {"no/such": {"x": GivenAnswer("right")}, LESSON.id: {"no-such": GivenAnswer("right")}})
    sheets = [ANN, BEN, other]
    assert answered_lessons(sheets, course()) == [LESSON]
    for html in (answers_html(sheets, [LESSON], "en"), lesson_answers_html(sheets, LESSON, "en")):
        assert "<b>" not in html and "<img" not in html and "&lt;b&gt;Ben" in html
    assert f"<td>1 of {len(LESSON.data.ask)}</td>" in answers_html(sheets, [LESSON], "en")
    assert "no-such" not in lesson_answers_html(sheets, LESSON, "en")
