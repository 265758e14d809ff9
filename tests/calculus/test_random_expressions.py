"""Random smooth expressions: the tangent touches, and the quotient's error falls with h until rounding takes over."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from explorer.analysis.calculus.curve import errors
from explorer.runtime.execute import execute
from tests.calculus.running import curve_of

ATOMS = st.sampled_from(["x", "x/2", "x**2", "(x + 1)", "(2 - x)"])


def grown(inner):
    """Larger expressions, all smooth and of moderate size between −1 and 1."""
    pairs = st.tuples(inner, inner)
    return st.one_of(
        pairs.map(lambda p: f"({p[0]} + {p[1]})"),
        pairs.map(lambda p: f"({p[0]} - 0.3*{p[1]})"),
        pairs.map(lambda p: f"tanh({p[0]})*{p[1]}"),
        inner.map(lambda e: f"sin({e})"),
        inner.map(lambda e: f"exp(-({e})**2)"),
        inner.map(lambda e: f"log(1 + ({e})**2)"),
        inner.map(lambda e: f"sigmoid({e})"),
    )


EXPRESSIONS = st.recursive(ATOMS, grown, max_leaves=4).map(lambda e: f"{e} + x")


@pytest.mark.thorough
@settings(max_examples=12, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(EXPRESSIONS, st.floats(-0.9, 0.9).map(lambda at: round(at, 2)))
def test_tangents_touch_and_quotients_approach(text, at):
    view = curve_of(text, at, -1.0, 1.0, run=execute)
    near = np.abs(view.sweep.x - at) < 0.02
    away = view.sweep.x[near] - at
    tangent = view.slope * view.sweep.x[near] + view.intercept
    bend = 2 + np.abs(np.gradient(view.sweep.slopes, view.sweep.x)).max()  # bounds f″
    assert (np.abs(view.sweep.y[near] - tangent) <= bend * away**2 + 1e-12).all()
    exact = {one.kind: one.error for one in errors(view) if one.dtype == "float64"}
    size = 1 + abs(view.value)
    for kind, order in (("forward", 1), ("central", 2)):
        for k in range(2, 5):
            rounding = 1e-14 * size * 10.0 ** (k + 1)
            assert exact[kind][k + 1] <= exact[kind][k] * 10.0**-order * 4 + rounding, (text, at, kind, k)
