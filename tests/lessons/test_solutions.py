"""Every question about changing a program accepts a right answer other than the lesson's."""

import tomllib
from pathlib import Path

import pytest

from explorer.lessons.answers import judge_make
from explorer.lessons.asks import MakeAsk
from explorer.lessons.course import course
from tests.lessons.test_format import play

ASKS = {
    f"{id} {ask.id}": (lesson, ask)
    for id, lesson in course().lessons.items()
    for ask in lesson.data.ask
    if isinstance(ask, MakeAsk)
}
ANSWERS = tomllib.loads(Path(__file__).with_name("solutions.toml").read_text(encoding="utf-8"))
RIGHT, CHEATS = ANSWERS["right"], ANSWERS["cheat"]


def changed(key: str, change) -> str:
    """Return the shown program of a question with pairs of texts exchanged, or another program."""
    lesson, ask = ASKS[key]
    if isinstance(change, str):
        return change
    text = lesson.program_of(ask)
    for before, after in change:
        assert before in text, (key, before)
        text = text.replace(before, after, 1)
    return text


def test_every_question_that_asks_to_change_a_program_has_a_further_answer():
    assert set(RIGHT) == set(ASKS)


@pytest.mark.thorough
@pytest.mark.parametrize("chapter", dict.fromkeys(key.partition("/")[0] for key in ASKS))
def test_any_correct_solution_is_accepted(chapter):
    refused = [
        (key, change)
        for key, change in RIGHT.items()
        if key.startswith(f"{chapter}/") and not judge_make(ASKS[key][1], play(changed(key, change))).right
    ]
    assert refused == []


@pytest.mark.parametrize("key", CHEATS)
def test_an_evasive_answer_is_rejected(key):
    assert not judge_make(ASKS[key][1], play(changed(key, CHEATS[key]))).right
