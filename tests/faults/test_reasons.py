"""A fault's sentence states why a history ends, and where the first non-finite number arose."""

import pytest

from explorer.analysis.diagnose.faults.diagnosis import diagnose
from tests.traces import trace_of

HEAD = """
import torch
from torch import nn
torch.manual_seed(0)
a, b = nn.Linear(3, 4), nn.Linear(4, 2)
opt = torch.optim.SGD([*a.parameters(), *b.parameters()], 0.1)
x, y = torch.randn(8, 3), torch.randint(0, 2, (8,))
"""
STEP = "opt.zero_grad(); loss.backward(); opt.step()\n"
LOSS = "loss = nn.functional.cross_entropy(b(h), y)\n" + STEP


def first(program: str) -> dict:
    """Return the values of the first fault."""
    return dict(diagnose(trace_of(HEAD + program))[0].values)


@pytest.mark.parametrize(
    ("program", "switch", "line"),
    [
        (f"with torch.no_grad():\n    h = a(x)\n{LOSS}", "torch.no_grad()", 8),
        (f"with torch.inference_mode(): h = a(x)\nh = h.clone()\n{LOSS}", "torch.inference_mode()", 8),
        (
            f"with torch.set_grad_enabled(False):\n    for _ in range(2):\n        h = a(x)\n{LOSS}",
            "torch.set_grad_enabled(False)",
            8,
        ),
        (f"@torch.no_grad()\ndef features(x):\n    return a(x)\nh = features(x)\n{LOSS}", "@torch.no_grad()", 8),
        (
            f"def features(x):\n    return a(x)\nwith torch.no_grad():\n    h = features(x)\n{LOSS}",
            "torch.no_grad()",
            10,
        ),
    ],
)
def test_a_cut_names_the_switch_that_disabled_recording(program, switch, line):
    values = first(program)
    assert (values["how"], values["switch"], values["at"]) == ("off", switch, line)


def test_an_ambiguous_recording_switch_is_not_named():
    twice = "with torch.no_grad():\n    print(f(x).mean())\n"
    values = first(f"def f(x):\n    return a(x)\n{twice}with torch.no_grad():\n    h = f(x)\n{LOSS}")
    assert (values["how"], values["at"]) == ("unrecorded", 0)


def test_the_target_of_shuffled_examples_is_the_one_that_the_loss_reads():
    program = "goal = x.sum(1)\nfor _ in range(3):\n    x = x[torch.randperm(8)]\n    "
    assert first(f"{program}loss = (b(a(x)).sum(1) - goal).square().mean(); {STEP}")["target"] == "goal"


def test_identity_operations_are_not_blamed_for_a_later_cut():
    values = first(f"h = nn.Dropout(0.0)(a(x)).float().detach_()\n{LOSS}")
    assert values["by"] == "detach"


@pytest.mark.parametrize(
    ("program", "how", "line"),
    [
        ("p = b(a(x))\nright = (p > 0).float()\nloss = right.mean().requires_grad_()\n", "comparison", 9),
        (
            "p = b(a(x)).softmax(1)\nz = torch.multinomial(p, 1)\nloss = z.float().mean().requires_grad_()\n",
            "sampling",
            9,
        ),
        ("p = b(a(x))\nloss = (p.argmax(1) == y).float().mean().requires_grad_()\n", "position", 9),
        (
            "p = torch.distributions.Categorical(logits=b(a(x)))\nz = p.sample()\n"
            "loss = (z == 0).float().mean().requires_grad_()\n",
            "sampling",
            9,
        ),
    ],
)
def test_a_root_without_history_names_the_nondifferentiable_operation(program, how, line):
    values = first(program + STEP)
    assert (values["how"], values["line"]) == (how, line)


def test_argument_checks_of_a_distribution_are_not_blamed():
    program = "p = torch.distributions.Categorical(logits=b(a(x)))\nz = p.sample()\n"
    values = first(f"{program}w = torch.ones(8, requires_grad=True)\nloss = (w * z).sum()\n{STEP}")
    assert (values["how"], values["code"]) == ("sampling", "p.sample()")


