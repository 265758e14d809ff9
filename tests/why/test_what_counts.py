"""Everything that an answer names can change the number: rows of a norm, a pool's winner, rounds, divisors, writes."""

import pytest

import explorer
from explorer.analysis.explain.why import answer
from explorer.analysis.explain.why.derivation import Derivation
from explorer.text.numbers import read
from explorer.workers.why import complete_answer
from tests.traces import trace_of

HEAD = "import torch\nimport torch.nn.functional as F\ntorch.manual_seed(0)\n"
CLASSES = """import torch
from torch.nn import functional as F
logits = torch.zeros(300, 40)
logits[17, 3] = -5.
logits[200, 0] = 5.
logits = logits.requires_grad_()
labels = torch.zeros(300, dtype=torch.int64)
labels[17] = 3
loss = F.cross_entropy(logits, labels)
"""


def steps_of(found: Derivation) -> list[Derivation]:
    return [found, *(one for below in found.below if below is not None for one in steps_of(below))]


def asked(program: str, name: str):
    return answer(trace_of(HEAD + program), name)


def indices(program: str, name: str) -> list[str]:
    """Return the entries that the first step of an answer sums."""
    return [term.index for term in asked(program, name).derivation.step.terms]


def test_only_contributing_entries_are_listed_below_a_gradient():
    x = "x = torch.tensor([[1., 2., 4.], [0., 3., 1.]], requires_grad=True)\n"
    norm = x + "y = F.layer_norm(x, (3,))\n(y ** 3).sum().backward()"
    assert sorted(indices(norm, "x.grad[0, 1]")) == ["[0, 0]", "[0, 1]", "[0, 2]"]
    batch = x + "y = F.batch_norm(x, None, None, training=True)\n(y ** 3 * x.detach()).sum().backward()"
    assert sorted(indices(batch, "x.grad[0, 1]")) == ["[0, 1]", "[1, 1]"]
    pool = x + "y = F.max_pool1d(x, 3)\n(y * y).sum().backward()"
    assert indices(pool, "x.grad") == ["[0, 0]"]
    assert asked(pool, "x.grad[0, 0]").amount == 0
    rows = x + "y = F.embedding(torch.tensor([1, 0, 1]), x)\n(y * torch.ones(3, 3)).sum().backward()"
    assert sorted(indices(rows, "x.grad[1, 2]")) == ["[0, 2]", "[2, 2]"]
    product = x + "y = x.cumprod(1)\n(y * y).sum().backward()"
    assert sorted(indices(product, "x.grad[0, 1]")) == ["[0, 1]", "[0, 2]"]


def test_a_pooled_value_unfolds_to_its_maximum():
    found = asked("x = torch.tensor([[[-9., 2., 1., 0.]]])\np = F.max_pool1d(x, 2)", "p")
    assert [term.amount for term in found.derivation.step.terms] == [2.0]


def test_a_custom_function_is_not_followed_to_a_possibly_irrelevant_entry():
    program = """
class Turned(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.flip(0)
    @staticmethod
    def backward(ctx, g):
        return g.flip(0)
x = torch.tensor([1., 2.], requires_grad=True)
y = Turned.apply(x)
(y * torch.tensor([5., 1.])).sum().backward()
"""
    found = asked(program, "x.grad")
    assert found.amount == 5.0 and len(steps_of(found.derivation)) == 1


@pytest.mark.parametrize(
    ("made", "equation"),
    [
        ("a.var(0, unbiased=False)", "((1 − 2.5)² + (4 − 2.5)²) / 2"),
        ("a.std(0)", "√(((1 − 2.5)² + (4 − 2.5)²) / (2 − 1))"),
        ("a.norm(p=float('inf'))", "max(|1|, |4|)"),
        ("a[:1].clamp(2, 3)", "clamp(1, 2, 3)"),
        ("2 * a[1]", "2 · 4"),
        ("-1.6522 + 0.65218 * a[:1]", "−1.65 + 0.652"),
    ],
)
def test_a_value_is_written_out_as_it_was_computed(made, equation):
    found = asked(f"a = torch.tensor([1., 4.])\ny = {made}", "y")
    assert any(equation in one.step.equation for one in steps_of(found.derivation)), found.lines


def test_a_long_sum_lists_its_largest_terms_and_adds_the_rest():
    found = asked("a = torch.zeros(40)\na[[7, 20]] = torch.tensor([3.83, 0.507])\ns = a.sum()", "s")
    said = found.text
    assert "3.83 + 0.507" in said.replace("0 + ", "") and "(33 more)" in said


