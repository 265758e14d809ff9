"""A rule that takes too long does not keep the others from reporting, and the report names it."""

from dataclasses import replace

from explorer.analysis.diagnose.faults import diagnosis
from explorer.analysis.diagnose.faults.diagnosis import RULES, diagnose, search
from explorer.analysis.diagnose.health.report import report
from explorer.trace import encode
from explorer.trace import read as read_trace
from tests.measured import grows_in_proportion
from tests.programs import traced

TRUNCATED = "import torch\nweights = torch.tensor([1, 2])\nweights[0] = 0.7\n"
TEACHER = """
import torch
from torch import nn
from torch.nn import functional as F
torch.manual_seed(0)
student, teacher = nn.Linear(2, 2), nn.Linear(2, 2)
for p in teacher.parameters():
    p.requires_grad = False
x, y = torch.randn(20, 2), torch.randint(0, 2, (20,))
for step in range({}):
    opt = torch.optim.SGD(student.parameters(), lr=0.1, momentum=0.9)
    loss = F.cross_entropy(student(x), y) + F.mse_loss(student(x), teacher(x))
    opt.zero_grad()
    loss.backward()
    opt.step()
    for t, s in zip(teacher.parameters(), student.parameters()):
        t.data.mul_(0.9).add_(s.data, alpha=0.1)
"""


def endless(run):
    while True:
        sum(range(1_000))
    yield


def test_rules_that_finished_report_and_the_others_are_named(monkeypatch):
    monkeypatch.setattr(diagnosis, "RULES", (endless, *RULES))
    trace = traced(TRUNCATED)
    done = search(trace, 4.0)
    assert [one.kind for one in done.findings] == ["truncated"] and done.unfinished == ("endless",)
    told = replace(report(trace, done.findings), unfinished=done.unfinished)
    assert "Not searched for in time: endless." in str(told)


def test_a_part_of_a_search_never_makes_a_program_sound():
    trace = traced("import torch\nw = torch.ones(2, requires_grad=True)\nw.sum().backward()\n")
    assert report(trace, diagnose(trace)).sound
    assert replace(report(trace, diagnose(trace)), unfinished=("flat",)).sound is None


def test_a_search_with_enough_time_finds_the_same():
    trace = traced(TRUNCATED)
    assert list(search(trace, 60.0).findings) == diagnose(trace) and not search(trace, 60.0).unfinished


def test_the_search_grows_with_a_program_that_creates_its_optimizer_in_every_round():
    traces = {rounds: encode(traced(TEACHER.format(rounds))) for rounds in (8, 64)}
    assert grows_in_proportion(lambda rounds: diagnose(read_trace(traces[rounds])), 8)
