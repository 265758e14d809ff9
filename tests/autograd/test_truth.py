"""The sentence distinguishes the stored gradient, the delivered contribution and the derivative."""

import pytest

from explorer.analysis.explain.autograd import graph_view, sentence
from explorer.analysis.explain.autograd.altered_gradients import altered_by
from tests.traces import trace_of

START = "import torch\nx = torch.tensor(2., requires_grad=True)\n"

TOLD = [
    ("y = x ** 2\nx.data.mul_(10)\ny.backward()", "x.grad = 40 (via y). A tensor that backward reads"),
    ("u = (x * x).detach()\ny = u * x\ny.backward()", "x.grad = 4 (via y). This is not the whole"),
    ("y = x.item() * x\ny.backward()", "x.grad = 2 (via y). This is not the whole derivative: y also"),
    ("with torch.no_grad():\n    u = x ** 3\ny = x ** 2 + u\ny.backward()", "x.grad = 4 (via x ** 2)."),
    (
        "(x * x).backward()\ny = x * x\ny.backward()",
        "x.grad = 8 = 4 (from before) + 2 (via the first factor of y) + 2 (via",
    ),
    ("y = 3 * x\ny.backward()\nx.grad.zero_()", "x.grad = 3 (via y). At the end x.grad = 0."),
    ("y = 3 * x\ny.backward()\nx.grad = None", "x.grad = 3 (via y). At the end x.grad = None."),
    ("y = x + (x.round() - x).detach()\ny.backward()", "x.grad = 1 (via y). This is not the whole"),
    ("if x > 1:\n    y = 3 * x\ny.backward()", "x.grad = 3 (via y)."),
    ("g, = torch.autograd.grad(x ** 2, x)\ny = x * g\ny.backward()", "x.grad = 4 (via y)."),
    ("def f(v):\n    return v * x\ny = f(x.item())\ny.backward()", "x.grad = 2 (via"),
    ("y = torch.tensor([x, x])[0] * x\ny.backward()", "x.grad = 2 (via y). This is not the whole"),
    ("z = x * 3\nx.grad_fn\nprint(z.item())\ny = z * 2\ny.backward()", "x.grad = 6 (via z)."),
    (
        "for i in range(3):\n    y = x * x\n    y.backward()\n    x.data -= x.grad\n    x.grad = None",
        "x.grad = 4 = 2 (via",
    ),
    ("for i in range(2):\n    y = 3 * x\n    y.backward()\n    x.grad.mul_(2)", "x.grad = 9 = 6 (from before) + 3"),
]


@pytest.mark.parametrize(("program", "said"), TOLD)
def test_stored_gradient_contribution_and_derivative_are_distinguished(program, said):
    assert sentence(graph_view(trace_of(START + program)), "en").startswith(said)


def test_saved_tensors_are_shown_with_their_values_at_saving():
    """A write through `.data` does not change torch's counter, so the counter is not enough."""
    trace = trace_of(START + "y = x * x\nx.data.mul_(10)\nz = x * x\nz.backward()")
    rows = [row for row, node in enumerate(trace.saved.node) if node == trace.backwards[0].roots[0]]
    assert {trace.saved_value(row).entries for row in rows} == {(20.0,)}
    assert sentence(graph_view(trace), "en").startswith("x.grad = 40 = 20 (via")


ORIGINS = [
    ("n = torch.tensor([[5.]]).std()\ny = x * n", "NaN starts in torch.tensor([[5.]]).std(), line 3: none of its"),
    (
        "d = torch.tensor([float('nan'), 1.])\ny = (x * d).sum()",
        "NaN was already in d when it was first recorded, line 3.",
    ),
    (
        "w = torch.tensor([float('nan'), 1.], requires_grad=True)\ny = (x * w).sum()",
        "NaN was already in w when it was first recorded",
    ),
    ("z = x - 3\ny = torch.where(z > 0, z.sqrt(), x)", "NaN starts in the backward of z.sqrt(): a gradient of 0"),
    ("z = x - 2\ny = torch.where(z > 0, z.sqrt(), x)", "NaN starts in the backward of z.sqrt(): a gradient of 0"),
    (
        "m = torch.tensor([0., -torch.inf])\ny = torch.softmax(x + m, 0)[0]",
        "x.grad = 0 (via x + m).",
    ),  # a mask is not an origin
    ("y = torch.log(torch.exp(x * 1000))", "∞ starts in torch.exp(x * 1000): all of its inputs were finite."),
]


@pytest.mark.parametrize(("program", "said"), ORIGINS)
def test_nan_is_traced_to_its_origin_with_or_without_history(program, said):
    assert sentence(graph_view(trace_of(f"{START}{program}\ny.backward()")), "en").startswith(said)


def test_nan_left_by_an_earlier_step_is_reported():
    """The second round reads a parameter that the first step made NaN."""
    loop = "opt = torch.optim.SGD([x], lr=0.1)\nfor i in range(2):\n    opt.zero_grad()\n"
    trace = trace_of(START + loop + "    y = ((x - x.item()).sqrt() * 0 + x)\n    y.backward()\n    opt.step()")
    assert sentence(graph_view(trace), "en") == "NaN entered through opt.step(), line 8, from an earlier backward call."


@pytest.mark.parametrize(
    "write",
    [
        "z[0] *= 3",
        "v = z[0]\nv.mul_(3)",
        "z.t().mul_(3)",
        "z.diagonal().add_(x)",
        "torch.relu_(z[1:])",
        "v = z.view(-1)[1:]\nv += x\nz[0] -= 1",
    ],
)
def test_a_write_through_a_view_keeps_the_whole_derivative(write):
    trace = trace_of(f"{START}z = x * torch.ones(2, 2)\n{write}\ny = (z ** 2).sum()\ny.backward()")
    assert "whole derivative" not in sentence(graph_view(trace), "en")


@pytest.mark.parametrize("factor", ["x.item()", "x.detach()", "(x * 2).data"])
def test_an_in_place_write_with_constants_is_reported(factor):
    trace = trace_of(f"{START}z = x * torch.ones(2)\nz[0] *= {factor}\ny = (z ** 2).sum()\ny.backward()")
    assert "whole derivative" in sentence(graph_view(trace), "en")


def test_a_batch_norm_that_counts_in_its_buffers_overwrites_nothing_that_backward_reads():
    trace = trace_of(
        "import torch\nnet = torch.nn.BatchNorm1d(2)\ntorch.manual_seed(0)\n"
        "net(torch.randn(4, 2)).square().sum().backward()"
    )
    assert altered_by(trace, 0) == ""
