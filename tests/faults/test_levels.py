"""Three levels: a fault is certain, a note may be intended, info is useful; allowed kinds are silent."""

import textwrap

import pytest

from explorer.analysis.diagnose.faults.diagnosis import diagnose
from explorer.analysis.diagnose.faults.finding import level_and_causes
from explorer.analysis.diagnose.kinds import KINDS
from explorer.analysis.run.levels import ORDER
from explorer.api.answers import answering
from explorer.testing import assert_sound
from tests.programs import traced

CUT = """
import torch
w = torch.ones(3, requires_grad=True)
v = torch.ones(3, requires_grad=True)
loss = (w.detach() * 2).sum() + v.sum()
loss.backward()
print(w.grad)
"""
GROWS = """
import torch
w = torch.ones(2, requires_grad=True)
for _ in range(12):
    loss = (w * w).sum()
    loss.backward()
    w.data -= 1.5 * w.grad{}
    w.grad = None
"""


def test_a_finding_is_a_fault_only_if_certain():
    assert {kind.level for kind in KINDS.values()} <= set(ORDER)
    assert {cause for kind in KINDS.values() for cause in kind.explained_by} <= KINDS.keys()
    assert [level_and_causes("truncated", certain)[0] for certain in (True, False)] == ["fault", "note"]


STEPLESS = """
import time, torch
net = torch.nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), 0.1)
{}
for i in range(4):
    opt.zero_grad()
    net(torch.ones(2, 3)).sum().backward()
    {}
"""


@pytest.mark.parametrize(
    "before, then, level",
    [
        ("", "pass", "fault"),
        ("begun = time.perf_counter()", "print(time.perf_counter() - begun)", "note"),
        ("", "if i % 8 == 7: opt.step()", "note"),
    ],
)
def test_gradients_without_a_step_may_be_measured_or_wait_for_more(before, then, level):
    assert [(one.kind, one.level) for one in diagnose(traced(STEPLESS.format(before, then)))] == [
        ("never_stepped", level)
    ]


def test_only_faults_make_a_report_unsound_and_allowed_kinds_are_silent():
    told = answering(traced(CUT))
    assert [one.kind for one in told.report().diagnoses] == ["gradient_cut"] and not told.report().sound
    for allow in (["gradient_cut"], ["gradient-cut"], ["w"], "w"):
        report = told.report(allow=allow)
        assert report.sound and report.diagnoses == ()
        assert_sound(told, allow=allow)
    with pytest.raises(AssertionError, match="Fault"):
        assert_sound(told)
    grown = answering(traced(GROWS.format(""))).report()
    assert grown.sound and [one.level for one in grown.diagnoses] == ["note"]
    assert "No fault found; 1 note" in str(grown) and "[loss_grows]" in str(grown)


def test_a_fine_comment_silences_a_kind_with_hyphens_or_underscores():
    trace = traced(GROWS.format("  # fine: loss-grows"))
    told = answering(trace).report()
    assert told.diagnoses == ()
    bad = "import torch\nx = torch.zeros(1, requires_grad=True)\ny = x.log(){}\ny.sum().backward()\n"
    assert not answering(traced(bad.format(""))).report().sound
    assert answering(traced(bad.format("  # fine: nonfinite"))).report().nonfinite == ()


@pytest.mark.parametrize(
    "trained, level",
    [("[net[0].weight, net[1].weight]", "fault"), ("[p for n, p in net.named_parameters() if 'bias' in n]", "note")],
)
def test_a_missing_bias_is_certain_and_missing_weights_may_be_intended(trained, level):
    program = (
        "import torch\nfrom torch import nn\nnet = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 1))\n"
        f"opt = torch.optim.SGD({trained}, 0.1)\nfor _ in range(3):\n    net.zero_grad()\n"
        "    net(torch.ones(2, 3)).square().sum().backward()\n    opt.step()\n"
    )
    (found,) = diagnose(traced(program))
    assert (found.kind, found.level) == ("not_in_optimizer", level)


