"""Gradients compared with the slopes of the whole program: agreement, kinks, differences and their reasons."""

import math

import msgspec
import pytest

import explorer
from explorer.analysis.diagnose.gradcheck.leaf_curve import LeafCurve, calls_again, curve_of_calls
from explorer.analysis.diagnose.gradcheck.subjects import CheckedLeaf, Unchecked, leaf_name, subjects
from explorer.analysis.diagnose.gradcheck.verdicts import Check
from explorer.analysis.diagnose.messages import check_text, checked, checked_lines
from explorer.drawing.derivatives.leaf_plot import heights_of, leaf_plot, leaf_words
from explorer.io.graph_json import checks_json
from explorer.program import CellSource, Program
from explorer.runtime import limits
from explorer.runtime.gradcheck.repeats import repeated
from explorer.runtime.gradcheck.runs import Readings
from explorer.text import LANGUAGES
from explorer.trace import Move, Options, Probe, ProbeReading, encode
from explorer.ui.panels.checked import mark_html
from explorer.workers import gradcheck
from explorer.workers.gradcheck import check_gradients
from tests.programs import traced


def found(source, **options):
    """Return each leaf's verdict on the last backward, and the kind of reason."""
    trace = explorer.run("import copy, torch; from torch import nn\n" + source, **options)
    last = len(trace.backwards) - 1
    return {
        leaf_name(trace, one.leaf): (one.verdict, one.reason.kind if one.reason else one.why)
        for one in check_gradients(trace)
        if one.backward == last
    }


def leaf(name, value):
    return f"{name} = torch.tensor({value}, requires_grad=True)\n"