def test_overflow_is_reported_at_its_origin_not_at_the_optimizer():
    program = "net, t = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1)), torch.randn(8, 1)\n"
    program += "opt = torch.optim.SGD(net.parameters(), 0.1)\n"
    program += "for _ in range(20):\n    loss = ((net(x) - t) ** 2).mean()\n    opt.zero_grad()\n"
    program = program.replace("0.1", "5.0") + "    loss.backward(); opt.step()"
    found = [one for one in diagnose(trace_of(HEAD + program)) if one.kind == "nan_forward"]
    assert [(one.place.line, one.values["how"], one.values["grown"]) for one in found] == [(11, "overflow", "yes")]


@pytest.mark.parametrize(
    ("made", "how"),
    [
        ("x.exp()", "overflow"),
        ("(x * 1e30).square()", "overflow"),
        ("(x * 1e3).half()", "overflow"),
        ("1e30 / (x * 1e-20)", "overflow"),
        ("torch.pow(10.0, x)", "overflow"),
        ("(x - 100).log()", "pole"),
        ("(x - 100) ** -1", "pole"),
        ("(x / 100).logit()", "infinite"),
        ("torch.atanh(x / 100)", "infinite"),
        ("torch.digamma(x - 100)", "infinite"),
        ("torch.logdet(x.expand(2, 2))", "infinite"),
        ("torch.log1p(x - 101)", "infinite"),
        ("x[:0].logsumexp(0)", "infinite"),
        ("nn.functional.ctc_loss(x.expand(2, 1, 3).log_softmax(-1), torch.tensor([[1, 1]]), (2,), (2,))", "unaligned"),
    ],
)
def test_only_numbers_that_are_too_large_are_called_overflow(made, how):
    values = first(f"x = torch.tensor([100.0], requires_grad=True)\nh = {made}\nh.sum().backward()")
    assert values["how"] == how


@pytest.mark.parametrize(
    ("program", "made", "place", "meets"),
    [
        (
            "s = torch.tensor([-1.0, 4.0], requires_grad=True)\nloss = torch.where(s > 0, s.sqrt(), s).sum()",
            "NaN",
            "[0]",
            "zero",
        ),
        ("s = torch.tensor([0.0, 4.0], requires_grad=True)\nloss = torch.sqrt(s * s).sum()", "", "", "slope"),
        ("s = torch.ones(2, requires_grad=True)\nloss = (s * 0 * 1e20 * 1e20).sum()", "", "", "overflow"),
    ],
)
def test_a_gradient_becomes_nan_at_a_finite_loss_and_the_value_there_may_be_nan_too(program, made, place, meets):
    values = first(f"{program}\nloss.backward()")
    assert [values[one] for one in ("root", "made", "place", "meets")] == ["loss", made, place, meets]


def test_a_nonfinite_gradient_is_reported_before_its_effect_on_the_optimizer():
    program = "w = torch.zeros(2, requires_grad=True)\nopt = torch.optim.SGD([w], 0.1)\n"
    program += (
        "for _ in range(3):\n    loss = torch.sqrt(w * w).sum()\n    opt.zero_grad(); loss.backward(); opt.step()"
    )
    [found] = diagnose(trace_of(HEAD + program))
    assert (found.kind, found.place.line) == ("nan_backward", 11)


def test_a_written_infinity_is_not_an_overflow():
    values = first("x[0, 0] = float('nan')\nh = a(x)\n" + LOSS)
    assert (values["how"], values["what"]) == ("written", "NaN")


def test_a_masked_target_class_explains_an_infinite_loss():
    values = first(
        "s = a(x).masked_fill(torch.eye(8, 4).bool(), -torch.inf)\nnn.functional.cross_entropy(s, y).backward()"
    )
    assert (values["how"], values["what"], values["only"]) == ("written", "−∞", "inf")


