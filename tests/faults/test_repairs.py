"""Fixes of silent faults: each is run before it is offered, and its effect is the proof."""

from functools import cache

import pytest

import explorer
from explorer.analysis.run.source.code import Code
from explorer.analysis.run.source.expressions import changed_lines
from explorer.trace import Cell, Span
from explorer.workers.diagnoses import diagnose_with_verified_fixes, diagnoses_of
from tests.faults.programs import PROGRAMS
from tests.workers.test_explanations import failed

LOOP = "for k in range(2):\n    a()\n    b()\nc()"


@cache
def repaired(name):
    """Return the only diagnosis of a listed program, with its change."""
    trace = explorer.run(PROGRAMS[name].source)
    (one,) = diagnose_with_verified_fixes(trace)
    return one


def changes(name):
    """Return the lines that a program's fix removes and adds."""
    one = repaired(name)
    return [change.sign + change.text.strip() for change in changed_lines(PROGRAMS[name].source, one.offered.source)]


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "new", "proof"),
    [
        ("data_mul_before_backward", ["-y.backward()", "+y.backward()"], "x.grad 40 → 4"),
        ("no_zero_grad_manual", ["+w.grad = None"], None),
        ("cut_by_item", ["-scale = s.item()", "+scale = s"], "s.grad None → 3"),
        ("cut_by_argmax", ["+pred = (scores.softmax(-1) @ torch.arange(3.0)).float()"], None),
        ("cut_by_no_grad", ["-with torch.no_grad():", "+h = enc(x)"], None),
        ("functional_mse_n1", ["+loss = F.mse_loss(model(x).squeeze(-1), y)"], None),
        ("zero_grad_between_backward_and_step", ["+opt.zero_grad()", "-opt.zero_grad()"], None),
        ("step_rebinds_the_leaf", ["+with torch.no_grad():", "+x -= 0.1 * x.grad", "+x.grad = None"], None),
        ("labels_shuffled_apart", ["+order = torch.randperm(8)", "+x = x[order]", "+y = y[order]"], None),
        ("zero_grad_not_called", ["-opt.zero_grad", "+opt.zero_grad()"], None),
        (
            "where_trap",
            ["+y = torch.where(x > 0, torch.sqrt(torch.where(x > 0, x, 1.0)), x)"],
            "x.grad [0.25, NaN, NaN] → [0.25, 1, 1]",
        ),
        ("clamp_stops_the_gradient", ["+p = torch.sigmoid(w)"], "w.grad [0, 0] → [0.169, 0.0735]"),
        ("zero_over_zero", ["+unit = v / (v.norm() + 1e-8)"], None),
    ],
)
def test_a_fix_is_small_and_removes_the_fault(name, new, proof):
    assert set(new) <= set(changes(name))
    after = explorer.run(repaired(name).offered.source)
    assert after.status == "ok" and diagnoses_of(after) == ()
    assert repaired(name).proof == proof if proof else repaired(name).proof


@pytest.mark.parametrize("name", ["layer_never_called", "bias_not_in_optimizer"])
def test_changes_that_fail_or_leave_the_fault_are_not_offered(name):
    assert repaired(name).offered is None and repaired(name).proof is None


def test_a_program_that_failed_is_not_run_again():
    trace = explorer.run("# %%\nimport torch\nw = torch.tensor([1, 2])\nw[0] = 0.5\n# %%\nprint(lost)\n")
    (one,) = diagnose_with_verified_fixes(trace)
    assert one.repairs and one.offered is None


def test_a_fix_is_made_in_its_own_cell():
    trace = explorer.run("# %%\nimport torch\n# %%\nw = torch.tensor([1, 2])\nw[0] = 0.5\nprint(w)\n")
    (one,) = diagnose_with_verified_fixes(trace)
    assert one.offered.cell == one.place.cell == trace.cells.index(trace.cells[-1])
    assert one.offered.source.startswith("w = torch.tensor([1, 2], dtype=torch.float32)")


def test_nothing_is_run_without_a_fault():
    trace = failed("x")
    assert diagnose_with_verified_fixes(trace) == () and diagnose_with_verified_fixes(
        trace
    ) is diagnose_with_verified_fixes(trace)


def test_a_fix_repeats_its_change_at_every_affected_line():
    (one,) = diagnose_with_verified_fixes(
        explorer.run(
            "import torch\na = torch.tensor(1.0, requires_grad=True)\nb = torch.tensor(2.0, requires_grad=True)\n"
            "for _ in range(3):\n    ((a - 3) ** 2 + (b + 1) ** 2).backward()\n    with torch.no_grad():\n"
            "        a -= 0.1 * a.grad\n        b -= 0.1 * b.grad\n"
        )
    )
    assert {"        a.grad = None", "        b.grad = None"} <= set(one.offered.source.split("\n"))


