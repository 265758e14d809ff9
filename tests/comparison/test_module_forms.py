"""A module and another form of it in, whether both get the same gradients, and why not, out."""

import json
import runpy
from dataclasses import dataclass, replace

import pytest
import torch
from torch import nn

import explorer
from explorer.cli.main import main

PROGRAM = """\
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

class Round(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.round()

    @staticmethod
    def backward(ctx, g):
        return g

class Reverse(Round):
    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)

    @staticmethod
    def backward(ctx, g):
        return -g

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b, self.drop = nn.Linear(3, 3), nn.Linear(3, 1), nn.Dropout(0.5)
        self.weight = nn.Parameter(torch.ones(3))
        {made}

    def forward(self, x):
        h = self.a(x) * self.weight
{forward}
        return self.b(h)

torch.manual_seed(0)
net, x = Net(), torch.randn(4, 3)
"""


@dataclass(frozen=True)
class Case:
    """A line that a form leaves out, marked with `# <-`, and a twin that keeps its gradients in every form."""

    form: str
    kind: str
    bad: str
    sound: str
    made: str = "pass"


NO_GRAD = Case(
    "", "no-grad", "with torch.no_grad():  # <-\n    s = self.a(x).abs()\nh = h * s", "h = h * self.a(x).abs().detach()"
)
HOOK = Case("", "tensor-hook", "h.register_hook(lambda g: 10 * g)  # <-", "h = 10 * h - 9 * h.detach()")
CAST = "with torch.autocast('cpu', torch.bfloat16):  # <-\n    s = self.a(x)\nh = h * s"
FRESH = "s = torch.zeros(3)\ns += self.weight.detach()  # <-\nh = h * s"
OF_MODULE = "self.b.register_full_backward_hook(lambda m, i, o: (10 * i[0],))  # <-"
CHECKPOINT = "h = checkpoint(self.a, h, use_reentrant=True)  # <-"
CASES = (
    Case("fx", "function", "h = Reverse.apply(h)  # <-", "h = 2 * h.detach() - h"),
    replace(NO_GRAD, form="fx"),
    Case("fx", "autocast", CAST, "h = h * self.a(x)"),
    Case("fx", "constant", FRESH, FRESH.replace("torch.zeros", "x.new_zeros")),
    Case("fx", "random", "h = h * torch.rand(3)  # <-", "h = h * torch.rand_like(h)"),
    replace(NO_GRAD, form="jit.trace"),
    replace(HOOK, form="jit.trace"),
    Case("deepcopy", "parameter-hook", "h = h * 2", "h = h * 2", "self.weight.register_hook(lambda g: 10 * g)  # <-"),
    Case("eval", "eval", "h = self.drop(h)", "h = h * 2"),
    Case("export", "function", "h = Round.apply(h)  # <-", "h = h + (h.round() - h).detach()"),
    replace(HOOK, form="export"),
    Case("export", "backward-hook", "h = h * 2", "h = h * 2", OF_MODULE),
    Case("export", "graph-off", CHECKPOINT, CHECKPOINT.replace("True", "False")),
)
MARKED = [
    pytest.param(case, id=f"{case.form} {case.kind}", marks=[pytest.mark.thorough] * (case.form == "export"))
    for case in CASES
]


def written(case: Case, sound: bool, folder):
    """Return the module of a case, its batch, and the number of the marked line."""
    lines = "\n".join(f"        {line}" for line in (case.sound if sound else case.bad).split("\n"))
    text = PROGRAM.format(made="pass" if sound else case.made, forward=lines)
    path = folder / f"{'sound' if sound else 'bad'}.py"
    path.write_text(text)
    names = runpy.run_path(str(path))
    return names["net"], names["x"], next((at for at, line in enumerate(text.split("\n"), 1) if "# <-" in line), 0)


def formed(form: str, net: nn.Module, x: torch.Tensor):
    """Return `explorer.compare_forms` of one form."""
    from explorer.runtime.module_forms import forms

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("explorer.api.module_forms.FORMS", {form: forms.FORMS[form]})
        return explorer.compare_forms(net, x)[form]


