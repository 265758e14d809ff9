"""Explanations from a child: its answers, and what remains if it hangs or lies."""

import pytest
from msgspec.structs import replace

import explorer
from explorer.analysis.diagnose.errors.failure_context import Explanation
from explorer.analysis.diagnose.errors.replies import MOST, explain
from explorer.analysis.diagnose.messages import proof_text
from explorer.analysis.run.source.code import Repair
from explorer.program import CellSource, Program
from explorer.sandbox import limited_trace
from explorer.trace import Cell, Failure, Options, Span
from explorer.workers.explanations import explain_with_verified_fixes, explanations_of, verify_fix
from explorer.workers.second_run import RepairRunner


def failed(source: str, times: int = 1):
    trace = limited_trace(Program([CellSource(source)]), Options(), "crash", 0.0, 0, 1)
    outputs = [Failure("TypeError", "'torch.Size' object is not callable", 0, []) for _ in range(times)]
    return replace(trace, cells=[Cell(source, outputs)])


def test_the_child_explains_like_the_rules():
    trace = explorer.run("# %%\nimport torch\nx = torch.ones(2)\n# %%\nx + torch.ones(3)\n# %%\nx.shape()\n")
    assert len(trace.shown(Failure)) == 2
    for cell, _, failure in trace.shown(Failure):
        assert explanations_of(trace).of(trace, cell, failure) == explain(trace, cell, failure) is not None


def test_only_the_first_errors_are_explained_and_the_next_reports_the_limit():
    trace = failed("x", 2 * MOST)
    told = [explanations_of(trace).of(trace, 0, failure) for failure in trace.cells[0].outputs]
    kinds = [one and one.kind for one in told]
    assert kinds == ["shape-called"] * MOST + ["beyond"] + [None] * (MOST - 1)


@pytest.mark.thorough
@pytest.mark.parametrize("source", ["hang", "nonsense", "another kind", "a value missing", "no such cell", "too many"])
def test_a_hanging_or_invalid_child_leaves_torchs_message(stuck, source):
    assert explanations_of(failed(source), stuck).found == {}


def test_a_child_explains_only_failures(stuck):
    assert list(explanations_of(failed("true"), stuck).found) == [(0, 0)]
    assert explanations_of(failed("no error there"), stuck).found == {}


def test_a_trace_is_explained_once(stuck):
    trace = failed("true")
    assert explanations_of(trace, stuck) is explanations_of(trace, stuck)


def offered(source: str) -> tuple[str, str]:
    """Return the suggested text for a program's first error, and its proof; "" for none."""
    trace = explorer.run(source)
    cell, _, failure = trace.shown(Failure)[0]
    told = explain_with_verified_fixes(trace).of(trace, cell, failure)
    return told.repaired_source, told.proof or ""


def test_a_verified_fix_is_offered_with_the_resulting_output():
    source = "import torch\nx = torch.tensor([1., 2.], requires_grad=True)\n(x * x).backward()\n"
    fixed = source.replace("backward()", "sum().backward()")
    trace = explorer.run(source)
    cell, _, failure = trace.shown(Failure)[0]
    assert explanations_of(trace).of(trace, cell, failure).offered is None
    assert explain_with_verified_fixes(trace).of(trace, cell, failure).offered.source == fixed
    assert explain_with_verified_fixes(trace).of(trace, cell, failure).proof == "x.grad = [2, 4]"
    assert explanations_of(trace) is explain_with_verified_fixes(trace)


def test_a_gradient_that_does_not_depend_on_the_changed_line_proves_nothing():
    begin = "import torch\nx = torch.tensor(1., requires_grad=True)\n(x * 2).backward()\n"
    assert offered(f"{begin}k = torch.ones(2).copy()\n")[1] == "k = [1, 1]"


def test_a_fix_that_leaves_an_error_is_not_offered():
    twice = "import torch\nboxes = torch.ones(2, 3)\nn = int(boxes.item())\n"
    then = "import torch\na = torch.ones(2, 3)\nb = a @ a\nb[5]\n"
    assert offered(twice) == offered(then) == ("", "")


def test_the_same_mistake_on_the_next_line_is_fixed_too():
    source = "import torch\nw = torch.ones(1, 2, requires_grad=True)\na = w.T()\nb = a.T()\n(b * b).sum().backward()\n"
    assert offered(source) == (source.replace(".T()", ".T"), "w.grad = [2, 2]")


def test_missing_imports_are_added_together_and_run():
    source = "import torch\nlayer = nn.Linear(2, 1)\ny = F.relu(layer(torch.ones(2)))\n"
    text, _ = offered(source)
    assert text.split("\n")[1:3] == ["import torch.nn.functional as F", "from torch import nn"]


def test_an_added_import_may_reach_another_error():
    trace = explorer.run("import torch\nx = np.ones(2)\nload(x)\n")
    told = explain_with_verified_fixes(trace).of(trace, *trace.shown(Failure)[0][::2])
    assert told.offered and told.further == 4


def test_an_import_of_another_module_is_not_offered():
    assert offered("import torch\nF.resize(torch.ones(2), 3)\n") == ("", "")


def test_a_different_mistake_below_stays_and_its_line_is_named():
    trace = explorer.run("import torch\na = torch.ones(2, 3).T()\nb = a.copy()\n")
    told = explain_with_verified_fixes(trace).of(trace, *trace.shown(Failure)[0][::2])
    assert told.offered.source == "import torch\na = torch.ones(2, 3).T\nb = a.copy()\n"
    assert (
        proof_text("en", told)
        == "With this change the program gets past this error, then stops at line 3 for another reason"
    )


def test_each_of_several_cells_is_fixed_separately():
    trace = explorer.run("# %%\nimport torch\na = torch.ones(2, 3)\n# %%\na @ a\n# %%\na.shape()\n")
    told = explain_with_verified_fixes(trace).found.values()
    assert [one.offered.source for one in told] == ["a @ a.T", "a.shape"]


LOST = "import torch\nw = torch.ones(2, requires_grad=True)\nw[0] = 5\nloss = (w * w).sum()\nloss.backward()\n"


@pytest.mark.parametrize(
    "change", ["w = w.detach()", "w = w.clone()\nw = w.detach().requires_grad_(False)", "w = torch.ones(2)"]
)
def test_a_fix_that_removes_a_gradient_is_not_offered(change):
    before = explorer.run(LOST)
    text = LOST.replace("w[0] = 5", change).replace("loss.backward()", "loss.item()")
    told = Explanation("leaf-overwritten", Span(0, 3, 0, 3, 4), repairs=(Repair(0, text),))
    assert verify_fix(RepairRunner(before), 0, told).offered is None


def test_a_fix_that_runs_too_long_is_not_offered(monkeypatch):
    monkeypatch.setattr("explorer.workers.second_run.PATIENCE", 0.5)
    endless = "import torch\nx = torch.ones(2)\nfor _ in range(10 ** 9):\n    x = x.copy()\n"
    assert offered(endless) == ("", "")


def test_the_number_of_trial_runs_is_limited(monkeypatch):
    monkeypatch.setattr("explorer.workers.second_run.MOST_RUNS", 2)
    trace = explorer.run("# %%\nimport torch\n" + "# %%\ntorch.ones(2).T()\n" * 4)
    assert [bool(one.offered) for one in explain_with_verified_fixes(trace).found.values()] == [
        True,
        True,
        False,
        False,
    ]
