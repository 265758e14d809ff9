"""Sound trainings of every usual kind: no fault is told, and their report is sound."""

import re
from pathlib import Path

import pytest

import explorer
from explorer.analysis.faults.diagnosis import diagnose
from explorer.analysis.health.report import report
from explorer.workers.diagnoses import diagnose_with_verified_fixes
from tests.cases import with_thorough
from tests.programs import traced

HEAD = "import copy, math, torch\nfrom torch import nn\nimport torch.nn.functional as F\ntorch.manual_seed(0)\n"
TEXT = Path(__file__).with_name("sound.txt").read_text(encoding="utf-8")
PROGRAMS = dict(part.split("\n", 1) for part in re.split(r"(?m)^=== ", TEXT)[1:])


@pytest.mark.sampled(8)
@pytest.mark.parametrize("name", PROGRAMS)
def test_no_fault_is_told_of_a_sound_program(name):
    trace = traced(HEAD + PROGRAMS[name])
    told = report(trace, diagnose(trace))
    assert told.sound, str(told)


FURTHER = re.split(r"(?m)^=== ", Path(__file__).with_name("sound_further.txt").read_text(encoding="utf-8"))[1:]
QUICK = (
    *("pinn_lbfgs", "sac_twin_critics_and_temperature", "deep_equilibrium_implicit", "muon_like_custom_optimizer"),
    "difference_quotient_that_is_lost_in_the_recorded_sample_alone",
)


@pytest.mark.parametrize(
    "program", with_thorough(FURTHER, [name for one in FURTHER if (name := one.partition("\n")[0]) not in QUICK])
)
def test_nothing_is_told_of_further_sound_trainings_in_either_detail(program):
    for detail in ("complete", "light"):
        trace = traced(HEAD + program.partition("\n")[2], detail=detail)
        found = diagnose(trace)
        assert trace.status == "ok" and not found and report(trace, found).sound


FROZEN = ("distillation_teacher_in_train_mode", "mean_teacher_with_dropout", "linear_probe", "energy_model_langevin")


@pytest.mark.parametrize("name", FROZEN)
def test_a_light_recording_knows_what_an_optimizer_holds_too(name):
    trace = traced(HEAD + PROGRAMS[name], detail="light")
    assert report(trace, diagnose(trace)).sound and not diagnose(trace)


def told(source):
    return [(one.kind, one.level, one.place.line) for one in diagnose(traced(source))]


DROPPING = """
import torch, torch.nn.functional as F
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(4, 8), nn.Linear(8, 1)
    def forward(self, x):
        return self.b({}(self.a(x), 0.5{}))
net = Net()
opt = torch.optim.SGD(net.parameters(), 0.05)
x = torch.ones(8, 4)
for _ in range(3):
    opt.zero_grad()
    net(x).square().mean().backward()
    opt.step()
net.eval()
with torch.no_grad():
    print(net(x).mean())
"""


def test_a_functional_dropout_that_eval_does_not_switch_off_is_told_at_its_own_line():
    assert told(DROPPING.format("F.dropout", "")) == [("dropout_always", "fault", 9)]
    assert told(DROPPING.format("F.dropout", ", training=self.training")) == []
    assert told(DROPPING.format("F.dropout", ", training=True")) == []  # samples are meant


@pytest.mark.parametrize("statement", ["loss.backward", "opt.step", "opt.zero_grad"])
def test_a_method_without_brackets_is_told_without_an_echo(statement):
    source = (
        "import torch\nw = torch.ones(2, requires_grad=True)\nopt = torch.optim.SGD([w], 0.1)\n"
        f"for i in range(2):\n    loss = w.sum(); {statement}; loss.backward()\nprint(\n    w.sum\n)\n"
    )
    trace = traced(source)
    for cell in trace.cells:
        cell.outputs.clear()
    assert [(one.kind, one.place.line) for one in diagnose(trace)][:1] == [("not_called", 5)]


def test_a_functional_dropout_is_given_the_mode_of_its_module():
    one = diagnose_with_verified_fixes(explorer.run(DROPPING.format("F.dropout", "")))[0]
    assert "return self.b(F.dropout(self.a(x), 0.5, training=self.training))" in one.offered.source
    alone = "def drop(x):\n    return F.dropout(x, 0.5)\n"
    program = DROPPING.format("drop", "").replace(", 0.5)", ")").replace("class Net", alone + "class Net")
    one = diagnose_with_verified_fixes(explorer.run(program))[0]
    assert one.kind == "dropout_always" and one.offered is None