AVERAGE = """
x = nn.Parameter(torch.ones(3))
mean = torch.ones(3)
for _ in range(3):
    loss = (x * mean).pow(2).sum()
    x.grad = None
    loss.backward()
    with torch.no_grad():
        x -= 0.1 * x.grad
        mean.lerp_(x, 0.5)
"""
SAMPLE = "s = torch.distributions.Normal(torch.zeros(2), torch.ones(2)).sample()\n"
TRANSFORM = """
def f(x):
    with torch.no_grad():
        k = x * 2
    return (x * k).sum()
torch.func.grad(f)(torch.ones(3))
"""
FORWARD = """
x = nn.Parameter(torch.tensor([2.0, 3.0]))
for _ in range(3):
    y, slope = torch.func.jvp(lambda z: (x * z) ** 2, (torch.ones(2),), (torch.ones(2),))
    x.grad = None
    (y * slope).sum().backward()
    with torch.no_grad():
        x -= 0.001 * x.grad
"""
INNER = "g = torch.func.grad(lambda z: (z**3).sum())(x)\n"
JACOBIAN = "j = torch.func.vmap(torch.func.jacrev(lambda z: (x * z**3).sum()))(torch.ones(3, 2))\n"


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("source", "verdict"),
    [
        (leaf("x", [2.0, 3.0]) + "(x ** 3).sum().backward()", ("agrees", None)),
        (leaf("x", [1.0, 1.0, 0.0]) + "x.max().backward()", ("unchecked", "unsteady")),  # a tie is a kink
        (leaf("x", 2.0) + "y = x ** 2\nx.data.mul_(10)\ny.backward()", ("differs", "overwritten")),
        (leaf("x", 2.0) + "(x * x.detach()).backward()", ("differs", "cut")),
        (leaf("x", 2.0) + "with torch.no_grad():\n    k = x * 3\n(x * k).backward()", ("differs", "no_grad")),
        (leaf("x", 2.0) + "x.register_hook(lambda g: g * 2)\n(x ** 2).backward()", ("differs", "hook")),
        (leaf("x", 2.0) + leaf("w", 1.0) + "(w * x.item()).backward()", ("depends", "cut")),
        (leaf("x", 0.0) + "torch.sqrt(x ** 2).backward()", ("nonfinite", None)),
        (leaf("x", 1.0) + "(torch.floor(x) + 0 * x).backward()", ("unchecked", "unsteady")),
        (leaf("x", 2.0) + "(x.half() * 3).float().sum().backward()", ("agrees", None)),
        ("x = torch.tensor(2.0, dtype=torch.float16, requires_grad=True)\n(x * x).backward()", ("agrees", None)),
        (leaf("x", 2.0) + "((x * 3).half() * x.detach()).backward()", ("differs", "cut")),
        (leaf("x", [1 + 2j, 3 - 1j]) + "(x * x.conj().resolve_conj()).real.sum().backward()", ("agrees", None)),
        (leaf("x", [1 + 2j, 3 - 1j]) + "(x * x.detach()).abs().sum().backward()", ("differs", "cut")),
        (leaf("x", 2.0) + JACOBIAN + "(j.pow(2).sum() + x).backward()", ("agrees", None)),
        (leaf("x", 2.0) + JACOBIAN + "(j.detach().pow(2).sum() + x).backward()", ("differs", "cut")),
        (leaf("x", 2.0) + f"with torch.no_grad():\n    {JACOBIAN}(j.sum() + x).backward()", ("differs", "no_grad")),
        (leaf("x", [2.0, 3.0]) + "torch.func.jacrev(torch.sin)(x).sum().backward()", ("unchecked", "unread")),
        (leaf("x", [2.0, 3.0]) + INNER + "((x - 0.1 * g) ** 2).sum().backward()", ("unchecked", "branch")),
        (
            "x = nn.Parameter(torch.randn(3, 2))\nids = torch.tensor([0, 1, 0, 2])\n"
            "nn.functional.embedding(ids, x, padding_idx=0).pow(2).sum().backward()",
            ("agrees", None),
        ),
        ("x = nn.Parameter(torch.ones(3))\ny = copy.deepcopy(x)\n((x - 2 * y)**2).sum().backward()", ("agrees", None)),
        ("x = nn.Parameter(torch.ones(3))\ny = copy.deepcopy(x)\n(x * y.detach()).sum().backward()", ("agrees", None)),
        (SAMPLE + "x = nn.Parameter(torch.ones(2))\n(x * s).sum().backward()", ("agrees", None)),
        (leaf("x", [100.0]) + "(x * torch.distributions.Normal(x, 1).sample()).backward()", ("differs", "no_grad")),
        (leaf("x", [100.0]) + "torch.distributions.Normal(x, 1).rsample().square().backward()", ("agrees", None)),
        (leaf("x", [-3.0, 2.0]) + "nn.functional.rrelu(x, training=True).square().sum().backward()", ("agrees", None)),
        (TRANSFORM, ("differs", "no_grad")),
        (AVERAGE, ("differs", "no_grad")),
        (FORWARD, ("agrees", None)),
        (leaf("x", [2.0, 3.0]) + "torch.autograd.grad((x ** 2).sum() + x.sum(), x)", ("agrees", None)),
        (
            "x = nn.Parameter(torch.tensor(65504.0).half())\n(x * 10 - x * 9).float().log().backward()",
            ("nonfinite", None),
        ),
        (leaf("x", 3.0) + "y = x ** 2 + x", ("agrees", None)),  # no backward, so the side pass is used
        (leaf("x", 3.0) + "torch.autograd.grad(x ** 2, x)", ("agrees", None)),
        (
            leaf("x", 3.0) + "g, = torch.autograd.grad(x ** 3, x, create_graph=True)\n(g * x).backward()",
            ("agrees", None),
        ),
        (leaf("x", [1.0, 2.0]) + "y = x * x\ny.backward(y.detach())", ("agrees", None)),
        (leaf("x", [1.0, 2.0]) + "torch.autograd.grad(x ** 3, x, grad_outputs=x.detach() * 10)", ("agrees", None)),
        (
            leaf("x", 3.0) + "h = x * x\nd = h.detach().requires_grad_()\n(d * d).backward()\nh.backward(d.grad)",
            ("agrees", None),
        ),
        (leaf("x", [2.0]) + "y = x * x.detach()\ny.backward(y.detach())", ("differs", "cut")),
        (leaf("x", [0.0, 0.0]) + "torch.nn.functional.normalize(x, dim=0).sum().backward()", ("unchecked", "unsteady")),
        (leaf("x", [2.0, 2.0, 2.0]) + "(x * 3).median().backward()", ("agrees", None)),
        (leaf("x", [2.0, 1.0, 3.0]) + "(x.median() * x.detach()).sum().backward()", ("differs", "cut")),
        (
            leaf("x", [1.0, 2.0]) + leaf("w", [3.0, 4.0]) + "x.data = w.data\n(x * w).sum().backward()",
            ("unchecked", "shared"),
        ),
        (leaf("x", 3.0) + "y = x ** 2\nx.data.add_(1)\n(y + x ** 2).backward()", ("unchecked", "changed")),
        (
            "x = torch.tensor([1.0, 2.0])\nm = x.mean()\nx.requires_grad_()\n(x / m).sum().backward()",
            ("unchecked", "late"),
        ),
        ("x = torch.tensor([1.0, 2.0])\nn = len(x)\nx.requires_grad_()\n(x * n).sum().backward()", ("agrees", None)),
    ],
)
def test_a_verdict_for_every_gradient(source, verdict):
    assert found(source)["x"] == verdict


