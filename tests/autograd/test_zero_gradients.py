"""Where a gradient became 0 and why; which leaves have a gradient of 0 in exact arithmetic."""

import pytest

from explorer.analysis.diagnose.health.gradient_table import parameters
from explorer.analysis.explain.autograd import graph_view, sentence
from explorer.analysis.explain.autograd.reasons import zero_start
from explorer.analysis.explain.autograd.zero_gradients import exact_zeros, is_subnormal
from explorer.analysis.run.model import run_of
from explorer.analysis.run.names import name_of
from explorer.analysis.views.comparison import compare
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
    # The slope of a sum is 1: the contributions to its entries cancel.
    "x = torch.ones(1, requires_grad=True)\ny = x + torch.ones(2)\n(y[0] - y[1]).backward()": (
        "summed",
        "x + torch.ones(2)",
        "float32",
    ),
    # The sign of 0 is 0; nothing is multiplied by x itself.
    "x = torch.zeros(2, requires_grad=True)\nx.abs().sum().backward()": ("slope", "x.abs()", "float32"),
    "x = torch.ones(2, requires_grad=True)\n(x * 3).sum().backward(torch.tensor(0.0))": None,
    # One path underflows, the other is flat: neither is the only reason.
    "x = torch.tensor([-1.0], requires_grad=True)\n(x * 1e-45 * 1e-30 + x.relu()).sum().backward()": None,
}
NORM = """
net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.ReLU(), nn.Linear(4, 2))
torch.nn.functional.cross_entropy(net(torch.randn(8, 3)), torch.randint(0, 2, (8,))).backward()
"""
ATTENTION = """
class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(8, 8) for _ in range(3))
    def heads(self, x):
        return x.view(3, 5, 2, 4).transpose(1, 2)
    def forward(self, x):
        q, k, v = self.heads(self.q(x)), self.heads(self.k(x)), self.heads(self.v(x))
        scores = (q @ k.transpose(-2, -1) / 2).masked_fill(torch.ones(5, 5).triu(1) == 1, float("-inf"))
        return (torch.softmax(scores, -1) @ v).transpose(1, 2).reshape(x.shape)
net = Attention()
net(torch.randn(3, 5, 8)).pow(2).mean().backward()
"""
FUSED = """
q, k, v = (nn.Linear(8, 8) for _ in range(3))
x = torch.randn(3, 5, 8)
torch.nn.functional.scaled_dot_product_attention(q(x), k(x), v(x)).pow(2).sum().backward()
"""
IMAGES = """
net = nn.Sequential(nn.Conv2d(1, 3, 3), nn.BatchNorm2d(3), nn.ReLU(), nn.Conv2d(3, 2, 3), nn.InstanceNorm2d(2))
net(torch.randn(4, 1, 8, 8)).pow(3).sum().backward()
"""
SHIFT = """
w = torch.randn(3, requires_grad=True)
c = torch.zeros(1, requires_grad=True)
nn.functional.cross_entropy(torch.randn(5, 3) * w + c, torch.tensor([0, 1, 2, 0, 1])).backward()
"""
FLAT = """
net, norm = nn.Linear(3, 4), nn.BatchNorm1d(4)
norm(net(torch.randn(2, 5, 3)).view(-1, 4)).pow(3).sum().backward()
"""


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_zero_gradient_names_its_cause(program):
    trace = trace_of(f"import torch\n{program}")
    start = zero_start(trace, 0, trace.bound("x"))
    assert (start and (start.kind, start.code, start.dtype)) == PROGRAMS[program]


def test_subnormal_numbers_depend_on_the_dtype():
    assert is_subnormal("float16", 2e-5) and not is_subnormal("float32", 2e-5) and not is_subnormal("float16", 0.0)


# Tensors too large to record: only known is that a factor or a result is 0.
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
    # neither a factor nor a result is 0
    "x = torch.randn(32, 64, requires_grad=True)\ny = x * torch.eye(32, 64)"
    "\n(y * (1 - torch.eye(32, 64))).sum().backward()": ("x", None, ""),
}


@pytest.mark.parametrize("program", LARGE)
def test_a_large_gradient_of_zeros_names_the_zeros_that_multiply_it(program):
    name, *told = LARGE[program]
    trace = trace_of(f"import torch\nfrom torch import nn\n{program}")
    start = zero_start(trace, 0, trace.bound(name))
    assert [start and start.kind, start.factor if start else ""] == told


def vanishing(program: str) -> dict[str, str]:
    trace = trace_of("from torch import nn\ntorch.manual_seed(0)\n" + program)
    return {name_of(run_of(trace), leaf): zero.code for leaf, zero in exact_zeros(trace, 0).items()}


@pytest.mark.parametrize(
    ("program", "found"),
    [
        (NORM, {"net.0.bias": "batch_norm"}),
        (ATTENTION, {"net.k.bias": "softmax"}),
        (ATTENTION.replace("softmax(scores, -1)", "softmax(scores, -2)"), {"net.q.bias": "softmax"}),
        (FUSED, {"k.bias": "scaled_dot_product_attention"}),
        (IMAGES, {"net.0.bias": "batch_norm", "net.3.bias": "instance_norm"}),
        (SHIFT, {"c": "cross_entropy"}),
        (FLAT, {"net.bias": "batch_norm"}),
    ],
)
def test_inputs_ignored_by_norm_or_softmax_have_exact_zero_gradients(program, found):
    assert vanishing(program) == found


SOUND = [
    NORM.replace("torch.nn.functional", "net.eval()\ntorch.nn.functional"),  # with running statistics
    NORM.replace("nn.BatchNorm1d(4)", "nn.Sigmoid(), nn.BatchNorm1d(4)"),  # with a nonlinearity in between
    FLAT.replace(
        "norm(net(torch.randn(2, 5, 3)).view(-1, 4))", "(lambda h: norm(h) + 1e-9 * h)(net(torch.randn(10, 3)))"
    ),
    SHIFT.replace("+ c", "* (1 + 1e-9 * c)"),
    "h = torch.tensor([1., 2.], requires_grad=True)\nb = torch.zeros(1, requires_grad=True)\n"
    "x = h + b\ntorch.autograd.backward([torch.softmax(x, 0)[0], x.sum() * 1e-9])",
]


@pytest.mark.parametrize("program", SOUND)
def test_any_influence_on_the_loss_rules_out_an_exact_zero(program):
    assert vanishing(program) == {}


def test_an_exact_zero_is_neither_the_headline_nor_a_difference():
    program = "from torch import nn\ntorch.manual_seed(0)\n" + NORM
    trace = trace_of(program)
    assert parameters(trace)["net.0.bias"].is_exact_zero and "batch_norm" in str(parameters(trace))
    assert "net.0.bias" not in sentence(graph_view(trace), "en")
    other = trace_of(program.replace("cross_entropy(net", "cross_entropy(1.0000001 * net"))
    pair = next(pair for pair in compare(trace, other).parameters if pair.name == "net.0.bias")
    assert not pair.differs and pair.cosine is None
