"""Predict on the page: questions, effects of answers, and no gradient before."""

import re
from itertools import count

import pytest

from explorer.analysis.explain.autograd.backward_steps import BackwardSteps, Step
from explorer.analysis.explain.autograd.gradient_questions import Question
from explorer.ui.pages.autograd.predict import Prediction, moved
from tests.ui.pages import component, editor, html, new_page, type_program, words

BEFORE = 2  # steps of its forward pass
SQUARE = "x = torch.tensor(1.31, requires_grad=True)\ny = x * x * 2.17\ny.backward()\nprint(x.grad)\nx.grad\n"


NUMBERS = count(1)  # numbers of the browser's messages


def say(app, do: str, **more):
    """Send the player's action like the browser, and return the player's new data."""
    app.session_state["player"] = {"act": {"count": next(NUMBERS), "do": do} | more}
    app.run()
    assert not app.exception
    return component(app, "player")


def sent(app) -> str:
    """Return everything sent to the browser."""
    told = [one.proto.bytes.decode() for one in app.get("bidi_component")]
    return html(app) + "".join(told)


@pytest.fixture
def square(app):
    """Return a page that asks only for gradients."""
    type_program(app, SQUARE)
    say(app, "on")
    say(app, "values")
    return app


def test_the_page_contains_no_gradient_before_the_first_step(square):
    page = sent(square)
    assert "5.68" not in page and "tensor(5.6" not in page and "2.84" not in page
    assert [ghost[4] for ghost in editor(square)["cells"][0]["ghosts"]] == ["?", "+1"]
    assert "returns when you finish Predict" in words(square)
    told = component(square, "player")
    assert told["rest"] and len(told["predict"]["steps"]) == BEFORE


def test_predict_runs_from_start_to_end(square):
    told = say(square, "next")
    assert "Which gradient does" in told["predict"]["ask"]["says"] and told["predict"]["ask"]["note"] == ""
    assert "answer" not in told["predict"]["ask"]
    told = say(square, "guess", guess="abc")
    assert "Type a number" in told["predict"]["ask"]["note"] and told["predict"]["reached"] == BEFORE
    told = say(square, "guess", guess="1")
    assert "Not 1." in told["predict"]["ask"]["note"] and "local derivative" in told["predict"]["ask"]["note"]
    told = say(square, "guess", guess="2,17")
    assert told["predict"]["reached"] == BEFORE + 1 and "Right: +2.17." in told["predict"]["verdict"]
    assert "2.17" in told["predict"]["steps"][BEFORE]["says"]
    told = say(square, "next")
    assert "2 edges lead from" in told["predict"]["ask"]["says"]
    say(square, "guess", guess="3")
    assert "5.6854" not in sent(square)
    told = say(square, "guess", guess="4")
    assert "Not 4: it is +5.6854." in told["predict"]["verdict"]
    told = say(square, "next")
    assert told["predict"]["reached"] == BEFORE + 3 and "tensor(5.6854)" in words(square)


@pytest.mark.thorough
def test_leaving_predict_shows_everything(square):
    told = say(square, "off")
    assert told["predict"] is None and "5.6854" in sent(square) and "tensor(5.6854)" in words(square)


@pytest.mark.thorough
def test_the_address_contains_the_progress(square):
    say(square, "next")
    say(square, "guess", guess="2.17")
    assert component(square, "link")["query"]["predict"] == "4"


@pytest.mark.thorough
def test_another_program_restarts_predict(square):
    say(square, "all")
    type_program(square, SQUARE.replace("1.31", "1.41"), count=2)
    assert component(square, "player")["predict"]["reached"] == 0 and "6.12" not in sent(square)


FORWARD = (
    "x = torch.tensor([1.31, 0.57], requires_grad=True)\nnoise = torch.rand(2)\ny = x * 2\nprint(y)\n"
    "h = y.sum()\nz = h * 1.7\nz.backward()\nz\n"
)
MADE = ("2.62", "1.14", "3.76", "6.39")  # results of y, y.sum() and h * 1.7


@pytest.fixture
def forward(app):
    type_program(app, FORWARD)
    say(app, "on")
    return app


