"""The Training page without a browser: a loop, a step, two settings, and programs without training."""

import base64

import numpy as np
import pytest

from explorer.sandbox import Limits
from explorer.ui.session import program_run
from explorer.ui.session.limits import LIMITS
from tests.ui.pages import component, html, new_page, put_program, told, words

LINE = """\
import torch
x = torch.tensor([0.0, 1.0, 2.0])
w = torch.tensor(0.0, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
lr = 0.25
for step in range(12):
    loss = ((w * x + b - 2 * x) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        w -= lr * w.grad
        b -= lr * b.grad
    w.grad = b.grad = None
"""
# The biases push three of four units so far down that no value of x activates them.
DEAD = """\
import torch
layer = torch.nn.Linear(2, 4)
x = torch.rand(5, 2)
with torch.no_grad():
    layer.bias.copy_(torch.tensor([9.0, -9.0, -9.0, -9.0]))
for step in range(12):
    layer.zero_grad()
    torch.relu(layer(x)).sum().backward()
"""


class Loading:
    """A runner that cannot run anything yet."""

    def start_soon(self) -> None: ...

    def ready(self) -> bool:
        return False


def test_the_loading_editor_stays_during_the_first_run(app, monkeypatch):
    """Replacing it would take the focus from a typing user."""
    monkeypatch.setattr(program_run, "default_runner", Loading)
    app.run()
    assert "Starting PyTorch" in html(app)
    assert app.session_state["_drawn_parts"]["text"] == app.session_state["_document"].revision


@pytest.fixture
def app():
    """Return the page before it runs anything: its own program has 200 steps, which few tests need."""
    return new_page("training")


def do(app, **said):
    """Send a press like the film's script."""
    run = component(app, "film")["run"]
    app.session_state["training_film"] = {name: {name: value, "run": run, "at": 1} for name, value in said.items()}
    return app.run()


def test_a_step_is_shown_in_numbers_and_an_edit_keeps_the_previous_run(app):
    put_program(app, LINE)
    assert 'class="before"' not in component(app, "film")["html"]
    do(app, step=1)
    app.segmented_control(key="tr_more").set_value("table").run()
    said = words(app)
    assert "Step 1" in said and "6.66667" in said  # the mean of (2x)²
    app.segmented_control(key="tr_more").set_value(None).run()
    put_program(app, LINE.replace("0.25", "0.5"))
    assert "lr 0.25 → 0.5" in words(app)
    assert component(app, "film")["html"].count('class="before"') == 1
    assert (
        ">lr 0.25<" in component(app, "film")["html"] and ">lr 0.5<" in component(app, "film")["html"]
    )  # the names of the two lines
    put_program(app, LINE.replace("0.25", "0.1"))
    assert "lr 0.25 → 0.1" in words(app)  # compared with the same run until the user dismisses it
    app.button(key="tr_before_dismiss").click().run()
    assert 'class="before"' not in component(app, "film")["html"] and "→" not in words(app)


@pytest.mark.thorough
def test_a_parameter_opens_its_entries_and_every_other_view_can_be_opened(app):
    put_program(app, LINE)
    do(app, parameter=1)
    assert 'data-parameter="1" aria-pressed="true"' in component(app, "film")["html"]
    assert len(told(app, "plot")) == 1
    app.segmented_control(key="tr_more").set_value("bands").run()
    assert len(told(app, "plot")) == 1
    app.segmented_control(key="tr_more").set_value("rates").run()
    assert "so the learning rate is unknown" in words(app)
    app.segmented_control(key="tr_more").set_value("table").run()
    assert "Loss and size of the gradient over the steps" in words(app)
    app.segmented_control(key="tr_measure").set_value("update").run()
    assert "Loss and size of the update over the steps" in words(app)


@pytest.mark.thorough
def test_two_places_that_call_backward_are_a_choice(app):
    put_program(
        app,
        LINE.replace(
            "    loss.backward()\n", "    (loss * b).sum().backward(retain_graph=True)\n    loss.backward()\n"
        ),
    )
    (chosen,) = [one for one in app.selectbox if one.key == "tr_place_0"]
    assert sorted(chosen.options) == ["line 8: (loss * b).sum()", "line 9: loss"]


@pytest.mark.thorough
def test_a_program_without_a_training_loop_gets_an_explanation(app):
    put_program(app, "import torch\n1 + 1\n")
    assert "This program never calls backward." in words(app) and "for step in range(100):" in words(app)
    put_program(app, "import torch\nw = torch.ones(2, requires_grad=True)\n(w * w).sum().backward()\n")
    assert "called 1 time" in words(app)
    app.button(key="tr_try_first").click().run()
    assert len(component(app, "film")["film"]["steps"]) == 200


@pytest.mark.thorough
def test_a_loop_ended_by_an_error_is_shown_up_to_it(app):
    put_program(
        app,
        LINE.replace("    loss.backward()\n", "    loss.backward()\n    if step == 9: raise ValueError('enough')\n"),
    )
    assert len(component(app, "film")["film"]["steps"]) == 10
    assert "The program stopped. This is the training up to that point." in words(app)
    assert "stopped at line 9" in words(app)


@pytest.mark.thorough
def test_a_loop_ended_by_the_time_limit_is_shown_up_to_it(app):
    app.session_state[LIMITS] = Limits(seconds=3.0)
    put_program(app, LINE + "    if step == 9:\n        while True: pass\n")
    assert component(app, "film")["film"]["steps"] == list(range(1, 11))
    assert "The program reached a limit. This is the training up to that point." in words(app)


@pytest.mark.thorough
def test_a_loop_killed_inside_a_call_has_an_honest_message(app):
    app.session_state[LIMITS] = Limits(seconds=3.0)
    put_program(app, LINE + "    if step == 9: sum(range(10**12))\n")
    assert "so its recording was lost" in words(app) and "never calls backward" not in words(app)


@pytest.mark.thorough
def test_dead_units_are_a_row_if_they_can_be_measured(app):
    put_program(app, DEAD)
    app.segmented_control(key="tr_measure").set_value("units").run()
    assert "share of units whose weights all have a gradient of exactly 0" in component(app, "film")["html"]
    shown = [np.frombuffer(base64.b64decode(row), "<f4").tolist() for row in component(app, "film")["film"]["rows"]]
    assert shown == [[0.75] * 12, [-1.0] * 12], "three of four units are dead; a bias has none"
