"""The path of a gradient entry to the root, for tensors of any size."""

import pytest

import explorer
from explorer.analysis.explain.autograd import graph_view
from explorer.analysis.explain.why import derivation
from explorer.analysis.explain.why.derivation import path, unfolded
from explorer.analysis.explain.why.derivation_steps import Arrived, Stored
from explorer.drawing.graph.why import path_stops
from explorer.trace import Trace
from explorer.workers.why import explained
from tests.programs import TWICE

NETS = {
    "convolution": "net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), "
    "nn.Linear(196, 10))\nloss = F.cross_entropy(net(torch.randn(4, 1, 16, 16)), torch.tensor([1, 2, 3, 4]))",
    "lstm": "net, out = nn.LSTMCell(8, 16), nn.Linear(16, 1)\nh = c = torch.zeros(3, 16)\n"
    "for x in torch.randn(5, 3, 8):"
    "\n    h, c = net(x, (h, c))\nloss = out(h).pow(2).mean()",
    "gan": "net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))\nD = nn.Sequential(nn.Linear(2, 16), "
    "nn.LeakyReLU(0.2), nn.Linear(16, 1))\n"
    "loss = F.binary_cross_entropy_with_logits(D(net(torch.randn(8, 4))), torch.ones(8, 1))",
}


def of_leaf(trace: Trace, place: int) -> tuple:
    """Return the view of the last backward, and the question about an entry of its first leaf."""
    view = graph_view(trace, len(trace.backwards) - 1)
    leaf = next(card for card in view.cards if card.kind == "leaf")
    return view, Arrived(len(trace.backwards) - 1, (leaf.main or (leaf.nodes[-1], 0))[0], 0, place)


def test_the_path_follows_the_largest_contribution():
    trace = explorer.run(f"import torch\n{TWICE}")
    view = graph_view(trace, 0)
    stops = path_stops(view, path(trace, Stored(trace.bound("w"), 0)), "en")
    assert [words for _, _, words, _ in stops] == ["", "3 · 1 = +3 (of +5)", "1 · 3 = +3"]
    assert stops[-1][0] in view.roots and stops[-1][3] == "6"


@pytest.mark.parametrize("net", NETS)
def test_an_entrys_path_ends_at_the_loss(net):
    trace = explorer.run(
        f"import torch\nfrom torch import nn\nfrom torch.nn import functional as F\n{NETS[net]}\nloss.backward()"
    )
    view, subject = of_leaf(trace, 3)
    told = explained(trace, derivation(trace, unfolded(trace, subject), 40)) or trace
    steps = path(told, subject)
    assert len(steps) > 4 and all(step.part.amount is not None for step in steps[1:])
    factors = [step.part.factors for step in steps[1:] if step.part.factors]
    assert all(
        a * b == pytest.approx(step.part.amount)
        for step, (a, b) in zip([step for step in steps[1:] if step.part.factors], factors, strict=True)
    )
    stops = path_stops(view, steps, "en")
    assert stops[-1][0] in view.roots and all(edge for _, edge, *_ in stops[1:])
