"""What the kernel answers to a picture in a notebook."""

import re
import sys
from html import unescape

import pytest
import torch

import explorer
from explorer.drawing.picture import picture
from explorer.drawing.widget import training
from explorer.drawing.widget.answers import answer, shown
from tests.programs import traced

PRODUCT = "w = torch.tensor([2., 3.], requires_grad=True)\ny = (w * w).sum()\ny.backward()"
BLOCKS = """
class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Sequential(*(torch.nn.Linear(2, 2) for _ in range(12)))
    def forward(self, x):
        return self.net(x).relu()
model = torch.nn.Sequential(Block(), torch.nn.Linear(2, 1))
model(torch.ones(1, 2)).sum().backward()
"""


def plain_text(html: str) -> str:
    return unescape(re.sub(r"<[^>]+>", "", html))


@pytest.fixture(scope="module")
def drawn():
    return picture(traced(PRODUCT))


def told(drawn, **message) -> dict[str, str]:
    return {name: plain_text(html) for name, html in answer(drawn, message)[1].items()}


def card(drawn, name: str) -> str:
    return next(card.id for card in drawn.view.cards if card.name == name)


def test_a_click_asks_for_a_card_in_full(drawn):
    assert "w * w" in shown(drawn)["svg"] and "y" in plain_text(shown(drawn)["card"])
    assert "leaf" in told(drawn, selected=card(drawn, "w"))["card"]
    assert told(drawn, selected=None) == {"card": plain_text(shown(drawn)["card"])}


def test_a_click_on_a_number_explains_it(drawn):
    assert "w[1] = +6" in told(drawn, why={"card": card(drawn, "w"), "of": "gradient"})["why"]
    assert "y = 13" in told(drawn, why={"card": card(drawn, "y"), "of": "value"})["why"]


def test_an_entry_is_chosen_by_click_or_name(drawn):
    assert "w[0] = +4" in told(drawn, why={"card": card(drawn, "w"), "of": "gradient", "entry": 0})["why"]
    assert "w.grad[0] = +4" in told(drawn, name="w.grad[0]")["why"]
    assert "nothing" in told(drawn, name="nothing.grad")["why"]


def test_a_closed_module_is_opened_by_the_kernel():
    closed = picture(traced(BLOCKS))
    path = next(card.module.path for card in closed.view.cards if card.module)
    opened, _ = answer(closed, {"module": {"path": path, "open": True, "at": 1}})
    assert len(opened.view.cards) > len(closed.view.cards)
    again, _ = answer(opened, {"module": {"path": path, "open": False, "at": 2}})
    assert len(again.view.cards) == len(closed.view.cards)


@pytest.mark.parametrize("message", [None, {}, {"selected": 3}, {"selected": "no"}, {"why": {"card": "no", "of": ""}}])
def test_an_empty_message_changes_nothing(drawn, message):
    found, html = answer(drawn, message)
    assert found is drawn and not any(html.values())


@pytest.fixture(scope="module")
def trained():
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1)
    with explorer.record() as trace:
        for _ in range(10):
            optimizer.zero_grad()
            loss = (w * w).sum()
            loss.backward()
            optimizer.step()
    return trace.training()


def test_a_press_on_a_training_asks_for_a_step_or_for_a_parameters_row(trained):
    step = plain_text(training.answer(trained, {"step": 2})[1]["html"])
    assert "3.2" in step and "learning rate0.1" in step  # the loss after a step of 5
    row = plain_text(training.answer(trained, {"parameter": 0})[1]["html"])
    assert "4.47" in row and "3.58" in row  # the norm of its gradient at the first two steps


def test_another_measure_is_drawn_by_the_kernel(trained):
    values, told = training.answer(trained, {"measure": "value"})
    assert values.measure == "value" and not told
    assert training.shown(values)["film"]["rows"] != training.shown(trained)["film"]["rows"]


@pytest.mark.parametrize("message", [None, {}, {"measure": "no"}, {"step": "1"}, {"parameter": 7}, {"parameter": -1}])
def test_a_message_that_no_training_answers_changes_nothing(trained, message):
    assert training.answer(trained, message) == (trained, {})


def test_without_its_extra_a_widget_names_the_command_that_installs_it(drawn, trained, monkeypatch):
    monkeypatch.setitem(sys.modules, "anywidget", None)
    with pytest.raises(ImportError, match=r"pip install \"\.\[notebook\]"):
        drawn.widget()
    with pytest.raises(ImportError, match=r"pip install \"\.\[notebook\]"):
        trained.widget()
    assert drawn._repr_mimebundle_() is None and trained._repr_mimebundle_() is None  # a notebook shows the page
    assert explorer.draw(drawn.trace)._repr_html_().startswith("<iframe")