@pytest.mark.parametrize(
    ("optimizer", "then", "change"),
    [
        ("SGD(copy.deepcopy(net).parameters(), 0.1)", "", "+opt = torch.optim.SGD(net.parameters(), 0.1)"),
        ("SGD(net.parameters(), 0.1)", "net[1] = nn.Linear(4, 1)\n", "+net[1] = nn.Linear(4, 1)"),
    ],
)
def test_an_optimizer_with_another_models_parameters_is_fixed(optimizer, then, change):
    before = (
        f"import copy, torch\nfrom torch import nn\nnet = nn.Sequential(nn.Linear(2, 4), nn.Linear(4, 3))\n"
        f"opt = torch.optim.{optimizer}\n{then}x = torch.ones(5, 2)\n"
        "loss = net(x).square().sum()\nloss.backward()\nopt.step()\n"
    )
    (one,) = diagnose_with_verified_fixes(explorer.run(before))
    assert change in [part.sign + part.text for part in changed_lines(before, one.offered.source)]
    assert diagnoses_of(explorer.run(one.offered.source)) == ()


LISTED = """import torch
from torch import nn
torch.manual_seed(0)
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(4):
    losses = []
    for _ in range(3):
        x = torch.randn(4, 3)
        losses.append((net(x) - x[:, :1]).pow(2).mean().item())
    loss = torch.tensor(losses, requires_grad=True).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
"""
PAIR = """import torch
from torch import nn
torch.manual_seed(0)
first, second = nn.Linear(4, 2), nn.Linear(2, 1)
ours, theirs = torch.optim.SGD(first.parameters(), 0.1), torch.optim.SGD(second.parameters(), 0.1)
for _ in range(4):
    theirs.zero_grad()
    made = first(torch.randn(8, 4))
    (second(torch.randn(8, 2)).mean() - second(made).mean()).backward()
    theirs.step()
    (-second(first(torch.randn(8, 4))).square().mean()).backward()
    ours.step()
"""


@pytest.mark.parametrize(
    ("program", "lines", "name"),
    [
        (LISTED, ["+    loss = torch.stack(losses).mean()"], "net.weight.grad None → "),
        (PAIR, ["+    ours.zero_grad()"], "first.weight.grad ["),
        ("import torch\nx = torch.ones(4, 2)\n" + PROGRAMS["zero_grad_not_called"].source, ["+opt.zero_grad()"], ""),
    ],
)
def test_a_proof_shows_that_the_cause_is_gone(program, lines, name):
    """A different loss proves nothing, nor does a run without the diagnosis."""
    one = next(one for one in diagnose_with_verified_fixes(explorer.run(program)) if one.offered)
    new = [change.sign + change.text for change in changed_lines(program, one.offered.source)]
    assert {line.replace(" ", "") for line in lines} <= {line.replace(" ", "") for line in new}
    assert one.proof.startswith(name) and ".grad" in one.proof


def test_a_late_zero_grad_moves_before_the_backward():
    (one,) = [one for one in diagnose_with_verified_fixes(explorer.run(PAIR)) if one.kind == "gradient_stale"]
    lines = [line.strip() for line in one.offered.source.split("\n")]
    assert lines.index("ours.zero_grad()") < lines.index("ours.step()")


@pytest.mark.parametrize(
    ("lines", "change"),
    [
        ("@torch.no_grad()\ndef f(x):\n    return a(x)\nloss = b(f(x)).square().mean()", "-@torch.no_grad()"),
        (
            "q = torch.softmax(x, 1)\nloss = F.kl_div(torch.softmax(a(x), 1), q, reduction='batchmean')",
            "+loss = F.kl_div(torch.log_softmax(a(x), 1), q, reduction='batchmean')",
        ),
        (
            "size = sum(p.norm().item() for p in a.parameters())\nloss = a(x).square().mean() + 0.1 * size",
            "+size = sum(p.norm() for p in a.parameters())",
        ),
    ],
)
def test_missing_history_or_logarithm_is_restored(lines, change):
    head = "import torch\nimport torch.nn.functional as F\na, b = torch.nn.Linear(3, 3), torch.nn.Linear(3, 1)\n"
    program = f"{head}opt = torch.optim.SGD([*a.parameters(), *b.parameters()], 0.1)\nx = torch.ones(4, 3)\n{lines}\n"
    program += "loss.backward()\nopt.step()\n"
    found = diagnose_with_verified_fixes(explorer.run(program))
    changes = [
        part.sign + part.text for one in found if one.offered for part in changed_lines(program, one.offered.source)
    ]
    assert change in changes


