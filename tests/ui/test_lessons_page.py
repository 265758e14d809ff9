"""The Lessons page without a browser: questions, hidden answers, replies, stored progress."""

import re
from dataclasses import replace

import pytest

from explorer.lessons.course import course
from explorer.lessons.drawing.course_map import choices_html, course_map, prose_html
from explorer.lessons.facts import Reply
from explorer.lessons.lesson import read_lesson
from explorer.ui.pages.lessons import learner
from explorer.ui.pages.lessons import page as lessons_page
from explorer.ui.pages.lessons.study import can_now
from explorer.ui.pages.lessons.workroom import hidden
from explorer.ui.session import program_run
from tests.lessons.test_format import example
from tests.ui.pages import html, linked, new_page, told

LESSON, _ = read_lesson(example(1), "zero/slope")
SLOPE, TWELVE = LESSON.data.ask


class Loading:
    """A runner that cannot run anything yet."""

    def start_soon(self) -> None: ...

    def ready(self) -> bool:
        return False


@pytest.fixture
def kept(monkeypatch):
    """Return a session's state."""
    state = {}
    monkeypatch.setattr(learner.st, "session_state", state)
    return state


@pytest.fixture
def app():
    """Yield the page with the first documented lesson."""
    taught = replace(course(), lessons=dict(course().lessons) | {LESSON.id: LESSON})
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(lessons_page, "course", lambda: taught)
        page = new_page("lessons").run()
        page.session_state["_pages"]["lessons"] |= {"lesson": LESSON.id, "at": 0}
        yield page.run()


def sent(app) -> str:
    """Return everything sent to the browser."""
    assert not app.exception
    return html(app) + "".join(one.proto.bytes.decode() for one in app.get("bidi_component"))


def answer(app, text: str) -> str:
    app.text_input(key="lesson_field_zero/slope#slope").set_value(text)
    app.button(key="lesson_check_zero/slope#slope").click().run()
    return sent(app)


@pytest.mark.thorough
def test_the_solution_is_sent_only_after_the_answer(app):
    page = sent(app)
    assert "What will <code>x.grad</code> be?" in page
    assert "+6" not in page and "parabola" not in page
    page = answer(app, "nine")
    assert "Please type a number" in page and "+6" not in page and not told(app, "plot")
    page = answer(app, "9")
    assert "9 is the value of" in page and "+6" not in page
    page = answer(app, "6")
    assert "the slope of the parabola" in page and "+6" in page
    assert "slope +6" in told(app, "plot")[0]["figure"]  # the curve with its tangent
    app.button(key="lesson_go_on_zero/slope#slope").click().run()
    assert "exactly 12" in sent(app)


@pytest.mark.thorough
def test_a_revealed_answer_first_comments_on_the_learners(app):
    answer(app, "9")
    app.button(key="lesson_skip_zero/slope#slope").click().run()
    page = sent(app)
    assert page.index("9 is the value of") < page.index("the slope of the parabola")


@pytest.mark.thorough
def test_answers_given_while_torch_loads_are_judged_later(app, monkeypatch):
    monkeypatch.setattr(program_run, "default_runner", lambda: Loading())
    page = answer(app.run(), "6")
    assert "Starting PyTorch" in page and "What will <code>x.grad</code> be?" in page
    assert app.text_input(key="lesson_field_zero/slope#slope").value == "6"
    assert "the slope of the parabola" not in page
    monkeypatch.setenv("EXPLORER_SCHEDULER", "tls://scheduler.example:8786")
    assert "Waiting for a machine that runs programs" in sent(app.run())
    monkeypatch.undo()
    assert "the slope of the parabola" in sent(app.run())


def test_the_course_is_offered_and_an_unknown_lesson_is_named():
    page = new_page("lessons").run()
    assert "course-map" in sent(page)
    page.session_state["_pages"]["lessons"] |= {"lesson": "no/such", "at": 0}
    assert "There is no lesson no/such" in sent(page.run())


