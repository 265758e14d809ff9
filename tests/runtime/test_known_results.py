"""Programs whose result is a known fact, as a learner writes them: what their Trace says is that fact."""

import math

import numpy as np
import pytest

from tests.programs import (
    TWICE,
    entries,
    failure,
    grad,
    gradient,
    leaf_node,
    near,
    node_of,
    traced,
    value,
)
from tests.runtime.corpus import check_facts, read


def slope(expression: str, at: float) -> tuple[float, float]:
    """Value and derivative of an expression in x."""
    trace = traced(f"x = torch.tensor({at}, requires_grad=True)\ny = {expression}\ny.backward()")
    return float(value(trace, "y")), float(gradient(trace, "x"))


def test_a_cubic_and_a_reciprocal():
    assert slope("x**3 - 1 / x", 1.0) == (0.0, 4.0)


def contributions(trace):
    call = trace.backwards[-1]
    return list(zip(call.contribution_from, call.contribution_edge, call.contribution_value, strict=True))


def test_a_logarithm_times_a_sine():
    assert slope("torch.log(x**2) * torch.sin(x) + 1 / x", 1.0) == pytest.approx((1.0, 0.68294), abs=1e-5)


@pytest.mark.parametrize(
    "start, result", [((1, 1, 1, 1), (0, 2, 4, 6)), ((1, 0.1, 0.01, 0.001), (0, 0.2, 0.04, 0.006))]
)
def test_a_vector_needs_a_starting_gradient(start, result):
    trace = traced(f"x = torch.arange(4.0, requires_grad=True)\n(x * x).backward(torch.tensor({list(start)}))")
    assert near(entries(trace, trace.backwards[0].seeds[0]), start)
    assert near(gradient(trace, "x"), result)


def test_detach_makes_a_constant():
    detached = traced("x = torch.arange(4.0, requires_grad=True)\nu = (x * x).detach()\n(u * x).sum().backward()")
    assert near(gradient(detached, "x"), [0, 1, 4, 9]) and gradient(detached, "u") is None
    attached = traced("x = torch.arange(4.0, requires_grad=True)\nu = x * x\n(u * x).sum().backward()")
    assert near(gradient(attached, "x"), [0, 3, 12, 27])


@pytest.mark.parametrize("retained", ["", "h.retain_grad()\n"])
def test_an_intermediate_keeps_its_gradient_only_when_asked(retained):
    trace = traced(f"x = torch.tensor(2., requires_grad=True)\nh = x * x\n{retained}(3 * h).backward()")
    assert (gradient(trace, "x"), gradient(trace, "h")) == (12, 3)
    assert grad(trace, "h") == (3 if retained else None)


def test_backward_twice():
    again = traced("x = torch.tensor(2., requires_grad=True)\ny = x**2\ny.backward()\ny.backward()")
    kind, text, place = failure(again)
    assert kind == "RuntimeError" and "Trying to backward through the graph a second time" in text
    assert place == "y.backward()" and [call.status for call in again.backwards] == ["ok", "failed"]
    kept = traced("x = torch.tensor(2., requires_grad=True)\ny = x**2\ny.backward(retain_graph=True)\ny.backward()")
    assert grad(kept, "x") == 8
    nothing_saved = traced("x = torch.tensor(2., requires_grad=True)\ny = x + 3\ny.backward()\ny.backward()")
    assert grad(nothing_saved, "x") == 2 and nothing_saved.backwards[0].freed == []


@pytest.mark.parametrize(
    "expression, at, result",
    [
        ("torch.relu(x)", "[0.]", [0]),
        ("torch.maximum(x, torch.zeros(1))", "[0.]", [0.5]),
        ("x.clamp_min(0)", "[0.]", [1]),
        ("x.abs()", "[0.]", [0]),
        ("x.max()", "[1., 1., 0.]", [0.5, 0.5, 0]),
        ("x.max(dim=0).values", "[1., 1., 0.]", [1, 0, 0]),
    ],
)
def test_ties_and_kinks(expression, at, result):
    trace = traced(f"x = torch.tensor({at}, requires_grad=True)\ny = {expression}\ny.sum().backward()")
    assert near(gradient(trace, "x"), result)


@pytest.mark.parametrize(
    "expression, at, result",
    [
        ("torch.sqrt(x)", "0.", math.inf),
        ("torch.sqrt(x**2)", "0.", math.nan),
        ("torch.norm(x)", "[0., 0.]", [0, 0]),
        ("torch.sqrt((x**2).sum())", "[0., 0.]", [math.nan, math.nan]),
        ("torch.where(x > 0, torch.sqrt(x), x)", "[0., -1.]", [math.nan, math.nan]),
        ("torch.where(x > 0, torch.sqrt(torch.where(x > 0, x, torch.ones(2))), x)", "[0., -1.]", [1, 1]),
    ],
)
def test_roots_at_zero(expression, at, result):
    trace = traced(f"x = torch.tensor({at}, requires_grad=True)\ny = {expression}\ny.sum().backward()")
    assert near(gradient(trace, "x"), result) and np.isfinite(value(trace, "y")).all()


