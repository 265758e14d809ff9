"""Origins of NaN and infinity in reports."""

import math

import pytest
import torch

import explorer
from explorer.api.answers import answering
from tests.traces import trace_of

ASKING = "x = torch.tensor([{}], requires_grad=True)\n"


@pytest.mark.parametrize(
    ("entries", "rest", "expected"),
    [
        ("1., 0.", "x.log().sum().backward()", ("forward", "-inf", "x.log()", True)),
        ("0., 4.", "(x.sqrt() * 0).sum().backward()", ("backward", "nan", "x.sqrt()", True)),
        ("1., 2.", "big = x * 1e38 * 10\nx.sum().backward()", ("forward", "inf", "x * 1e38 * 10", False)),
        ("1., 0.", "(0 / x).sum().backward()", ("forward", "nan", "0 / x", True)),
    ],
)
def test_the_first_nonfinite_value_is_located(entries, rest, expected):
    found = answering(trace_of(ASKING.format(entries) + rest)).nonfinite()
    assert [(one.phase, one.kind, one.code, one.reaches) for one in found] == [expected]


@pytest.mark.parametrize(
    ("length", "divisor"),
    [
        ("torch.linalg.vector_norm(x)", "torch.linalg.vector_norm(x)"),
        ("x.norm()", "x.norm()"),
        ("(x.square().sum() + 1e-12).sqrt()", None),
        ("x.square().sum()", None),
    ],
)
def test_a_second_derivative_at_0_names_the_length_that_it_divides_by(length, divisor):
    second = "g, = torch.autograd.grad((L - 1) ** 2, x, create_graph=True)\nprint(torch.autograd.grad(g[0], x))"
    found = answering(trace_of(f"{ASKING.format('0., 0.')}L = {length}\n{second}")).nonfinite()
    assert [one.divisor for one in found] == ([divisor] if divisor else [])


def test_a_written_mask_is_not_an_origin_and_an_earlier_nan_is_an_input():
    masked = "s = torch.ones(3, requires_grad=True)\nm = torch.tensor([0., float('-inf'), 0.])\n"
    assert answering(trace_of(masked + "(s + m).softmax(0).square().sum().backward()")).nonfinite() == ()
    weight = torch.tensor([1.0, float("nan")], requires_grad=True)
    with explorer.record() as trace:
        loss = (weight * 2).sum()
        loss.backward()
    (origin,) = trace.nonfinite()
    assert (origin.phase, origin.name, origin.count, origin.entries) == ("given", "weight", 1, 2) and origin.reaches
    said = str(trace.report())
    assert "1 of 2 entries of weight are not finite" in said and said.count("weight") < 4  # the origin, only once


def _nan_and_zero(gradient):
    return torch.tensor([float("nan"), 0.0])


def _stored(weight):
    weight.grad = _nan_and_zero(weight.grad)


@pytest.mark.parametrize("detail", ["light", "complete"])
@pytest.mark.parametrize("add", [torch.Tensor.register_hook, torch.Tensor.register_post_accumulate_grad_hook])
@pytest.mark.parametrize("inside", [False, True])
def test_a_hook_that_makes_nan_is_named_and_norms_include_the_nan(detail, add, inside):
    weight, arrives = torch.tensor([1.0, 2.0], requires_grad=True), add is torch.Tensor.register_hook
    hook = _nan_and_zero if arrives else _stored
    if not inside:
        add(weight, hook)
    with explorer.record(detail=detail) as trace:
        if inside:
            add(weight, hook)
        (weight * 3).sum().backward()
    assert [(one.phase, one.name, one.kind, one.backward) for one in trace.nonfinite()] == [
        ("hook", "weight", "nan", 1)
    ]
    left = trace.gradient("weight", at_end=True)
    assert math.isnan(left.norm) and left.finite_norm == 0
    (row,) = trace.parameters()
    assert row.changed is not arrives  # NaN equals NaN


def test_a_destructive_step_is_reported_once_at_its_origin():
    found = answering(
        trace_of("""
        import torch
        w = torch.tensor([0.0], requires_grad=True)
        opt = torch.optim.SGD([w], lr=0.1)
        for _ in range(3):
            opt.zero_grad()
            loss = w.sqrt().sum()
            loss.backward()
            opt.step()
        """)
    ).nonfinite()
    assert (found[0].phase, found[0].backward, found[0].code) == ("backward", 1, "w.sqrt()")


def test_an_untouched_nan_gradient_is_not_called_changed():
    with explorer.record() as trace:
        w = torch.zeros(2, requires_grad=True)
        (w.sqrt() * 0).sum().backward()
    assert not trace.parameters()["w"].changed


def test_nan_is_counted_separately_from_infinities():
    w = torch.tensor([1.0, 0.0, -1.0], requires_grad=True)
    with explorer.record() as trace:
        (w / w.sum()).sum().backward()
    assert "NaN starts here: 1 of 3 entries, first at [1]" in str(trace.report())


def test_each_operation_that_makes_a_nan_of_a_finite_gradient_is_named():
    trace = answering(
        trace_of("""
        import torch
        x = torch.tensor([0.0, 1.0, 4.0], requires_grad=True)
        a = torch.sqrt(x) * torch.tensor([0.0, 1.0, 1.0])
        b = torch.where(x > 0, x / x, torch.zeros_like(x))
        (a + b).sum().backward()
        """)
    )
    assert [one.code for one in trace.nonfinite() if one.phase == "backward"] == ["x / x", "torch.sqrt(x)"]
    text = str(trace.report())
    assert "The backward of x / x" in text and "line 4 as well: the backward of torch.sqrt(x)" in text