@pytest.mark.sampled(3)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", MARKED)
def test_a_form_names_its_omissions_and_matches_its_sound_twin(case, tmp_path):
    net, x, line = written(case, False, tmp_path)
    found = formed(case.form, net, x)
    assert not found.same and [(cause.kind, cause.line) for several in found.causes for cause in several] == [
        (case.kind, line)
    ]
    assert (f":{line}" in str(found)) == (line > 0) and found.to_json()["reason"] == found.reason
    net, x, _ = written(case, True, tmp_path)
    assert formed(case.form, net, x).same


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore")
def test_compiled_modules_and_copies_train_the_same(tmp_path):
    case = Case(
        "",
        "",
        "h = Reverse.apply(h)\nh.register_hook(lambda g: 10 * g)\nwith torch.no_grad():\n    s = h.abs()\nh = h * s",
        "",
    )
    net, x, _ = written(case, False, tmp_path)
    table = explorer.compare_forms(net, x)
    assert all(
        table[form].verdict == "equal" for form in ("compile eager", "compile aot_eager", "deepcopy", "channels_last")
    )
    assert table["autocast bf16"].verdict == "rounding" and not table["export"].same
    assert list(table.to_pandas().index) == list(table) and all(name in str(table) for name in table)


class Counted(nn.Module):
    """A module whose forward changes everything that a forward can."""

    def __init__(self):
        super().__init__()
        self.norm, self.calls, self.seen = nn.BatchNorm1d(3), [], torch.zeros(())

    def forward(self, x):
        self.calls.append(len(self.calls))
        self.seen += 1
        self.last = x
        with torch.no_grad():
            self.norm.bias += 1
        return self.norm(x) * torch.rand(3) + len(self.calls)


def test_both_modules_are_restored():
    net, other, x = Counted(), Counted(), torch.randn(4, 3)
    net.norm.weight.grad = torch.ones(3)
    before = torch.get_rng_state(), {name: held.clone() for name, held in other.state_dict().items()}, set(vars(net))
    assert explorer.compare(net, other, x).same
    assert torch.equal(torch.get_rng_state(), before[0]) and set(vars(net)) == before[2]
    assert all(torch.equal(held, before[1][name]) for name, held in other.state_dict().items())
    assert (
        net.calls == []
        and net.seen == 0
        and torch.equal(net.norm.weight.grad, torch.ones(3))
        and net.norm.bias.eq(0).all()
    )


def test_input_gradients_and_a_custom_loss_are_compared():
    net, x = nn.Sequential(nn.Linear(3, 2), nn.Softmax(-1)), torch.randn(4, 3, requires_grad=True)
    other = nn.Sequential(nn.Linear(3, 2), nn.LogSoftmax(-1))
    assert explorer.compare(net, lambda given: other(given).exp(), x, loss=lambda out: out[:, 0].sum()).compared == 3
    found = explorer.compare(net, lambda: other, x)  # a plain sum of softmax has no gradient
    assert {gap.name for gap in found.gaps} == {"0.weight", "0.bias", "input 0"} and not found.same
    assert explorer.compare(net, other, x, rtol=0, atol=100).same


def test_incomparable_arguments_are_rejected():
    net, x = nn.Linear(3, 2), torch.randn(4, 3)
    for wrong, kind in (
        ((3, net, x), TypeError),
        ((net, 3, x), TypeError),
        ((net.requires_grad_(False), net, x), ValueError),
    ):
        with pytest.raises(kind):
            explorer.compare(*wrong)
    net.requires_grad_(True)
    assert explorer.compare(net, nn.Linear(2, 2), x).verdict == "raised"
    frozen = nn.Linear(3, 2)
    frozen.bias.requires_grad_(False)
    found = explorer.compare(net, frozen, x)
    assert [(one.kind, one.name) for one in found.causes[0]] == [("frozen", "bias")]
    assert explorer.compare(net, nn.Linear(3, 2, bias=False), x, lang="zh").reason == "B 没有参数 bias。"
    noisy = nn.Linear(3, 2)
    noisy.register_forward_hook(lambda _net, _given, made, calls=[0]: calls.append(0) or made * len(calls))
    assert explorer.compare(noisy, net, x).verdict == "unsteady"


def test_modules_of_a_file_are_compared_on_the_command_line(tmp_path, capsys):
    path = tmp_path / "nets.py"
    text = "import torch, copy\nnet, x = torch.nn.Linear(3, 1), torch.ones(2, 3)\nother = copy.deepcopy(net)\n"
    path.write_text(text + "def frozen():\n    return copy.deepcopy(net).requires_grad_(False)\n")
    assert main(["compare", f"{path}:net", "other"]) == 0 and main(["compare", f"{path}:net", "frozen", "--json"]) == 1
    said = capsys.readouterr().out.splitlines()
    assert json.loads(said[-1])["causes"][0][0] == {"kind": "frozen", "name": "weight", "line": 0}
    assert main(["compare", f"{path}:net", "missing"]) == 2 == main(["compare", str(path)])