def test_a_checkpoint_that_draws_other_numbers_in_backward_is_named():
    source = (
        "from torch.utils.checkpoint import checkpoint\nx = nn.Parameter(torch.ones(50))\n"
        "y = checkpoint(lambda x: torch.dropout(x * x, 0.5, True), x, use_reentrant=False, preserve_rng_state=False)\n"
        "y.sum().backward()"
    )
    assert found(source)["x"] == ("differs", "recomputed")


def test_a_custom_function_with_a_wrong_backward_is_named():
    source = (
        "class Twice(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n        return x * 2\n"
        "    @staticmethod\n    def backward(ctx, g):\n        return g * 5\n"
    )
    assert found(source + leaf("x", 3.0) + "Twice.apply(x).backward()")["x"] == ("differs", "function")


OWN = """class Own(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        {forward}
    @staticmethod
    def backward(ctx, g):
        return g * 5
"""


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("forward", "kind"),
    [
        ("return x.sign()", "surrogate"),
        ("out = torch.zeros_like(x)\n        out[x > 1] = 1.0\n        return out", "surrogate"),
        ("return (x * 8).round() / 8", "surrogate"),
        ("return x.view_as(x)", "identity"),
        ("return x.sign() * x", "function"),
        ("import numpy\n        return torch.from_numpy(numpy.sin(x.numpy()))", "function"),
    ],
)
def test_a_function_that_exists_for_its_backward_is_intended(forward, kind):
    trace = explorer.run(
        "import torch\n" + OWN.format(forward=forward) + leaf("x", [3.1, 0.4]) + "Own.apply(x).sum().backward()"
    )
    (check,) = check_gradients(trace)
    assert (check.verdict, check.reason.kind, check.is_intended) == ("differs", kind, kind != "function")


PADDED = """from torch.nn.utils.rnn import pad_sequence, pack_padded_sequence
from torch.nn.functional import cross_entropy, scaled_dot_product_attention as attend
torch.manual_seed(0)
tokens = [torch.randint(1, 9, (n,)) for n in (6, 4, 2)]
lengths, y = torch.tensor([6, 4, 2]), torch.tensor([0, 1, 1])
ids = pad_sequence(tokens, batch_first=True)
real = ids != 0
emb, gru, fc = nn.Embedding(9, 8, padding_idx=0), nn.GRU(8, 8, batch_first=True), nn.Linear(8, 9)
h = emb(ids)
"""
FLOATS = "h = pad_sequence([torch.randn(n, 8) for n in (6, 4, 2)], batch_first=True)\n"


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("source", "depends"),
    [
        ("cross_entropy(fc(gru(h)[0][:, -1]), y).backward()", True),
        ("cross_entropy(fc(gru(h)[0][torch.arange(3), lengths - 1]), y).backward()", False),
        (
            "packed = pack_padded_sequence(h, lengths, batch_first=True)\n"
            "cross_entropy(fc(gru(packed)[1][0]), y).backward()",
            False,
        ),
        ("cross_entropy(fc(h.tanh().mean(1)), y).backward()", True),
        ("cross_entropy(fc(h.sum(1) / lengths[:, None]), y).backward()", False),  # zeros add nothing
        ("cross_entropy(fc((h * real[..., None]).sum(1) / lengths[:, None]), y).backward()", False),
        ("out = attend(h, h, h)[:, 0]\ncross_entropy(fc(out), y).backward()", True),
        ("out = attend(h, h, h, real[:, None])[:, 0]\ncross_entropy(fc(out), y).backward()", False),
        ("cross_entropy(fc(gru(h)[0]).flatten(0, 1), ids.roll(-1, 1).flatten()).backward()", True),
        ("cross_entropy(fc(gru(h)[0]).flatten(0, 1)[real.flatten()], ids[real]).backward()", False),
        ("emb.padding_idx = None\ncross_entropy(fc(emb(ids).tanh().mean(1)), y).backward()", True),
        (FLOATS + "cross_entropy(fc(gru(h)[0][:, -1]), y).backward()", True),
        (FLOATS + "cross_entropy(fc(h.sum(1) / lengths[:, None]), y).backward()", False),
        (FLOATS + "cross_entropy(fc(gru(h)[0][torch.arange(3), lengths - 1]), y).backward()", False),
        (FLOATS + "seen = (h != 0).any(-1, True)\n(fc(h) * seen).sum().div(seen.sum()).backward()", False),
    ],
)
def test_a_result_that_depends_on_padding_is_reported(source, depends):
    trace = explorer.run("import torch\nfrom torch import nn\n" + PADDED + source)
    lines = checked_lines(trace, check_gradients(trace), "en")
    assert lines and any("padding" in line for line in lines) == depends


