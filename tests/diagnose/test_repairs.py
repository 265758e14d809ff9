"""Changes that take a silent fault away: each is run before it is offered, and what it changed is its proof."""

import json
from functools import cache
from pathlib import Path

import pytest

import explorer
from explorer.diagnosed import diagnosed, mended
from explorer.explain import changed_lines
from tests.test_explained import failed

CASES = {case["name"]: case for case in json.loads(Path(__file__).with_name("programs.json").read_text("utf-8"))}


@cache
def repaired(name):
    """The one diagnosis of a program of the list, with its change."""
    trace = explorer.run(CASES[name]["source"])
    (one,) = mended(trace)
    return one


def changes(name):
    """The lines that the change of a program takes away and brings."""
    one = repaired(name)
    return [change.sign + change.text.strip() for change in changed_lines(CASES[name]["source"], one.repair.text)]


@pytest.mark.parametrize(
    ("name", "new", "proof"),
    [
        ("data_mul_before_backward", ["-x.data.mul_(10)", "+x.data.mul_(10)"], "x.grad 40 → 4"),
        ("no_zero_grad_manual", ["+w.grad = None"], "loss 3.1 → 6.55"),
        ("cut_by_item", ["-scale = s.item()", "+scale = s"], "s.grad None → 3"),
        ("cut_by_no_grad", ["-with torch.no_grad():", "+h = enc(x)"], None),
        ("bias_not_in_optimizer", ["+opt = torch.optim.SGD([w, b], lr=0.1)"], None),
        ("functional_mse_n1", ["+loss = F.mse_loss(model(x).squeeze(-1), y)"], None),
        ("zero_grad_between_backward_and_step", ["+opt.zero_grad()", "-opt.zero_grad()"], None),
        ("step_rebinds_the_leaf", ["+with torch.no_grad():", "+x -= 0.1 * x.grad", "+x.grad = None"], None),
        ("labels_shuffled_apart", ["+order = torch.randperm(8)", "+x = x[order]", "+y = y[order]"], None),
        ("zero_grad_not_called", ["-opt.zero_grad", "+opt.zero_grad()"], None),
    ],
)
def test_a_change_is_near_the_program_and_takes_the_fault_away(name, new, proof):
    assert set(new) <= set(changes(name))
    after = explorer.run(repaired(name).repair.text)
    assert after.status == "ok" and diagnosed(after) == ()
    assert repaired(name).proof == proof if proof else repaired(name).proof


@pytest.mark.parametrize("name", ["where_trap", "requires_grad_set_on_loss", "cut_by_numpy_round_trip", "dead_relu"])
def test_a_change_that_fails_or_leaves_the_fault_is_not_offered(name):
    assert repaired(name).repair is None and repaired(name).proof == ""


def test_a_program_that_failed_is_not_run_again():
    trace = explorer.run("# %%\nimport torch\nw = torch.tensor([1, 2])\nw[0] = 0.5\n# %%\nprint(lost)\n")
    (one,) = mended(trace)
    assert one.found.repairs and one.repair is None


def test_a_change_is_made_in_its_own_cell():
    trace = explorer.run("# %%\nimport torch\n# %%\nw = torch.tensor([1, 2])\nw[0] = 0.5\nprint(w)\n")
    (one,) = mended(trace)
    assert one.repair.cell == one.found.place.cell == trace.cells.index(trace.cells[-1])
    assert one.repair.text.startswith("w = torch.tensor([1, 2], dtype=torch.float32)")


def test_nothing_is_run_where_nothing_is_wrong():
    trace = failed("x")
    assert mended(trace) == () and mended(trace) is mended(trace)
