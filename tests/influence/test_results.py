"""Results that reach nothing are reported at the line that computes them, and no others."""

import pytest

from explorer.analysis.diagnose.faults.diagnosis import diagnose
from explorer.analysis.diagnose.influence.results import unused_results
from tests.traces import trace_of

START = """
import torch
from torch import nn
from torch.nn import functional as F
torch.manual_seed(0)
net = nn.Linear(3, 2)
opt = torch.optim.SGD(net.parameters(), 0.1)
x, y = torch.randn(8, 3), torch.randn(8, 2)
def distance(a, b):
    gap = a - b
    return gap.square().mean()
"""
LOOP = START + "for step in range(4):\n    out = net(x)\n{}    opt.zero_grad(); loss.backward(); opt.step()\n"


def unused(lines: str) -> list[tuple[str, int, int]]:
    trace = trace_of(LOOP.format("".join(f"    {line}\n" for line in lines.split("\n"))))
    return [(trace.text(one.span), one.unused, one.rounds) for one in unused_results(trace) or ()]


def test_a_result_that_is_overwritten_before_it_is_read_is_unused():
    assert unused("loss = distance(out, y)\nloss = F.mse_loss(out, y)") == [("distance(out, y)", 4, 4)]


def test_the_function_is_used_elsewhere_and_only_the_one_call_is_reported():
    assert unused("gap = distance(out, x[:, :2])\ndel gap\nloss = distance(out, y)") == [
        ("distance(out, x[:, :2])", 4, 4)
    ]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "use",
    [
        "print(f'{extra:.3f}')",
        "print(extra)",
        "number = extra.item()",
        "if extra > 0: pass",
        "loss = loss + extra",
        "size = extra.shape",
        "history.append(extra.detach())",
        "extra.numpy(force=True)",
        "from matplotlib import pyplot as plt; plt.bar([0], extra.detach())",
        "total += extra.detach()",
        "with torch.no_grad(): net.bias.add_(0 * extra)",
    ],
)
def test_a_result_that_is_read_in_any_way_is_used(use):
    begin = "if step == 0: history, total = [], torch.zeros(())\nloss = distance(out, y)\nextra = out.abs().mean()\n"
    assert unused(f"{begin}{use}\ndel extra") == []


def test_a_result_of_one_round_that_the_next_one_reads_is_used():
    begin = "if step == 0: state = out.detach()\n"
    assert unused(f"{begin}loss = (out - state).square().mean() + out.mean()\nstate = out.detach() * 2") == []


def test_only_the_last_of_several_gradients_is_used():
    source = (
        START
        + """
for task in range(3):
    for _ in range(3):
        fast = list(net.parameters())
        grads = torch.autograd.grad(F.mse_loss(F.linear(x, *fast), y), fast, create_graph=True)
        fast = [p - 0.1 * g for p, g in zip(fast, grads)]
    opt.zero_grad(); F.mse_loss(F.linear(x, *fast), y).backward(); opt.step()
"""
    )
    found = diagnose(trace_of(source))
    assert [(one.kind, one.values["unused"], one.values["rounds"]) for one in found] == [("result_unused", 6, 9)]
    carried = source.replace("        fast = list(net.parameters())\n", "").replace(
        "    for _", "    fast = list(net.parameters())\n    for _"
    )
    assert diagnose(trace_of(carried)) == []


def test_a_metric_that_a_later_cell_may_read_is_not_reported():
    assert diagnose(trace_of(LOOP.format("    loss = distance(out, y)\n    hits = (out > 0).float().mean()\n"))) == []


def test_an_optimizer_that_another_one_replaced_never_steps():
    again = "opt.load_state_dict(opt.state_dict())\nopt = torch.optim.SGD(net.parameters(), 0.1)\n"
    source = LOOP.format("    loss = distance(out, y)\n")
    found = diagnose(trace_of(source.replace("x, y =", f"{again}x, y =")))
    assert [(one.kind, one.place.line) for one in found] == [("optimizer_unused", 7)]
    assert diagnose(trace_of(source)) == []


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "write",
    [
        "torch.mul(out.detach(), 2, out=kept[0])",
        "torch.mul(out.detach(), 2, out=kept.view(2, 8, 2)[1])",
        "kept[0].copy_(out.detach())",
    ],
)
def test_a_write_into_a_part_of_a_tensor_that_is_read_later_is_used(write):
    begin = "if step == 0: kept = torch.zeros(2, 8, 2)\nloss = distance(out, y)\n"
    assert unused(f"{begin}{write}\nif step == 3: print(kept.sum())") == []


def test_a_write_into_memory_of_unknown_place_is_used():
    begin = "if step == 0: kept = torch.zeros(2, 3).to_sparse()\nloss = distance(out, y)\n"
    assert unused(f"{begin}kept.add_(out.detach().sum() * torch.ones(2, 3).to_sparse())\nprint(kept)") == []


def test_a_function_that_a_library_tries_is_not_an_unused_result():
    trace = trace_of("""import torch
from torch.nn.utils import parametrize
class Positive(torch.nn.Module):
    def forward(self, w):
        return torch.nn.functional.softplus(w)
    def right_inverse(self, w):
        return w.expm1().log()
net = torch.nn.Linear(3, 3)
with torch.no_grad():
    net.weight.abs_()
parametrize.register_parametrization(net, "weight", Positive())
opt = torch.optim.SGD(net.parameters(), 0.1)
x = torch.ones(2, 3)
for step in range(3):
    loss = (net(x) ** 2).sum()
    opt.zero_grad(); loss.backward(); opt.step()
""")
    assert unused_results(trace) == []