def test_shares_are_shown_only_if_no_terms_cancel():
    leaf = "x = torch.tensor([1., -2., 3.], requires_grad=True)\n"
    assert "%" not in asked(leaf + "c = x.cumsum(0)\n(c * c).sum().backward()", "x.grad").text
    assert "%" in asked(leaf + "(x.cumsum(0) * 2).sum().backward()", "x.grad").text


def test_lines_of_a_loop_name_their_round_and_a_write_its_line():
    loop = (
        "w = torch.tensor(0.5, requires_grad=True)\nh = torch.ones(())\nfor k in range(3):\n    h = torch.tanh(w * h)\n"
    )
    lines = asked(loop + "h.backward()", "w.grad").lines
    assert all("of round" in line for line in lines[1:])
    write = "x = torch.tensor([1., 2.], requires_grad=True)\ny = x * 2\ny[0] = x[1]\n(y * y).sum().backward()"
    lines = asked(write, "x.grad[1]").lines
    assert any("y[1] after line 6" in line for line in lines) and any("x[1] read on line 6" in line for line in lines)


def test_a_frozen_parameter_shows_since_when_and_that_the_optimizer_still_moves_it():
    program = """
w = torch.nn.Parameter(torch.ones(2))
v = torch.nn.Parameter(torch.ones(2))
opt = torch.optim.SGD([w, v], lr=0.1, momentum=0.9)
for step in range(3):
    if step == 1:
        w.requires_grad_(False)
    opt.zero_grad(set_to_none=False)
    (w * v).sum().backward()
    opt.step()
"""
    trace = trace_of(HEAD + program)
    assert answer(trace, "w.requires_grad").derivation.step.noted == "reason-switched-off-at"
    assert "line 10" in answer(trace, "w").lines[1] and "optimizer" in answer(trace, "w").lines[1]
    assert "line 10" in answer(trace, "w.grad").lines[1]
    assert "line 10" not in "".join(answer(trace, "v.grad").lines[:3])


def test_cross_entropy_is_softmax_less_one_at_the_label():
    program = "z = torch.tensor([[1., 2.], [0., 0.]], requires_grad=True)\n"
    step = asked(program + "F.cross_entropy(z, torch.tensor([0, 1])).backward()", "z.grad[1, 1]").derivation.step
    assert step.noted == "entropy-label" and step.note.values["numbers"] == "(0.5 − 1) / 2"
    step = asked(program + "F.cross_entropy(z, torch.tensor([0, 1])).backward()", "z.grad[1, 0]").derivation.step
    assert step.noted == "entropy-other" and step.note.values["numbers"] == "0.5 / 2"


@pytest.mark.parametrize(
    ("optimizer", "equation"),
    [
        ("SGD([w], lr=0.1)", "−1.28 − 0.1 · (−2.56)"),
        ("SGD([w], lr=0.1, momentum=0.9)", ""),  # its momentum matters
        ("SGD([w], lr=0.1, weight_decay=0.001)", ""),
        ("SGD([w], lr=0.1, maximize=True)", ""),
        ("Adam([w], lr=0.1)", ""),
    ],
)
def test_an_optimizer_step_is_explained_by_the_previous_value_and_gradient(optimizer: str, equation: str):
    program = f"w = torch.tensor([1., -2.], requires_grad=True)\nopt = torch.optim.{optimizer}\nfor _ in range(3):\n"
    program += "    opt.zero_grad()\n    loss = (w ** 2).sum()\n    loss.backward()\n    opt.step()"
    found = asked(program, "w[1]").derivation
    before, slope = found.step.terms
    assert slope.amount == pytest.approx(2 * before.amount)
    assert [below.step.kind for below in found.below] == ["value", "grad"]
    assert found.below[0].why == ("more", "more")  # the previous step is another question
    assert (found.step.equation[-1] if found.step.equation else "") == equation


def test_the_gradient_read_by_a_step_is_known():
    program = "net = torch.nn.Linear(60, 50)\nopt = torch.optim.SGD(net.parameters(), lr=0.1)\n"
    program += "net(torch.ones(4, 60)).square().mean().backward()\nopt.step()"
    why = complete_answer(explorer.run(HEAD + program), "net.weight[3, 5]")
    slope = why.derivation.step.terms[1].amount
    assert why.derivation.step.equation and slope == why.derivation.below[1].step.amount


def test_the_largest_row_of_a_batch_is_first_with_its_label():
    step = asked(CLASSES, "loss").derivation.step
    first = step.terms[0]
    assert (first.index, round(first.amount, 2)) == ("[17]", 8.66)
    assert step.hidden == 292 and read(step.hidden_sum) == pytest.approx(291 * 3.6889, rel=1e-2)
    assert all(term.subject is not None and "labels" not in term.mention.word for term in step.terms)


