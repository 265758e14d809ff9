"""The fit of a training to its data: small programs in, predictions out."""

import numpy as np
import pytest

from explorer.analysis.training.fit import Fit, NoFit, fit_of, fit_program, may_fit
from explorer.analysis.training.view import training_places, training_view
from explorer.drawing.training.fit import fit_html
from explorer.program import read_text
from explorer.runtime.execute import execute
from explorer.trace import Options
from tests.plots import figure_in

LINE = """\
import torch
x = torch.tensor([0.0, 1.0, 2.0])
y = 2 * x
w = torch.tensor(0.5, requires_grad=True)
for i in range(12):
    loss = ((w * x - y) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        w.grad = None
"""
PLANE = """\
import torch
from torch import nn
torch.manual_seed(0)
X = torch.randn(40, 2)
y = (X[:, 0] > 0).long()
net = nn.Sequential(nn.Linear(2, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(0.2), nn.Linear(8, 2))
optimizer = torch.optim.Adam(net.parameters(), lr=0.05)
def train():
    for epoch in range(30):
        loss = nn.functional.cross_entropy(net(X), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
train()
"""
WIDE = PLANE.replace("X = torch.randn(40, 2)", "X = torch.randn(40, 3)").replace("Linear(2, 8)", "Linear(3, 8)")


def fitted(text: str) -> Fit:
    trace = execute(read_text(text), Options())
    place = training_places(trace)[0]
    assert may_fit(trace)
    return fit_of(execute(*fit_program(trace, training_view(trace, place))), trace, place)


def test_a_manually_fitted_line_follows_its_weight():
    fit = fitted(LINE)
    assert (fit.kind, fit.steps.tolist()) == ("plain", list(range(1, 13)))
    assert fit.data[:, 0].tolist() == [0, 1, 2] and fit.targets.tolist() == [0, 2, 4]
    # the slope of the loss is 2 · 5/3 · (w − 2), so w − 2 shrinks by 1 − 1/3 in each step
    for k in range(12):
        assert fit.found[k] == pytest.approx((2 - 1.5 * (2 / 3) ** k) * fit.grid[:, 0], abs=1e-4)
    drawn = fit_html(fit, 11, False, "en")
    figure = figure_in(drawn)
    assert [frame["name"] for frame in figure["frames"]] == list(map(str, range(1, 13)))
    dots, line = figure["data"]
    assert dots["x"] == [0, 1, 2] and dots["y"] == [0, 2, 4] and '<b class="fit-at">12</b>' in drawn
    assert line["y"] == figure["frames"][11]["data"][0]["y"] != figure["frames"][0]["data"][0]["y"]


def test_a_sum_that_created_the_data_is_the_input():
    fit = fitted(
        "import torch\nx = torch.linspace(0, 1, 8) + 0.1 * torch.rand(8)\nw = torch.zeros(1, requires_grad=True)\n"
        "for step in range(10):\n    w.grad = None\n    ((w * x - 3 * x) ** 2).mean().backward()\n"
        "    w.data -= w.grad\n"
    )
    assert fit.data.shape == (8, 1) and fit.found.shape == (10, 121)


@pytest.mark.thorough
def test_classes_on_a_plane_with_dropout_and_batch_norm_inside_a_function():
    fit = fitted(PLANE)
    assert fit.kind == "classes" and fit.grid.shape == (900, 2)
    right = (fit.grid[:, 0] > 0) == (fit.found[-1] > 0.5)
    assert right.mean() > 0.85  # the border follows the data
    ground, dots = figure_in(fit_html(fit, -1, True, "zh"))["data"]
    assert {entry for row in ground["z"] for entry in row} == {0, 1}
    assert [len(ground["z"]), len(ground["z"][0]), len(ground["x"])] == [30] * 3 and len(dots["x"]) == len(fit.data)
    middle, right = ground["z"][15][2], ground["z"][15][27]  # the class is 1 for positive first inputs
    assert (middle, right) == (0, 1)


@pytest.mark.thorough
def test_three_inputs_have_no_picture():
    with pytest.raises(NoFit):
        fitted(WIDE)


@pytest.mark.thorough
def test_minibatches_are_gathered_and_the_grid_covers_all_data():
    fit = fitted(
        """\
import torch
torch.manual_seed(1)
x = torch.rand(30, 1)
y = 3 * x
net = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for epoch in range(4):
    for rows in torch.randperm(30).split(10):
        xb, yb = x[rows], y[rows]
        loss = torch.nn.functional.mse_loss(net(xb), yb)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""
    )
    assert len(fit.data) == 30 and np.allclose(fit.targets, 3 * fit.data[:, 0], atol=1e-5)
    assert fit.grid.min() < fit.data.min() and fit.grid.max() > fit.data.max()


def test_the_plot_covers_the_models_inputs():
    fit = fitted(
        "import torch\nfrom torch import nn\ntorch.manual_seed(1)\n"
        "x = torch.rand(40, 1) * 2 - 1\ny = 3 * x\nnet = nn.Linear(1, 1)\n"
        "opt = torch.optim.SGD(net.parameters(), lr=0.5)\nfor i in range(40):\n"
        "    loss = ((net(x) - y) ** 2).mean()\n    opt.zero_grad()\n    loss.backward()\n    opt.step()\n"
    )
    assert fit.grid.min() < fit.data.min() < -0.5 < 0.5 < fit.data.max() < fit.grid.max()