TOKENS = """from torch.nn.functional import cross_entropy, scaled_dot_product_attention as attend
torch.manual_seed(0)
ids = torch.randint(9, (3, 8))
x, y = ids[:, :-1], ids[:, 1:]
emb, fc, both = nn.Embedding(9, 8), nn.Linear(8, 9), nn.LSTM(8, 4, batch_first=True, bidirectional=True)
h = emb(x)
"""


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("source", "depends"),
    [
        ("cross_entropy(fc(attend(h, h, h)).flatten(0, 1), y.flatten()).backward()", True),
        ("cross_entropy(fc(attend(h, h, h, is_causal=True)).flatten(0, 1), y.flatten()).backward()", False),
        ("cross_entropy(fc(both(h)[0]).transpose(1, 2), y).backward()", True),
        ("h = emb(ids)\ncross_entropy(fc(attend(h, h, h))[:, :-1].flatten(0, 1), y.flatten()).backward()", True),
        ("s = h @ h.mT\ns = s.masked_fill(torch.ones(7, 7).triu(1) > 0, 0)\n"
         "cross_entropy(fc(s.softmax(-1) @ h).flatten(0, 1), y.flatten()).backward()", True),  # the mask is no -inf
        ("cross_entropy(fc(both(h)[0]).flatten(0, 1), x.flatten()).backward()", False),  # an autoencoder
        ("seen = both(emb(ids))[0].mean(1, True)\n"
         "cross_entropy(fc(h + seen).flatten(0, 1), y.flatten()).backward()", False),  # an encoder
    ],
)  # fmt: skip
def test_scores_that_depend_on_their_target_are_reported(source, depends):
    trace = explorer.run("import torch\nfrom torch import nn\n" + TOKENS + source)
    lines = checked_lines(trace, check_gradients(trace), "en")
    assert lines and any("their own targets" in line for line in lines) == depends


@pytest.mark.thorough
def test_numbers_are_drawn_as_in_float32_and_modules_are_checked_in_a_loop():
    source = (
        "from torch import nn\nnet = nn.Sequential(nn.Linear(2, 4), nn.Dropout(0.5), nn.Tanh(), nn.Linear(4, 1))\n"
        "optimizer = torch.optim.Adam(net.parameters(), lr=0.1)\n"
        "for _ in range(3):\n    x = torch.randn(8, 2)\n    loss = net(x).pow(2).mean()\n"
        "    optimizer.zero_grad()\n    loss.backward()\n    optimizer.step()\n"
    )
    assert found(source) == {
        name: ("agrees", None) for name in ("net.0.weight", "net.0.bias", "net.3.weight", "net.3.bias")
    }


@pytest.mark.thorough
def test_the_first_backward_of_a_shortened_run_is_checked():
    trace = explorer.run(
        "import torch\nw = torch.tensor(1.0, requires_grad=True)\n"
        + "(w * 3).backward()\nfor _ in range(9000):\n    y = w * 2\ny.backward()"
    )
    last, first = subjects(trace)
    assert isinstance(last, Unchecked) and last.why == "counted" and isinstance(first, CheckedLeaf)


