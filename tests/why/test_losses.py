"""A loss is the mean or the sum of its terms: the largest are told first, at any size, and each can be asked."""

import pytest

import explorer
from tests.why.test_what_counts import asked

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


def test_the_largest_row_of_a_large_batch_comes_first_with_its_label():
    step = asked(CLASSES, "loss").derivation.step
    first = step.terms[0]
    assert (first.index, round(first.amount, 2)) == ("[17]", 8.66)
    assert step.hidden == 292 and step.hidden_sum == pytest.approx(291 * 3.6889, rel=1e-2)
    assert all(term.subject is not None and "labels" not in term.mention.word for term in step.terms)


def test_a_row_is_minus_log_softmax_at_its_label():
    assert asked(CLASSES, "loss[17]").derivation.step.equation == ("−log softmax(logits[17])[3]",)


def test_a_row_that_the_loss_leaves_out_is_not_said_to_be_minus_log_softmax():
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
def test_a_term_that_more_enters_than_two_entries_has_no_equation_of_these(loss: str):
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
