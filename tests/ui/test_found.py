"""The filter above the gallery and the lessons: the page's own list gives way to what answers a question."""

import pytest

from tests.ui.pages import linked, new_page


@pytest.mark.parametrize(("page", "own"), [("gallery", "example-card"), ("lessons", "lesson-card")])
def test_a_question_finds_the_lesson_and_the_program_that_answer_it(page, own):
    app = new_page(page, lang="en").run()
    assert own in linked(app)
    app = app.text_input(key=f"find_{page}").set_value("why is my gradient None").run()
    assert 'data-choose="lesson:autograd/leaf"' in linked(app) and own not in linked(app)
    app = app.text_input(key=f"find_{page}").set_value("").run()
    assert own in linked(app)
