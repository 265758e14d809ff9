"""The order of a report: the verdict, the findings, then only what is not fine."""

import re

import pytest

from explorer.analysis.faults.diagnosis import diagnose
from explorer.analysis.findings import Finding, bugs
from explorer.analysis.health.report import report
from explorer.analysis.levels import ORDER
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
    assert bugs([effect, late, root]) == [(root, effect), (late,)]  # a note that explains a fault is that bug
    assert bugs([finding("a", 1, causes=("b",)), finding("b", 2, causes=("a",))])  # no endless chain


def test_a_sound_report_says_so_in_its_first_line():
    text = str(
        reported(
            MLP.replace(
                "y = torch.randn(32, 3), torch.randn(32)", "y = torch.randn(32, 3), torch.randn(32, 1)"
            ).replace("    loss.back", "    o.zero_grad()\n    loss.back")
        )
    )
    assert text.startswith("No fault found; 4 of 4 parameters have finite gradients (norms ") and "SGD" not in text


def test_later_starts_of_nan_follow_the_finding_and_are_no_findings():
    lines = str(reported(GROWS)).split("\n")
    assert lines[0].startswith("1 fault: line ") and sum(line.startswith("Fault") for line in lines) == 1
    assert "  Then: NaN in w * x (line 6)" in lines


@pytest.mark.sampled(60)
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
