"""A long run whose middle was only counted: unseen events are not reported as missing."""

from functools import cache
from textwrap import dedent

import pytest

from explorer.analysis.diagnose.faults.diagnosis import diagnose
from explorer.analysis.diagnose.faults.optimizer_audit import audit
from explorer.analysis.diagnose.health.report import report
from explorer.analysis.diagnose.health.report_text import optimizers_text
from explorer.analysis.diagnose.health.sections import report_text
from explorer.program import read_program
from explorer.runtime.execute import execute
from explorer.trace import Options

HEAD = """
import torch
torch.manual_seed(0)
x, y = torch.randn(8, 3), torch.randn(8, 1)
"""


def trained(rounds: int, prediction: str = "net(x)", leaves: str = "net.parameters()") -> str:
    """Return a training loop."""
    return f"""
optimizer = torch.optim.SGD({leaves}, 0.1)
for i in range({rounds}):
    optimizer.zero_grad()
    loss = torch.nn.functional.mse_loss({prediction}, y)
    loss.backward()
    optimizer.step()
"""


PLANS = """
import torch
torch.manual_seed(0)
def plan(start):
    u = torch.nn.Parameter(torch.zeros(5, 2))
    optimizer = torch.optim.SGD((u,), 0.1)
    for i in range(25):
        x = start
        for t in range(5):
            x = x + u[t]
        loss = (x - 1).pow(2).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return u
for k in range(10):
    u = plan(torch.randn(2))
"""
THREE = f"""{HEAD}first, second, third, never = (torch.nn.Linear(3, 1) for _ in range(4))
for net, rounds in ((first, 60), (second, 3), (third, 60)):
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    for i in range(rounds):
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(net(x), y)
        loss.backward()
        optimizer.step()
"""


@cache
def shortened(source: str, cap: int):
    trace = execute(read_program("-", source.encode()), Options(), operation_cap=cap).check()
    assert any(bound.kind == "operations" for bound in trace.limits)
    return trace


@pytest.mark.sampled(2)
@pytest.mark.parametrize("cap", [200, 24, 400, 100])
def test_a_leaf_trained_in_the_dropped_part_is_not_called_idle(cap):
    trace = shortened(PLANS, cap)
    told = report(trace, diagnose(trace))
    groups = [optimizer.groups[0] for optimizer in told.optimizers.optimizers]
    assert not told.diagnoses and len(groups) == 10 and not any(group.idle for group in groups)


def test_the_report_uses_grad_if_a_backward_was_only_counted():
    trace = shortened(THREE, 200)
    rows = {row.name: row for row in report(trace).rows}
    assert "changed afterwards" not in report_text(report(trace)) and rows["first.weight"].later
    assert rows["second.weight"].state == "flows" and rows["second.weight"].backward is None
    of_one = {row.name: row for row in report(trace, backward=1).rows}
    assert of_one["second.weight"].gradient is None  # .grad at the end is not this backward's gradient
    assert rows["never.weight"].gradient is None and rows["never.weight"].reason == "empty"
    assert [len(one.groups[0].trains) for one in report(trace).optimizers.optimizers] == [2, 2, 2]


AGAIN = f"{HEAD}net = torch.nn.Linear(3, 1){trained(100)}net = torch.nn.Linear(3, 1)\nprint(net(x).shape)\n"


def test_a_model_that_replaced_a_trained_one_has_no_gradient():
    trace = shortened(AGAIN, 200)
    trained, fresh = (row for row in report(trace).rows if row.name == "net.weight")
    assert (trained.state, fresh.state, fresh.reason) == ("flows", "none", "empty")
    assert trace.index.bound["net.weight"] == fresh.tensor


WAITS = (
    HEAD
    + """
net = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(net.parameters(), 0.1)
for epoch in range(3):
    for i in range(800):
        x + 1
    for i in range(30):
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(net(x), y).backward()
        optimizer.step()
{cleared}
with torch.no_grad():
    for i in range(800):
        net(x)
"""
)


@pytest.mark.parametrize("cleared", ["", "optimizer.zero_grad()"])
def test_training_before_the_first_recorded_read_is_not_called_idle(cleared):
    trace = shortened(WAITS.format(cleared=cleared), 40)
    (audit,) = report(trace).optimizers.optimizers
    assert not trace.backwards and not audit.groups[0].idle


def test_the_first_loss_is_not_taken_from_the_first_recorded_call():
    trace = shortened(WAITS.format(cleared=""), 300)
    assert len(trace.backwards) < 10 and "2.57 → 0.0756 over 90" in report_text(report(trace))


def test_entries_of_a_vector_are_not_reported_as_one_number():
    rounds = "for i in range(100):\n    torch.autograd.grad(torch.tanh(w), w, torch.ones(3))\n"
    program = f"import torch\nw = torch.zeros(3, requires_grad=True)\n{rounds}for i in range(100):\n    w + 1"
    assert "→ (3,) 0 … 0" in report_text(report(shortened(program, 50)))


def test_optimizers_recreated_on_one_line_are_reported_once():
    whole = optimizers_text(audit(execute(read_program("-", PLANS.encode()), Options())), "en")
    assert ["SGD" in line for line in whole] == [True] and "10" in whole[0]
    some = optimizers_text(audit(shortened(PLANS, 200)), "en")
    assert sum("SGD" in line for line in some) == 1  # .grad at the end shows that each one trains