MANY = "ws = [torch.tensor(float(i + 1), requires_grad=True) for i in range(20)]\nloss = sum(w * w for w in ws)\n"


INNER_GRADIENT = "g, = torch.autograd.grad(x * y, y)\n"
OUTSIDE = [
    f"{INNER_GRADIENT}loss = x * (y - g).detach()",  # x moves before the inner gradient reads it
    f"{INNER_GRADIENT}z = y.detach() - g\nloss = x * z * z",
    "(x * x * y).backward()\ng = y.grad\nx.grad = None\nloss = x * (y - g).detach()",
    "h = x * y * x\nseen = []\nh.register_hook(seen.append)\n(h * h).backward()\nloss = x * seen[0]",
    "b = torch.zeros(())\nb.copy_(x.detach())\nloss = x * b",
    "print(k := x.item())\nloss = x * k",
    "h = torch.autograd.functional.hessian(lambda z: x * z ** 3, torch.ones(()))\nloss = x * h",
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("source", OUTSIDE)
def test_no_gradient_is_called_the_slope_if_the_leaf_also_enters_by_another_way(source):
    trace = explorer.run(f"import torch\n{leaf('x', 0.7)}{leaf('y', 1.0)}{source}\nloss.backward()")
    checks = {one.leaf: one for one in check_gradients(trace) if one.backward == len(trace.backwards) - 1}
    assert checks[trace.bound("x")].verdict == "differs"
    assert not any("slopes of the program" in line for line in checked_lines(trace, list(checks.values()), "en", True))


def test_a_leaf_read_by_an_inner_gradient_before_another_leafs_change_is_not_checked():
    change = "with torch.no_grad():\n    v.add_(1)\n"
    made = leaf("x", 0.7) + leaf("y", 1.0) + leaf("v", 0.5)
    assert found(f"{made}{INNER_GRADIENT}{change}(x * (y - g).detach() * v).backward()")["x"] == (
        "unchecked",
        "changed",
    )
    read = f"(x * y).backward()\ng = y.grad\n{change}"
    assert found(f"{made}{read}(x * (y - g).detach() * v).backward()")["x"] == ("unchecked", "changed")


def test_a_gradient_read_as_a_number_is_named_as_the_cut():
    made = leaf("x", 0.7) + leaf("y", 1.0)
    trace = explorer.run(
        f"import torch\n{made}(x * x * y).backward()\nz = y + 0.1 * y.grad\n(x * z.detach()).backward()"
    )
    (check,) = [one for one in check_gradients(trace) if one.backward == 1 and one.leaf == trace.bound("x")]
    assert (check.verdict, check.reason.code, check.is_meant) == ("differs", "y.grad", True)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("asked", ["torch.autograd.grad(x**3, x)", "torch.autograd.grad(outputs=x**3, inputs=[x])"])
def test_a_gradient_without_a_graph_is_followed_by_the_call_that_keeps_it(asked):
    made = f"import torch\n{leaf('x', 0.7)}(g,) = {asked}\n(x - 0.1 * g).square().backward()"
    trace = explorer.run(made)
    (line,) = checked_lines(trace, check_gradients(trace), "en")
    repair = line.partition("write ")[2].rstrip(".")
    assert {one.verdict for one in check_gradients(explorer.run(made.replace(asked, repair)))} == {"agrees"}


def test_the_leaf_used_outside_the_graph_is_named_among_many():
    trace = explorer.run(f"import torch\n{MANY}u = ws[13]\n(loss + u.item() * ws[2]).backward()")
    off = {check.leaf: check for check in check_gradients(trace) if check.verdict != "agrees"}
    assert list(off) == [trace.bound("u")] and off[trace.bound("u")].reason.by == "number"
    (line,) = checked_lines(trace, list(off.values()), "en")
    assert line.startswith("line 5: ") and "u.item()" in line


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("source", "meant"),
    [
        ("(x * x.detach()).backward()", True),
        ("with torch.no_grad():\n    k = x * 3\n(x * k).backward()", True),
        ("(x * x.item()).backward()", False),
        ("import numpy as np\n(x * float(np.sin(x.detach().numpy()))).backward()", False),
        ("(x * torch.tensor(x.tolist())).backward()", False),
    ],
)
def test_an_explicit_detach_makes_a_difference_intended(source, meant):
    trace = explorer.run(f"import torch\n{leaf('x', 2.0)}{source}")
    (check,) = check_gradients(trace)
    assert (check.verdict, check.is_meant) == ("differs", meant)


