"""Strips: from numbers to colours, anomalies in a row; units without gradient."""

import math

import numpy as np
import pytest

from explorer.analysis.run.curves import curves
from explorer.analysis.views.training.strips import BAD, LEVELS, MISSING, ZERO, Numbers, RowRemark, remark, scale_of
from explorer.analysis.views.training.training_view import training_places, training_view, unit_axis
from explorer.trace import Trace
from tests.traces import trace_of

NAN, INF = math.nan, math.inf
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


def numbers(*of: float | None) -> Numbers:
    """None: no number at that step."""
    filled = np.array([NAN if one is None else one for one in of], dtype=float)
    return Numbers(filled, np.array([one is not None for one in of], dtype=bool))


def found(gradient: Numbers, moved: bool = True) -> RowRemark | None:
    value = numbers(*[1.0] * len(gradient.of))
    return remark({"gradient": gradient, "value": value, "update": value, "ratio": value, "zeros": value}, moved)


def test_all_rows_share_a_logarithmic_colour_scale():
    rows = [numbers(1e-4, 1e-3, 1e-2), numbers(0.1, 1.0, 1.0)]
    scale = scale_of(rows, "gradient")
    assert (scale.low, scale.high) == pytest.approx((1e-4, 1.0))
    first, second, third = scale.levels(rows[0], 3)
    assert first == 0 and second - first == pytest.approx(third - second, abs=1)
    assert scale.levels(rows[1], 3)[-1] == LEVELS - 1


def test_zero_missing_and_nan_have_separate_marks():
    row = numbers(1.0, 0.0, None, NAN, INF)
    assert scale_of([row], "gradient").levels(row, 5).tolist()[1:] == [ZERO, MISSING, BAD, BAD]


def test_an_outlier_does_not_pale_the_rest():
    row = numbers(*[0.1, 0.3, 1.0] * 20, 1e30)
    scale = scale_of([row], "gradient")
    assert scale.high < 1e4
    assert scale.levels(row, 61)[-1] == LEVELS - 1


def test_a_column_has_the_colour_of_its_largest_step_or_nan():
    row = numbers(*[1.0] * 5, 100.0, *[1.0] * 6, NAN, *[1.0] * 7)
    levels = scale_of([row], "gradient").levels(row, 4)
    assert levels.tolist() == [0, LEVELS - 1, BAD, 0]


@pytest.mark.parametrize("of", [(), (None, None), (0.0,), (NAN,), (5.0,)])
def test_an_empty_range_is_accepted(of):
    row = numbers(*of)
    assert len(scale_of([row], "gradient").levels(row, min(3, len(of)))) == len(of)


def test_a_share_of_zeros_runs_from_0_to_1():
    assert scale_of([numbers(0.5, 0.5)], "zeros").levels(numbers(1.0, 0.5), 2).tolist() == [23, 12]


@pytest.mark.parametrize(
    ("gradient", "moved", "said"),
    [
        (numbers(0.1, 0.2, 0.1, 0.3), True, None),
        (numbers(0.1, NAN, NAN, NAN), True, RowRemark("nan", 1)),
        (numbers(0.1, INF, NAN, NAN), True, RowRemark("infinite", 1)),
        (numbers(None, None, None), False, RowRemark("none", 0)),
        (numbers(0.1, 0.0, 0.0, 0.0), True, RowRemark("dead", 1)),
        (numbers(0.1, 0.0, 0.0, 0.1), True, None),
        (numbers(0.1, 0.2, 0.3), False, RowRemark("frozen", 0)),
        (numbers(1e-3, 1e-8, 1e-9, 1e-9), True, RowRemark("vanishing", 1)),
        (numbers(1e-8, 1e-9, 1e-9), False, RowRemark("vanishing", 0)),
        (numbers(1e-8, 1e-9), True, None),
        (numbers(None, 1.0, 10.0, 1e5, 1e6), True, RowRemark("exploding", 3, 1e6)),
    ],
)
def test_an_anomaly_is_reported_with_its_step(gradient, moved, said):
    assert found(gradient, moved) == said


def test_a_legend_names_only_sizes_that_were_seen():
    sizes = np.array([2.0, 4.0])
    scale = scale_of([Numbers(sizes, np.full(2, True))], "gradient")
    assert scale.low < 2 and scale.high > 4 and scale.seen(sizes) == (2.0, 4.0)


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
def test_the_share_of_dead_units_matches_the_programs_log(layer, inputs, after, kept):
    trace = trace_of(TRAINING.format(layer=layer, inputs=inputs, after=after))
    assert units(trace, "net.0.weight").tolist() == list(trace["dead"].data), kept
    assert units(trace, "net.0.weight")[5] > units(trace, "net.0.weight")[4] >= 2 / 100
    assert not units(trace, "net.3.weight").any(), "its unit learns"
    assert np.isnan(units(trace, "net.0.bias")).all(), "a bias has no weights of a unit"


@pytest.mark.parametrize("product", ["x @ w", "torch.mm(x, w)", "torch.addmm(torch.zeros(1), x, w)", "x.matmul(w)"])
@pytest.mark.parametrize(("inputs", "outputs"), [(4, 12), (30, 40)])
def test_a_right_hand_matrix_has_its_units_in_columns(product, inputs, outputs):
    trace = trace_of(BY_HAND.format(sides=f"{inputs}, {outputs}", units=outputs, inputs=inputs, product=product))
    assert units(trace, "w").tolist() == list(trace["dead"].data) and units(trace, "w")[-1] == 9 / outputs


@pytest.mark.parametrize(
    ("product", "why"),
    [("w @ x.T", "it multiplies something else"), ("(x * w[:3, :4])", "entry by entry"), ("w @ w", "both at once")],
)
def test_a_product_without_a_unit_axis_has_no_share(product, why):
    text = BY_HAND.format(sides="4, 4", units=4, inputs=4, product=product).replace("* v", "")
    assert np.isnan(units(trace_of(text), "w")).all(), why


def test_conflicting_uses_have_no_unit_axis():
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
