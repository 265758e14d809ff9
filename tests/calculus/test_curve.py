"""One variable: values, slopes, quotients and marks of small functions, against torch.func and the gallery."""

import math

import numpy as np
import pytest
import torch

from explorer.analysis.views.calculus.curve import course, errors
from explorer.analysis.views.calculus.examples import CURVES
from explorer.analysis.views.calculus.function import FunctionProblem
from explorer.trace import Options
from tests.calculus.running import confined, curve_example, curve_of


def kinds(view) -> list[tuple[str, float]]:
    return [(mark.kind, mark.x) for mark in view.sweep.marks]


def test_the_default_page_is_complete():
    view = curve_example("parabola")
    assert (view.value, view.slope, view.intercept) == (-1, 2, -3)
    rows = dict(zip(view.h[::20].round(6).tolist(), view.quotient[::20].round(9).tolist(), strict=True))
    assert rows == {1: 5, 0.75: 4.25, 0.5: 3.5, 0.25: 2.75, 0.1: 2.3, 0.01: 2.03}


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("name", "value", "slope"),
    [
        ("pole", 0, 4),
        ("mixed", 1, 0.682942),
        ("cubic", 8, 12),
        ("relu", 0, 0),
        ("maximum", 0, 0.5),
        ("abs", 0, 0),
        ("root", 0, math.inf),
        ("root-of-square", 0, math.nan),
        ("where", -1, math.nan),
        ("where-mended", -1, 1),
        ("round", 0, 0),
        ("straight-through", 0, 1),
        ("reversed", 9, -6),
        ("sigmoids", None, 3.875220e-7),
        ("residual", None, 2.240058),
        ("power", 0.5**20, 3.814697e-5),
    ],
)
def test_examples_have_the_values_of_the_gallery(name, value, slope):
    view = curve_example(name)
    assert value is None or view.value == pytest.approx(value)
    assert view.slope == pytest.approx(slope, rel=1e-5, nan_ok=True)


@pytest.mark.thorough
def test_every_example_has_a_picture():
    for one in CURVES:
        assert curve_example(one.name).sweep.pieces(), one.name


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("text", "f"),
    [
        ("x**3 - 2*x", lambda x: x**3 - 2 * x),
        ("sin(x)*exp(-x**2)", lambda x: torch.sin(x) * torch.exp(-(x**2))),
        ("tanh(x) / (1 + x**2)", lambda x: torch.tanh(x) / (1 + x**2)),
        ("def f(x):\n    for _ in range(3):\n        x = x + sin(x)\n    return x", None),
        ("def f(x):\n    if x > 0.3:\n        return x*x\n    return x", None),
        ("(torch.tensor([1., 2.], dtype=torch.float64)*x).sum()**2", lambda x: 9 * x**2),
    ],
)
def test_slopes_match_torch_func(text, f):
    view = curve_of(text, 0.7)
    if f is None:
        names: dict = {"sin": torch.sin}
        exec(text, names)
        f = names["f"]
    points = [torch.tensor(one, dtype=torch.float64) for one in view.sweep.x[::10]]
    assert np.allclose(view.sweep.slopes[::10], [float(torch.func.grad(f)(x)) for x in points])
    assert view.slope == pytest.approx(float(torch.func.grad(f)(torch.tensor(0.7, dtype=torch.float64))))


def test_quotients_are_computed_in_three_dtypes():
    view = curve_example("parabola")
    in16, in32, in64 = errors(view)
    assert in32.quotient[6] == pytest.approx(1.90734863) and in32.quotient[8] == 0
    assert in64.quotient[1:6].round(9).tolist() == [2.3, 2.03, 2.003, 2.0003, 2.00003]
    assert 4 <= in32.best <= 5 and 7 <= in64.best <= 9
    assert in64.quotient[16] == 0 and np.isnan(in16.quotient[-1])


@pytest.mark.parametrize("high", [2.0, 2.3])
def test_poles_are_found_and_never_crossed(high):
    view = curve_of("x**3 - 1/x", 1.0, -2.0, high)
    assert kinds(view) == [("pole", 0)]
    left, right = view.sweep.pieces()
    assert left[0].max() <= 0 <= right[0].min()


@pytest.mark.thorough
def test_jumps_holes_and_domain_ends_are_marked():
    assert kinds(curve_of("round(x)", 0.2, -1.2, 1.3)) == [("jump", -0.5), ("jump", 0.5)]
    assert kinds(curve_of("sqrt(x)", 1.0, -1.0, 3.0)) == [("end", 0)]
    assert kinds(curve_of("x**2/x", 1.0, -1.0, 1.0)) == [("hole", 0)]
    assert len(curve_of("x**2/x", 1.0, -1.0, 1.0).sweep.pieces()) == 2
    assert [kind for kind, _ in kinds(curve_of("1/x**2", 1.0, -2.0, 2.1))] == ["pole"]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("floor(x)", {-1: -1, 0: 0, 1: 1}),  # the value of the piece on the right
        ("ceil(x)", {-1: -1, 0: 0, 1: 1}),
        ("sign(x)", {0: 0}),  # the value of neither side
        ("sgn(x)", {0: 0}),
        ("where(x <= 1, x, x + 1)", {1: 1}),
        ("floor(3*x)", {-1: -3, -2 / 3: -2, -1 / 3: -1, 0: 0, 1 / 3: 1, 2 / 3: 2, 1: 3}),
        ("abs(x)/x", {0: math.nan}),
    ],
)
def test_a_jump_has_the_value_that_f_has_there(text, values):
    marks = [mark for mark in curve_of(text, 0.5, -1.2, 1.2).sweep.marks if abs(mark.x) <= 1]
    assert [mark.x for mark in marks] == pytest.approx(sorted(values), abs=1e-4)
    assert [mark.value for mark in marks] == pytest.approx([values[x] for x in sorted(values)], nan_ok=True)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("text", "at", "goes"),
    [
        ("x**2", 1.0, "both"),
        ("x**2", 0.0, "falls"),
        ("sin(x)", 0.0, "falls"),
        ("floor(x)", 0.5, "small"),
        ("3*x", 0.5, "rounding"),
        ("5", 0.5, "exact"),
        ("abs(x)", 0.0, "none"),
    ],
)
def test_the_quotients_error_depends_on_h_as_expected(text, at, goes):
    assert course(curve_of(text, at)) == goes


