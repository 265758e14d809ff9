"""Reports of programs: gradients by parameter, faults."""

import json

import pytest
import torch

import explorer
from explorer.analysis.diagnose.health.report import report as reported
from explorer.api.answers import answering
from tests.traces import trace_of

STATES = """
    import torch
    torch.manual_seed(0)
    net = torch.nn.Linear(3, 2)
    cut = torch.nn.Linear(3, 2)
    dead = torch.zeros(2, requires_grad=True)
    still = torch.nn.Linear(2, 1).requires_grad_(False)
    x = torch.ones(4, 3)
    c = cut(x).detach()
    loss = still(net(x) + c).sum() + (dead * dead).sum()
    loss.backward()
    """


@pytest.fixture(scope="module")
def report():
    return answering(trace_of(STATES)).report()


def test_every_parameter_has_its_state(report):
    states = {row.name: row.state for row in report.parameters}
    assert states == {
        "net.weight": "flows",
        "net.bias": "flows",
        "cut.weight": "none",
        "cut.bias": "none",
        "dead": "zero",
        "still.weight": "frozen",
        "still.bias": "frozen",
    }
    row = report.parameters["cut.weight"]
    assert (row.reason, row.cut.by, row.cut.line, row.gradient) == ("cut", "detach", 9, None)
    assert report.parameters["net.weight"].backward == 1 and report.sound


def test_the_report_names_each_problem_and_its_place(report):
    text = str(report)
    head, finding, *facts = text.split("\n")
    assert head.startswith("No fault found; 1 note; 2 of 4 parameters have finite gradients") and "2 are frozen" in head
    assert finding.startswith("Note, line 9: No gradient reaches cut.weight")  # a frozen part may be intended
    assert "  Without a gradient too (1): cut.bias" in facts
    assert any(line.split()[0] == "dead" and "dead * dead" in line for line in facts if line.strip())
    held = "opt = torch.optim.SGD([*net.parameters(), *cut.parameters()], 0.1)\n    x ="
    trained = answering(trace_of(STATES.rstrip().replace("x =", held, 1) + "\n    opt.step()\n")).report()
    assert not trained.sound and "Fault" in str(trained)  # an optimizer's parameters should be trained
    assert "4 个参数中有 2 个有有限的梯度" in str(answering(trace_of(STATES)).report(lang="zh"))


def test_the_report_converts_to_plain_data_and_html(report):
    plain = json.loads(json.dumps(report.to_json(), allow_nan=False))
    assert [one["state"] for one in plain["parameters"]].count("none") == 2
    assert plain["losses"][0]["name"] == "loss" and plain["diagnoses"]
    assert "cut.weight" in report._repr_html_() and "<script" not in report._repr_html_()


def test_gradients_as_a_table(report):
    table = report.parameters
    frame = table.to_pandas()
    assert list(frame.index) == [row.name for row in table] and frame.loc["dead", "norm"] == 0
    assert frame.loc["cut.bias", "why"].startswith("none: ")
    assert [row.name for row in table.having("zero")] == ["dead"] and len(table[:2]) == 2
    with pytest.raises(KeyError, match=r"Did you mean net\.weight"):
        table["net.wieght"]


def test_numpy_of_a_sampled_value_reports_the_sample():
    with explorer.record() as trace:
        large = torch.ones(100, 100)
    with pytest.raises(ValueError, match=r"a sample of 64 entries is kept"):
        trace["large"].numpy()
    assert large.shape == (100, 100)


def test_implicit_gradients_are_reported_as_hypothetical():
    """The report computes them itself: nothing of the program got a gradient."""
    told = answering(trace_of("import torch\nnet = torch.nn.Linear(2, 1)\nloss = net(torch.ones(3, 2)).sum()")).report()
    assert told.implicit and told.sound and "would have" in str(told)
    assert "会有有限的梯度" in str(told.__class__(**vars(told) | {"lang": "zh"}))


def test_a_returned_gradient_does_not_change_the_stored_one():
    lines = "y = (w * w).sum()\ny.backward(retain_graph=True)\n(g,) = torch.autograd.grad(3 * y, w)"
    row = reported(trace_of(f"import torch\nw = torch.ones(2, requires_grad=True)\n{lines}")).rows[0]
    assert row.gradient.entries == (6.0, 6.0) and row.grad.entries == (2.0, 2.0) and not row.changed


def test_final_zeros_of_gradcheck_are_not_its_inputs_gradient():
    lines = "import torch\nx = torch.ones(2, dtype=torch.double, requires_grad=True)\n"
    told = reported(trace_of(lines + "torch.autograd.gradcheck(lambda x: x ** 2, x)"))
    assert [row.state for row in told.rows] == ["flows"]


def test_without_a_backward_the_report_says_so_once():
    said = str(answering(trace_of("import torch\nnet = torch.nn.TransformerEncoderLayer(8, 2)\n")).report())
    assert said == "No fault found.\nNo backward ran."