def test_the_page_contains_no_value_before_the_first_answer(forward):
    page = sent(forward)
    assert [made for made in MADE if made in page] == [] and "1.31" in page
    asked = say(forward, "next")["predict"]["ask"]
    assert "<code>y = x * 2</code> runs next. What will <code>y[0]</code> be?" in asked["says"]
    assert asked["line"] == [0, 3] and "answer" not in asked  # no question is about x or the noise
    assert [made for made in MADE if made in sent(forward)] == []


def test_an_answer_shows_its_value_and_nothing_further(forward):
    say(forward, "next")
    told = say(forward, "guess", guess="3.31")["predict"]
    assert "Not 3.31." in told["ask"]["note"] and "x = [1.31, 0.57]" in told["ask"]["note"]
    assert [made for made in MADE if made in sent(forward)] == []
    told = say(forward, "guess", guess="3")["predict"]
    assert "Not 3: it is 2.62." in told["verdict"] and "[1.31, 0.57] · 2 = [2.62, 1.14]" in told["steps"][0]["says"]
    page = sent(forward)
    assert [made for made in MADE if made in page] == ["2.62", "1.14"]
    assert "2.62 1.14" in str(editor(forward)["cells"][0]["ghosts"])


def test_gradients_are_asked_after_the_values(forward):
    for guess in ("2.62", "3.76", "6.392"):
        say(forward, "next")
        told = say(forward, "guess", guess=guess)
        assert told["predict"]["reached"] == told["predict"]["begin"] or told["predict"]["verdict"].count("Right")
    page = sent(forward)
    assert [made for made in MADE if made not in page] == [] and "gradient hidden" in component(forward, "graph")["svg"]
    assert "Which gradient does" in say(forward, "next")["predict"]["ask"]["says"]
    assert component(forward, "link")["query"]["hide"] == "all"


@pytest.mark.thorough
def test_the_inspector_contains_no_value_before_the_answer(forward):
    svg = component(forward, "graph")["svg"]
    for card in re.findall(r'id="card-(\w+)"', svg):
        forward.session_state["picture"] = {"selected": card, "fold": None, "root": None, "module": None}
        forward.run()
        assert [made for made in MADE if made in sent(forward)] == []


@pytest.fixture
def hidden(app):
    """Return a page opened by a link with ?hide=grad and its own program."""
    fresh = new_page(hide="grad")
    return type_program(fresh.run(), SQUARE)


@pytest.mark.thorough
def test_a_link_can_hide_every_gradient(hidden):
    page = sent(hidden)
    assert "5.68" not in page and "tensor(5.6" not in page and "2.84" not in page
    assert [ghost[3:5] for ghost in editor(hidden)["cells"][0]["ghosts"]] == [["grad", "?"], ["grad", "+1"]]
    assert "gradient hidden" in component(hidden, "graph")["svg"]
    assert component(hidden, "link")["query"]["hide"] == "grad" and "predict" not in component(hidden, "link")["query"]


@pytest.mark.thorough
def test_predicted_or_revealed_gradients_leave_the_others_hidden(hidden):
    leaf = next(id for id in re.findall(r'id="card-(\w+)"', component(hidden, "graph")["svg"]) if id.startswith("t"))
    hidden.session_state["picture"] = {"selected": leaf, "fold": None, "root": None, "module": None}
    hidden.run()
    assert "What is the total gradient at" in words(hidden)
    for guess, told in (("1", "Not 1."), ("5,6854", "Right: +5.6854.")):
        hidden.text_input(key=f"uncover_guess_{leaf}").set_value(guess)
        hidden.button(key="uncover_check").click()
        hidden.run()
        assert told in words(hidden)
    assert "+5.6854" in component(hidden, "graph")["svg"] and "2.84" not in sent(hidden)
    assert "tensor(5.6" not in sent(hidden)  # the output waits for all answers
    assert component(say_of(hidden, "off"), "link")["query"].get("hide") is None
    assert "tensor(5.6854)" in words(hidden)


def say_of(app, do: str):
    say(app, do)
    return app


def test_a_question_can_be_passed():
    question = Question("?", "!", 2.0, "+2")
    found = BackwardSteps((), tuple(Step("n1", (), (), False, False, "", (), q) for q in (question, None, question)))
    now = moved(Prediction(), found, "next")
    assert now.asking
    now = moved(now, found, "next")
    assert (now.reached, now.asking, now.verdict) == (1, False, "")
    assert moved(now, found, "next").reached == 2  # nothing to ask
    assert moved(now, found, "guess", "2") is now and moved(now, found, "all").reached == 3