def test_kinks_have_both_slopes():
    for low, high in ((-1.0, 1.0), (-1.0, 1.37)):  # on a grid point, and between two
        (mark,) = curve_of("abs(x) + x", 0.0, low, high).sweep.marks
        assert (mark.kind, mark.left_slope, mark.right_slope) == ("kink", 0, 2)
    (mark,) = curve_example("where-mended").sweep.marks
    assert (mark.left_slope, mark.right_slope) == (1, math.inf)


def test_an_oscillating_curve_has_no_false_marks():
    assert kinds(curve_of("sin(1/x)", 1.0, -1.0, 1.0)) == kinds(curve_of("sin(1/x)", 1.0, -0.5, 2.5)) == []


@pytest.mark.thorough
def test_a_function_with_a_python_if_is_called_point_by_point():
    view = curve_example("branch")
    assert not view.sweep.elementwise and len(view.sweep.x) == 101
    assert kinds(view) == [("kink", 0)]


@pytest.mark.thorough
def test_a_function_that_mixes_its_points_is_called_point_by_point():
    assert not curve_of("x - x.mean() + x**2", 1.0).sweep.elementwise


@pytest.mark.thorough
def test_points_that_raise_are_gaps_with_their_reason():
    view = curve_of("def f(x):\n    if x < 0.5:\n        raise ValueError('too small')\n    return x**2", 1.0)
    assert np.isnan(view.sweep.y[view.sweep.x < 0.5]).all() and np.isfinite(view.sweep.y[-20:]).all()
    assert view.sweep.trouble == (("-2.0", "ValueError: too small"),)


def test_a_point_outside_the_domain_has_no_value_but_the_curve_has():
    view = curve_of("log(x)", -1.0)
    assert math.isnan(view.value) and np.isfinite(view.sweep.y).any()


def test_torch_functions_work_without_the_prefix():
    view = curve_of("x * (1 + sgn(x)) / 2", 3.0)
    assert (view.value, view.slope) == (3, 1)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("text", "kind", "line", "column", "hint"),
    [
        ("(x", "syntax", 1, 0, ""),
        ("x)*(x", "syntax", 1, 1, ""),
        ("'x", "syntax", 1, 0, ""),
        ("u = 3*x", "syntax", 1, 2, "right-side"),
        ("|x|", "syntax", 1, 0, "bars"),
        ("np.sin(x)", "fails", 1, 0, "numpy"),
        ("sinx", "fails", 1, 0, "call"),
        ("y**2", "fails", 1, 0, "name"),
        ("net*x", "fails", 1, 0, "name"),
        ("heaviside(x, x)", "fails", 0, 0, "no-rule"),
        ("lambda x: x", "no-tensor", 1, 0, ""),
        ("f(x) = x", "syntax", 1, 5, "right-side"),
        ("1 + ln(x)", "fails", 1, 4, "ln"),
        ("math.sqrt(x + 5)", "cut", 1, 0, "torch"),
        ("None", "no-tensor", 1, 0, ""),
        ("x.detach()", "cut", 1, 0, ""),
        ("2*float(x)", "cut", 1, 0, ""),
        ("stack([x, x])", "vector", 1, 0, ""),
        ("x > 0", "dtype", 1, 0, ""),
        ("x*(1 + 2j)", "complex", 1, 0, ""),
        ("x*torch.rand(())", "random", 1, 0, ""),
        ("sqrt(-1 - x**2)", "nowhere", 0, 0, ""),
        ("torch.hub.load('a/b', x)", "refused", 1, 0, ""),
        ("def f(x):\n    y = x\n    return y.nothing", "fails", 3, 11, ""),
        ("def f(x):\n    a = 1\n    return a + 'x' * x", "fails", 3, 15, ""),
        ("def f(x):\n  return x +", "syntax", 2, 12, ""),
    ],
)
def test_invalid_functions_report_the_kind_and_place(text, kind, line, column, hint):
    with pytest.raises(FunctionProblem) as found:
        curve_of(text)
    problem = found.value
    assert (problem.kind, problem.line, problem.hint) == (kind, line, hint)
    assert problem.column == column


@pytest.mark.thorough
@pytest.mark.parametrize("text", ["5", "-2.5", "torch.tensor(5.)", "x*0 + 5", "def f(x):\n    return 3"])
def test_a_constant_has_a_curve_and_the_derivative_zero(text):
    view = curve_of(text)
    assert view.sweep.constant and view.slope == 0 and not view.quotient.any()
    assert len(view.sweep.pieces()) == 1


@pytest.mark.thorough
def test_an_endless_function_is_reported():
    with pytest.raises(FunctionProblem) as found:
        curve_of(
            "def f(x):\n    while True:\n        y = x + 1",
            run=lambda *asked: confined(asked[0], Options(time_limit=2)),
        )
    assert found.value.kind == "limit-time" and found.value.line in (2, 3)
