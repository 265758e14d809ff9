"""Programs whose result is a known fact, as a learner writes them: what their Trace says is that fact."""

import math

import numpy as np
import pytest

from tests.programs import (
    TWICE,
    accumulations,
    bound,
    entries,
    failure,
    grad,
    gradient,
    leaf_node,
    near,
    node_names,
    node_of,
    states,
    traced,
    value,
)


def slope(expression: str, at: float) -> tuple[float, float]:
    """Value and derivative of an expression in x."""
    trace = traced(f"x = torch.tensor({at}, requires_grad=True)\ny = {expression}\ny.backward()")
    return float(value(trace, "y")), float(gradient(trace, "x"))


def test_a_cubic_and_a_reciprocal():
    assert slope("x**3 - 1 / x", 1.0) == (0.0, 4.0)


def test_a_sum_of_a_product_scaled():
    trace = traced("""
        a = torch.tensor(2., requires_grad=True)
        b = torch.tensor(-3., requires_grad=True)
        c = torch.tensor(10., requires_grad=True)
        f = torch.tensor(-2., requires_grad=True)
        e = a * b
        d = e + c
        L = d * f
        L.backward()
        """)
    assert (value(trace, "e"), value(trace, "d"), value(trace, "L")) == (-6, 4, -8)
    assert [float(gradient(trace, name)) for name in "abcfedL"] == [6, -4, -2, 4, -2, -2, 1]


def test_two_paths_into_one_leaf_add_up():
    trace = traced("x = torch.tensor(3., requires_grad=True)\ny = x * x + x\ny.backward()")
    assert gradient(trace, "x") == 7
    into_leaf = [
        float(entries(trace, given))
        for source, edge, given in contributions(trace)
        if trace.nodes.edges[source][edge] == leaf_node(trace, "x")
    ]
    assert sorted(into_leaf) == [1, 3, 3]


def contributions(trace):
    call = trace.backwards[-1]
    return list(zip(call.contribution_from, call.contribution_edge, call.contribution_value, strict=True))


def test_a_logarithm_times_a_sine():
    assert slope("torch.log(x**2) * torch.sin(x) + 1 / x", 1.0) == pytest.approx((1.0, 0.68294), abs=1e-5)


def test_gradients_accumulate_until_they_are_zeroed():
    trace = traced("""
        x = torch.arange(4.0)
        x.requires_grad_(True)
        y = 2 * torch.dot(x, x)
        y.backward()
        x.sum().backward()
        """)
    first, second = accumulations(trace, "x")
    assert value(trace, "y") == 28
    assert first[0] is None and near(first[1], [0, 4, 8, 12])
    assert near(second[0], [0, 4, 8, 12]) and near(second[1], [1, 5, 9, 13])
    assert near(gradient(trace, "x"), [1, 1, 1, 1])  # what the last backward brought


def test_zeroed_in_between_nothing_adds_up():
    trace = traced("""
        x = torch.arange(4.0, requires_grad=True)
        (2 * torch.dot(x, x)).backward()
        x.grad.zero_()
        x.sum().backward()
        """)
    before, after = accumulations(trace, "x")[-1]
    assert near(before, [0, 0, 0, 0]) and near(after, [1, 1, 1, 1]) and near(grad(trace, "x"), [1, 1, 1, 1])


def test_a_vector_has_no_gradient_by_itself():
    trace = traced("x = torch.arange(4.0, requires_grad=True)\n(x * x).backward()")
    assert failure(trace) == (
        "RuntimeError",
        "grad can be implicitly created only for scalar outputs",
        "(x * x).backward()",
    )


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


def test_a_leaf_cannot_be_changed_in_place():
    trace = traced("x = torch.tensor(2., requires_grad=True)\nx += 1")
    assert failure(trace) == (
        "RuntimeError",
        "a leaf Variable that requires grad is being used in an in-place operation.",
        "x += 1",
    )


def test_what_exp_saved_cannot_be_changed_in_place():
    trace = traced("x = torch.tensor([1., 2.], requires_grad=True)\ny = x.exp()\ny.add_(1)\ny.sum().backward()")
    kind, text, _ = failure(trace)
    assert kind == "RuntimeError" and "has been modified by an inplace operation" in text
    assert node_names(trace, [trace.backwards[0].failed_node]) == ["ExpBackward0"]


def test_what_nobody_saved_can_be_changed_in_place():
    trace = traced("x = torch.tensor([1., 2.], requires_grad=True)\ny = 3 * x\ny.add_(1)\ny.sum().backward()")
    assert near(gradient(trace, "x"), [3, 3]) and near(value(trace, "y"), [4, 7])