def test_a_row_is_minus_log_softmax_at_its_label():
    assert asked(CLASSES, "loss[17]").derivation.step.equation == ("−log softmax(logits[17])[3]",)


def test_an_ignored_row_of_the_loss_is_not_called_minus_log_softmax():
    program = "import torch\nfrom torch.nn import functional as F\nx = torch.zeros(2, 3, requires_grad=True)\n"
    program += "loss = F.cross_entropy(x, torch.tensor([2, 1]), ignore_index=1)"
    step = asked(program, "loss[1]").derivation.step
    assert (step.amount, step.equation, step.noted) == (0.0, (), "row-ignored")


def test_a_row_that_is_not_among_the_largest_is_not_invented():
    step = asked(CLASSES, "loss[200]").derivation.step
    assert step.amount is None and step.noted == "term-not-kept"


def test_weights_divide_by_the_weights_of_the_labels():
    program = CLASSES + "weighted = F.cross_entropy(logits, labels, weight=torch.full((40,), 0.5))"
    step = asked(program, "weighted").derivation.step
    assert step.equation[0].endswith("/ 150") and step.amount == pytest.approx(3.6939, rel=1e-3)


@pytest.mark.parametrize(
    ("loss", "equation"),
    [
        ("F.mse_loss(a, b)", "(a[1] − b[1])²"),
        ("F.l1_loss(a, b)", "|a[1] − b[1]|"),
        ("F.smooth_l1_loss(a, b, reduction='sum')", "smooth_l1_loss(a[1], b[1], beta=1)"),
        ("F.binary_cross_entropy_with_logits(a, b)", "binary_cross_entropy_with_logits(a[1], b[1])"),
        ("torch.nn.HuberLoss(delta=1.5)(a, b)", "huber_loss(a[1], b[1], delta=1.5)"),
    ],
)
def test_a_term_of_two_tensors_names_the_entries_that_it_compares(loss: str, equation: str):
    program = "import torch\nfrom torch.nn import functional as F\na = torch.tensor([1., 9.], requires_grad=True)\n"
    why = asked(f"{program}b = torch.tensor([1., 2.])\nloss = {loss}", "loss[1]")
    assert why.derivation.step.equation[0] == equation
    assert [term.amount for term in why.derivation.step.terms] == [9.0, 2.0]


@pytest.mark.parametrize(
    "loss",
    [
        "F.multi_margin_loss(x, torch.tensor([0]))",  # reads the whole row, not minus the entry at its label
        "F.cross_entropy(x, torch.tensor([0]), None, None, -100, None, 'mean', 0.1)",
        "F.gaussian_nll_loss(x, x.detach() * 2, torch.ones(1, 3), reduction='sum')",  # divides by its third tensor
        "F.mse_loss(x, x.detach() * 2, weight=torch.ones(1, 3) * 3, reduction='sum')",
    ],
)
def test_a_term_of_more_than_two_entries_has_no_pair_equation(loss: str):
    program = (
        f"import torch\nfrom torch.nn import functional as F\nx = torch.ones(1, 3, requires_grad=True)\nloss = {loss}"
    )
    term = asked(program, "loss[0, 0]" if "sum" in loss else "loss[0]").derivation.step
    assert term.amount is not None and term.equation == ()


def test_a_mean_of_many_entries_names_the_largest_of_all_not_of_a_sample():
    program = "import torch\nx = torch.zeros(99, 99)\nx[98, 97] = 5.\nx.requires_grad_()\nloss = (x * x).mean()"
    first = asked(program, "loss").derivation.step.terms[0]
    assert (first.index, first.amount) == ("[98, 97]", 25.0)


def test_labels_that_are_all_ignored_have_no_terms():
    program = "import torch\nx = torch.zeros(1, 2, requires_grad=True)\n"
    program += "loss = torch.nn.functional.cross_entropy(x, torch.tensor([-100]))"
    assert asked(program, "loss").derivation.step.equation == ()


def test_the_terms_survive_a_file(tmp_path):
    import torch

    with explorer.record() as trace:
        loss = torch.nn.functional.cross_entropy(torch.zeros(80, 7, requires_grad=True), torch.arange(80) % 7)
    explorer.save(trace, tmp_path / "t.trace")
    assert explorer.load(tmp_path / "t.trace").why("loss").text == trace.why("loss").text
    assert loss.requires_grad
