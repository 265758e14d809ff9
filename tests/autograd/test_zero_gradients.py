"""Where a gradient became 0, and why."""

import pytest

from explorer.analysis.autograd.zero_gradients import is_subnormal, zero_start
from tests.traces import trace_of

PROGRAMS = {
    "x = torch.tensor([1e-25], requires_grad=True)\ny = x * 1e-30\ny.backward(torch.tensor([1e-30]))": (
        "underflow",
        "x * 1e-30",
        "float32",
    ),
    "x = torch.ones(2, dtype=torch.float16, requires_grad=True)\nl = (x * 1e-5).sum()\n(l * 1e-4).backward()": (
        "underflow",
        "x * 1e-5",
        "float16",
    ),
    "x = torch.tensor([-1.0, -2.0], requires_grad=True)\nx.relu().sum().backward()": ("slope", "x.relu()", "float32"),
    "x = torch.tensor([1e20, 1e20], requires_grad=True)\nx.norm().backward()": ("infinite", "x.norm()", "float32"),
    "x = torch.ones(2, requires_grad=True)\nh = x * 3\nh.register_hook(torch.zeros_like)\nh.sum().backward()": (
        "hook",
        "torch.zeros_like",
        "float32",
    ),
    "x = torch.ones(2, requires_grad=True)\ntorch.normal(x, 1.0).square().sum().backward()": (
        "drawn",
        "torch.normal(x, 1.0)",
        "float32",
    ),
    "x = torch.ones(2, requires_grad=True)\ny = x * 3\n(y - y).sum().backward()": ("cancelled", "x * 3", "float32"),
    # The slope of a sum is 1: what arrives at its entries cancels.
    "x = torch.ones(1, requires_grad=True)\ny = x + torch.ones(2)\n(y[0] - y[1]).backward()": (
        "summed",
        "x + torch.ones(2)",
        "float32",
    ),
    # The sign of 0 is 0; nothing is multiplied by x itself.
    "x = torch.zeros(2, requires_grad=True)\nx.abs().sum().backward()": ("slope", "x.abs()", "float32"),
    "x = torch.ones(2, requires_grad=True)\n(x * 3).sum().backward(torch.tensor(0.0))": None,
    # One path underflows, the other is flat: neither alone is the reason.
    "x = torch.tensor([-1.0], requires_grad=True)\n(x * 1e-45 * 1e-30 + x.relu()).sum().backward()": None,
}


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_gradient_of_zeros_says_what_made_it_so(program):
    trace = trace_of(f"import torch\n{program}")
    start = zero_start(trace, 0, trace.bound("x"))
    assert (start and (start.kind, start.code, start.dtype)) == PROGRAMS[program]


def test_numbers_that_a_dtype_keeps_only_in_part():
    assert is_subnormal("float16", 2e-5) and not is_subnormal("float32", 2e-5) and not is_subnormal("float16", 0.0)


# Of tensors too large for their entries: what is known is that a factor is 0, or that a result is.
LARGE = {
    "w = torch.randn(64, 64, requires_grad=True)\nB = torch.zeros(8, 64, requires_grad=True)\nx = torch.randn(32, 64)"
    "\nA = torch.randn(64, 8, requires_grad=True)\n(x @ w + x @ A @ B).pow(2).mean().backward()": ("A", "factor", "B"),
    "scale = torch.zeros(64, requires_grad=True)\nw = torch.randn(64, 64, requires_grad=True)\nx = torch.randn(32, 64)"
    "\n(x + x @ w * scale).pow(2).mean().backward()": ("w", "factor", "scale"),
    "w = torch.randn(16, 3, 3, 3, requires_grad=True)\nzero = torch.zeros(8, 16, 1, 1)"
    "\ntorch.conv2d(torch.conv2d(torch.randn(2, 3, 16, 16), w), zero).sum().backward()": ("w", "factor", "zero"),
    "w = torch.randn(64, 64, requires_grad=True)\ny = torch.relu(torch.randn(32, 64).abs() @ -w.abs())"
    "\n(y @ torch.randn(64, 4)).sum().backward()": ("w", "slope", ""),
    "net = nn.Sequential(nn.Linear(64, 64), nn.ReLU(inplace=True))\nnn.init.constant_(net[0].bias, -90.)"
    "\nw = net[0].weight\nnet(torch.randn(4, 32, 64)).sum().backward()": ("w", "slope", ""),
    # here neither a factor nor a result is 0
    "x = torch.randn(32, 64, requires_grad=True)\ny = x * torch.eye(32, 64)"
    "\n(y * (1 - torch.eye(32, 64))).sum().backward()": ("x", None, ""),
}


@pytest.mark.parametrize("program", LARGE)
def test_a_large_gradient_of_zeros_names_the_zeros_that_multiply_it(program):
    name, *told = LARGE[program]
    trace = trace_of(f"import torch\nfrom torch import nn\n{program}")
    start = zero_start(trace, 0, trace.bound(name))
    assert [start and start.kind, start.factor if start else ""] == told