ROWS = """
import torch
torch.manual_seed(0)
x, y = torch.randn(300, 4), torch.randn(300, 1)
net = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(net.parameters(), 0.01)
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, y), batch_size=300)
for epoch in range(12):
    for a, b in loader:
        optimizer.zero_grad()
        ((net(a) - b) ** 2).mean().backward()
        optimizer.step()
        kept = [row + 1 for row in a]
"""


def test_tensors_of_a_dropped_round_are_dropped_too():
    trace = shortened(ROWS, 400)
    assert len(trace.tensors) < 3 * 400
    told = report(trace)
    assert not trace.backwards and "no backward ran" not in report_text(told).lower()
    assert {row.state for row in told.rows} == {"flows"}  # known from .grad


LONG = """
import torch
torch.manual_seed(0)
x = torch.randn(20)
w = torch.zeros(20, requires_grad=True)
for i in range(9_000):
    loss = ((x - w) ** 2).mean() + 0.1 * w[i % 20]
    w.grad = None
    loss.backward()
    w.data -= 0.01 * w.grad
    if i == 600: break
"""


def test_a_later_gradient_is_not_called_changed_if_calls_were_dropped():
    assert "changed afterwards" not in report_text(report(shortened(LONG, 400)))


AVERAGE = f"""{HEAD}
net, mean = torch.nn.Linear(3, 1), torch.nn.Linear(3, 1).requires_grad_(False)
{trained(200, leaves="[*net.parameters(), *mean.parameters()]")}
    with torch.no_grad():
        for own, other in zip(mean.parameters(), net.parameters()):
            own.lerp_(other, 0.1)
"""


def test_frozen_averaged_parameters_are_not_called_trained():
    (group,) = report(shortened(AVERAGE, 400)).optimizers.optimizers[0].groups
    assert len(group.trains) == 2 and group.frozen == ("mean.weight", "mean.bias")


ROUNDS = """
import torch
torch.manual_seed(0)
x = torch.randn(40, 2)
y = x @ torch.tensor([[2.0], [-3.4]]) + 4.2
net = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(net.parameters(), 0.03)
for _ in range(20):
    for rows, wanted in zip(x.split(10), y.split(10)):
        loss = torch.nn.functional.mse_loss(net(rows), wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""


# The gap begins in each part of a round in turn, or spans two parts.
@pytest.mark.sampled(5)
@pytest.mark.parametrize("cap", [*range(60, 108, 4), 172, 226])
def test_a_round_cut_by_the_gap_has_no_fault(cap):
    assert diagnose(shortened(ROUNDS, cap)) == []


LAYER_IN_FORWARD = (
    f"{HEAD}first = torch.nn.Linear(3, 3){trained(60, 'torch.nn.Linear(3, 1)(first(x))', 'first.parameters()')}"
)


def test_counts_from_a_part_of_the_run_are_qualified():
    trace = shortened(LAYER_IN_FORWARD, 200)
    told = report(trace, diagnose(trace))
    [finding] = told.diagnoses
    assert finding.kind == "layer_in_forward" and finding.is_of_part
    assert "only on the recorded part" in report_text(told)
    assert len(told.optimizers.in_none) == 120  # weight and bias of each layer


def test_counts_from_the_whole_run_are_not_qualified():
    trace = execute(read_program("-", LAYER_IN_FORWARD.encode()), Options()).check()
    [finding] = diagnose(trace)
    assert finding.values["rounds"] == 60 and not finding.is_of_part


def test_parameters_that_were_only_initialised_did_not_train():
    idle = """
        import torch
        net = torch.nn.Linear(4, 2)
        optimizer = torch.optim.Adam(net.parameters())
        for i in range(300):
            net(torch.randn(4)).softmax(0)
        """
    trace = shortened(dedent(idle), 100)
    [optimizer] = report(trace, diagnose(trace)).optimizers.optimizers
    assert not optimizer.groups[0].trains


TRAINED_IN_TURN = """
import torch
torch.manual_seed(0)
x, y = torch.randn(8, 3), torch.randn(8, 3)
first, second = torch.nn.Linear(3, 3), torch.nn.Linear(3, 3)
def train(net, parts):
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    for i in range(60):
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(net(x if parts is None else parts(x)), y)
        loss.backward()
        optimizer.step()
{then}
"""
EVALUATED = """
train(first, None)
train(second, None)
for i in range(8):
    loss = torch.nn.functional.mse_loss(second(x), y)
    print(loss.item())
"""
FROZEN_LATER = """
train(first, None)
train(second, lambda x: first(x).detach())
"""


@pytest.mark.sampled(3)
@pytest.mark.parametrize("cap", [40, 100, 200])
@pytest.mark.parametrize("then", [EVALUATED, FROZEN_LATER])
def test_a_model_trained_in_the_dropped_part_is_not_called_untrained(then, cap):
    trace = shortened(TRAINED_IN_TURN.format(then=then), cap)
    assert not diagnose(trace) and not report(trace).having("none")