def test_data_changes_a_value_behind_the_back_of_autograd():
    trace = traced("x = torch.tensor(2., requires_grad=True)\ny = x**2\nx.data.mul_(10)\ny.backward()")
    assert (value(trace, "x"), value(trace, "y"), gradient(trace, "x")) == (20, 4, 40)


def test_through_detach_torch_notices():
    trace = traced("x = torch.tensor(2., requires_grad=True)\ny = x**2\nx.detach().mul_(10)\ny.backward()")
    assert "has been modified by an inplace operation" in failure(trace)[1]


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


def test_derivatives_of_derivatives():
    trace = traced("""
        x = torch.tensor(2., requires_grad=True)
        y = x**3
        first, = torch.autograd.grad(y, x, create_graph=True)
        second, = torch.autograd.grad(first, x, create_graph=True)
        third, = torch.autograd.grad(second, x)
        """)
    assert [float(value(trace, name)) for name in ("y", "first", "second", "third")] == [8, 12, 12, 6]
    assert [(call.kind, float(gradient(trace, "x", i + 1))) for i, call in enumerate(trace.backwards)] == [
        ("grad", 12),
        ("grad", 12),
        ("grad", 6),
    ]


def test_the_hessian_of_rosenbrocks_valley():
    trace = traced("""
        def valley(p):
            return (1 - p[0])**2 + 100 * (p[1] - p[0]**2)**2
        H = torch.autograd.functional.hessian(valley, torch.tensor([1., 1.]))
        """)
    assert near(value(trace, "H"), [[802, -400], [-400, 200]])


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


def test_a_reversed_gradient():
    trace = traced("""
        class Reverse(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x.clone()
            @staticmethod
            def backward(ctx, upstream):
                return -upstream
        x = torch.tensor(3., requires_grad=True)
        y = Reverse.apply(x)**2
        y.backward()
        """)
    assert (value(trace, "y"), gradient(trace, "x")) == (9, -6)


@pytest.mark.parametrize("rounded, result", [("x.round()", [0, 0]), ("x + (x.round() - x).detach()", [1, 1])])
def test_rounding_and_the_straight_through_estimator(rounded, result):
    trace = traced(f"x = torch.tensor([1.2, 2.7], requires_grad=True)\ny = {rounded}\ny.sum().backward()")
    assert near(value(trace, "y"), [1, 3]) and near(gradient(trace, "x"), result)


def test_log_of_a_sum_of_large_exponentials():
    by_hand = traced("x = torch.tensor([1000., 1000.], requires_grad=True)\ny = x.exp().sum().log()\ny.backward()")
    assert value(by_hand, "y") == math.inf and near(gradient(by_hand, "x"), [math.nan, math.nan])
    stable = traced("x = torch.tensor([1000., 1000.], requires_grad=True)\ny = x.logsumexp(0)\ny.backward()")
    assert near(value(stable, "y"), 1000.693, 1e-6) and near(gradient(stable, "x"), [0.5, 0.5])


def test_cross_entropy_hands_back_probability_minus_target():
    trace = traced("""
        z = torch.tensor([[2., 1., .1]], requires_grad=True)
        loss = torch.nn.functional.cross_entropy(z, torch.tensor([0]))
        loss.backward()
        """)
    assert near(value(trace, "loss"), 0.41703) and near(gradient(trace, "z"), [[-0.3410, 0.2424, 0.0986]], 1e-3)
    loss, scores = node_of(trace, "loss"), trace.nodes.edges[node_of(trace, "loss")][0]
    assert node_names(trace, [loss, scores]) == ["NllLossBackward0", "LogSoftmaxBackward0"]
    assert trace.nodes.operation[loss] == trace.nodes.operation[scores]


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


def test_the_sum_behind_a_layer_norm_has_no_gradient():
    trace = traced("""
        x = torch.tensor([[1., 2., 4.]], requires_grad=True)
        y = torch.nn.LayerNorm(3)(x)
        y.sum().backward()
        """)
    assert np.abs(gradient(trace, "x")).max() < 1e-5


def test_attention_by_hand():
    trace = traced("""
        Q = torch.eye(2, requires_grad=True)
        K = torch.eye(2, requires_grad=True)
        V = torch.tensor([[1., 0.], [0., 2.]], requires_grad=True)
        A = torch.softmax(Q @ K.T / 2**0.5, dim=1)
        out = A @ V
        out.sum().backward()
        """)
    assert near(value(trace, "A"), [[0.6698, 0.3302], [0.3302, 0.6698]], 1e-3)
    assert near(gradient(trace, "V"), [[1, 1], [1, 1]])


