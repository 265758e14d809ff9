"""Two variables: gradients, Hessians and descent, against torch.func and the gallery."""

import numpy as np
import pytest
import torch

from explorer.analysis.views.calculus.function import FunctionProblem
from tests.calculus.running import example, surface_of


def surface_example(name: str, **more):
    one = example(name)
    return surface_of(one.text, one.at, one.window, one.rate, **more)


def test_gradient_hessian_and_plane():
    view = surface_of("sin(x)*y**2 + x", (0.5, 2.0))
    f = lambda p: torch.sin(p[0]) * p[1] ** 2 + p[0]  # noqa: E731
    at = torch.tensor([0.5, 2.0], dtype=torch.float64)
    assert np.allclose(view.gradient, torch.func.grad(f)(at))
    assert np.allclose(view.hessian, torch.func.hessian(f)(at))
    hair = 1e-5
    assert view.plane(0.5 + hair, 2.0 + hair) == pytest.approx(float(f(at + hair)), abs=1e-8)
    field = torch.vmap(torch.func.grad(f))(torch.tensor(view.field_at.T.copy()))
    assert np.allclose(view.field.T, field)


def test_heights_match_their_coordinates():
    view = surface_of("x + 10*y", (0.0, 0.0), (0.0, 1.0, 2.0, 3.0), side=11)
    assert view.z.shape == (11, 11)
    assert (view.z[0, 0], view.z[0, -1], view.z[-1, 0]) == pytest.approx((20, 21, 30))


def test_rosenbrock_at_its_minimum():
    view = surface_example("rosenbrock")
    assert view.hessian.tolist() == [[802, -400], [-400, 200]] and np.abs(view.gradient).max() == 0


def test_a_line_fits_four_points():
    view = surface_example("line", steps=40)
    assert view.value == pytest.approx(41) and view.gradient.tolist() == pytest.approx([-35, -12])
    assert view.highest_rate == pytest.approx(0.1198, abs=5e-5)
    assert not view.diverges and view.heights[-1] < 0.01
    assert surface_example("line-diverges", steps=40).diverges


def test_no_rate_suits_a_hessian_with_a_negative_eigenvalue():
    assert surface_example("saddle").highest_rate is None
    assert surface_of("(x + y)**2", (1.0, 0.5)).highest_rate == pytest.approx(0.5)


@pytest.mark.thorough
def test_functions_without_grid_support_are_mapped_or_called_per_point():
    assert surface_example("line").z.shape == (40, 40)  # evaluated with torch.vmap
    view = surface_of("def f(x, y):\n    if x > y:\n        return x*y\n    return x + y", (1.0, 0.5))
    assert view.gradient.tolist() == [0.5, 1] and view.z.shape[0] >= 24


def test_log_of_exponentials_overflows_where_logaddexp_does_not():
    bad, good = surface_example("logsumexp"), surface_example("logaddexp")
    assert np.isinf(bad.value) and np.isnan(bad.gradient).all()
    assert good.value == pytest.approx(1000.693, abs=1e-3) and good.gradient.tolist() == [0.5, 0.5]


def test_a_plane_that_does_not_depend_on_one_variable():
    view = surface_of("x**2", (1.0, 1.0))
    assert view.gradient.tolist() == [2, 0] and view.hessian.tolist() == [[2, 0], [0, 0]]
    assert surface_of("5", (1.0, 1.0)).gradient.tolist() == [0, 0]


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("text", "at", "verdicts"),
    [
        ("abs(x) + y", (0.0, 1.0), ["kink", "smooth"]),
        ("maximum(x, y)", (1.0, 1.0), ["kink", "kink"]),
        ("x*y", (0.0, 0.0), ["smooth", "smooth"]),
        ("x + floor(y)", (0.0, 1.0), ["smooth", "jump"]),
        ("def f(x, y):\n    if x > 0:\n        return x*y\n    return y", (1.0, 1.0), ["smooth", "smooth"]),
    ],
)
def test_each_variable_is_examined_from_both_sides(text, at, verdicts):
    assert [one.verdict for one in surface_of(text, at).beside] == verdicts


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("text", "kind"),
    [("sqrt(-1 - x**2)", "nowhere-2"), ("stack([x, y])", "vector"), ("x +", "syntax"), ("x.item()*y.item()", "cut")],
)
def test_invalid_functions_of_two_variables_are_reported(text, kind):
    with pytest.raises(FunctionProblem) as found:
        surface_of(text)
    assert found.value.kind == kind
