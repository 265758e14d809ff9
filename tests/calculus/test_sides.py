"""Quotients left and right of a point: kinks and breaks are detected, smooth functions are not."""

import math

import pytest

from explorer.analysis.views.calculus.function import Function
from explorer.analysis.views.calculus.programs import AxisWindow, point_program
from explorer.analysis.views.calculus.sides import Beside, beside
from explorer.runtime.execute import execute

INF = math.inf


def looked(text: str, at: float, low: float = -2.0, high: float = 2.0) -> Beside:
    """Examine f next to a point, like the page does."""
    trace = execute(*point_program(Function(text), at, AxisWindow(low, high)))
    assert trace.status == "ok", (text, trace.cells)
    return beside(trace, *(float(trace[name].entries[0]) for name in ("point_at", "point_value", "point_slope")))


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("sin(1/x)", 1e-5),
        ("x*sin(1/x)", -1.2e-6),
        ("x*sin(1/x)", 3.5e-7),
        ("x**2*sin(1/x)", 1.3e-6),
        ("x**2*sin(1/x)", -2.9e-5),
        ("cos(1/x**2)", 1.1e-5),
        ("cos(1/x**2)", -1.2e-7),
        ("abs(sin(1/x))", 5.9e-7),
    ],
)
def test_functions_faster_than_the_samples_get_no_verdict(text, at):
    """These functions are smooth at the point, and autograd's slope is right."""
    assert looked(text, at).verdict in ("unknown", "smooth")


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("text", "at", "left", "right"),
    [
        ("abs(x)", 0, -1, 1),
        ("relu(x)", 0, 0, 1),
        ("maximum(x, 1 - x)", 0.5, -1, 1),
        ("abs(x - 1) + abs(x)", 0, -2, 0),
        ("abs(x - 1) + abs(x)", 1, 0, 2),
        ("clamp(x, -1, 1)", 1, 1, 0),
        ("where(x > 0, x, x**2)", 0, 0, 1),
        ("where(x > 0, sqrt(x), x)", 0, 1, INF),
        ("sqrt(abs(x))", 0, -INF, INF),
        ("sqrt(x**2)", 0, -1, 1),
        ("leaky_relu(x)", 0, 0.01, 1),
        ("1e6 + abs(x)", 0, -1, 1),
        ("(x - 0.1)**2 + abs(x - 0.1)", 0.1, -1, 1),
        ("abs(x.float() - 0.3)", 0.3, -1, 1),
        ("def f(x):\n    if x > 0:\n        return x\n    return 0*x", 0, 0, 1),
    ],
)
def test_kinks_have_two_slopes(text, at, left, right):
    found = looked(text, at)
    assert (found.verdict, found.left.slope, found.right.slope) == ("kink", pytest.approx(left), pytest.approx(right))


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("tanh(100*x)", 0),
        ("tanh(1e6*x)", 0),
        ("tanh(1e12*x)", 0),
        ("x*1e6", 0.3),
        ("exp(x)", 1),
        ("x**3", 0),
        ("abs(x)**1.5", 0),
        ("abs(x)**1.1", 0),
        ("sqrt(x**2 + 1e-20)", 0),
        ("sqrt(x**2 + 1e-8)", 0),
        ("sin(1000*x)", 0.3),
        ("x.float()**2", 0.3),
        ("(torch.tensor([1., 2.])*x).sum()**2", 0.7),
        ("x.half()**2", 0.3),
        ("(x + 1e6)**2", 0.5),
        ("(x + 1e8) - 1e8 + x**2", 0.5),
        ("abs(x - 1e-3)", 0),
        ("abs(x - 1e-7)", 0),
        ("clamp(x, -1, 1)", 0.99999),
        ("floor(x)", 0.3),
        ("elu(x)", 0),
        ("where(x == 0, 0*x, x**2*sin(1/x))", 0),
        ("where(abs(x) < 1e-3, 5 + x**2, x + 5)", 0),
    ],
)
def test_steep_noisy_or_nearby_kinks_do_not_count_as_kinks(text, at):
    assert looked(text, at).differentiable


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("text", "at", "verdict", "left", "right"),
    [
        ("floor(x)", 1, "jump", "jump", "slope"),
        ("round(x)", 0.5, "jump", "slope", "jump"),
        ("torch.sign(x)", 0, "jump", "jump", "jump"),
        ("1/x", 0, "pole", "pole", "pole"),
        ("log(x)", 0, "pole", "none", "pole"),
        ("where(x > 0, 1/x, x)", 0, "pole", "slope", "pole"),
        ("sin(x)/x", 0, "hole", "unknown", "unknown"),
        ("sin(1/x)", 0, "outside", "unknown", "unknown"),
        ("exp(1000*x)", 1, "outside", "unknown", "unknown"),
        ("sqrt(x)", 0, "end", "none", "vertical"),
        ("x**(1/3)", 0, "end", "none", "vertical"),
        ("x**1.5", 0, "end", "none", "slope"),
        ("acos(x)", 1, "end", "vertical", "none"),
        ("torch.sign(x)*abs(x)**(1/3)", 0, "vertical", "vertical", "vertical"),
        ("where(x == 0, 0*x, x*sin(1/x))", 0, "restless", "restless", "restless"),
        ("x.detach()*x", 1, "differs", "slope", "slope"),
        ("x + (round(x) - x).detach()", 0.2, "differs", "slope", "slope"),
        ("relu(x) - relu(-x)", 0, "differs", "slope", "slope"),
    ],
)
def test_discontinuities_are_classified(text, at, verdict, left, right):
    found = looked(text, at)
    assert (found.verdict, found.left.kind, found.right.kind) == (verdict, left, right)


def test_a_pole_reports_the_limit_of_each_side():
    assert (looked("1/x", 0).left.value, looked("1/x", 0).right.value) == (-INF, INF)
    assert looked("floor(x)", 1).left.value == 0 and looked("sin(x)/x", 0).right.value == 1