def test_no_fix_is_offered_for_the_deviation_of_one_number():
    source = (
        "import torch\nw = torch.ones(1, requires_grad=True)\no = w * 2\nloss = ((o - o.mean()) / o.std()).sum()\n"
        "loss.backward()\n"
    )
    (one,) = diagnose_with_verified_fixes(explorer.run(source))
    assert one.kind == "nan_forward" and one.offered is None


def test_no_fix_of_nan_that_changes_the_loss_is_offered():
    source = (
        "import torch\nx = torch.tensor([0., 1., 4.], requires_grad=True)\nh = torch.sqrt(x)\n"
        "p = torch.log(torch.relu(h))\nm = torch.where(h > 0, p, torch.zeros(()))\nm.sum().backward()\n"
    )
    (one,) = diagnose_with_verified_fixes(explorer.run(source))
    assert one.kind == "nan_backward" and one.offered is None


def test_a_step_before_backward_moves_after_it():
    program = "import torch\nw = torch.zeros(3, requires_grad=True)\nopt = torch.optim.SGD([w], 0.1)\n"
    program += "for _ in range(4):\n    loss = (w - 1).square().sum()\n"
    program += "    opt.step()\n    opt.zero_grad()\n    loss.backward()\n"
    (one,) = diagnose_with_verified_fixes(explorer.run(program))
    assert one.kind == "step_before_backward"
    assert one.offered.source.split("\n")[5:8] == ["    opt.zero_grad()", "    loss.backward()", "    opt.step()"]
    assert one.proof == "step() after backward() 3 / 4 → 4 / 4"


def test_a_proof_of_many_entries_shows_a_formerly_nonfinite_one():
    program = "import torch\nx = torch.tensor([[3., 4.], [1., -1.], [0., 0.], [1., 2.]], requires_grad=True)\n"
    program += "norm = (x ** 2).sum(1).sqrt()\nloss = (x / (norm + 1e-8).unsqueeze(1)).sum()\nloss.backward()\n"
    (one,) = diagnose_with_verified_fixes(explorer.run(program))
    assert one.proof.startswith("x.grad[2, 0] NaN → ")


def line(source: str, number: int) -> Code:
    cell = Cell(source, [])
    return Code(cell, Span(0, number, 0, number, len(cell.lines[number - 1])))


def test_a_moved_line_is_reindented():
    assert line(LOOP, 4).move_line(2).source == "for k in range(2):\n    a()\n    c()\n    b()"
    assert line(LOOP, 2).move_line(4).source == "for k in range(2):\n    b()\nc()\na()"
    assert line(LOOP, 4).move_line(0).source == "c()\nfor k in range(2):\n    a()\n    b()"
    assert line(LOOP, 4).move_line(3, after=False).source == "for k in range(2):\n    a()\n    c()\n    b()"
    assert line(LOOP, 3).add_after("d()").source == "for k in range(2):\n    a()\n    b()\n    d()\nc()"
    assert line(LOOP, 2).replace_line("d()").source == "for k in range(2):\n    d()\n    b()\nc()"


def test_a_one_line_body_is_extended_on_its_line():
    short = line("for k in range(2): a(); b()  # twice\nc()", 1)
    assert short.add_after("d()").source == "for k in range(2): a(); b(); d()  # twice\nc()"
    assert short.add_before("d()").source == "for k in range(2): d(); a(); b()  # twice\nc()"
    assert line("for k in {1: 2}:\n    a()", 1).add_before("d()").source == "d()\nfor k in {1: 2}:\n    a()"
    assert line("y = x[1: 2]", 1).add_after("d()").source == "y = x[1: 2]\nd()"


def test_only_whole_statements_are_moved_or_dropped():
    assert line(LOOP, 1).move_line(4) is None and line(LOOP, 4).move_line(1) is None
    assert line(LOOP, 2).move_line(2) is None
    assert line("f(\n    x,\n)", 1).drop_line() is None and line("a = 1 + \\\n  2", 1).drop_line() is None


def test_a_block_is_not_left_empty():
    assert line("if x:\n    a()\nb()", 2).drop_line() is None
    assert line("if x:\n    a()\n    b()", 2).drop_line().source == "if x:\n    b()"