@pytest.mark.parametrize("a, result", [(1.0, 1024), (0.3, 4096), (-1.0, 102400)])
def test_a_gradient_through_control_flow(a, result):
    trace = traced(f"""
        def f(a):
            b = a * 2
            while b.norm() < 1000:
                b = b * 2
            if b.sum() > 0:
                c = b
            else:
                c = 100 * b
            return c
        a = torch.tensor({a}, requires_grad=True)
        d = f(a)
        d.backward()
        """)
    assert gradient(trace, "a") == result
    assert near(value(trace, "d") / value(trace, "a"), result)


@pytest.mark.parametrize("rounded, result", [("x.round()", [0, 0]), ("x + (x.round() - x).detach()", [1, 1])])
def test_rounding_and_the_straight_through_estimator(rounded, result):
    trace = traced(f"x = torch.tensor([1.2, 2.7], requires_grad=True)\ny = {rounded}\ny.sum().backward()")
    assert near(value(trace, "y"), [1, 3]) and near(gradient(trace, "x"), result)


def test_log_of_a_sum_of_large_exponentials():
    by_hand = traced("x = torch.tensor([1000., 1000.], requires_grad=True)\ny = x.exp().sum().log()\ny.backward()")
    assert value(by_hand, "y") == math.inf and near(gradient(by_hand, "x"), [math.nan, math.nan])
    stable = traced("x = torch.tensor([1000., 1000.], requires_grad=True)\ny = x.logsumexp(0)\ny.backward()")
    assert near(value(stable, "y"), 1000.693, 1e-6) and near(gradient(stable, "x"), [0.5, 0.5])


@pytest.mark.parametrize("layer, result", [("torch.sigmoid(h)", 3.88e-7), ("h + torch.sigmoid(h)", 2.240)])
def test_depth_makes_gradients_vanish_unless_there_is_a_way_past(layer, result):
    trace = traced(
        f"x = torch.tensor(0., requires_grad=True)\nh = x\nfor _ in range(10):\n    h = {layer}\nh.backward()"
    )
    assert near(gradient(trace, "x"), result, 1e-3)


@pytest.mark.parametrize("w, result", [(0.5, 3.81e-5), (1.0, 20), (1.5, 44336.75)])
def test_depth_makes_gradients_vanish_or_explode(w, result):
    trace = traced(f"""
        w = torch.tensor({w}, requires_grad=True)
        y = torch.tensor(1.)
        for _ in range(20):
            y = y * w
        y.backward()
        """)
    assert near(gradient(trace, "w"), result, 2e-3)
    into_leaf = [given for node, edge, given in contributions(trace) if edge == 1]
    assert len(into_leaf) == 20 and near(sum(entries(trace, given) for given in into_leaf), gradient(trace, "w"))


def test_a_leaf_used_twice():
    trace = traced(TWICE)
    assert (value(trace, "y"), gradient(trace, "w"), gradient(trace, "x")) == (6, 5, 2)
    through = {
        node: float(entries(trace, given))
        for node, edge, given in contributions(trace)
        if trace.nodes.edges[node][edge] == leaf_node(trace, "w")
    }
    assert through == {node_of(trace, "a"): 2, node_of(trace, "b"): 3}


@pytest.mark.parametrize("expression, result", [("2 * x", 2), ("x**2", 200)])
def test_data_does_no_harm_where_nothing_was_saved(expression, result):
    trace = traced(f"x = torch.tensor(1., requires_grad=True)\ny = {expression}\nx.data *= 100\ny.backward()")
    assert (gradient(trace, "x"), value(trace, "x")) == (result, 100)


@pytest.mark.parametrize("keepdim", [False, True])
def test_dividing_by_row_sums_needs_keepdim(keepdim):
    trace = traced(f"A = torch.arange(6.).reshape(2, 3)\nB = A / A.sum(1, keepdim={keepdim})")
    if keepdim:
        assert near(value(trace, "B").sum(1), [1, 1])
    else:
        kind, text, place = failure(trace)
        assert (kind, place) == ("RuntimeError", "A / A.sum(1, keepdim=False)")
        assert text.startswith("The size of tensor a (3) must match the size of tensor b (2)")


@pytest.mark.parametrize("program", read("known_results").values(), ids=read("known_results"))
def test_a_program_has_the_facts_below_it(program):
    check_facts(program, globals())