def test_a_nondeterministic_program_is_not_judged():
    trace = explorer.run(f"import torch, time\n{leaf('x', 2.0)}(x * x * (time.time_ns() % 1000 + 1)).backward()")
    (check,) = check_gradients(trace)
    assert check.verdict == "unchecked"


def test_the_first_and_the_last_step_of_a_training_are_checked_with_two_runs_each():
    source = f"import torch\n{leaf('w', [1.0, 2.0])}for _ in range(9):\n    loss = (w * w).sum()\n    w.grad = None\n"
    trace = explorer.run(source + "    loss.backward()\n    with torch.no_grad():\n        w -= 0.1 * w.grad")
    checks = check_gradients(trace)
    assert [(check.backward, check.verdict) for check in checks] == [(0, "agrees"), (8, "agrees")]
    assert all("first and" in line for line in checked_lines(trace, checks, "en"))


def test_parameters_that_hooks_step_within_each_backward_have_right_gradients():
    source = """
net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
optimizers = {p: torch.optim.Adam([p], lr=0.05, foreach=False) for p in net.parameters()}
def step(p):
    optimizers[p].step()
    optimizers[p].zero_grad()
for p in net.parameters():
    p.register_post_accumulate_grad_hook(step)
x = torch.tensor([[1.0, -2.0], [0.5, 1.5]])
for _ in range(3):
    (net(x) - 1).square().mean().backward()
"""
    assert {verdict for verdict, _ in found(source).values()} == {"agrees"}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_check_has_words_and_data(lang):
    trace = explorer.run("import torch\n" + leaf("x", 2.0) + "(x * x.detach()).backward()")
    checks = check_gradients(trace)
    (told,) = checks_json(trace, checks, lang)
    assert told["verdict"] == "differs" and told["reason"] == {"kind": "cut", "cell": 0, "span": [3, 5, 3, 15]}
    assert told["gradient"] == pytest.approx(2.0) and told["slope"] == pytest.approx(4.0, abs=1e-4)
    assert "x.detach()" in check_text(lang, checks[0]) and not checks[0].is_along


def test_of_several_single_entries_equal_errors_do_not_cancel():
    source = leaf("a", 2.0) + leaf("b", 2.0) + leaf("c", 2.0) + leaf("d", 2.0)
    source += "(a * a.detach() - b * b.detach() + c * c.detach() - d * d.detach()).backward()"
    assert {verdict for verdict, _ in found(source).values()} == {"differs"}


def test_an_unreached_probe_reads_nothing():
    program = Program([CellSource("import torch\nx = torch.ones(2, requires_grad=True)\n(x * 2).sum().backward()")])
    here, elsewhere = (Probe((Move(1, 0, name),), (-0.5, 0.5), 0) for name in ("mul", "pow"))
    reached, other = Readings(program, Options(probes=(here, elsewhere))).measured().readings
    assert sum(reached.values) == 8.0 and abs(reached.values[1] - reached.values[0]) == abs(reached.slopes[0])
    assert other.values == (None, None)


NO_TANGENT = [
    (leaf("w", 2.0) + "w.register_hook(lambda g: g * 10)\ny = w**2\ny.backward()", "differs", "hook"),
    (leaf("w", 2.0) + "y = w.detach() * w\ny.backward()", "differs", "cut"),
    (leaf("w", 0.0) + "y = torch.relu(w)\ny.backward()", "kink", None),
    (leaf("w", [1.0, 1.0, 0.0]) + "y = w.max()\ny.backward()", "kink", None),  # a tie
    (leaf("w", 0.5) + "y = w.round()\ny.backward()", "unchecked", "unsteady"),
]


@pytest.mark.parametrize(("source", "verdict", "why"), NO_TANGENT)
def test_a_gradient_other_than_the_slope_is_not_called_the_slope(source, verdict, why):
    curve = recomputed(source, "w")
    assert not curve.is_tangent and curve.check.verdict == verdict
    *_, line, _, words = leaf_plot(curve, heights_of(curve), "y", "w", False, False, "en")["data"]
    assert line["line"]["dash"] == "dash" and "torch’s gradient" in words["text"][0]
    assert why == (curve.check.reason.kind if curve.check.reason else curve.check.why)
    assert all(leaf_words(curve, "y", "w", False, lang) for lang in LANGUAGES)


