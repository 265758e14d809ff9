"""Shapes and positions: the kind of each error, the change that mends it, and where no change is offered."""

import pytest

from explorer.analysis.errors import Explanation
from explorer.text import say
from tests.errors.told import explains, mends_one_line, told

HEAD = "import torch, math\nfrom torch import nn\nimport torch.nn.functional as F\n"


def explained(program: str) -> Explanation:
    return told(HEAD + program)


MENDED = [  # the program, the kind, a line of the mended program
    ("x = torch.ones(4)\ny = x[: len(x) / 2]", "slice-not-whole", "y = x[: len(x) // 2]"),
    ("n = 4\nx = torch.zeros(n / 2, 3)", "size-not-whole", "x = torch.zeros(n // 2, 3)"),
    ("a = torch.ones(2, 3)\na @ a", "matmul-sizes", "a @ a.T"),
    ("v = torch.ones(3)\nv @ torch.ones(2, 3)", "matmul-sizes", "v @ torch.ones(2, 3).T"),
    ("w = torch.ones(3, 1)\nw @ torch.ones(4, 3)", "matmul-sizes", "torch.ones(4, 3) @ w"),
    ("A = torch.ones(2, 3)\nA @ torch.ones(2)", "matmul-vector", "A.T @ torch.ones(2)"),
    ("A = torch.ones(2, 3)\nA / A.sum(1)", "broadcast-keepdim", "A / A.sum(1, keepdim=True)"),
    ("A = torch.ones(2, 3)\ns = A.mean(dim=1)\nA - s", "broadcast-keepdim", "A - s.unsqueeze(1)"),
    ("A = torch.ones(2, 3)\nA - A.max(dim=1).values", "broadcast-keepdim", "A - A.max(dim=1, keepdim=True).values"),
    ("a, b = torch.ones(2, 3), torch.ones(3, 2)\na + b", "broadcast-transposed", "a + b.T"),
    ("a = torch.ones(3)\na += torch.ones(2, 3)", "inplace-shape", "a = a + torch.ones(2, 3)"),
    ("l = nn.Linear(4, 2)\nl(torch.ones(3, 5))", "linear-features", "l = nn.Linear(5, 2)"),
    ("torch.arange(6).reshape(4, 2)", "reshape-entries", "torch.arange(6).reshape(3, 2)"),
    ("torch.reshape(torch.arange(6), (4, 2))", "reshape-entries", "torch.reshape(torch.arange(6), (3, 2))"),
    ("a = torch.ones(2, 3).t()\na.view(6)", "view-not-contiguous", "a.reshape(6)"),
    ("a = torch.ones(3)\na[3]", "index-range", "a[2]"),
    ("a = torch.ones(2, 3)\na[1, 3] = 0", "index-range", "a[1, 2] = 0"),
    ("torch.ones(3).sum(dim=1)", "axis-of-vector", "torch.ones(3).sum(dim=0)"),
    ("torch.ones(2).item()", "item-of-many", "torch.ones(2).tolist()"),
    ("a = torch.ones(2)\nif a > 0:\n    pass", "truth-of-many", "if (a > 0).all():"),
    ("x = torch.ones(2)\ny = x[x > 0 and x < 2]", "truth-and", "y = x[(x > 0) & (x < 2)]"),
    ("x = torch.ones(2)\ny = 0 < x < 2", "truth-chain", "y = (0 < x) & (x < 2)"),
    ("x = torch.ones(2)\ny = x if x > 0 else -x", "truth-if-else", "y = torch.where(x > 0, x, -x)"),
    ("math.sqrt(torch.ones(2))", "math-of-tensor", "torch.sqrt(torch.ones(2))"),
    ("y = torch.tensor([1, 2])\nF.cross_entropy(torch.ones(2, 2), y)", "target-from-one",
     "F.cross_entropy(torch.ones(2, 2), y - 1)"),
    ("a = torch.zeros(3)\na[0:2] = [1., 2.]", "assign-list", "a[0:2] = torch.tensor([1., 2.])"),
]  # fmt: skip


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("program", "kind", "line"), MENDED, ids=[f"{one[1]}-{i}" for i, one in enumerate(MENDED)])
def test_the_change_runs_and_keeps_the_other_lines(program, kind, line):
    mends_one_line(HEAD + program, kind, line)


@pytest.mark.parametrize(
    ("program", "kind"),
    [
        ("torch.ones(2, 3) @ torch.ones(4, 5)", "matmul-sizes-of-no-order"),
        ("torch.ones(2, 3) + torch.ones(4, 5)", "broadcast-sizes-of-equal-axes"),
        ("rows = [torch.ones(2), torch.ones(3)]\ntorch.stack(rows)", "stack-shapes"),
        ("F.mse_loss(torch.ones(3, 2), torch.ones(2, 3))", "loss-shapes"),
        ("torch.arange(6).view(-1, 4)", "reshape-not-divisible"),
        ("a = torch.zeros(3)\na[0:2] = torch.ones(3)", "assign-shape"),
        ("F.cross_entropy(torch.ones(3, 2), torch.tensor([0, 1]))", "target-count"),
        ("F.cross_entropy(torch.ones(2, 2), torch.tensor([0, 2]))", "target-range"),
        ("x, y = torch.ones(4), torch.ones(3, 1)\ntorch.cat((x, y), dim=1)", "axis-range"),
        ("l = nn.Linear(4, 2)\nl(torch.ones(3, 4))\nl(torch.ones(3, 5))", "linear-features"),
        ("a = torch.ones(3)\ni = 3\na[i]", "index-range"),
        ("x = torch.ones(2)\nif not x:\n    pass", "truth-not"),
    ],
)
def test_where_no_change_is_sure_none_is_offered(program, kind):
    explains(HEAD + program, kind)


def test_a_function_of_another_line_is_mended_there():
    found = explained("def f(A):\n    return A / A.sum(dim=1)\nf(torch.ones(2, 3))")
    assert "    return A / A.sum(dim=1, keepdim=True)" in found.repaired_source.split("\n")


def test_the_cause_names_axes_from_the_right():
    found = explained("A = torch.ones(2, 3)\nb = torch.ones(4)\nA + b")
    cause = say("en", f"error-{found.kind}.cause", **found.values)
    assert "At axis −1, A (2, 3) has 3 and b (4,) has 4" in cause
