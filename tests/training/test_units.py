"""Dead units: the share of a layer's units none of whose weights has a gradient, beside what the program logs."""

import numpy as np
import pytest

from explorer.analysis.training.curves import curves
from explorer.analysis.training.view import training_places, training_view, unit_axis
from explorer.trace import Trace
from tests.traces import trace_of

# Some units are dead from the beginning, more die when their bias is pushed down in step 5.
TRAINING = """
import torch
from torch import nn
torch.manual_seed(0)
net = nn.Sequential({layer}, nn.ReLU(), nn.Flatten(), nn.Linear({after}, 1))
x, dead = torch.rand({inputs}), []
with torch.no_grad():
    net[0].bias[:] = 100
    net[0].bias[:2] = -100
for step in range(10):
    if step == 5:
        with torch.no_grad():
            net[0].bias[2:3] = -100
    net.zero_grad()
    net(x).sum().backward()
    dead.append((net[0].weight.grad.flatten(1) == 0).all(1).double().mean())
dead = torch.stack(dead)
"""
# w is multiplied from the left: its columns are the units.
BY_HAND = """
import torch
w, v, dead = torch.randn({sides}, requires_grad=True), torch.ones({units}), []
x = torch.rand(3, {inputs})
for step in range(10):
    w.grad = None
    h = {product}
    v[:step] = 0
    (torch.relu(h + 50) * v).sum().backward()
    dead.append((w.grad == 0).all(0).double().mean())
dead = torch.stack(dead)
"""


def units(trace: Trace, name: str) -> np.ndarray:
    view = training_view(trace, training_places(trace)[0])
    return next(one for one in view.parameters if one.name == name).measures["units"].of


@pytest.mark.parametrize(
    ("layer", "inputs", "after", "kept"),
    [
        ("nn.Linear(3, 8)", "4, 3", 8, "whole"),
        ("nn.Linear(20, 64)", "4, 20", 64, "as numbers"),
        ("nn.Linear(200, 100)", "4, 200", 100, "as numbers, summed up by torch"),
        ("nn.Conv2d(1, 4, 3)", "2, 1, 5, 5", 36, "whole"),
        ("nn.Conv2d(2, 8, 3)", "2, 2, 5, 5", 72, "as numbers"),
    ],
)
def test_the_share_is_the_one_that_the_program_logs(layer, inputs, after, kept):
    trace = trace_of(TRAINING.format(layer=layer, inputs=inputs, after=after))
    assert units(trace, "net.0.weight").tolist() == list(trace["dead"].data), kept
    assert units(trace, "net.0.weight")[5] > units(trace, "net.0.weight")[4] >= 2 / 100
    assert not units(trace, "net.3.weight").any(), "its unit learns"
    assert np.isnan(units(trace, "net.0.bias")).all(), "a bias has no weights of a unit"


@pytest.mark.parametrize("product", ["x @ w", "torch.mm(x, w)", "torch.addmm(torch.zeros(1), x, w)", "x.matmul(w)"])
@pytest.mark.parametrize(("inputs", "outputs"), [(4, 12), (30, 40)])
def test_of_a_matrix_that_something_is_multiplied_by_the_columns_are_the_units(product, inputs, outputs):
    trace = trace_of(BY_HAND.format(sides=f"{inputs}, {outputs}", units=outputs, inputs=inputs, product=product))
    assert units(trace, "w").tolist() == list(trace["dead"].data) and units(trace, "w")[-1] == 9 / outputs


@pytest.mark.parametrize(
    ("product", "why"),
    [("w @ x.T", "it multiplies something else"), ("(x * w[:3, :4])", "entry by entry"), ("w @ w", "both at once")],
)
def test_where_no_axis_goes_over_units_nothing_is_said(product, why):
    text = BY_HAND.format(sides="4, 4", units=4, inputs=4, product=product).replace("* v", "")
    assert np.isnan(units(trace_of(text), "w")).all(), why


def test_where_its_uses_disagree_nothing_is_said():
    text = BY_HAND.format(sides="4, 4", units=4, inputs=4, product="x @ w + torch.nn.functional.linear(x, w)")
    trace = trace_of(text)
    assert unit_axis(trace, trace.bound("w")) is None


def test_a_step_without_a_gradient_has_no_share():
    trace = trace_of("""
    import torch
    w, u = (torch.ones(6, 20, requires_grad=True) for _ in "ab")
    for step in range(12):
        w.grad = u.grad = None
        torch.nn.functional.linear(torch.ones(20), w if step % 2 else u).sum().backward()
    """)
    found = curves(trace)
    assert [len(leaf) for leaf in found.leaves] == [6, 6] and not any(
        leaf.zero_slices(0).any() for leaf in found.leaves
    )