def test_a_gradient_that_is_the_slope_of_the_curve_is_its_tangent():
    smooth = recomputed(leaf("w", 200.0) + "y = w**3 + w.sin()\ny.backward()", "w")
    assert smooth.is_tangent and smooth.check.verdict == "agrees"


AGREES = Check(0, 0, "agrees")


def test_a_curve_with_only_rounding_differences_is_flat():
    rounded = LeafCurve(0, 0, 1.0, -9.0, 0.0, ((0.0, -9.000002), (1.0, -9.0), (2.0, -9.000001)), (0.0,) * 3, AGREES)
    low, high = heights_of(rounded)
    assert low < -10 and high > -8


def recomputed(source: str, name: str, low=-2.0, high=4.0):
    """Return the curve of a leaf's first entry without a run of the program, or None."""
    trace = explorer.run("import torch\n" + source)
    (asked,) = subjects(trace, only=(trace.bound(name), 0))
    calls = calls_again(trace, asked, low, high) if isinstance(asked, CheckedLeaf) else None
    reply = None if calls is None else repeated(msgspec.msgpack.encode(calls), encode(trace))
    readings = msgspec.msgpack.decode(reply, type=list[ProbeReading]) if reply else []
    return curve_of_calls(trace, asked, calls, readings[0]) if readings else None


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("source", "root"),
    [
        (leaf("w", 1.0) + leaf("x", 2.0) + "y = (w + x) * (w + 1)\ny.backward()", lambda w: (w + 2) * (w + 1)),
        (leaf("w", [1.0, 3.0]) + "y = torch.relu(w * w.flip(0)).sum()\ny.backward()", lambda w: 2 * max(0, 3 * w)),
        (leaf("w", 2.0) + "for _ in range(2):\n    y = (w - 1) ** 2\n    y.backward()", lambda w: (w - 1) ** 2),
        (
            "w = torch.ones(2, 1, requires_grad=True)\ny = (torch.eye(2) @ w).mean()\ny.backward()",
            lambda w: (w + 1) / 2,
        ),
        (leaf("w", 2.0) + "y = w * w.detach()\ny.backward()", lambda w: w * w),  # the program's gradient, not its slope
        # another value takes another branch or whole number
        (leaf("w", 1.0) + "y = torch.where(w > 0, w * 2, -w)\ny.backward()", lambda w: 2 * w if w > 0 else -w),
        (leaf("w", [1.0, 2.0]) + "y = w.masked_fill(w < 0, 0.).sum()\ny.backward()", lambda w: max(w, 0) + 2),
        (
            leaf("w", [1.0]) + "y = w.index_put((w > 2,), torch.tensor(7.)).sum()\ny.backward()",
            lambda w: 7 if w > 2 else w,
        ),
        (leaf("w", 1.5) + "y = w * w.int()\ny.backward()", lambda w: w * int(w)),
        (leaf("w", 2.0) + "y = torch.linalg.det(w * torch.eye(2))\ny.backward()", lambda w: w**2),
        (  # an index that the program would refuse for other values
            leaf("w", 2.0) + "y = torch.stack([w, 2 * w])[w.int() - 1]\ny.backward()",
            lambda w: (w, 2 * w)[int(w) - 1] if -2 < w < 3 else math.nan,
        ),
        (  # torch refuses some of the values
            leaf("w", 0.5) + "y = torch.nn.functional.binary_cross_entropy(w, torch.tensor(1.))\ny.backward()",
            lambda w: min(-math.log(max(w, 1e-300)), 100) if 0 <= w <= 1 else math.nan,
        ),
        (  # the gradient is NaN, but the root is finite
            leaf("w", -1.0) + "y = torch.where(w > 0, w.sqrt(), w)\ny.backward()",
            lambda w: w**0.5 if w > 0 else w,
        ),
    ],
)
def test_the_curve_over_a_leaf_is_recomputed_from_recorded_operations(source, root):
    curve = recomputed(source, "w")
    assert curve is not None and [y for _, y in curve.points] == pytest.approx(
        [root(w) for w, _ in curve.points], nan_ok=True, rel=1e-6
    )


