"""A training as the page shows it: small programs in, numbers out."""

import pytest

from explorer.analysis.views.training.training_view import TrainingView, training_places, training_view
from explorer.api.pictures import NoTraining, training_picture
from explorer.program import read_text
from explorer.sandbox import default_runner
from explorer.trace import Options, Trace
from tests.patience import PATIENT

LINE = """\
import torch
x = torch.tensor([0.0, 1.0, 2.0])
w = torch.tensor(0.0, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
optimizer = torch.optim.SGD([w, b], lr=0.25)
for epoch in range(3):
    for i in range(4):
        loss = ((w * x + b - 2 * x) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""


def ran(text: str) -> Trace:
    options = Options(time_limit=30)
    return default_runner().submit(read_text(text), options, "training", "nobody").result(PATIENT)


def view_of(trace: Trace) -> TrainingView:
    return training_view(trace, training_places(trace)[0])


@pytest.fixture(scope="module")
def line() -> Trace:
    return ran(LINE)


def test_the_steps_of_a_loop_with_its_variables_and_rates(line):
    view = view_of(line)
    assert (view.line, view.loss_name, view.called) == (10, "loss", 12)
    assert view.steps.tolist() == list(range(1, 13))
    assert view.loops[:5] == tuple(f"epoch = {at // 4}, i = {at % 4}" for at in range(5))
    assert {name: set(rates) for name, rates in view.rates.items()} == {"SGD": {0.25}}
    assert [(one.name, one.shape) for one in view.parameters] == [("w", ()), ("b", (1,))]
    # the mean of (0 − 2x)² is 20/3; the slopes are −20/3 and −4; w moves by 0.25 · 20/3
    w = view.parameters[0].measures
    assert view.loss[0] == pytest.approx(20 / 3)
    assert w["gradient"].of[0] == pytest.approx(20 / 3)
    assert w["update"].of[0] == pytest.approx(5 / 3)
    assert not w["ratio"].there[0] and w["zeros"].of[0] == 0  # w is 0 there


def test_a_place_counts_as_training_from_its_second_backward():
    text = "import torch\nw = torch.ones(2, requires_grad=True)\nfor i in range({}):\n    (w * w).sum().backward()\n"
    assert training_places(ran(text.format(1))) == ()
    assert training_places(ran(text.format(2))) == (0,)


def test_a_training_is_saved_as_a_page_with_every_step(line, tmp_path):
    picture = training_picture(line)
    assert repr(picture) == "<Training of loss at line 10: 12 steps, 2 parameters, loss 6.67 → 0.014>"
    picture.save(tmp_path / "t.html")
    page = (tmp_path / "t.html").read_text(encoding="utf-8")
    assert page.count('class="film-strip"') == 2 and "http" not in page.replace("http-equiv", "")
    assert "srcdoc=" in picture._repr_html_()


def test_unknown_formats_and_places_are_refused(line, tmp_path):
    with pytest.raises(ValueError, match=r"as \.html"):
        training_picture(line).save(tmp_path / "t.png")
    with pytest.raises(NoTraining, match="there is no place 1"):
        training_picture(line, place=1)
    with pytest.raises(ValueError, match="there is no measure 'norm'"):
        training_picture(line, measure="norm")


def test_a_parameter_updated_in_another_place_is_not_called_constant():
    trace = ran(
        "u = torch.tensor(1., requires_grad=True)\n"
        "v = torch.tensor(2., requires_grad=True)\n"
        "first, second = torch.optim.SGD([u], lr=0.01), torch.optim.SGD([v], lr=0.01)\n"
        "for i in range(10):\n"
        "    (u * v).backward()\n    first.step()\n    first.zero_grad()\n    second.zero_grad()\n"
        "    (u * v).backward()\n    second.step()\n    first.zero_grad()\n    second.zero_grad()\n"
    )
    views = [training_view(trace, place) for place in training_places(trace)]
    assert len(views) == 2
    assert all(parameter.remark is None for view in views for parameter in view.parameters)