def test_a_layer_made_in_every_round_is_counted_once_in_each():
    values = first("for _ in range(4):\n    h = nn.Linear(4, 4)(a(x))\n    loss = b(h).square().mean()\n    " + STEP)
    assert (values["rounds"], values["code"]) == (4, "nn.Linear(4, 4)")


def test_a_parameter_created_from_a_result_is_the_cut():
    lines = "c = nn.Parameter(b.weight / 2)\nloss = (a(x) @ c.t() + b.bias).square().mean()\n"
    (values,) = (one.values for one in diagnose(trace_of(HEAD + lines + STEP)) if one.kind == "gradient_cut")
    assert (values["how"], values["code"]) == ("made", "b.weight / 2")


def test_a_fully_masked_row_explains_nan_in_softmax():
    values = first("s = a(x).masked_fill(torch.arange(8)[:, None] == 3, -torch.inf)\nh = s.softmax(1)\n" + LOSS)
    assert (values["how"], values["code"]) == ("row", "s.softmax(1)")


def test_an_attention_mask_that_removes_every_key_is_reported_as_such():
    values = first(
        "c = nn.MultiheadAttention(4, 1, batch_first=True)\nh = torch.randn(2, 4, 4)\n"
        "mask = torch.tensor([[True] * 4, [False] * 3 + [True]])\n"
        "c(h, h, h, key_padding_mask=mask)[0].sum().backward()"
    )
    assert values["how"] == "row"


def test_an_optimizer_holding_other_parameters_than_backward_reaches_is_reported():
    other = (
        "late = torch.optim.SGD(a.parameters(), 0.1)\nfree = nn.Linear(3, 1)\nfor _ in range(3):\n    h = a(x)\n    "
    )
    lines = "late.zero_grad(); free(x).mean().backward(); late.step()\n    " + LOSS.replace("\n", "\n    ", 1)
    values = first(other + lines)
    assert (values["cause"], values["held"], values["received"]) == (
        "other",
        "a.weight, a.bias",
        "free.weight, free.bias",
    )


@pytest.mark.parametrize(
    ("at", "name", "kinds"), [(0.0, "sqrt", ["nan_backward"]), (1e3, "exp", ["nan_forward"]), (4.0, "sqrt", [])]
)
def test_an_infinity_that_causes_no_nan_is_a_note(at, name, kinds):
    told = diagnose(
        trace_of(f"import torch\nx = torch.tensor({at}, requires_grad=True)\ny = torch.{name}(x)\ny.backward()")
    )
    assert [(one.kind, one.level) for one in told] == [(kind, "note") for kind in kinds]


@pytest.mark.parametrize(
    ("layers", "layer", "told"),
    [
        ("[nn.Linear(3, 2)]", "self.more[0]", ("list", "net.more")),
        ("(nn.Linear(3, 2),)", "self.more[0]", ("list", "net.more")),
        ("{'head': nn.Linear(3, 2)}", "self.more['head']", ("dict", "net.more")),
        ("torch.nn.Parameter(torch.ones(3, 2))", None, ("", "")),
    ],
)
def test_a_layer_that_parameters_skips_is_reported_with_the_container_that_hides_it(layers, layer, told):
    program = f"""
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.more = nn.Linear(3, 3), {layers}
    def forward(self, x):
        return {f"{layer}(self.first(x))" if layer else "self.first(x) @ self.more"}
net = Net()
opt = torch.optim.Adam(net.parameters() if {layer is not None} else net.first.parameters(), 0.1)
for _ in range(6):
    loss = nn.functional.cross_entropy(net(x), y)
    {STEP}"""
    found = next((one for one in diagnose(trace_of(HEAD + program)) if one.kind == "not_in_optimizer"), None)
    assert (
        (found.values["hidden"], found.values["container"]) == told
        if layer
        else found is None or not found.values["container"]
    )
