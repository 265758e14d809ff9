"""Silently wrong programs are reported at their line; similar sound programs are not."""

import pytest

import explorer
from explorer.analysis.diagnose.faults.diagnosis import diagnose
from explorer.analysis.diagnose.health.report import report
from explorer.analysis.diagnose.kinds import KINDS
from explorer.text import LANGUAGES, say
from explorer.workers.diagnoses import diagnose_with_verified_fixes
from tests.faults.programs import PROGRAMS
from tests.programs import traced


@pytest.mark.sampled(12)
@pytest.mark.parametrize("name", PROGRAMS)
def test_bugs_are_reported_at_their_lines_and_sound_programs_are_not(name):
    source, told = PROGRAMS[name]
    trace = traced(source)
    found = diagnose(trace)
    assert sorted((one.kind, one.place.line) for one in found) == sorted(told)
    assert told or report(trace, found).sound
    for one in found:
        assert one.kind in KINDS
        parts = [f"diagnosis-{one.kind.replace('_', '-')}{part}" for part in ("", ".cause", ".repair")]
        said = [say(lang, part, **one.values) for lang in LANGUAGES for part in parts]
        assert all(said) and "{" not in "".join(said)


@pytest.mark.sampled(24)
@pytest.mark.parametrize("name", [name for name, program in PROGRAMS.items() if not program.told])
def test_a_sound_program_has_no_diagnosis_in_a_light_recording(name):
    trace = traced(PROGRAMS[name].source, detail="light")
    found = diagnose(trace)
    assert not found and report(trace, found).sound


def told_of(source):
    return [(one.kind, one.place.line) for one in diagnose(traced(source))]


def test_a_line_can_be_silenced_for_one_kind():
    program = "import torch\nweights = torch.tensor([1, 2])\nweights[0] = 0.7  # fine: {}\n"
    assert told_of(program.format("truncated")) == []
    assert told_of(program.format("gradient_cut")) == [("truncated", 3)]
    assert told_of(program.format("gradient_cut, truncated")) == []


def test_missing_gradients_after_an_error_are_not_diagnosed():
    assert told_of("import torch\nw = torch.tensor([1, 2])\nw[0] = 0.5\nraise ValueError\n") == []


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


def test_a_functional_dropout_active_in_eval_is_reported_at_its_line():
    assert told_of(DROPPING.format("F.dropout", "")) == [("dropout_always", 9)]
    assert told_of(DROPPING.format("F.dropout", ", training=self.training")) == []
    samples = DROPPING.format("F.dropout", ", training=True")
    assert told_of(samples) == [("dropout_always", 9)]
    assert told_of(samples.replace("net(x).mean())", "torch.stack([net(x) for _ in range(4)]).std(0).mean())")) == []


@pytest.mark.parametrize("statement", ["loss.backward", "opt.step", "opt.zero_grad"])
def test_an_uncalled_method_is_reported_without_an_echo(statement):
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
