"""The order of a report: the verdict, the findings, then only what is not fine."""

import re
from dataclasses import replace

import pytest

from explorer.analysis.diagnose.faults.diagnosis import diagnose
from explorer.analysis.diagnose.findings import Finding, bugs
from explorer.analysis.diagnose.health.report import report
from explorer.analysis.diagnose.health.sections import kind_texts
from explorer.analysis.diagnose.messages import Checked
from explorer.analysis.run.levels import ORDER
from explorer.trace import Span
from tests.faults.programs import PROGRAMS
from tests.traces import trace_of

MLP = """
import torch
from torch import nn
torch.manual_seed(0)
x, y = torch.randn(32, 3), torch.randn(32)
model = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1))
o = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(20):
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    o.step()
"""
HOOKED = """
import torch
from torch import nn
torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
for p in net.parameters():
    p.register_hook(lambda gradient: gradient * 0)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(12):
    loss = ((net(x) - y) ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
"""
DIVERGES = """
import torch
torch.manual_seed(0)
x = torch.randn(50, 5)
y = x.sum(1, keepdim=True)
m = torch.nn.Linear(5, 1)
opt = torch.optim.SGD(m.parameters(), lr=10.0)
for i in range(15):
    loss = (m(x) - y).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
"""
UPHILL = """
import torch
w = torch.tensor([2.0, -1.0], requires_grad=True)
for k in range(250):
    loss = (w ** 2).sum()
    loss.backward()
    with torch.no_grad():
        w += 0.1 * w.grad
        w.grad.zero_()
"""
GROWS = """
import torch
x = torch.arange(5.0)
w = torch.zeros(1, requires_grad=True)
for step in range(40):
    loss = ((w * x - 3 * x) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        w -= 10 * w.grad
        w.grad = None
"""


def reported(source):
    trace = trace_of(source)
    return report(trace, diagnose(trace))


def finding(kind, line, level="fault", causes=()):
    return Finding(kind, Span(0, line, 0, line, 1), level=level, causes=causes)


def test_the_finding_is_on_the_second_line_and_the_facts_come_last():
    head, first, *rest = str(reported(MLP)).split("\n")
    assert head == "2 faults: line 9, line 11." and first.startswith("Fault, line 9: ")
    assert [line for line in rest if line.startswith("Fault")] == [line for line in rest if "line 11" in line][:1]
    assert rest[-3].startswith("loss: ") and rest[-2].startswith("4 of 4 parameters have finite gradients (norms ")


def test_faults_come_before_notes_and_a_root_cause_before_its_consequences():
    late, early = finding("late", 9), finding("early", 2)
    note = finding("note", 1, "note")
    effect = finding("effect", 3, causes=("root",))
    root = finding("root", 5, "note")
    assert bugs([late, note, early]) == [(early,), (late,), (note,)]
    assert bugs([effect, late, root]) == [(root, effect), (late,)]  # a note that explains a fault joins it
    assert bugs([finding("a", 1, causes=("b",)), finding("b", 2, causes=("a",))])  # a cycle does not loop forever


def test_the_verdict_names_the_fault_of_a_bug_whose_root_cause_is_a_note():
    told = reported(HOOKED)
    head, first, *rest = str(told).split("\n")
    assert head == "1 fault: line 13." and first.startswith("Note, line 8: ") and "[hook_zeroes]" in first
    assert [line for line in rest if line.startswith("  It causes: Fault, line 13: ")]
    assert kind_texts(told, "note") == [] and kind_texts(told, "fault") == ["cannot_learn (line 13)"]


def test_a_loss_that_grows_until_it_is_infinite_is_one_fault():
    assert [one.kind for one in diagnose(trace_of(DIVERGES))] == ["loss_nonfinite"]
    assert "loss_grows" in [one.kind for one in diagnose(trace_of(UPHILL))]  # the line with the wrong sign


def test_a_sound_report_says_so_in_its_first_line():
    text = str(
        reported(
            MLP.replace(
                "y = torch.randn(32, 3), torch.randn(32)", "y = torch.randn(32, 3), torch.randn(32, 1)"
            ).replace("    loss.back", "    o.zero_grad()\n    loss.back")
        )
    )
    assert text.startswith("No fault found; 4 of 4 parameters have finite gradients (norms ") and "SGD" not in text


@pytest.mark.parametrize("kind", ["differs", "depends", "padding", "target"])
def test_a_run_whose_gradients_do_not_match_is_not_called_free_of_faults(kind):
    told = reported("import torch\nw = torch.ones(2, requires_grad=True)\n(w * w).sum().backward()")
    assert str(told).startswith("No fault found; ")
    assert "o fault found" not in str(replace(told, checked=Checked(kind)))


def test_later_starts_of_nan_follow_the_finding_and_are_no_findings():
    lines = str(reported(GROWS)).split("\n")
    assert lines[0].startswith("1 fault: line ") and sum(line.startswith("Fault") for line in lines) == 1
    assert "  Then: NaN in w * x (line 6)" in lines


@pytest.mark.sampled(120)
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_report_starts_with_its_findings_and_says_nothing_twice(name, lang):
    trace = trace_of(PROGRAMS[name].source)
    found = diagnose(trace)
    levels = [min(ORDER.index(one.level) for one in bug) for bug in bugs(found)]
    assert levels == sorted(levels) and [one for bug in bugs(found) for one in bug] == found
    text = str(report(trace, found, lang=lang))
    lines = text.split("\n")
    if found and trace.end == "ok":
        assert f"[{found[0].kind}]" in lines[1]
    sentences = [
        part for line in lines for part in re.split(r"(?<=[.。]) ?(?=[A-Z]|[^\x00-\x7f])", line.strip()) if part
    ]
    assert len(sentences) == len(set(sentences))
