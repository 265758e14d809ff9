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
    "x = torch.ones(2, requires_grad=True)\ny = x * 3\n(y - y).sum().backward()": ("cancelled", "x * 3", "float32"),
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
