"""Gradients that are 0 in exact arithmetic: which leaves have one, and that nothing else is taken for one."""

import pytest

from explorer.analysis.autograd import graph_view, sentence
from explorer.analysis.autograd.zero_gradients import exact_zeros
from explorer.analysis.comparison import compare
from explorer.analysis.health.gradients import parameters
from explorer.analysis.names import name_of
from explorer.analysis.run import run_of
from tests.traces import trace_of

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
def test_what_a_norm_or_softmax_ignores_has_no_gradient(program, found):
    assert vanishing(program) == found


SOUND = [
    NORM.replace("torch.nn.functional", "net.eval()\ntorch.nn.functional"),  # by what it has gathered
    NORM.replace("nn.BatchNorm1d(4)", "nn.Sigmoid(), nn.BatchNorm1d(4)"),  # a curve lies between
    FLAT.replace(
        "norm(net(torch.randn(2, 5, 3)).view(-1, 4))", "(lambda h: norm(h) + 1e-9 * h)(net(torch.randn(10, 3)))"
    ),
    SHIFT.replace("+ c", "* (1 + 1e-9 * c)"),
    "h = torch.tensor([1., 2.], requires_grad=True)\nb = torch.zeros(1, requires_grad=True)\n"
    "x = h + b\ntorch.autograd.backward([torch.softmax(x, 0)[0], x.sum() * 1e-9])",
]


@pytest.mark.parametrize("program", SOUND)
def test_what_changes_the_loss_however_little_is_no_exact_zero(program):
    assert vanishing(program) == {}


def test_it_is_told_as_that_and_is_neither_headline_nor_difference():
    program = "from torch import nn\ntorch.manual_seed(0)\n" + NORM
    trace = trace_of(program)
    assert parameters(trace)["net.0.bias"].is_exact_zero and "batch_norm" in str(parameters(trace))
    assert "net.0.bias" not in sentence(graph_view(trace), "en")
    other = trace_of(program.replace("cross_entropy(net", "cross_entropy(1.0000001 * net"))
    pair = next(pair for pair in compare(trace, other).parameters if pair.name == "net.0.bias")
    assert not pair.differs and pair.cosine is None