def test_a_vector_jacobian_product():
    trace = traced("""
        p = torch.tensor([1., 0.], requires_grad=True)
        x, y = p
        f = torch.stack([x**2 * y, 5 * x + torch.sin(y)])
        f.backward(torch.tensor([1., 1.]))
        """)
    assert near(value(trace, "f"), [0, 5]) and near(gradient(trace, "p"), [5, 2])


def test_a_jacobian_vector_product():
    trace = traced("""
        def f(p):
            x, y = p
            return torch.stack([x**2 * y, 5 * x + torch.sin(y)])
        out, tangent = torch.func.jvp(f, (torch.tensor([1., 0.]),), (torch.tensor([1., 1.]),))
        """)
    assert near(value(trace, "tangent"), [1, 6])


def test_transposing_in_place_changes_both_factors():
    trace = traced("""
        x = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
        y = x + 0
        z = y * y.t_() * 3
        z.sum().backward()
        """)
    assert near(value(trace, "y"), [[1, 3], [2, 4]]) and near(value(trace, "z"), [[3, 27], [12, 48]])
    assert near(gradient(trace, "x"), [[6, 12], [18, 24]])
    assert len(states(trace, "y")) == 2


def test_a_leaf_used_twice():
    trace = traced(TWICE)
    assert (value(trace, "y"), gradient(trace, "w"), gradient(trace, "x")) == (6, 5, 2)
    through = {
        node: float(entries(trace, given))
        for node, edge, given in contributions(trace)
        if trace.nodes.edges[node][edge] == leaf_node(trace, "w")
    }
    assert through == {node_of(trace, "a"): 2, node_of(trace, "b"): 3}


def test_no_grad_cuts_the_graph():
    trace = traced("""
        x = torch.tensor(1., requires_grad=True)
        y1 = x**2
        with torch.no_grad():
            y2 = x**3
        (y1 + y2).backward()
        """)
    assert gradient(trace, "x") == 2
    assert gradient(trace, "y2") is None and not trace.tensors.requires_grad[bound(trace, "y2")]


@pytest.mark.parametrize("expression, result", [("2 * x", 2), ("x**2", 200)])
def test_data_does_no_harm_where_nothing_was_saved(expression, result):
    trace = traced(f"x = torch.tensor(1., requires_grad=True)\ny = {expression}\nx.data *= 100\ny.backward()")
    assert (gradient(trace, "x"), value(trace, "x")) == (result, 100)


def test_a_starting_gradient_in_the_shape_of_a_view():
    trace = traced("""
        x = torch.tensor([1., 2., 3., 4.], requires_grad=True)
        z = (2 * x).view(2, 2)
        v = torch.tensor([[1., .1], [.01, .001]])
        z.backward(v)
        """)
    assert near(gradient(trace, "x"), [2, 0.2, 0.02, 0.002])
    assert trace.tensors.storage[bound(trace, "z")] != trace.tensors.storage[bound(trace, "x")]


def test_the_mean_of_a_polynomial():
    trace = traced("""
        x = torch.ones(2, 2, requires_grad=True)
        y = x + 2
        z = y * y * 3
        out = z.mean()
        out.backward()
        """)
    assert value(trace, "out") == 27 and near(gradient(trace, "x"), np.full((2, 2), 4.5))


def test_gather_adds_up_where_an_index_repeats():
    trace = traced("""
        x = torch.tensor([1., 2., 3.], requires_grad=True)
        y = x.gather(0, torch.tensor([1, 1, 0]))
        y.backward(torch.tensor([1., 10., 100.]))
        """)
    assert near(value(trace, "y"), [2, 2, 1]) and near(gradient(trace, "x"), [100, 11, 0])


@pytest.mark.parametrize("keepdim", [False, True])
def test_dividing_by_row_sums_needs_keepdim(keepdim):
    trace = traced(f"A = torch.arange(6.).reshape(2, 3)\nB = A / A.sum(1, keepdim={keepdim})")
    if keepdim:
        assert near(value(trace, "B").sum(1), [1, 1])
    else:
        kind, text, place = failure(trace)
        assert (kind, place) == ("RuntimeError", "A / A.sum(1, keepdim=False)")
        assert text.startswith("The size of tensor a (3) must match the size of tensor b (2)")