LISTED = """
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self, layers, last):
        super().__init__()
        self.layers, self.last = layers, last
    def forward(self, x):
        {forward}
def train():
    layers = [nn.Linear(3, 3) for _ in range(2)]
    net = Net(layers, nn.Linear(3, {wide}))
    opt = torch.optim.SGD(net.parameters(), 0.1)
    x, y = torch.randn(8, 3), torch.randn(8, {wide})
    for _ in range(4):
        opt.zero_grad()
        (net(x) - y).square().mean().backward()
        opt.step()
"""


@pytest.mark.parametrize(
    "forward, wide, level",
    [
        ("return self.last(self.layers[1](self.layers[0](x).relu()).relu())", 1, "fault"),
        ("return self.layers[1](self.layers[0](self.last(x)).relu())", 3, "fault"),
        # a teacher may be meant to stay fixed
        ("return self.last(x) - self.layers[1](self.layers[0](x))", 3, "note"),
    ],
)
@pytest.mark.parametrize("inside", [True, False])
def test_a_layer_in_a_plain_list_is_missing_from_the_optimizer(forward, wide, level, inside):
    head, function = LISTED.split("def train():\n")
    written = f"{LISTED}train()\n" if inside else head + textwrap.dedent(function)
    (found,) = diagnose(traced(written.format(forward=forward, wide=wide)))
    assert (found.kind, found.level) == ("not_in_optimizer", level)
    assert found.values["name"] == "net.layers[0].weight"


MIXTURE = """
import torch
from torch import nn
torch.manual_seed(0)
body, pi, mean = nn.Linear(1, 8), nn.Linear(8, 1), nn.Linear(8, 1)
x = torch.rand(20, 1)
for _ in range(3):
    h = torch.tanh(body(x))
    each = torch.log_softmax(pi(h), 1) - (x.sin() - mean(h)).square()
    (-each.logsumexp(1).mean(){}).backward()
"""


def test_softmax_of_one_entry_is_a_fault_only_if_nothing_else_learns():
    def level(program):
        return [(one.kind, one.level) for one in diagnose(traced(program)) if one.kind == "softmax_of_one"]

    assert level(MIXTURE.format("")) == [("softmax_of_one", "note")]
    assert level(MIXTURE.format("").replace(" - (x.sin() - mean(h)).square()", "")) == [("softmax_of_one", "fault")]


LATER = """
import torch
from torch import nn
from torch.nn import functional as F
torch.manual_seed(0)
body, head, side = nn.Linear(5, 8), nn.Linear(8, 2), nn.Linear(8, 3)
optimizer = torch.optim.SGD([*body.parameters(), *head.parameters(){}], lr=0.1)
x, y, z = torch.randn(20, 5), torch.randint(0, 2, (20,)), torch.randint(0, 3, (20,))
for epoch in range(4):
    h = {}
    extra = F.cross_entropy(side(h), z)
    loss = F.cross_entropy(head(h), y)
    {}
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item(), extra.item())
"""


SIDE, TANH, ADDED = ", *side.parameters()", "torch.tanh(body(x))", "if epoch > 9:\n        loss = loss + extra"


@pytest.mark.parametrize(
    "held, hidden, later, kind, level",
    [
        ("", "body(x).detach()", "pass", "gradient_cut", "fault"),
        ("", "body(x).detach() if epoch < 9 else body(x)", "pass", "gradient_cut", "note"),
        (SIDE, TANH, "pass", "loss_dropped", "fault"),
        (SIDE, TANH, ADDED, "loss_dropped", "note"),
    ],
)
def test_problems_a_longer_run_may_resolve_are_notes(held, hidden, later, kind, level):
    found = diagnose(traced(LATER.format(held, hidden, later)))
    assert [one.level for one in found if one.kind == kind] == [level]