@pytest.mark.parametrize(
    "text",
    [
        "y = w * w.item()",  # the value leaves torch
        "y = w * w if w > 1 else w",  # other values take another path
        "y = w * 1\ny += w",  # an in-place write
        "y = torch.dropout(w, 0.5, True)",
        "x = torch.stack([w, -w])\ny = x[x > 0].sum() / len(x[x > 0])",  # the program may have read a shape
        "k = w.exp()\nk.retain_grad()\n(g,) = torch.autograd.grad(k * w, w, create_graph=True)\ny = g * w",  # hidden
    ],
)
def test_operations_that_cannot_be_repeated_have_no_curve(text):
    assert recomputed(leaf("w", 2.0) + text + "\ny.backward()", "w") is None


def test_padded_data_read_as_an_array_hides_no_wrong_backward():
    trace = explorer.run(
        "import torch\nfrom torch.nn.utils.rnn import pad_sequence\n"
        + OWN.format(forward="return x * x")
        + "h = pad_sequence([torch.ones(4, 3), torch.ones(2, 3)], batch_first=True)\nh.numpy()\n"
        + "w = torch.ones(3, requires_grad=True)\nOwn.apply(h @ w).sum().backward()"
    )
    assert "differs" in {check.verdict for check in check_gradients(trace)}


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "source",
    [
        "nn.functional.scaled_dot_product_attention(x, x, x)",
        "nn.MultiheadAttention(8, 2, batch_first=True)(*[x.flatten(0, 1)] * 3, need_weights=False)[0]",
        "nn.functional.rrelu(x)",  # draws only in training
    ],
)
def test_a_call_that_could_draw_random_numbers_is_checked_if_it_draws_none(source):
    start = (
        "import torch\nfrom torch import nn\ntorch.manual_seed(0)\nx = torch.randn(2, 2, 5, 8, requires_grad=True)\n"
    )
    trace = explorer.run(f"{start}({source} ** 2).sum().backward()")
    assert {check.verdict for check in check_gradients(trace)} == {"agrees"}


@pytest.mark.parametrize("draw", ["Gamma(a, a)", "Beta(a, a + 1)", "Dirichlet(a)", "StudentT(a)"])
def test_a_draw_at_a_fixed_quantile_is_no_kink_and_hides_no_other_leaf(draw):
    source = "a, b = nn.Parameter(torch.ones(3)), nn.Parameter(torch.ones(3))\n"
    found_ = found(f"{source}x = torch.distributions.{draw}.rsample()\n(x * x * b).sum().backward()")
    assert found_ == {"a": ("unchecked", "drawn"), "b": ("agrees", None)}


LONG = "import torch\nw = torch.ones({}, requires_grad=True)\nfor _ in range({}):\n    (w * w).sum().backward()\n"


def on_a_slow_machine(monkeypatch, trace, factor):
    """Check gradients where each second counts for so many."""
    timers = limits.called_after
    monkeypatch.setattr(limits, "called_after", lambda up, cpu, clock: timers(up, cpu / factor, clock / factor))
    monkeypatch.setattr(gradcheck, "run_of", lambda program, options, *_: Readings(program, options).measured())
    try:
        return check_gradients(trace)
    finally:
        monkeypatch.undo()


def test_what_is_checked_follows_from_the_work_of_the_runs(monkeypatch):
    large = traced(LONG.format(100_000, 40))  # too much for a slow machine in a few seconds
    assert {one.verdict for one in on_a_slow_machine(monkeypatch, large, 10)} == {"agrees"}
    assert {one.verdict for one in check_gradients(large)} == {"agrees"}
    assert [one.why for one in check_gradients(large, work=1_000)] == [None, "work"]  # the first backward is near


def test_a_check_that_reaches_its_time_limit_says_so(monkeypatch):
    trace = traced(LONG.format(3, 200))
    checks = on_a_slow_machine(monkeypatch, trace, 1e6)
    assert {one.why for one in checks} == {"time"}
    summary = checked(trace, checks, "en")
    assert (summary.kind, summary.left_out) == ("unchecked", "time")
    assert "time limit" in mark_html(trace, checks, "en") and "✓" not in mark_html(trace, checks, "en")