def test_a_path_selects_lessons_and_an_unknown_path_selects_all():
    page = new_page("lessons").run()
    assert "tensors/gather" in sent(page)
    page.session_state["lessons_path"] = "numpy"
    shown = sent(page.run())
    assert "tensors/numpy" in shown and "tensors/gather" not in shown
    page = new_page("lessons")
    page.query_params["path"] = "cooks"
    assert "tensors/gather" in sent(page.run())


def test_a_finished_chapter_shows_its_learning_goals(kept):
    *before, last = [lesson for id, lesson in course().lessons.items() if id.startswith("zero/")]
    for lesson in (*before, last):
        assert can_now(course(), last, "en") == ""
        for ask in lesson.data.ask:
            learner.put(lesson, ask, learner.Answered("right"))
    assert can_now(course(), last, "en").startswith("You can now read a graph")
    assert can_now(course(), before[0], "en") == "" == can_now(course().along("models"), last, "en")


def test_only_valid_progress_is_restored_from_the_browser(kept):
    known = {"answers": {"a/b#c": {"state": "right"}}}
    for strange in ({"answers": [1]}, {"answers": {"x": {"state": "won"}}}, {"programs": {"x": "y = 1"}}):
        learner.recall(strange)
    assert learner.answers() == {}
    learner.recall(known)
    assert learner.answers()["a/b#c"].state == "right"
    learner.recall(learner.remembered())
    assert len(learner.answers()) == 1


def test_the_picture_is_held_back_while_it_would_answer(kept):
    assert hidden(LESSON, 0) == "gradients" and hidden(LESSON, 1) == ""
    learner.take(LESSON, SLOPE, "6", Reply(True))
    assert hidden(LESSON, 0) == ""
    other, _ = read_lesson(example(2))
    assert [hidden(other, at) for at in range(3)] == ["all", "all", ""]


def test_a_strangers_text_is_inert():
    text = prose_html("<img src=x onerror=alert(1)> ![a](http://e.org/p.png) [b](javascript:alert(1)) $x<1$")
    assert "<img" not in text and "href" not in text and "src=" not in re.sub("&lt;.*?&gt;", "", text)
    assert "<script" not in choices_html([("a", "<script>alert(1)</script>")], (), "", "")


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_map_shows_every_lesson_and_its_requirements(lang):
    whole = course()
    first = next(iter(whole.lessons))
    html = course_map(whole, {first: 1.0}, "", lang)
    assert re.findall(r'role="button" tabindex="0" aria-label="[^"]*" data-choose="([^"]*)"', html) == [*whole.lessons]
    needs = [len(one.data.needs) for one in whole.lessons.values()]
    assert [bool(words) for words in re.findall(r' title="([^"]*)"', html)] == [count > 0 for count in needs]
    assert html.count("is-done") == 1


@pytest.mark.parametrize(
    ("lang", "lesson", "chapter"), [("en", "3 minutes", "20 minutes"), ("zh", "3 分钟", "20 分钟")]
)
def test_the_map_shows_the_minutes_of_a_lesson_and_its_chapter(lang, lesson, chapter):
    html = course_map(course(), {}, "", lang)
    minutes = re.findall("<small>([^<]*)</small></p>", html)
    assert lesson in minutes and len(minutes) == len(course().lessons)
    assert re.findall('<small class="chapter-count">[^<]*· ([^<]*)<', html)[0] == chapter


@pytest.mark.parametrize(("page", "own"), [("gallery", "example-card"), ("lessons", "lesson-card")])
def test_a_question_finds_the_lesson_and_the_program_that_answer_it(page, own):
    app = new_page(page, lang="en").run()
    assert own in linked(app)
    app = app.text_input(key=f"find_{page}").set_value("why is my gradient None").run()
    assert 'data-choose="lesson:autograd/leaf"' in linked(app) and own not in linked(app)
    app = app.text_input(key=f"find_{page}").set_value("").run()
    assert own in linked(app)
